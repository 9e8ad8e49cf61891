"""What a turn of a chat is about: its nouns, each in a normal form, so that "van" and "vans" are
one topic.

English has no part-of-speech tagger here: a word is a noun where it stands alone behind an article,
a possessive or a preposition at least once. Japanese nouns are the dictionary's. Chinese is not
divided: pairs of signs count, and those that always stand side by side are joined
(:func:`joined`). What only asks ("tell", "question") is no topic. Other languages have none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import terms, traits
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.language.stopwords import CHINESE, CHINESE_SIGNS, ENGLISH

LONGEST: Final = 8_000
"""Characters of a turn that are looked at; a pasted book is no topic of a chat."""
SHORTEST: Final = 3
"""Letters of an English topic."""
PAIRS_FROM: Final = 2
"""Turns from which a Chinese pair is a topic: one that stands once may be the border of two
words.
"""

_MEASURES: Final = Trait.TIME | Trait.NUMBER
_LATIN: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[^\w\s]")
_KANA: Final = re.compile(r"[\u3041-\u30ff]")
_HAN_RUN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff々]{2,}")
_BEFORE: Final = frozenset(
    "the a an my our his her their your this that these those some any no every each another"  # noqa: SIM905  a list this long reads better as prose
    " about of with for from without".split()
)
"""Words behind which a noun stands."""
_SMALL: Final = ENGLISH | frozenset(
    "to without within upon onto via per across along around behind beside near past since toward"  # noqa: SIM905  likewise
    " towards till although though unless whether would could might must shall may can".split()
)
_EMPTY: Final = """
    answer question chat conversation talk summary list note notes reminder word words sentence
    tell show give please thanks thank help remember remind write draft find search explain
    thing things stuff something anything nothing everything someone anyone everyone nobody
    lot lots bit bunch couple few rest half whole part piece side end start beginning middle
    way ways kind sort type case example course fact idea point reason matter sense chance
    time times day days week weeks month months year years hour hours minute minutes moment
    while today tomorrow yesterday tonight morning afternoon evening night weekend date
    one ones two three first second third last next previous latest best worst better same
    other others another new old big small good bad great little long short right wrong sure
    people person man woman guy everybody name names number amount total
    least general particular addition instead meantime future past present now then here there
    thought feeling mind question's okay hello hi hey sorry yes no maybe
    """
_EMPTY_JA: Final = frozenset(
    """
        質問 答え 返事 話 会話 要約 一覧 言葉 名前 意味 感じ 気 気持ち 理由 例 場合
        一つ 二つ 最初 最後 次 全部 今日 昨日 明日 今週 来週 先週 今月 来月 先月
        今年 去年 来年 今朝 今夜 朝 昼 夜 日 週 月 年 時間 人 人達 皆 みんな 自分 私
        僕 俺 君 彼 彼女 それ これ あれ 何 誰 願い お願い ありがとう メモ うち 家 方法
        問題 部分 つもり そう
        """.split()  # noqa: SIM905  likewise
)
_EMPTY_ZH: Final = CHINESE | frozenset(
    """
        告诉 告訴 请问 請問 帮忙 幫忙 帮助 谢谢 謝謝 记得 記得 记住 記住 喜欢 喜歡
        觉得 覺得 认为 今天 明天 昨天 现在 現在 以前 以后 以後 时间 時間 东西 東西
        事情 问题 問題 回答 名字 大家 朋友们 一些 一点 一點 这样 那样 需要 应该 應該
        可能 能够 开始 開始 一起 非常 特别 特別 比较 比較 最近 还有 而且 然后 说说
        总结 總結 解释 翻译 列出 介绍 两个 三个 每天 每年 去年 今年 明年 上周 下周
        早上 晚上 下午
        """.split()  # noqa: SIM905  likewise
)
_SIGNS_ZH: Final = CHINESE_SIGNS | frozenset("们們個个说說想要会會能请請问問叫去来來到过過上下里裡")


@dataclass
class Topics:
    """The topics of one turn, by their normal forms."""

    written: dict[str, str] = field(default_factory=dict, repr=False)
    """How each is written there."""
    nouns: set[str] = field(default_factory=set, repr=False)
    """Those of which this turn shows that they are nouns."""
    pairs: set[str] = field(default_factory=set, repr=False)
    """Those that are two Chinese signs, which may be a word or a border."""


def topics_in(text: str) -> Topics:
    """Return what a turn is about. Of ``written`` an English word is a topic only where some turn
    shows that it is a noun.

    >>> sorted(topics_in("Tell me about the vans: I sold my blue van.").nouns)
    ['van']
    >>> sorted(topics_in("蜂箱の蜜を集めた。").nouns), sorted(topics_in("面包车").pairs)
    (['蜂箱', '蜜'], ['包车', '面包'])
    """
    found = Topics()
    plain = unicodedata.normalize("NFKC", text[:LONGEST]).replace("’", "'")
    if _KANA.search(plain):
        for thing in japanese.things(plain):
            key = thing.casefold()
            if not key.isascii() and key not in _EMPTY_JA and not traits(key) & _MEASURES:
                found.written.setdefault(key, thing)
                found.nouns.add(key)
    elif language_of(plain) == "zh":
        for pair in _pairs(plain):
            found.written.setdefault(pair, pair)
            found.pairs.add(pair)
    words = [match[0] for match in _LATIN.finditer(plain)]
    for place, word in enumerate(words):
        key = normal(word)
        if key:
            found.written.setdefault(key, _bare(word))
            if place and words[place - 1].casefold() in _BEFORE and _ends(words, place):
                found.nouns.add(key)
    return found


@lru_cache(maxsize=20_000)
def normal(word: str) -> str:
    """Return the normal form of an English word, or nothing for one that is no topic.

    >>> [normal(word) for word in ("Vans", "van's", "tell", "2024", "March")]
    ['van', 'van', '', '', '']
    """
    bare = _bare(word)
    if len(bare) < SHORTEST or not bare[0].isalpha() or traits(bare) & _MEASURES:
        return ""
    if not bare.isascii() and not any("a" <= sign <= "z" for sign in bare):
        return ""
    stems = terms(bare)
    return stems[0] if stems and stems[0] not in _empty() else ""


def joined(turns: Mapping[str, Collection[object]]) -> dict[str, str]:
    """Return of Chinese pairs that overlap and stand in the same turns the word that they are parts
    of, by each pair.

    >>> joined({"面包": [1, 2], "包车": [1, 2], "花园": [3, 4]})
    {'面包': '面包车', '包车': '面包车', '花园': '花园'}
    """
    words = {pair: pair for pair in turns}
    after: dict[str, list[str]] = {}
    for pair in turns:
        after.setdefault(pair[0], []).append(pair)
    follows: dict[str, str] = {}
    for pair, there in turns.items():
        same = [other for other in after.get(pair[-1], ()) if set(turns[other]) == set(there)]
        if len(same) == 1 and same[0] != pair:
            follows[pair] = same[0]
    led = set(follows.values())
    for first in turns:
        if first in led:
            continue
        chain = [first]
        while (beyond := follows.get(chain[-1])) is not None and beyond not in chain:
            chain.append(beyond)
        word = chain[0] + "".join(pair[-1] for pair in chain[1:])
        words |= dict.fromkeys(chain, word)
    return words


def _pairs(plain: str) -> Iterator[str]:
    for run in _HAN_RUN.findall(plain):
        for place in range(len(run) - 1):
            pair = run[place : place + 2]
            if pair not in _EMPTY_ZH and not (_SIGNS_ZH & set(pair)):
                yield pair


def _ends(words: list[str], place: int) -> bool:
    """Tell whether what follows a word is no part of the same phrase."""
    if place + 1 == len(words):
        return True
    beyond = words[place + 1]
    return not beyond[0].isalnum() or beyond.partition("'")[0].casefold() in _SMALL


def _bare(word: str) -> str:
    return word.casefold().replace("’", "'").partition("'")[0]


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return frozenset(stem for word in _EMPTY.split() for stem in terms(word))
