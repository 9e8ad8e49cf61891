"""Facts of a life that a sentence carries without being a sentence about them: "my brother Colm
rang" says that there is a brother of that name, "we would like to offer you the post of trainer"
that one was offered it.

By rule, and only what is said in so many words: whose words they are is known to the caller. A
fact says what it rests on; how several of them are told on a page is :func:`told`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import names
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L1.entities.duplicates import places
from lpm_kernel.L1.entities.relations import OWN, FactKind, facts, relations
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.statements.deaths import KINSHIP, Death, own_deaths, their_deaths
from lpm_kernel.L1.statements.office_doubts import (
    is_not_held,
    is_of_its_day,
    is_refused,
    is_unsure,
)
from lpm_kernel.L1.statements.reflection import PageLine, PageSection

TALK: Final = "talk"
"""Sign of a claim that says with whom the person was in touch."""
ADDRESSED: Final = "addressed"
"""Sign of a claim that somebody wrote to the person about them."""
LEAST_TALKS, MOST_PARTNERS = 2, 3
"""Talks that make somebody one with whom the person is in touch, and how many are told."""
MOST_TIES: Final = 2
LONGEST: Final = 400


class LifeFactKind(StrEnum):
    """What a sentence carries."""

    NAMED = "named"
    """Somebody of the person's: a brother Colm."""
    GONE = "gone"
    """Somebody of theirs died."""
    ONE_GONE = "one gone"
    """So did one of several, and it is not said who."""
    OFFERED = "offered"
    PROMOTED = "promoted"
    APPOINTED = "appointed"
    CONFIRMED = "confirmed"
    CHOSEN = "chosen"
    SERVED = "served"
    """They held an office."""
    IN_TOUCH = "in touch"


@dataclass(frozen=True)
class LifeFact:
    """Something that is so of the person's life."""

    kind: LifeFactKind
    relation: str = ""
    """The name of the relation, as `relations` has it."""
    name: str = field(default="", repr=False)
    """Who it is, or as what they served."""


_ONE_OF: Final = frozenset({"wife", "husband", "mother", "father"})
"""Of whom one has one."""
_RETOLD_JA: Final = re.compile(
    r"(?:、と|とのこと|らしい|そうだ)。\s*$|言うには|いわく|曰く|によると|によれば|話では"
)
"""It tells again what another said: whose neighbour it is cannot be told."""
_OFFERS: Final = re.compile(
    r"\boffer(?:ing)? you (?:(?:the|a) (?:\w{1,12} ){0,2}(?:post|position|job|role) (?:of|as)"
    r"|[^.,;:]{0,40}? as) (?P<post>(?:an? |the )?[A-Za-z][\w’'/-]*(?: [A-Za-z][\w’'/-]*){0,4}?)"
    r"(?=[,.;(]| (?:from|at|with|starting|on|in|for|and|beginning)\b)"
)
_PROMOTES: Final = re.compile(
    r"\byour promotion (?:\w{1,12} ){0,3}?to (?:the (?:post|rank) of )?"
    r"(?P<post>[A-Z][\w’'-]*(?: (?:of )?[A-Z][\w’'-]*){0,4})"
)
_APPOINTS: Final = re.compile(
    r"\b(?:appoint(?:ed)? you|you (?:have been|were|are) appointed|your appointment)"
    r" (?:as|to the (?:post|position|chair) of) "
    r"(?P<post>(?:an? |the )?[A-Za-z][\w’'/-]*(?: [A-Za-z][\w’'/-]*){0,4}?)"
    r"(?=[,.;(]| (?:from|at|with|starting|on|in|for|and)\b)"
)
_CONFIRMS: Final = re.compile(
    r"\bconfirm(?:ing|s)?:? (?:you(?:r)? (?:post |job )?as )?"
    r"(?P<post>[A-Z][\w’'-]*(?: [A-Z][\w’'-]*){0,3}) from\b"
)
_CHOSEN: Final = re.compile(
    r"\b[Yy]ou(?:['’]ve| have) been (?P<post>(?:chosen|selected|elected|accepted|admitted)"
    r"(?: (?:for|as|to|into|onto) (?:the |an? |our )?[A-Z][\w’'-]*(?: (?:of )?[A-Z][\w’'-]*){0,4}))"
)
_AMONG: Final = re.compile(r" from (?:among )?\d{1,6} \w{1,20}(?= )")
_YOUR_KIN: Final = re.compile(
    r"\b[Yy]our (?P<relation>\w{2,12}(?:-in-law)?),? (?:(?:Dr|Mr|Mrs|Ms|Miss)\.? )?"
    r"(?P<name>[A-ZÀ-Þ][\w'’-]{1,20}(?: [A-ZÀ-Þ][\w'’-]{1,20}){0,2})(?!['’]s|[\w’'])"
)
_TO_THEM: Final = (
    (LifeFactKind.OFFERED, _OFFERS),
    (LifeFactKind.PROMOTED, _PROMOTES),
    (LifeFactKind.APPOINTED, _APPOINTS),
    (LifeFactKind.CONFIRMED, _CONFIRMS),
    (LifeFactKind.CHOSEN, _CHOSEN),
)
_STAMPED: Final = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?(?:\d{1,2}[:.]\d\d[ \t]+(?:-[ \t]+)?)?"
)
_NAMED_JA: Final = re.compile(r"の(?P<name>[一-龯々]{1,4}|[ァ-ヶー]{2,8})(?=[はがもをにとへ、。])")
_OFFICES: Final = (
    "(?:project |team |group |branch |site |shift |vice[- ]|deputy |head |senior |assistant "
    "|acting |general )?(?:leader|manager|director|chair|chairman|chairwoman|chairperson|secretary"
    "|treasurer|president|supervisor|head|coordinator|editor|teacher|lecturer|professor|librarian|curator"
    "|conductor|engineer|officer|foreman|captain|skipper|coach|warden|registrar|producer)"
)
_TITLES: Final = r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Miss)\.? )?"
_TITLE: Final = re.compile(r"^(?:Dr|Prof|Mr|Mrs|Ms|Miss)\.? ")
_OFFICES_JA: Final = (
    "(?:町会長|会長|副会長|会計|書記|幹事|館長|副館長|店長|副店長|係長|課長|部長|主任|班長|団長|副団長"
    "|理事長|理事|座長|世話役|責任者|監督|主将|部長代理|工場長|船長|機関長|杜氏|管理人)"
)


@lru_cache(maxsize=20_000)
def own_facts(text: str) -> tuple[LifeFact, ...]:
    """Return what a sentence of the person's own carries.

    >>> [str(fact.kind) for fact in own_facts("So my brother Colm rang from Cork.")]
    ['named']
    """
    if len(text) > LONGEST or text.rstrip().endswith(("?", "？")) or _RETOLD_JA.search(text):
        return ()
    found = [
        LifeFact(LifeFactKind.NAMED, fact.value, name)
        for name in _names(text)
        for fact in facts(text, places(text, (name,)), lambda _: OWN)
        if fact.kind is FactKind.RELATION
        and fact.whose == OWN
        and relations()[fact.value].group in {"kin", "tie", "pet"}
    ]
    return tuple(dict.fromkeys((*found, *map(_loss, own_deaths(text)))))


def names_of(owner: str) -> tuple[str, ...]:
    """Return how somebody is called, as it is written: the whole name first, and the parts of a
    Japanese one.

    >>> names_of("Nadia Rahimi (ナディア)"), names_of("中野 由紀子")
    (('Nadia Rahimi', 'ナディア'), ('中野由紀子', '中野 由紀子', '中野', '由紀子'))
    """
    found: list[str] = []
    for part in filter(None, (each.strip() for each in re.split(r"[()（）/,、]", owner))):
        words = [] if part.isascii() else part.split()
        found += [*(["".join(words)] if words else []), part, *words]
    return tuple(dict.fromkeys(found))


def speaker_name(label: str) -> str:
    """Return the name in the label of a line of a talk.

    >>> speaker_name("[21:04] Lwazi (boat): "), speaker_name("翔太：")
    ('Lwazi', '翔太')
    """
    return _STAMPED.sub("", label).rstrip(" \t:：").partition("(")[0].partition("（")[0].strip()


def _names(text: str) -> list[str]:
    if language_of(text) != "ja":
        return names(text)
    people = {word.surface for word in japanese.grammar(text) if word.speech[2] == "人名"}
    near = (match["name"] for match in _NAMED_JA.finditer(text))
    return [
        name
        for name in dict.fromkeys((*names(text), *near))
        if (name in people or _is_titled(name, text)) and f"{name}(" not in _half_width(text)
    ]


def _is_titled(name: str, text: str) -> bool:
    """Tell whether somebody is called so, and not something: by a title, or in two names."""
    return "・" in name or any(f"{name}{title}" in text for title in ("さん", "くん", "ちゃん"))


def _half_width(text: str) -> str:
    return text.replace("（", "(")


def _loss(death: Death) -> LifeFact:
    """Return whom the person lost: one of several where neither a name nor the relation says it."""
    relation = death.relation
    if relation is None:
        return LifeFact(LifeFactKind.GONE, name=death.name)
    if death.name or (relation.plain in _ONE_OF and not death.which):
        return LifeFact(LifeFactKind.GONE, relation.name, death.name)
    return LifeFact(LifeFactKind.ONE_GONE, relation.name)


@lru_cache(maxsize=20_000)
def facts_told_to_them(text: str) -> tuple[LifeFact, ...]:
    """Return what a sentence to the person says of them.

    >>> [fact.name for fact in facts_told_to_them("We offer you the post of Cook, from May.")]
    ['Cook']
    """
    if len(text) > LONGEST or text.rstrip().endswith("?") or is_refused(text):
        return ()
    plain = _AMONG.sub("", text)
    found = [
        LifeFact(kind, name=match["post"])
        for kind, pattern in (() if is_unsure(plain) else _TO_THEM)
        if (match := pattern.search(plain)) is not None
    ]
    found += [
        LifeFact(LifeFactKind.NAMED, relation.name, match["name"])
        for match in _YOUR_KIN.finditer(plain)
        if (relation := KINSHIP.get(match["relation"])) is not None
    ]
    found += map(_loss, their_deaths(plain))
    return tuple(dict.fromkeys(found))


def offices_of(text: str, own: Collection[str]) -> tuple[LifeFact, ...]:
    """Return what a sentence says that one of this name served as. ``own`` is how the person is
    called, as it is written.

    >>> [fact.name for fact in offices_of("So says project leader Dr Ada Moe.", ["Ada Moe"])]
    ['project leader']
    >>> [fact.name for fact in offices_of("副会長に中野。", ["中野"])]
    ['副会長']
    """
    if len(text) > LONGEST or not any(name in text for name in own) or is_not_held(text):
        return ()
    found = []
    for name in own:
        latin = name.isascii()
        if latin and " " not in name:
            continue
        patterns = _named_in_office(name) if latin else _named_in_office_ja(name)
        found += [
            LifeFact(LifeFactKind.SERVED, name=match["office"])
            for pattern in patterns
            for match in pattern.finditer(text)
        ]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=64)
def _named_in_office(name: str) -> tuple[re.Pattern[str], ...]:
    called = re.escape(name)
    return (
        re.compile(rf"(?<![\w'’-])(?P<office>{_OFFICES}) {_TITLES}{called}(?![\w'’-])"),
        re.compile(rf"(?<!\w){called}(?:, | \()(?:the |our )?(?P<office>{_OFFICES})(?=[,.;)]|$)"),
        re.compile(
            rf"(?<!\w){called} (?:was |is |has been )?(?:elected|appointed) (?:as )?"
            rf"(?P<office>{_OFFICES})(?=[,.;)]|$)"
        ),
    )


@lru_cache(maxsize=64)
def _named_in_office_ja(name: str) -> tuple[re.Pattern[str], ...]:
    called = re.escape(name)
    return (
        re.compile(
            rf"(?<![一-龯])(?P<office>{_OFFICES_JA})(?:に|の|は){called}(?:さん|氏)?"
            r"(?=[。、\n]|$|とする|とします|を選)"
        ),
        re.compile(
            rf"{called}(?:さん|氏)?(?:に|を)(?P<office>{_OFFICES_JA})(?=に選|に任|をお願い)"
        ),
    )


@dataclass(frozen=True)
class _Carried:
    fact: LifeFact
    claim: Claim


def told(claims: Sequence[Claim], own: Collection[str]) -> list[PageLine]:
    """Say what these sentences carry, in sentences of the first person that stand alone, each with
    what it rests on. Where two cannot both be so, neither is said.

    ``own``: how the person is called, as it is written.
    """
    carried = [_Carried(fact, claim) for claim in claims for fact in _facts_in(claim, own)]
    by_kind: dict[LifeFactKind, list[_Carried]] = defaultdict(list)
    for each in carried:
        by_kind[each.fact.kind].append(each)
    lines = [*_people(by_kind), *_ties(by_kind[LifeFactKind.NAMED]), *_work(carried)]
    # alone on a page it would say next to nothing of who somebody is
    return [*lines, *_in_touch(by_kind[LifeFactKind.IN_TOUCH])] if lines else []


def is_told(claim: Claim, own: Collection[str]) -> bool:
    """Tell whether a claim carries a fact of the person's life."""
    return bool(_facts_in(claim, own))


def _facts_in(claim: Claim, own: Collection[str]) -> tuple[LifeFact, ...]:
    if TALK in claim.signs:
        return tuple(LifeFact(LifeFactKind.IN_TOUCH, name=name) for name in claim.about[:1])
    found = offices_of(claim.text, own)
    if claim.mine:
        return (*own_facts(claim.text), *found)
    return (*facts_told_to_them(claim.text), *found) if ADDRESSED in claim.signs else found


def _people(by_kind: Mapping[LifeFactKind, Sequence[_Carried]]) -> Iterable[PageLine]:
    named: dict[str, dict[str, list[_Carried]]] = defaultdict(lambda: defaultdict(list))
    kin_of: dict[str, set[str]] = defaultdict(set)
    for each in by_kind[LifeFactKind.NAMED]:
        relation = relations()[each.fact.relation]
        named[relation.plain][each.fact.name].append(each)
        if relation.group == "kin":
            kin_of[each.fact.name].add(relation.plain)
    one_gone = {relations()[each.fact.relation].plain for each in by_kind[LifeFactKind.ONE_GONE]}
    for plain, people in named.items():
        sure = {
            who: said[-1]
            for who, said in people.items()
            if len(kin_of[who]) <= 1 and not any(_is_longer(other, who) for other in people)
        }
        if not (plain in _ONE_OF and len(sure) > 1) and plain not in one_gone:
            for each in sure.values():
                yield from _named_line(each, by_kind[LifeFactKind.GONE])


def _is_longer(name: str, short: str) -> bool:
    """Tell whether a name begins with another and goes on.

    >>> _is_longer("Colm Byrne", "Colm"), _is_longer("Mr Colm Byrne", "Colm"), _is_longer("Al", "A")
    (True, True, False)
    """
    words, first = _words(name), _words(short)
    return len(words) > len(first) and words[: len(first)] == first


def _words(name: str) -> list[str]:
    return [key_of(word) for word in _TITLE.sub("", name, count=1).split()]


def _ties(carried: Sequence[_Carried]) -> Iterable[PageLine]:
    """Say who was a boss or a colleague when: that changes with time. Of a neighbour nothing is
    told: whose neighbour they are is often another's.
    """
    ties = [
        each
        for each in carried
        if relations()[each.fact.relation].group == "tie"
        and each.fact.relation != "neighbour"
        and is_of_its_day(each.claim)
    ]
    newest = sorted(ties, key=lambda each: -(each.claim.moment or 0.0))
    once = {each.fact.name: each for each in reversed(newest)}
    for each in list(once.values())[:MOST_TIES]:
        yield _tie_line(each)


def _named_line(each: _Carried, gone: Sequence[_Carried]) -> Iterable[PageLine]:
    """Say who is what to the person; nothing where they may be alive and may have died."""
    relation, who, claim = relations()[each.fact.relation], each.fact.name, each.claim
    if relation.group not in {"kin", "pet"}:
        return
    theirs = [
        other
        for other in gone
        if not other.fact.relation or relations()[other.fact.relation].plain == relation.plain
    ]
    if any(not other.fact.relation and _is_longer(other.fact.name, who) for other in theirs):
        return
    past = [other.claim for other in theirs if _may_be(other.fact.name, who)][-1:]
    if language_of(claim.text) == "ja":
        word = relation.japanese[0] if relation.japanese else relation.polite
        text = f"{word}の名は{who}{'だった' if past else 'だ'}。"
    else:
        text = f"My {relation.name} {'was' if past else 'is'} called {who}."
    section = PageSection.NOW if relation.group == "pet" else PageSection.FAMILY
    yield PageLine(section, text, (claim, *past))


def _may_be(name: str, who: str) -> bool:
    """Tell whether two names can be of one; nobody's name can be anybody's."""
    one, other = _words(name), _words(who)
    most = min(len(one), len(other))
    return one[:most] == other[:most]


def _tie_line(each: _Carried) -> PageLine:
    relation, name = relations()[each.fact.relation], each.fact.name
    if language_of(each.claim.text) == "ja":
        text = f"{_month(each.claim, 'ja')}、{relation.japanese[0]}は{name}さんだった。"
    else:
        text = f"In {_month(each.claim, 'en')} {name} was my {relation.name}."
    return PageLine(PageSection.FAMILY, text, (each.claim,))


def _in_touch(carried: Sequence[_Carried]) -> Iterable[PageLine]:
    talks: dict[str, list[Claim]] = defaultdict(list)
    for each in carried:
        if key_of(each.fact.name):
            talks[each.fact.name].append(each.claim)
    often = sorted(
        ((name, said) for name, said in talks.items() if len(said) >= LEAST_TALKS),
        key=lambda each: (-len(each[1]), each[0]),
    )[:MOST_PARTNERS]
    if often:
        listed = [name for name, _ in often]
        language = language_of(often[0][1][0].text)
        evidence = tuple(said[-1] for _, said in often)
        yield PageLine(PageSection.LATELY, _in_touch_with(listed, language), evidence)


def _in_touch_with(listed: Sequence[str], language: Language) -> str:
    called = [_as_kin(name, language) for name in listed]
    if language == "ja":
        return f"{'、'.join(called)}と連絡を取り合ってきた。"
    *before, last = called
    joined = f"{', '.join(before)} and {last}" if before else last
    return f"I have been in touch with {joined}."


def _as_kin(name: str, language: Language) -> str:
    """Return a speaker who is called "Mum" as whom they are to the person."""
    relation = KINSHIP.get(name.casefold())
    if relation is None:
        return name
    return relation.japanese[0] if language == "ja" else f"my {relation.name}"


def _work(carried: Sequence[_Carried]) -> Iterable[PageLine]:
    dated = sorted(carried, key=lambda each: each.claim.moment or 0.0)
    said: set[str] = set()
    for each in dated:
        kind, claim, name = each.fact.kind, each.claim, each.fact.name
        if kind not in _AT_WORK or not is_of_its_day(claim) or name.casefold() in said:
            continue
        said.add(name.casefold())
        if language_of(claim.text) == "ja":
            text = f"{_month(claim, 'ja')}、{name}を務めていた。"
        else:
            text = f"In {_month(claim, 'en')} I {_AT_WORK[kind]} {name}."
        yield PageLine(PageSection.WORK, text, (claim,))


_AT_WORK: Final[Mapping[LifeFactKind, str]] = {
    LifeFactKind.OFFERED: "was offered work as",
    LifeFactKind.PROMOTED: "was promoted to",
    LifeFactKind.APPOINTED: "was appointed",
    LifeFactKind.CONFIRMED: "was confirmed as",
    LifeFactKind.CHOSEN: "was",
    LifeFactKind.SERVED: "was",
}


def _month(claim: Claim, language: Language) -> str:
    day = datetime.fromtimestamp(claim.moment or 0.0).astimezone()
    return f"{day.year}年{day.month}月" if language == "ja" else f"{day:%B %Y}"
