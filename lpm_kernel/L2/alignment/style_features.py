"""What a text shows of how somebody writes, whatever they write about.

Content words are masked, so that what is counted says how a text is made and not what it tells
(text distortion: Stamatatos 2017, "Authorship Attribution Using Text Distortion", EACL): of English
the words that everybody uses stay, with signs, capitals and where sentences begin and end; of
Japanese hiragana stay, which hold particles and endings, and the words for "I". Counts of texts can
be added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L0.text.sentences import sentences

Written = Literal["en", "ja"]
"""A language whose style is measured."""
LANGUAGES: Final[tuple[Written, ...]] = ("en", "ja")
Gram = tuple[str, ...]
LONGEST_GRAM: Final[Mapping[Written, int]] = {"en": 2, "ja": 3}
"""Tokens in a row that are counted together: words of English, signs of Japanese."""

FUNCTION_WORDS: Final = frozenset(
    """
    a an the this that these those i me my mine myself you your yours yourself he him his himself
    she her hers herself it its itself we us our ours ourselves they them their theirs themselves
    who whom whose which what when where why how whoever whatever one ones someone somebody
    something anyone anybody anything everyone everybody everything nobody nothing none some any all
    both each every either neither other others another such same own few many much more most less
    least several enough and or but nor so yet for because since although though while whereas if
    unless until till whether than as like of in on at by with without within into onto from to
    toward towards about above below over under between among through during before after behind
    beside besides against along across around near off out up down upon per via except despite is
    am are was were be been being do does did doing done have has had having will would shall should
    can could may might must ought need used not no yes never always often sometimes usually again
    already still just only even also too very quite rather really pretty almost nearly perhaps
    maybe probably possibly certainly surely however therefore thus hence anyway otherwise instead
    indeed then now here there once ever soon later ago else well oh ah ok okay hm please thanks
    thank sorry hi hello hey dear yeah yep nope lol haha pls thx
    i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll
    we're we've we'd we'll they're they've they'd they'll that's there's here's what's who's where's
    how's let's don't doesn't didn't won't wouldn't shouldn't can't couldn't cannot isn't aren't
    wasn't weren't haven't hasn't hadn't mustn't needn't gonna gotta wanna kinda sorta dunno im ive
    dont doesnt didnt cant wont thats
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Words that everybody uses whatever they speak of; of no other word more than its first letter
counts.
"""

_EMOJI: Final = "\U0001f300-\U0001faff\u2600-\u27bf"
_TOKEN: Final = re.compile(
    r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)?|\d+(?:[.,:]\d+)*|\.{2,}|…|-{2,}|[—–]|[!?]{2,}"
    rf"|:-?[)(DP]|[{_EMOJI}]|\S"
)
_SMILES: Final = re.compile(rf"[{_EMOJI}]|(?<!\w):-?[)(DP](?!\w)|\^\^|\([＾^][^)\n]{{1,6}}\)")
_KANJI: Final = re.compile(r"[\u3400-\u9fff々]+")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30ff]+")
_HIRAGANA: Final = re.compile(r"[\u3041-\u309f]")
_LATIN: Final = re.compile(r"[A-Za-z\u00c0-\u024fＡ-Ｚａ-ｚ]+")
_NUMBER: Final = re.compile(r"[0-9０-９一二三四五六七八九十百千〇]+")
_SPACE: Final = re.compile(r"\s+")
_SELVES: Final[Mapping[str, str]] = {"私": "\ue001", "僕": "\ue002", "俺": "\ue003"}
"""Words for "I" in signs that would be masked, and what stands for them meanwhile."""
_SMALL_SELVES: Final = frozenset({"i", "im", "ive"})
"""Who writes "I" small."""


class Mark(StrEnum):
    """What a sentence shows; each counts once a sentence."""

    EXCLAMATION = "exclamation"
    QUESTION = "question"
    ELLIPSIS = "ellipsis"
    DASH = "dash"
    COMMA = "comma"
    EMOJI = "emoji"
    SMALL_START = "small_start"
    """It begins with a small letter."""
    CONTRACTED = "contracted"
    SPELLED_OUT = "spelled_out"
    """It says "do not" or "I am" where one might contract."""
    POLITE = "polite"
    """です, ます."""
    PLAIN = "plain"
    """だ, である, or a verb as the dictionary has it."""
    PARTICLE = "particle"
    """It ends in ね, よ, な, さ, ぞ."""


_MARKS: Final[Mapping[Written, Mapping[Mark, re.Pattern[str]]]] = {
    "en": {
        Mark.EXCLAMATION: re.compile(r"!"),
        Mark.QUESTION: re.compile(r"\?"),
        Mark.ELLIPSIS: re.compile(r"\.\.\.?|…"),
        Mark.DASH: re.compile(r"[—–]|--| - "),
        Mark.COMMA: re.compile(r","),
        Mark.EMOJI: _SMILES,
        Mark.SMALL_START: re.compile(r"\W{0,3}[a-z]"),
        Mark.CONTRACTED: re.compile(
            r"\b\w+n['’]t\b|\b(?:i|you|he|she|it|we|they|that|there|what|who|let)['’]"
            r"(?:m|re|ve|ll|d|s)\b",
            re.IGNORECASE,
        ),
        Mark.SPELLED_OUT: re.compile(
            r"\b(?:do|does|did|is|are|was|were|have|has|had|will|would|should|could|can) ?not\b"
            r"|\b(?:i am|i have|i will|i would|it is|you are|we are|they are|that is|there is)\b",
            re.IGNORECASE,
        ),
    },
    "ja": {
        Mark.EXCLAMATION: re.compile(r"[!！]"),
        Mark.QUESTION: re.compile(r"[?？]"),
        Mark.ELLIPSIS: re.compile(r"\.\.\.?|…|・・"),
        Mark.DASH: re.compile(r"[—―─〜～]"),
        Mark.COMMA: re.compile(r"[、，]"),
        Mark.EMOJI: _SMILES,
        Mark.POLITE: re.compile(
            r"(?:です|ます|でした|ました|ません|でしょう|ましょう|ください|ございます)"
            r"[かねよ]{0,2}[^\w]{0,3}$"
        ),
        Mark.PLAIN: re.compile(
            r"(?:(?<!ん)だ|である|だった|(?<!でし)(?<!まし)た|[るうくすつぬぶむぐ](?<!です)"
            r"(?<!ます)|ない|い)[ねよなさぞ]{0,2}[^\w]{0,3}$"
        ),
        Mark.PARTICLE: re.compile(r"[ねよなさぞ][^\w]{0,3}$"),
    },
}
SHARES: Final[Mapping[Mark, Mark]] = {
    Mark.CONTRACTED: Mark.SPELLED_OUT,
    Mark.POLITE: Mark.PLAIN,
}
"""Marks of which one or the other is chosen: the share of the first in both tells, and not how many
sentences have one.
"""

HABITS: Final[Mapping[Written, Sequence[str]]] = {
    "en": (
        "maybe",
        "perhaps",
        "probably",
        "possibly",
        "i think",
        "i guess",
        "i suppose",
        "sort of",
        "kind of",
        "actually",
        "basically",
        "honestly",
        "of course",
        "really",
        "quite",
        "rather",
        "just",
        "anyway",
        "you know",
        "i mean",
        "lol",
        "haha",
        "pls",
    ),
    "ja": (
        "たぶん",
        "多分",
        "きっと",
        "ちょっと",
        "少し",
        "なんか",
        "まあ",
        "やっぱり",
        "やはり",
        "とりあえず",
        "もちろん",
        "かも",
        "と思う",
        "と思います",
        "気がする",
        "らしい",
        "ようだ",
        "私",
        "僕",
        "俺",
        "笑",
    ),
}
"""What people say out of habit: fillers, hedges, and of Japanese which "I" they are. None of it
tells a fact, so it may stand in a prompt.
"""
OPENERS: Final[Mapping[Written, frozenset[str]]] = {
    "en": frozenset(
        "and but so well oh yes no ok okay hi hello hey dear thanks sorry then now still anyway"  # noqa: SIM905  a list this long reads better as prose
        " also maybe perhaps because or if when i it there that this we you please yeah lol haha"
        " not one just".split()
    ),
    "ja": frozenset(
        "でも だから そう うん まあ えー えっ あと それで じゃあ では そして しかし だが ただ また"  # noqa: SIM905  a list this long reads better as prose
        " なお お世話 お疲れ こんにちは ありがとう すみません ごめん はい いや やっぱり たぶん"
        " 私 僕 俺 今日 今 もう なんか とりあえず".split()
    ),
}
"""How sentences begin, of which none tells a fact."""
_HABIT: Final = {
    "en": re.compile(rf"\b(?:{'|'.join(HABITS['en'])})\b", re.IGNORECASE),
    "ja": re.compile("|".join(sorted(HABITS["ja"], key=len, reverse=True))),
}
_OPENS_EN: Final = re.compile(r"\W{0,3}([A-Za-z]+)(?!['’\w])")
_OPENS_JA: Final = re.compile(
    rf"[「『（ \u3000]{0, 4}({'|'.join(sorted(OPENERS['ja'], key=len, reverse=True))})"
)
_WORD_EN: Final = re.compile(r"[A-Za-z\u00c0-\u024f]{2,}(?:['’][A-Za-z]+)?|\bI\b")


@dataclass(frozen=True)
class StyleSample:
    """What was counted in some sentences of one language."""

    characters: int = 0
    """Without spaces."""
    sentences: int = 0
    lengths: Mapping[int, int] = field(default_factory=dict)
    """How many sentences have so many words (English) or characters (Japanese)."""
    marks: Mapping[str, int] = field(default_factory=dict)
    openers: Mapping[str, int] = field(default_factory=dict)
    habits: Mapping[str, int] = field(default_factory=dict)
    grams: Mapping[Gram, int] = field(default_factory=dict, repr=False)
    """Of the masked text."""


def read_sentence(sentence: str, language: Written) -> StyleSample:
    """Count what one sentence shows.

    >>> shown = read_sentence("Well, I don't know Teramachi!", "en")
    >>> dict(shown.lengths), [str(mark) for mark in shown.marks], dict(shown.openers)
    ({5: 1}, ['exclamation', 'comma', 'contracted'], {'well': 1})
    >>> ("well", ",") in shown.grams, ("teramachi",) in shown.grams, ("W", "!") in shown.grams
    (True, False, True)
    >>> [str(mark) for mark in read_sentence("私は寺町へ行きましたよ。", "ja").marks]
    ['polite', 'particle']
    """
    text = sentence.strip()
    plain = _SPACE.sub("", text)
    words = _WORD_EN.findall(text) if language == "en" else plain
    habits = Counter(found.lower() for found in _HABIT[language].findall(text))
    opener = _opener(text, language)
    return StyleSample(
        len(plain),
        1,
        {len(words): 1},
        dict.fromkeys(_marks(text, language), 1),
        {opener: 1} if opener else {},
        habits,
        _grams(masked(text, language), LONGEST_GRAM[language]),
    )


def read_text(text: str) -> dict[Written, list[StyleSample]]:
    """Count each sentence of a text, by language; those of other languages are left out.

    >>> {language: len(found) for language, found in read_text("It rains. 雨だ。帰る。").items()}
    {'en': 1, 'ja': 2}
    """
    found: dict[Written, list[StyleSample]] = {}
    for sentence in sentences(text):
        language = written_in(sentence)
        if language is not None:
            found.setdefault(language, []).append(read_sentence(sentence, language))
    return found


def written_in(sentence: str) -> Written | None:
    """Tell in which language a sentence is; ``None``: in none whose style is measured, or without
    letters.

    >>> [written_in(text) for text in ("It rains.", "雨だ。", "12:30", "下雨了")]
    ['en', 'ja', None, None]
    """
    language: Language = language_of(sentence)
    if language == "zh" or not any(sign.isalpha() for sign in sentence):
        return None
    return language


def added(samples: Iterable[StyleSample]) -> StyleSample:
    """Add up samples of one language."""
    characters = sentence_count = 0
    lengths: Counter[int] = Counter()
    marks: Counter[str] = Counter()
    openers: Counter[str] = Counter()
    habits: Counter[str] = Counter()
    grams: Counter[Gram] = Counter()
    for each in samples:
        characters += each.characters
        sentence_count += each.sentences
        lengths.update(each.lengths)
        marks.update(each.marks)
        openers.update(each.openers)
        habits.update(each.habits)
        grams.update(each.grams)
    return StyleSample(characters, sentence_count, lengths, marks, openers, habits, grams)


def masked(sentence: str, language: Written) -> list[str]:
    """Give the tokens of a sentence without what it tells.

    >>> masked("I sold Kuri's van for 300.", "en")
    ['<A', 'i', 'w', 'W', 'w', 'for', '0', '.', '>']
    >>> "".join(masked("凪はスプルースを3枚買った。", "ja"))
    '<漢はアを0漢った。>'
    """
    return _masked_english(sentence) if language == "en" else _masked_japanese(sentence)


def words_in(sentence: str, language: Written) -> list[str]:
    """Give the words of a sentence as they are compared, without names: of English those that are
    not written large inside it, of Japanese those that the dictionary takes for none.

    >>> words_in("Perhaps Mai sold it.", "en"), words_in("舞は車を売ったよ。", "ja")
    (['perhaps', 'sold', 'it'], ['は', '車', 'を', '売っ', 'た', 'よ'])
    """
    if language == "en":
        found = list(_WORD_EN.finditer(sentence))
        return [
            match.group().lower().replace("’", "'")
            for place, match in enumerate(found)
            if place == 0
            or match.group() == "I"
            or match.group()[0].islower()
            or match.group().lower() in FUNCTION_WORDS
        ]
    return [
        word.surface
        for word in japanese.morphemes(sentence)
        if not word.named and any(sign.isalpha() for sign in word.surface)
    ]


def _marks(text: str, language: Written) -> Iterator[Mark]:
    polite = False
    for mark, pattern in _MARKS[language].items():
        shown = pattern.match(text) if mark is Mark.SMALL_START else pattern.search(text)
        if shown and not (polite and mark is Mark.PLAIN):
            yield mark
        polite = polite or (mark is Mark.POLITE and shown is not None)


def _opener(text: str, language: Written) -> str:
    found = (_OPENS_EN if language == "en" else _OPENS_JA).match(text)
    word = found[1].lower() if found else ""
    return word if word in OPENERS[language] else ""


def _masked_english(sentence: str) -> list[str]:
    first = next((sign for sign in sentence if sign.isalpha()), "")
    tokens = ["<A" if first.isupper() else "<a"]
    for found in _TOKEN.findall(sentence):
        word = found.lower().replace("’", "'")
        if found in _SMALL_SELVES:
            tokens.append(f"{found}~")
        elif word in FUNCTION_WORDS:
            tokens.append(word)
        elif found[0].isalpha():
            tokens.append("W" if found[0].isupper() else "w")
        else:
            tokens.append(_masked_sign(found))
    return [*tokens, ">"]


def _masked_sign(sign: str) -> str:
    if sign[0].isdigit():
        return "0"
    if sign.startswith(("..", "…")):
        return "…"
    if sign.startswith(("--", "—", "–")):
        return "—"
    if _SMILES.fullmatch(sign):
        return "☺"
    return '"' if sign in '“”"' else sign[:2]


def _masked_japanese(sentence: str) -> list[str]:
    text = sentence
    for word, sign in _SELVES.items():
        text = text.replace(word, sign)
    for pattern, sign in ((_NUMBER, "0"), (_KANJI, "漢"), (_KATAKANA, "ア"), (_LATIN, "A")):
        text = pattern.sub(sign, text)
    return ["<", *_SPACE.sub("", text), ">"]


def _grams(tokens: Sequence[str], longest: int) -> Counter[Gram]:
    return Counter(
        tuple(tokens[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(tokens) - length + 1)
    )
