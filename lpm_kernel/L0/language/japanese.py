"""Japanese words by SudachiPy: shortest units (mode A), in the form in which a dictionary lists
them.

The dictionary is mapped into memory (about 40 MB resident) when the first kana are met, not before.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

LONGEST = 12_000
"""Characters handed over at once; the tokenizer refuses more than 49,149 bytes."""

CONTENT = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞", "連体詞"})
"""Parts of speech that carry meaning; particles, auxiliaries, affixes, pronouns and signs do
not.
"""

EMPTY = frozenset(
    """
    為る 居る 有る 成る 来る 行く 言う 出来る 遣る 貰う 呉れる 仕舞う 置く 見る 下さる 頂く 御座る
    無い 良い 思う 事 物 者 所 訳 筈 儘 様 為 方 時 中 内 上 下 前 後 間 頃 他 等 程 位 迄
    此の 其の 彼の 何の どんな そんな こんな あんな 或る 如何 如何して 何故 何時 何処 誰 何 幾つ
    幾ら とても 凄い もっと まだ もう 又 迚も そう こう ああ どう 何と 今 回 どの この その あの
    よう ため くらい ぐらい そろそろ ちょっと 一寸 本当 ただ 唯
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Content words that are found in every text, in their normalised form. Days and months are not
among them.
"""

EMPTY_KINDS = frozenset({"助詞", "助動詞", "記号", "補助記号", "空白", "接頭辞"})
"""Parts of speech that say nothing by themselves."""

NO_THINGS = frozenset({"助数詞可能", "副詞可能", "サ変可能", "形状詞可能", "サ変形状詞可能"})
"""Kinds of noun that count something, tell when, or are half a verb or an adjective."""

_FORMAL = frozenset({"こと", "もの", "ところ", "とき", "つもり", "はず", "わけ", "ほう", "まま"})
"""Nouns in kana that make a phrase of a sentence, and name nothing."""
_KANA = re.compile(r"[ぁ-ん]+")

TITLES = frozenset(
    {"さん", "様", "さま", "氏", "君", "くん", "ちゃん", "先生", "たち", "達", "ら", "ども"}
)
"""What follows a name and is no part of it."""

_lock = threading.Lock()


@dataclass(frozen=True)
class Morpheme:
    """One word of a text, in the longest unit that the dictionary has."""

    surface: str = field(repr=False)
    kind: str
    """Part of speech, in the dictionary's own terms: 名詞, 動詞 …"""
    named: bool
    """It is the name of somebody or of a place."""
    reading: str = field(repr=False)
    """In katakana."""
    forms: tuple[str, ...] = field(repr=False)
    """As it stands in a dictionary: as it is written here, and as it is written as a rule."""
    parts: tuple[str, ...] = field(default=(), repr=False)
    """The shorter words that it is made of."""


def words(text: str) -> list[str]:
    """Give the content words of a Japanese text in order, each in its normalised dictionary form.

    >>> words("去年の夏、しごとを辞めました")
    ['去年', '夏', '仕事', '辞める']
    """
    found = []
    for start in range(0, len(text), LONGEST):
        with _lock:  # a tokenizer is not safe to share between threads
            morphemes = [
                (m.part_of_speech()[0], m.normalized_form())
                for m in _tokenizer().tokenize(text[start : start + LONGEST])
            ]
        found += [form.lower() for kind, form in morphemes if kind in CONTENT and form not in EMPTY]
    return found


def placed(text: str) -> list[tuple[int, int, str]]:
    """Give the content words with where they stand: start, end, normalised form.

    >>> placed("雨が降った")
    [(0, 1, '雨'), (2, 4, '降る')]
    """
    found = []
    for start in range(0, len(text), LONGEST):
        with _lock:
            words_here = [
                (start + m.begin(), start + m.end(), m.normalized_form().lower())
                for m in _tokenizer().tokenize(text[start : start + LONGEST])
                if m.part_of_speech()[0] in CONTENT
            ]
        found += words_here
    return found


def content(text: str) -> list[str]:
    """Give the words that carry meaning as they stand there.

    >>> content("津田さんの年齢は？")
    ['津田', '年齢']
    """
    return [
        word.surface
        for word in morphemes(text)
        if word.kind in CONTENT and not EMPTY & set(word.forms)
    ]


def things(text: str) -> list[str]:
    """Give the nouns and names, those that stand together as one; none that only counts, or stands
    for a day or an action.

    >>> things("武田さんは二メートルのスプルースで楽器棚を作った")
    ['武田', 'スプルース', '楽器棚']
    >>> things("いつも浜で待つつもりです。")
    ['浜']
    """
    found: list[str] = []
    run, known, counts = "", False, False
    for start in range(0, len(text), LONGEST):
        with _lock:
            parts = [
                (m.surface(), m.part_of_speech(), m.normalized_form())
                for m in _tokenizer().tokenize(text[start : start + LONGEST])
            ]
        for surface, speech, form in (*parts, ("", ("",) * 4, "")):
            noun = (
                speech[:2] != ("名詞", "数詞")
                and _names_something(surface, speech, form)
                and not (counts and speech[2] == "助数詞可能")
            )
            ending = (
                bool(run) and speech[:3] == ("接尾辞", "名詞的", "一般") and surface not in TITLES
            )
            counts = speech[1] == "数詞"
            if noun or ending:
                run += surface
                known = known or ending or speech[2] not in NO_THINGS
                continue
            if known:
                found.append(run)
            run, known = "", False
    return list(dict.fromkeys(found))


def _names_something(surface: str, speech: tuple[str, ...], form: str) -> bool:
    """Tell whether a word is a noun, none that only makes a phrase, and no いつも."""
    adverb = speech[2:3] == ("副詞可能",) and _KANA.fullmatch(surface)
    return speech[0] == "名詞" and form not in EMPTY and surface not in _FORMAL and not adverb


def morphemes(text: str) -> list[Morpheme]:
    """Take a text apart into words with all that is known of each.

    >>> [(word.surface, word.reading, word.named) for word in morphemes("津田さん")]
    [('津田', 'ツダ', True), ('さん', 'サン', False)]
    """
    from sudachipy import SplitMode

    found = []
    for start in range(0, len(text), LONGEST):
        with _lock:
            for m in _tokenizer().tokenize(text[start : start + LONGEST], SplitMode.C):
                speech = m.part_of_speech()
                shorter = m.split(SplitMode.A)
                parts = (
                    tuple(part.normalized_form() for part in shorter) if len(shorter) > 1 else ()
                )
                forms = tuple(
                    dict.fromkeys((m.surface(), m.dictionary_form(), m.normalized_form()))
                )
                found.append(
                    Morpheme(
                        m.surface(),
                        speech[0],
                        speech[1] == "固有名詞",
                        m.reading_form(),
                        forms,
                        parts,
                    )
                )
    return found


@dataclass(frozen=True)
class Noun:
    """A noun of a text in its longest unit, with where it stands."""

    start: int
    end: int
    surface: str = field(repr=False)
    sort: str
    """人名, 地名, 一般 for the name of somebody, of a place, of anything else; empty for a noun
    that is no name.
    """
    listed: bool
    """The dictionary has it."""


def nouns(text: str) -> list[Noun]:
    """Give the nouns of a text with what the dictionary says of them; a family name and the given
    name after it are one.

    >>> [(noun.surface, noun.sort) for noun in nouns("津田浩平は金沢でギターを弾く")]
    [('津田浩平', '人名'), ('金沢', '地名'), ('ギター', '')]
    """
    from sudachipy import SplitMode

    found: list[Noun] = []
    for first in range(0, len(text), LONGEST):
        with _lock:
            here = [
                (
                    first + m.begin(),
                    first + m.end(),
                    m.surface(),
                    m.part_of_speech()[1:3],
                    not m.is_oov(),
                )
                for m in _tokenizer().tokenize(text[first : first + LONGEST], SplitMode.C)
                if m.part_of_speech()[0] == "名詞" and m.part_of_speech()[1] != "数詞"
            ]
        for start, end, surface, (kind, sort), listed in here:
            named = sort if kind == "固有名詞" else ""
            if found and named == found[-1].sort == "人名" and found[-1].end == start:
                found[-1] = Noun(found[-1].start, end, found[-1].surface + surface, named, listed)
            else:
                found.append(Noun(start, end, surface, named, listed))
    return found


@dataclass(frozen=True)
class Word:
    """One short unit with its grammar, in the dictionary's own terms."""

    surface: str = field(repr=False)
    speech: tuple[str, str, str, str]
    """名詞, 固有名詞, 人名, 名."""
    form: str
    """終止形-一般, 命令形; ``*`` for what has none."""
    normal: str = field(repr=False)


def grammar(text: str) -> list[Word]:
    """Take a sentence apart into short units with their grammar.

    >>> [(word.normal, word.speech[0], word.form) for word in grammar("海へ行け")]
    [('海', '名詞', '*'), ('へ', '助詞', '*'), ('行く', '動詞', '命令形')]
    """
    with _lock:
        return [
            Word(
                m.surface(),
                tuple(m.part_of_speech()[:4]),
                m.part_of_speech()[5],
                m.normalized_form(),
            )
            for m in _tokenizer().tokenize(text[:LONGEST])
        ]


@lru_cache(maxsize=20_000)
def reading(word: str) -> str:
    """Give how a word is read, in katakana."""
    with _lock:
        return "".join(m.reading_form() for m in _tokenizer().tokenize(word[:LONGEST]))


@lru_cache(maxsize=1)
def _tokenizer() -> Any:  # noqa: ANN401 - SudachiPy publishes no types
    from sudachipy import Dictionary, SplitMode

    return Dictionary().tokenizer(SplitMode.A)
