"""What a page of the workspace should say: sentences of the person's own, chosen so that no two say
the same and no frame comes back a third time.

Pure. Nothing is made up: a sentence of a page stands in a document, word for word, and points
there. The only lines that stand nowhere are sums ("first on …, last on …"), and they point at what
they sum up.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.pages import marked, own_lines
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language.analysis import names, terms
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L1.statements.fact_keys import fact_key

MOST_SECTION = 8
FRAMES = 2
"""How often a page may begin a sentence in the same way."""
PER_DOCUMENT = 3
ALIKE = 0.5
"""Share of the shorter one's words that two sentences may have in common."""
SHORTEST: Mapping[Language, int] = {"en": 20, "ja": 8, "zh": 8}
LONGEST = 260
"""Signs of a sentence that stands for itself, at least and at most."""
DAYS = 30
"""What counts as lately."""

_DATE = re.compile(
    r"^(?:(?:on|in|since|from|until|by|at)\s+)?(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\s*(?:\d{1,2},?\s+)?"
    r"(?:\d{4})?[,:]?\s*"
    r"|^(?:\d{4}年)?(?:\d{1,2}月)?(?:\d{1,2}日)?(?:に|、|は|から|の)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w'\u2019]+")
_LEANS = re.compile(
    r"^\W*(?:he|she|it|they|this|that|these|those|him|her|them|there|here|so|but|and|or|then|yet"
    r"|now|because|which|who)\b|^\W*(?:それ|これ|あれ|そこ|ここ|彼|彼女|その|この|あの|でも"
    r"|しかし|そして|だから|また)|[:：,、;；]\s*$",
    re.IGNORECASE,
)
"""A sentence that begins so leans on the one before it; one that ends so, on what follows."""


class PageSection(StrEnum):
    """A part of a page. What was said, what was found and what was summed up are kept apart."""

    SUMMARY = "summary"
    ORIGIN = "origin"
    FAMILY = "family"
    WORK = "work"
    PLACES = "places"
    NOW = "now"
    LIFE = "life"
    LATELY = "lately"
    VIEWS = "views"
    KEPT = "kept"
    FOUND = "found"


HEADINGS: Mapping[PageSection, Mapping[str, str]] = {
    PageSection.SUMMARY: {"en": "Summed up", "ja": "まとめ"},
    PageSection.ORIGIN: {"en": "Where from", "ja": "生い立ち"},
    PageSection.FAMILY: {"en": "Family and people", "ja": "家族と人"},
    PageSection.WORK: {"en": "Work", "ja": "仕事"},
    PageSection.PLACES: {"en": "Places", "ja": "住まい"},
    PageSection.NOW: {"en": "Now", "ja": "今"},
    PageSection.LIFE: {"en": "Life", "ja": "これまで"},
    PageSection.LATELY: {"en": "Lately", "ja": "このごろ"},
    PageSection.VIEWS: {"en": "Views", "ja": "考え"},
    PageSection.KEPT: {"en": "Stated", "ja": "書き残したこと"},
    PageSection.FOUND: {"en": "From the notes", "ja": "記録から"},
}
ALL_HEADINGS = frozenset(f"## {each}" for known in HEADINGS.values() for each in known.values())


@dataclass(frozen=True)
class PageLine:
    """A sentence that belongs on a page, and what it rests on."""

    section: PageSection
    text: str = field(repr=False)
    evidence: tuple[Claim, ...] = field(repr=False)


def entity_page(claims: Sequence[Claim], language: Language) -> list[PageLine]:
    """Say what stands about somebody or something, the oldest first in each part; the claims come
    weightiest first.
    """
    frames: Counter[str] = Counter()
    views = selected(
        [claim for claim in claims if claim.kept and claim.kind is StatementKind.OPINION],
        MOST_SECTION,
        frames,
    )
    kept = selected(
        [claim for claim in claims if claim.kept and claim.kind is not StatementKind.OPINION],
        MOST_SECTION,
        frames,
        views,
    )
    found = selected(
        [claim for claim in claims if not claim.kept], MOST_SECTION, frames, [*views, *kept]
    )
    shown = [*views, *kept, *found]
    dated = sorted(
        (claim for claim in shown if claim.moment is not None), key=lambda each: each.moment or 0.0
    )
    lines = [
        PageLine(section, claim.text, (claim,))
        for section, part in (
            (PageSection.KEPT, kept),
            (PageSection.VIEWS, views),
            (PageSection.FOUND, found),
        )
        for claim in part
    ]
    if len(dated) > 2 and day(dated[0].moment) != day(dated[-1].moment):  # noqa: PLR2004  two dates are no span worth a line
        lines.insert(
            0, PageLine(PageSection.SUMMARY, _span(dated, language), (dated[0], dated[-1]))
        )
    return lines


def joined(groups: Sequence[Sequence[Claim]]) -> list[Claim]:
    """Order what is said of several that belong together: first what names more than one of them,
    then the weightier.

    A statement whose words do not name whom it is about ("@Nora: sails well") is left out: beside
    others nobody could tell.
    """
    named: Counter[tuple[DocumentId, int]] = Counter(
        (claim.document, claim.start) for group in groups for claim in group
    )
    once = {
        (claim.document, claim.start): claim
        for group in groups
        for claim in group
        if not claim.about or claim.about[0].casefold() in claim.text.casefold()
    }
    return sorted(
        once.values(),
        key=lambda each: (
            -min(2, named[each.document, each.start]),
            -each.weight,
            each.document,
            each.start,
        ),
    )


def selected(
    claims: Sequence[Claim],
    most: int,
    frames: Counter[str],
    before: Sequence[Claim] = (),
    shortest: Mapping[Language, int] = SHORTEST,
) -> list[Claim]:
    """Choose sentences that stand for themselves and say different things, and put them in the
    order of time; ``frames`` counts how they begin.
    """
    taken: list[Claim] = []
    said = [frozenset(terms(claim.text)) for claim in before]
    documents: Counter[str] = Counter()
    for each in claims:
        words, way = frozenset(terms(each.text)), frame(each.text)
        stands = shortest[language_of(each.text)] <= len(each.text) <= LONGEST and (
            each.kept or not _LEANS.search(each.text)
        )
        if (
            not stands
            or not words
            or frames[way] >= FRAMES
            or documents[each.document] >= PER_DOCUMENT
        ):
            continue
        if any(len(words & other) > ALIKE * min(len(words), len(other)) for other in said):
            continue
        taken.append(each)
        said.append(words)
        frames[way] += 1
        documents[each.document] += 1
        if len(taken) == most:
            break
    return sorted(
        taken, key=lambda each: (each.moment is None, each.moment or 0.0, each.document, each.start)
    )


def frame(text: str) -> str:
    """Return how a sentence begins, whoever and whenever it is about.

    >>> (frame("On 6 April 2024 I moved the workshop."), frame("I moved Kuri's basket."),
    ...  frame("2024年4月6日に工房を移した。"))
    ('i moved', 'i moved', '工房を移')
    """
    rest = _DATE.sub("", text.strip(), count=1)
    if language_of(text) != "en":
        return rest[:4]
    known = {word.casefold() for name in names(text) for word in name.split()}
    words = [
        "@" if word.casefold() in known else re.sub(r"\d+", "#", word.casefold())
        for word in _WORD.findall(rest)
    ]
    return " ".join(words[:2])


def _span(dated: Sequence[Claim], language: Language) -> str:
    first, last = day(dated[0].moment), day(dated[-1].moment)
    return (
        f"記録は{first}から{last}まで。" if language == "ja" else f"Notes from {first} to {last}."
    )


def day(moment: float | None) -> str:
    """Return a day in the person's zone as ``2024-05-03``; nothing where there is none."""
    return (
        ""
        if moment is None
        else datetime.fromtimestamp(moment, UTC).astimezone().date().isoformat()
    )


def line_of(line: PageLine, sources: Mapping[DocumentId, str]) -> str:
    """Write a sentence as a line of a page, with the titles of what it rests on."""
    source = "; ".join(
        dict.fromkeys(
            part
            for claim in line.evidence
            if (part := source_of(claim, sources.get(claim.document, "")))
        )
    )
    return marked(
        f"- {' '.join(line.text.split())}"
        + (f" — {source}" if source and line.section is not PageSection.SUMMARY else "")
    )


def source_of(claim: Claim, title: str) -> str:
    """Name where a claim stands: the title, and the day where the title does not give the year."""
    when = day(claim.moment)
    return (
        title
        if not when or when[:4] in title
        else ", ".join(each for each in (title, when) if each)
    )


def rewritten(text: str, title: str, wanted: Sequence[tuple[str, Sequence[str]]]) -> str:
    r"""Put these lines under these headings, in the place of all that the node wrote there before.

    Everything else stays as it is, byte for byte: blank lines and the ends of lines too.

    >>> page = rewritten("", "Ren", [("Stated", [marked("- Plays the cello.")])])
    >>> page.splitlines()[:4]
    ['# Ren', '', '## Stated', '']
    >>> rewritten(page + "\n## Mine\n\n\n\nWe met.", "Ren", [])
    '# Ren\n\n## Mine\n\n\n\nWe met.'
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines, places = _without_own(text)
    fresh: dict[int, list[str]] = {}
    for heading, said in wanted:
        place = _place_of(heading, title, lines, places, newline)
        fresh.setdefault(place, []).extend(f"{line}{newline}" for line in said)
    made: list[str] = []
    for number in range(len(lines) + 1):
        if number in fresh:
            made = _ended(made, newline)
            if made and made[-1].strip():
                made.append(newline)
            made += fresh[number]
            if number < len(lines) and lines[number].strip():
                made.append(newline)
        made += lines[number : number + 1]
    return "".join(_without_bare_headings(made))


def _without_own(text: str) -> tuple[list[str], dict[str, int]]:
    """Return the lines of a page besides the node's, and before which its own stood, by heading.

    Of the blank lines on both sides of what the node wrote, one goes with it.
    """
    own = {line.start for line in own_lines(text)}
    lines: list[str] = []
    places: dict[str, int] = {}
    at, under, within = 0, "", False

    def close(*, blank_follows: bool) -> None:
        if blank_follows and lines and not lines[-1].strip():
            lines.pop()
            places.update(
                {heading: len(lines) for heading, place in places.items() if place > len(lines)}
            )

    for raw in text.splitlines(keepends=True):
        under = raw.strip() if raw.startswith("#") else under
        if at in own:
            places.setdefault(under, len(lines))
        else:
            if within:
                close(blank_follows=not raw.strip())
            lines.append(raw)
        within = at in own
        at += len(raw)
    if within:
        close(blank_follows=True)
    return lines, places


def _place_of(
    heading: str, title: str, lines: list[str], places: Mapping[str, int], newline: str
) -> int:
    """Return before which line a part belongs.

    That is where it stood, else below its heading, which is put at the end where there is none.
    """
    alike = {
        f"## {each}"
        for known in HEADINGS.values()
        if heading in known.values()
        for each in known.values()
    }
    there = next((place for mark, place in places.items() if mark in alike), None)
    if there is None:
        there = next(
            (number + 1 for number, line in enumerate(lines) if line.strip() in alike), None
        )
    if there is None:
        lines[:] = _ended(lines, newline) or [f"# {title}{newline}"]
        lines += [newline, f"## {heading}{newline}"]
        there = len(lines)
    return there


def _ended(lines: list[str], newline: str) -> list[str]:
    """Return lines of which the last one ends."""
    if lines and not lines[-1].endswith(("\n", "\r")):
        return [*lines[:-1], lines[-1] + newline]
    return lines


def _without_bare_headings(lines: Sequence[str]) -> list[str]:
    """Leave out each heading of the node's that has nothing under it, and the blank line before
    it.
    """
    kept: list[str] = []
    for number, line in enumerate(lines):
        if line.strip() in ALL_HEADINGS:
            following = next((other.strip() for other in lines[number + 1 :] if other.strip()), "#")
            if following.startswith("#"):
                if kept and not kept[-1].strip():
                    kept.pop()
                continue
        kept.append(line)
    return kept


def is_bare(text: str) -> bool:
    """Tell whether nothing but headings is left of a page."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())


def lines_by_section(
    lines: Sequence[PageLine],
    language: Language,
    sources: Mapping[DocumentId, str],
    without: Collection[str],
) -> list[tuple[str, list[tuple[str, PageLine]]]]:
    """Write the lines under their headings, those left out that the person struck (``without``:
    as :func:`is_struck` compares them).
    """
    made: dict[PageSection, list[tuple[str, PageLine]]] = {}
    for page_line in lines:
        if not is_struck(page_line, without):
            made.setdefault(page_line.section, []).append((line_of(page_line, sources), page_line))
    heading = "ja" if language == "ja" else "en"
    return [(HEADINGS[section][heading], part) for section, part in made.items()]


def is_struck(line: PageLine, struck: Collection[str]) -> bool:
    """Tell whether the person struck a line, or one that says the same of their life; ``struck``:
    keys of lines (:func:`key_of`), and of what they say (`fact_key`).
    """
    return key_of(line) in struck or fact_key(line.text) in struck


def key_of(line: PageLine) -> str:
    """Return a hash of the words of a line: what was struck once stays out, wherever it stands and
    however it is spaced.
    """
    words = (
        "".join(line.text.split()).casefold()
        if line.section is not PageSection.SUMMARY
        else f"#{line.section}"
    )
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
