"""The irrealis: the words by which a sentence says that something is supposed, dreamt, wished,
feared, only thought, denied, or another's word, in English, Japanese and Chinese.

Whoever reads facts, deaths, offers or days off a sentence takes the groups that matter there. A
group is told of by what it says, not by where it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Markers:
    """Words of one meaning: alternatives of a pattern. English ones are whole words."""

    english: str = ""
    japanese: str = ""
    chinese: str = ""


CONDITION: Final = Markers(
    r"if|unless|suppos(?:e|ing)|assuming|provided (?:that|I|you|he|she|it|we|they)|lest",
    "もし",
    "如果|要是|假如|倘若|万一|萬一|除非|若(?![林松葉干狭])",
)
CONDITIONAL_FORM: Final = Markers(japanese="たら|なら")
"""Of a verb, which a sentence may have without supposing anything else that it says."""
QUESTION: Final = Markers("whether")
IMAGINATION: Final = Markers(r"imagin(?:es?|ed|ing|ary)|pretend\w*|as though")
PRETENCE: Final = Markers(chinese="装|裝")
"""It is also to put in, so that it says something beside a name alone."""
DREAM: Final = Markers("dreams?|dreamt|dreamed|dreaming", "夢", "(?:梦|夢)(?!想)")
GUESS: Final = Markers(
    "maybe|perhaps",
    "(?<!し)かも|だろう|でしょう|(?<!ば)らしい",
    "也许|也許|可能|好像|似乎",
)
HEARSAY: Final = Markers("supposed(?:ly)?|apparently|allegedly")
POSSIBILITY: Final = Markers("could|might")
MAY: Final = Markers("(?-i:may)")
"""The month has a capital."""
WOULD: Final = Markers("would")
SHOULD: Final = Markers("should")
WISH: Final = Markers(r"wish\w*", chinese="希望|就好了|该多好|該多好")
HOPE: Final = Markers(r"hope\w*|hoping")
FEAR: Final = Markers(r"afraid|fear\w*|worr\w*", "怖|心配")
MISTAKE: Final = Markers("thought", chinese="以为|以為")
"""What was thought, and may not have been so."""
BELIEF: Final = Markers(r"think\w*", "と思")
NEARLY: Final = Markers("almost|nearly")
REPORT: Final = Markers(
    r"says?|said|tells?|told|writes?|wrote|claim\w*",
    "と言|という|と聞",
    "说|說|告诉|告訴|通知|问|問",
)
"""Another says it."""
DENIAL: Final = Markers("not true", "ない|ません")


def english(*groups: Markers) -> str:
    r"""Return a pattern of the English words of these groups.

    >>> english(NEARLY, WOULD)
    '\\b(?:almost|nearly|would)\\b'
    """
    return rf"\b(?:{'|'.join(group.english for group in groups if group.english)})\b"


def japanese(*groups: Markers) -> str:
    """Return a pattern of the Japanese words of these groups.

    >>> japanese(DREAM, FEAR)
    '夢|怖|心配'
    """
    return "|".join(group.japanese for group in groups if group.japanese)


def chinese(*groups: Markers) -> str:
    """Return a pattern of the Chinese words of these groups.

    >>> chinese(WISH)
    '希望|就好了|该多好|該多好'
    """
    return "|".join(group.chinese for group in groups if group.chinese)
