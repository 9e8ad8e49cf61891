"""What a sentence says of who somebody is: "my brother Conor", "Dr Byrne, the vet", 大工の本間さん,
"lives in Cork".

By rule, and only in so many words. Whose brother it is depends on whose words they are, which the
caller knows. What is asked, denied or put in another's mouth says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final

from lpm_kernel.L0.language import irrealis
from lpm_kernel.L0.text.sentences import sentence_spans

REACH: Final = 64
"""Characters before and after a name that are looked at."""
OWN: Final = ""
"""Whose a relation is, where it is the person's."""

Voice = Callable[[int], str | None]
"""Says whose words stand at a place of a text: `OWN`, a name, or ``None`` where it is not sure."""


class FactKind(StrEnum):
    """What a sentence says of somebody."""

    RELATION = "relation"
    """What they are to the person, or to somebody else: a brother, a vet."""
    WORKS = "works"
    """Where they belong to: the workshop, 農協."""
    LIVES = "lives"
    MET = "met"
    """The person met them that day."""


@dataclass(frozen=True)
class Relation:
    """A word for what somebody is to another."""

    name: str
    group: str
    """kin, tie, role or pet."""
    gender: str
    """f, m, or nothing."""
    english: tuple[str, ...]
    japanese: tuple[str, ...]
    polite: str
    """As a Japanese sentence calls it when it speaks to the person."""
    chinese: tuple[str, ...] = ()
    """The plainest first; none where Chinese texts are not read for it."""

    @property
    def plain(self) -> str:
        """The relation without who is the older: a younger sister is a sister."""
        return _AGE.sub("", self.name)


@dataclass(frozen=True)
class Fact:
    """Something that a sentence says of somebody, with its place in the text."""

    kind: FactKind
    value: str = field(repr=False)
    """The relation's name, or the place as it is written."""
    whose: str | None = field(repr=False)
    """Whose brother: `OWN`, or a name; ``None`` where they are nobody's: the vet, a surgeon."""
    start: int
    end: int


@lru_cache(maxsize=1)
def relations() -> dict[str, Relation]:
    """Return the words for relations, by name."""
    packed = resources.files(__package__).joinpath("relations.txt").read_text("utf-8")
    found = {}
    for line in packed.splitlines():
        name, group, gender, english, japanese, polite, chinese = line.split("\t")
        of_english, of_japanese, of_chinese = (
            tuple(filter(None, words.split(","))) for words in (english, japanese, chinese)
        )
        found[name] = Relation(name, group, gender, of_english, of_japanese, polite, of_chinese)
    return found


_AGE: Final = re.compile(r"^(?:older|younger) ")


def _by_word(words_of: Callable[[Relation], tuple[str, ...]]) -> dict[str, Relation]:
    return {word: relation for relation in relations().values() for word in words_of(relation)}


def _any(words: dict[str, Relation]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


_ENGLISH: Final = _by_word(lambda relation: relation.english)
_JAPANESE: Final = _by_word(lambda relation: relation.japanese)
_CHINESE: Final = _by_word(lambda relation: relation.chinese)
_ROLES: Final = {
    word: relation for word, relation in _ENGLISH.items() if relation.group in {"role", "pet"}
}

_ADJECTIVE: Final = (
    r"(?:(?:old|dear|poor|new|young|little|big|lovely|good|other|eldest|youngest|only|own|local"
    r"|best|oldest) ){0,2}"
)
_PARTICLE: Final = r"(?:(?:Le|La|De|Van|Von|Mr\.?|Mrs\.?|Ms|Dr\.?|Old|Aunt|Uncle) ){0,2}"
_WHOSE: Final = rf"(?P<whose>[Mm]y|[Oo]ur|[Tt]he|(?P<owner>{_PARTICLE}[A-Z][\w-]{{1,20}})['’]s)"
_BEFORE: Final = re.compile(
    rf"(?:^|[^\w'’-]){_WHOSE} {_ADJECTIVE}(?P<relation>{_any(_ENGLISH)})"
    r"(?P<comma>, (?:called )?| called | named | )$"
)
_AFTER: Final = re.compile(
    rf"^(?P<between>, | \(| [–—] ){_WHOSE} {_ADJECTIVE}(?P<relation>{_any(_ENGLISH)})"
    r"(?=[,.;:)!–—]|$| who\b| at\b| in\b| from\b)(?!, (?:and|or)\b)"
)
_IS: Final = re.compile(
    rf"^(?:,? who)? is (?P<whose>my|our|the|an?) {_ADJECTIVE}(?P<relation>{_any(_ENGLISH)})"
    r"(?=[,.;:)!–—]|$| and\b| who\b| at\b| in\b| from\b| here\b| now\b)"
)
_APPOINTMENTS: Final = frozenset({"dentist", "doctor", "gp", "vet", "physio", "hairdresser"})
_APART: Final = re.compile(r"(?:[,.;:)!–—]|$)(?! (?:and|or)\b)")
_CALLED: Final = re.compile(
    rf"(?:^|[^\w'’-])(?P<whose>[Mm]y|[Oo]ur) {_ADJECTIVE}"
    rf"(?P<relation>{_any(_ENGLISH)})(?:['’]s| is|['’]s name is) called $"
)
_THE: Final = re.compile(
    rf"^(?: the | \()(?P<relation>{_any(_ROLES)})(?=[,.;:)!]|$| who\b| came\b| is\b| at\b)"
)
_NAMESAKES: Final = (
    re.compile(r"\b(?i:other|another|wrong|second) $"),
    re.compile(
        r"^(?:さん|先生|くん|氏)?[（(][^（()）]{1,10}(?:のほう|の方)[)）]|^(?:さん)?(?:が|は)?(?:二人|ふたり)"
        r"|^[^.!?]{0,40}\bno relation\b"
    ),
)
"""What says that there is more than one of the name."""
_ROW_OF_TWO: Final = re.compile(r" (?:and|or) (?:[A-Z][a-z]{1,3}\.? )?|(?:さん)?と")
_UNREAL: Final = (
    irrealis.CONDITION,
    irrealis.IMAGINATION,
    irrealis.DREAM,
    irrealis.GUESS,
    irrealis.POSSIBILITY,
    irrealis.WOULD,
)
_UNSURE: Final = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bnor|\bno longer) (?:my|our)\b"
    rf"|{irrealis.english(*_UNREAL)}|{irrealis.japanese(*_UNREAL)}"
)
_PLACE: Final = r"(?P<place>[A-Z][\w'’-]{1,20}(?: [A-Z][\w'’-]{1,20}){0,2})"
_LIVES: Final = re.compile(rf"^(?:,? who)? (?:(?:now|still) )?lives (?:now )?(?:in|near) {_PLACE}")
_WORKPLACE: Final = (
    "workshop|office|bank|shop|garage|school|library|pharmacy|clinic|council|choir|club|yard|farm"
    "|mill|museum|post office|agency|union|surgery|bakery|dairy|co-op|allotments?|town hall"
)
_WORKS: Final = re.compile(rf"^ (?:from|at) (?P<place>the (?:{_WORKPLACE}))\b(?!\s+to\b)")
_WORKS_WITH: Final = re.compile(
    r"(?:^|[.!?] |\b(?:with|by|asked|told|thanked|paid|and|says|said) )(?:[A-Z][a-z]{1,3}\.? )?$"
)
_MET: Final = re.compile(
    r"(?:^|\b(?:I|[Ww]e) )(?:(?:just|finally|briefly|also) )?"
    r"(?:[Mm]et|[Vv]isited|[Rr]an into|[Bb]umped into"
    r"|[Hh]ad (?:lunch|dinner|tea|coffee|breakfast|supper|a drink|a pint) with)"
    r"(?: up with)? $"
)
_OWNED: Final = re.compile(r"^['’]s?\b")

_TITLE_JA: Final = "(?:さん|ちゃん|くん|君|先生|氏|様)?"
_BEFORE_JA: Final = re.compile(
    rf"(?P<owner>(?:私|僕|俺|わたし|ぼく|うち|自分)の)?(?P<relation>{_any(_JAPANESE)})の$"
)
_BRACKET_JA: Final = re.compile(rf"^{_TITLE_JA}[（(](?P<relation>{_any(_JAPANESE)})[)）]")
_IS_JA: Final = re.compile(
    rf"^{_TITLE_JA}は(?P<owner>(?:私|僕|俺|わたし|ぼく|うち)の)?(?P<relation>{_any(_JAPANESE)})"
    r"(?=だ[。、]|です|である|で、|[。、]|$)"
)
_OF_ROLE_JA: Final = re.compile(rf"(?:^|[。、\s])(?P<relation>{_any(_JAPANESE)})は$")
_WORKS_JA: Final = re.compile(
    r"(?:^|[^\u3041-\u30ff\u4e00-\u9fff]|[はがをにでとも、。])(?P<place>"
    r"工房|会社|銀行|薬局|農協|漁協|役場|市役所|区役所|図書館|郵便局|組合|保健所|工務店|合唱団|町会)の$"
)
_LIVES_JA: Final = re.compile(
    rf"^{_TITLE_JA}は(?:今は?|いま)?(?P<place>[\u30a1-\u30fa\u4e00-\u9fffー]{{2,10}})(?:に|で)"
    r"(?:住んで|暮らして)い?る"
)
_MET_JA: Final = re.compile(
    rf"^{_TITLE_JA}(?:と|に)(?:久しぶりに|また|偶然|ばったり|駅で|町で)?"
    r"会(?:った|えた|ってきた)(?=[。、]|$)"
)
_TITLED_JA: Final = re.compile(r"^(?:さん|先生|氏|様|くん|君|ちゃん)")
_BEFORE_ZH: Final = re.compile(
    rf"(?:我们?家?|我們家?|俺)的?(?:大|小|老)?(?P<relation>{_any(_CHINESE)})(?:名?叫|就?是)?$"
)
_IS_ZH: Final = re.compile(
    rf"^(?:就|也)?是我们?我?的?(?P<relation>{_any(_CHINESE)})(?=[，。、；！]|$)"
)
_UNSURE_ZH: Final = re.compile(
    irrealis.chinese(
        irrealis.CONDITION,
        irrealis.DREAM,
        irrealis.GUESS,
        irrealis.MISTAKE,
        irrealis.PRETENCE,
        irrealis.REPORT,
        irrealis.WISH,
    )
)
"""Before a name: it is supposed, another's word, or told to whom stands there."""
_WISHED_ZH: Final = re.compile(irrealis.chinese(irrealis.WISH))
_STANDS_FREE: Final = re.compile(r"(?:^|[\s、。「」・:：はがをにでとも])$")
_MINE: Final = frozenset({"my", "our"})
_QUOTES: Final = (("“", "”"), ("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』"))


def facts(text: str, spans: list[tuple[int, int]], voice: Voice) -> Iterator[Fact]:
    """Yield what a text says of somebody who is named at these places of it."""
    sentences = sentence_spans(text) or [(0, len(text))]
    for start, end in spans:
        first, last = next((span for span in sentences if span[0] <= start < span[1]), (start, end))
        sentence = text[first:last]
        if sentence.rstrip().endswith(("?", "？")) or _is_quoted(sentence, start - first):
            continue
        before, after = text[max(first, start - REACH) : start], text[end : min(last, end + REACH)]
        said = voice(start)
        stated = (
            *_english(before, after, said),
            *_japanese(before, after, said),
            *_chinese(before, after, said),
        )
        for kind, value, whose in stated:
            if not _UNSURE.search(sentence):
                yield Fact(kind, value, whose, first, last)


_Said = tuple[FactKind, str, str | None]


def _english(before: str, after: str, said: str | None) -> Iterator[_Said]:
    if _OWNED.match(after):
        return
    for stated, apposed in _stated(before, after):
        yield from _related(stated, said, apposed=apposed)
    if (found := _CALLED.search(before)) and said is not None:
        yield FactKind.RELATION, _ENGLISH[found["relation"]].name, said
    if found := _LIVES.match(after):
        yield FactKind.LIVES, found["place"], None
    if (found := _WORKS.match(after)) and _WORKS_WITH.search(before):
        yield FactKind.WORKS, found["place"], None
    if said == OWN and _MET.search(before):
        yield FactKind.MET, "", None


def _stated(before: str, after: str) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield where a relation stands beside a name, with whether a comma or "is" makes it sure."""
    ahead = _BEFORE.search(before)
    if ahead and (not ahead["comma"].startswith(", ") or _APART.match(after)):
        yield ahead, ahead["comma"] != " "
    found = None if before.endswith(", ") else _AFTER.match(after)
    if found or (found := _IS.match(after)):
        yield found, True
    if (found := _THE.match(after)) and not _is_appointment(found):
        yield found, True


def _is_appointment(found: re.Match[str]) -> bool:
    """Tell whether a word in brackets says where somebody is: no Anna (dentist)."""
    return found[0].startswith(" (") and found["relation"] in _APPOINTMENTS


def _related(found: re.Match[str], said: str | None, *, apposed: bool) -> Iterator[_Said]:
    relation = _ENGLISH[found["relation"]]
    whose = found.groupdict().get("whose", "the").casefold()
    if whose in _MINE:
        if said is not None:
            yield FactKind.RELATION, relation.name, said
    elif "owner" in found.groupdict() and found["owner"]:
        yield FactKind.RELATION, relation.name, found["owner"]
    elif relation.group in {"role", "pet"} and (apposed or whose == "the"):
        yield FactKind.RELATION, relation.name, None


def _japanese(before: str, after: str, said: str | None) -> Iterator[_Said]:
    found = _BEFORE_JA.search(before)
    if found:
        yield from _related_ja(found, before[: found.start()], after, said)
    if (found := _OF_ROLE_JA.search(before)) and _TITLED_JA.match(after):
        yield from _related_ja(found, "", after, said)
    if found := _BRACKET_JA.match(after):
        yield from _related_ja(found, "", after, said)
    if (found := _IS_JA.match(after)) and _STANDS_FREE.search(before):
        yield from _related_ja(found, "", after, said)
    if (found := _WORKS_JA.search(before)) and _TITLED_JA.match(after):
        yield FactKind.WORKS, found["place"], None
    if found := _LIVES_JA.match(after):
        yield FactKind.LIVES, found["place"], None
    if said == OWN and _MET_JA.match(after):
        yield FactKind.MET, "", None


def _related_ja(found: re.Match[str], before: str, after: str, said: str | None) -> Iterator[_Said]:
    relation = _JAPANESE[found["relation"]]
    mine = bool(found.groupdict().get("owner"))
    if relation.group in {"role", "pet"}:
        if mine or _STANDS_FREE.search(before):
            yield FactKind.RELATION, relation.name, said if mine and said is not None else None
        return
    # One's own brother is called by his bare name; 息子の光男さん is another's.
    free = bool(_STANDS_FREE.search(before))
    bare = relation.group == "tie" or not _TITLED_JA.match(after)
    if (mine or (free and bare)) and said is not None:
        yield FactKind.RELATION, relation.name, said


def _chinese(before: str, after: str, said: str | None) -> Iterator[_Said]:
    found = _BEFORE_ZH.search(before) or _IS_ZH.match(after)
    unsure = _UNSURE_ZH.search(before) or _WISHED_ZH.search(after)
    if found and said is not None and not unsure and not after.startswith(("的", "家")):
        yield FactKind.RELATION, _CHINESE[found["relation"]].name, said


def has_namesakes(text: str, spans: list[tuple[int, int]]) -> bool:
    """Tell whether a text says at these places that there is more than one of this name."""
    before, after = _NAMESAKES
    names = {text[start:end].rpartition(" ")[2] for start, end in spans}
    if any(re.search(rf"\b(?i:two|both|three) {re.escape(name)}s\b", text) for name in names):
        return True
    pairs = pairwise(spans)
    if any(_ROW_OF_TWO.fullmatch(text[one[1] : other[0]]) for one, other in pairs):
        return True
    return any(
        before.search(text[max(0, start - REACH) : start]) or after.match(text[end : end + REACH])
        for start, end in spans
    )


def _is_quoted(sentence: str, place: int) -> bool:
    before = sentence[:place]
    return before.count('"') % 2 == 1 or any(
        before.count(opens) > before.count(closes) for opens, closes in _QUOTES
    )
