"""What a group of entities is called: by the place and the words that most of its passages share,
"Cork · garden", and where they share none, by its heaviest names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from lpm_kernel.domain.memory.entities import Entities, EntityKind
from lpm_kernel.domain.memory.graph import Community
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH, OTHERS

LEAST_PARTS: Final = 2
"""Words and names of a title; it is filled up with the heaviest names."""
MOST_ROWS: Final = 80
"""Passages of a group that are looked at."""
LEAST: Final = 3
"""Sessions without which nothing is shared."""
PLACE: Final = 1 / 3
"""Share of a group's sessions that name the place that it is called by."""
SHARED: Final = 0.4
"""Share of a group's sessions in which a word stands that it is called by."""
MOSTLY: Final = 0.5
OWN: Final = 2.0
"""How many times as frequent as in the other groups a word has to be."""
WORDS: Final = 2
SHORTEST: Final = 4
"""Letters of a word of an alphabet."""

_WORD: Final = re.compile(r"(?<![\w'’])[a-zà-ɏ]{4,24}(?![\w'’])")
_AFTER: Final = re.compile(
    r"\b(?:the|a|an|my|our|his|her|its|their|your|this|that|of|new|old|no|two|three|more|some)"
    r" ([a-zà-ɏ]{4,24})(?![\w'’-])"
)
_MEASURES: Final = frozenset(
    """
    year month week weekend time times thing things people person place side part half rest last
    next first second moment hour hours minute minutes night morning evening afternoon today
    tomorrow other others same whole list note notes name names number money euro euros pound pounds
    dollars hundred thousand price
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Nouns that say nothing of a group."""
_MEASURES_JA: Final = frozenset(
    """
    今日 昨日 明日 今年 去年 来年 今月 先月 来月 今週 来週 午前 午後 最後 最初 全部 一緒 自分 写真
    電話 メモ 備考 合計 日付 月曜 火曜 水曜 木曜 金曜 土曜 日曜 先生 手伝い お願い 連絡 本人
    """.split()  # noqa: SIM905  as above
)
_SAYS_SOMETHING: Final = re.compile(r"[\u4e00-\u9fff]{2}|[\u30a1-\u30faー]{3}")


@dataclass(frozen=True)
class GroupPassages:
    """The passages of groups, each with the session that it stands in."""

    sessions: Mapping[int, tuple[int, int]]
    texts: Mapping[int, str] = field(repr=False)


def rows_of(community: Community, found: Entities) -> list[int]:
    """Return the passages that speak of a group: those that name two of it, or else any of it."""
    counts = Counter(row for slug in community.members for row in found.by_slug[slug].rows)
    several = sorted(row for row, count in counts.items() if count > 1)
    return (several if len(several) >= LEAST else sorted(counts))[:MOST_ROWS]


def titles(groups: Sequence[Community], found: Entities, passages: GroupPassages) -> dict[str, str]:
    """Return what each group is called, by its id."""
    known = _english_nouns(passages.texts.values())
    words = {
        community.id: _by_session(rows_of(community, found), passages, known)
        for community in groups
    }
    everywhere = Counter(
        word for sessions in words.values() for said in sessions.values() for word in said
    )
    total = sum(map(len, words.values()))
    names = {
        term for entity in found.by_slug.values() for key in entity.keys for term in terms(key)
    }
    made = {}
    for community in groups:
        shared = [
            *_places(community, found, passages),
            *_words(words[community.id], everywhere, total, names),
        ]
        heaviest = [name for name in community.title.split(" · ") if name not in shared]
        more = heaviest[: max(0, LEAST_PARTS - len(shared))]
        made[community.id] = " · ".join([*shared, *more]) if shared else community.title
    return made


def _by_session(
    rows: Iterable[int], passages: GroupPassages, known: Collection[str]
) -> dict[tuple[int, int], dict[str, str]]:
    """Return the nouns of each session, by the form in which they are compared."""
    found: dict[tuple[int, int], dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row in passages.texts:
            found[passages.sessions[row]].update(_nouns(passages.texts[row], known))
    return found


def _nouns(text: str, known: Collection[str]) -> dict[str, str]:
    """Return the nouns of a text by the form in which they are compared; in English those of
    ``known``.
    """
    if unspaced(text):
        return {
            noun: noun
            for noun in _japanese_nouns(text)
            if _SAYS_SOMETHING.search(noun) and noun not in _MEASURES_JA
        }
    return {
        stems[0]: word
        for word in _WORD.findall(text)
        if word in known and len(stems := terms(word)) == 1
    }


@lru_cache(maxsize=5_000)
def _japanese_nouns(text: str) -> tuple[str, ...]:
    return tuple(japanese.things(text))


def _english_nouns(texts: Iterable[str]) -> set[str]:
    """Return the words that mostly stand behind an article or the like: the garden, my back, but
    back again.
    """
    after: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for text in texts:
        after.update(_AFTER.findall(text))
        written.update(_WORD.findall(text))
    return {
        word
        for word, count in after.items()
        if count > 1
        and count >= MOSTLY * written[word]
        and not word.endswith("ed")
        and not {word, word.removesuffix("s")} & (ENGLISH | OTHERS | _MEASURES)
    }


def _places(community: Community, found: Entities, passages: GroupPassages) -> list[str]:
    """Return the place that most sessions of a group name, where texts speak of it as of one."""
    rows = [row for row in rows_of(community, found) if row in passages.texts]
    sessions = {passages.sessions[row] for row in rows}
    named: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for row in rows:
        for slug in found.at.get(row, ()):
            if found.by_slug[slug].kind is EntityKind.PLACE:
                named[slug].add(passages.sessions[row])
    texts = [passages.texts[row] for row in rows]
    best = sorted(named, key=lambda slug: (-len(named[slug]), slug))[:1]
    return [
        found.by_slug[slug].name
        for slug in best
        if len(named[slug]) >= max(LEAST, PLACE * len(sessions))
        and _is_spoken_of_as_a_place(found.by_slug[slug].name, texts)
    ]


def _is_spoken_of_as_a_place(name: str, texts: Iterable[str]) -> bool:
    whole = "\n".join(texts)
    sort = re.escape(name)
    there = len(re.findall(rf"\b(?:in|at|to|from|near) {sort}\b|{sort}(?:で|へ|に|から|の)", whole))
    person = re.search(rf"{sort}(?:さん|先生|くん|様|:|：| said| says|['’]s )", whole)
    return not person and 2 * there >= whole.count(name)


def _words(
    sessions: Mapping[tuple[int, int], Mapping[str, str]],
    everywhere: Mapping[str, int],
    total: int,
    names: set[str],
) -> list[str]:
    """Return the words that stand in most sessions of a group, and in fewer of the others."""
    counts = Counter(word for said in sessions.values() for word in said)
    written = {word: form for said in sessions.values() for word, form in said.items()}
    here, elsewhere = len(sessions), max(1, total - len(sessions))
    shared = [
        (-count, everywhere[word], word)
        for word, count in counts.items()
        if count >= max(LEAST, SHARED * here)
        and count / here >= OWN * (everywhere[word] - count) / elsewhere
        and not {word, *terms(word)} & names
    ]
    return [written[word] for _, _, word in sorted(shared)[:WORDS]]
