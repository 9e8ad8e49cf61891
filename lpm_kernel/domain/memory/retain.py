"""Reading and writing the lines under ``## Retain``: ``- O(c=0.9) @Peter: prefers short replies``.

The letter says the kind: W of the world, B of the person's own life, O an opinion, S a summary. A
line that is none is named, with what is wrong with it, and the others are read all the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import takewhile

from lpm_kernel.domain.statements import Statement, StatementKind

LETTERS = {
    "W": StatementKind.WORLD,
    "B": StatementKind.EXPERIENCE,
    "O": StatementKind.OPINION,
    "S": StatementKind.OBSERVATION,
}
KINDS = "W (the world), B (your life), O (an opinion) or S (a summary)"
LONGEST_NAME = 60

_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>.*)$")
_BULLET = re.compile(r"(?P<indent>[ \t]*)[-*+・][ \t\u3000]*+(?P<body>.*+)$")
_LETTER = re.compile(
    r"(?P<letter>[A-Za-zＡ-Ｚａ-ｚ])[ \t\u3000]*+(?:[(（](?P<more>[^)）]*)[)）])?"
    r"(?P<space>[ \t\u3000]*+)(?=[@＠]|(?<=[ \t\u3000)）])|$)(?P<rest>.*+)$"
)
_ABOUT = re.compile(
    r"[@＠](?P<names>[^:：\n]{1,200}?)[ \t\u3000]*+[:：](?!//)[ \t\u3000]*+(?P<text>.*+)$"
)
_NAMED = re.compile(r"[@＠](?:\[(?P<long>[^\]\n]{1,60})\]|(?P<short>[\w’'.-]*[\w’']))")
_BETWEEN = re.compile(r"[ \t\u3000]{0,20}[,、，&][ \t\u3000]*[@＠]?")
_ID = re.compile(r"(?<![ \t])[ \t]++\^(?P<id>m[0-9a-z]{4,40})[ \t]*$")
_NUMBER = re.compile(r"\d{0,3}(?:\.\d{1,6})?")


@dataclass(frozen=True)
class Retained:
    """A statement and where it stands: ``start`` and ``end`` count code points of the text, end
    exclusive; lines count from 1.
    """

    statement: Statement
    line: int
    start: int
    end: int
    about: tuple[int, int]
    """The same stretch with whom it is about in front: ``@Peter: prefers short replies``."""


@dataclass(frozen=True)
class BadLine:
    """A line that is no statement, and why."""

    line: int
    reason: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class RetainSection:
    """What stands under ``## Retain``."""

    statements: tuple[Retained, ...]
    bad: tuple[BadLine, ...]


def parse(text: str) -> RetainSection:
    r"""Read every ``## Retain`` section of a text.

    >>> found = parse("## Retain\n- W @Mai: moved to Kobe\n- O(c=1.4) Rain is fine.\n- B I swam.")
    >>> ([(each.statement.text, each.line) for each in found.statements],
    ...  [(each.line, each.reason) for each in found.bad])
    ([('moved to Kobe', 2), ('I swam.', 4)],
     [(3, 'The confidence 1.4 is not between 0 and 1.')])
    """
    statements: list[Retained] = []
    bad: list[BadLine] = []
    level, at = 0, 0
    for number, raw in enumerate(text.splitlines(keepends=True), start=1):
        line, start = raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"), at
        at += len(raw)
        heading = _HEADING.match(line)
        if heading:
            depth = len(heading["marks"])
            if heading["title"].rstrip().rstrip("#").rstrip().casefold() == "retain":
                level = depth
            elif depth <= level:
                level = 0
            continue
        if not level or not line.strip():
            continue
        bullet = _BULLET.match(line)
        if bullet is None:
            bad.append(
                BadLine(
                    number, "It is no list item; a statement begins with “- ” and its kind.", line
                )
            )
            continue
        read = statement(bullet["body"])
        if isinstance(read, str):
            bad.append(BadLine(number, read, line))
            continue
        begins = start + line.rindex(read.text) if read.text in line else start
        ends = begins + len(read.text)
        named = min(
            (at for at in (line.find(sign, bullet.start("body")) for sign in "@＠") if at >= 0),
            default=len(line),
        )
        statements.append(Retained(read, number, begins, ends, (min(begins, start + named), ends)))
    return RetainSection(tuple(statements), tuple(bad))


def statement(body: str) -> Statement | str:
    """Read one statement without its bullet; a text says what is wrong with it.

    >>> statement("O(c=0.95) @Peter: prefers short replies")
    Statement(kind=<StatementKind.OPINION: 'opinion'>, confidence=0.95, id=None)
    >>> statement("X something")
    'There is no kind X; it is W (the world), B (your life), O (an opinion) or S (a summary).'
    """
    known = _ID.search(body)
    body = (body[: known.start()] if known else body).strip()
    match = _LETTER.match(body)
    if match is None:
        return f"It does not begin with its kind: {KINDS}."
    letter = unicodedata.normalize("NFKC", match["letter"])
    kind = LETTERS.get(letter.upper())
    if kind is None or (letter.islower() and match["more"] is None):
        return (
            f"There is no kind {letter}; it is {KINDS}."
            if letter.isupper()
            else f"It does not begin with its kind: {KINDS}."
        )
    confidence = _confidence(match["more"])
    if isinstance(confidence, str):
        return confidence
    text, names = match["rest"].strip(), []
    about = _ABOUT.match(text)
    if about is not None and all(_is_name(name) for name in _BETWEEN.split(about["names"])):
        names, text = (
            [name.strip().strip("[]") for name in _BETWEEN.split(about["names"])],
            about["text"].strip(),
        )
    names += [found["long"] or found["short"] for found in _NAMED.finditer(text)]
    if not text:
        return "It says nothing."
    return Statement(
        kind,
        text,
        tuple(dict.fromkeys(name for name in names if name)),
        confidence,
        known["id"] if known else None,
    )


def _is_name(text: str) -> bool:
    """Tell whether what stands between ``@`` and the colon is one name, and not the beginning of a
    sentence with names in it.
    """
    return len(text) <= LONGEST_NAME and not any(
        sign in text.strip().removeprefix("[").removesuffix("]") for sign in "@＠[]"
    )


def _confidence(more: str | None) -> float | str | None:
    """Read ``c=0.9``; a text says what is wrong with it."""
    if more is None or not more.strip():
        return None
    said = unicodedata.normalize("NFKC", more).replace(" ", "")
    value = said.casefold().removeprefix("c=")
    if value == said.casefold() or not value or not _NUMBER.fullmatch(value):
        return f"“({more.strip()[:20]})” is no confidence; write (c=0.8)."
    number = float(value)
    return number if 0 <= number <= 1 else f"The confidence {value} is not between 0 and 1."


def line_of(known: Statement) -> str:
    """Write a statement as a line, so that reading it gives the same again.

    >>> line_of(Statement(StatementKind.OPINION, "prefers short replies", ("Peter",), 0.9))
    '- O(c=0.9) @Peter: prefers short replies'
    """
    letter = next(each for each, kind in LETTERS.items() if kind is known.kind)
    sure = (
        ""
        if known.confidence is None
        else f"(c={known.confidence:.6f}".rstrip("0").rstrip(".") + ")"
    )
    written = {found["long"] or found["short"] for found in _NAMED.finditer(known.text)}
    first = list(takewhile(lambda name: name not in written, known.entities))
    about = f"{', '.join(f'@{name}' for name in first)}: " if first else ""
    return f"- {letter}{sure} {about}{known.text}" + (f" ^{known.id}" if known.id else "")
