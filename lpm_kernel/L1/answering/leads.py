"""What stands above a quotation: who said it and when, or where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.domain.library.documents import Attribution, Chunk
from lpm_kernel.L0.language.analysis import Asks
from lpm_kernel.L0.language.dates import spans
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.voice import Voice, said_by, stands_in, you_said, you_wrote

_MONTH = r"(?i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_NAMES_ITS_DAY = re.compile(
    r"\b(?:19|20)\d\d\b|\d[年月]|\b\d{1,2}/\d{1,2}/\d"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|\b{_MONTH}[a-z]{{0,6}}\.? \d{{1,2}}\b"
    r"|\bthe \d{1,2}(?:st|nd|rd|th)\b"
)
"""A text that needs no day told; of which year its "23 August" is, only who reads it can tell."""
_AHEAD: Final = re.compile(
    r"\b(?:will|won['’]t|going to|shall|starts?|begins?|opens?|leaves?|arrives?|comes?|flies|is|are"
    r"|am|must|need to|have to|has to|plans? to|due)\b|['’](?:ll|s|re|m)\b"
    r"|\b(?i:I|we|you|they) (?:pick|meet|move|go|leave|fly|see|get|start|begin|come|drive|take"
    r"|visit|return)\b",
)
"""Words of what is still to come, or is so now."""
_ROLES = {
    "en": {"user": "You", "assistant": "The assistant"},
    "ja": {"user": "あなた", "assistant": "アシスタント"},
    "zh": {"user": "你", "assistant": "助手"},
}
"""Those who speak in an exported chat with a model."""
CALLED_BY: Final = 24
"""Characters by which a title is known again."""
_DAY_IN_FRONT: Final = re.compile(r"^\d{4}-\d\d-\d\d[ _-]+(?=\S)")


@dataclass(frozen=True)
class WordsOf:
    """Whose words a quotation brings."""

    author: Attribution | None
    """``None``: nothing shows it."""
    title: str = field(repr=False)
    """Of the document where they stand, without the day in front."""
    in_chat: bool = False
    """The person said them to the node: the title is the chat's."""


Whose = Callable[[Chunk, int], WordsOf | None]
"""Tells whose words begin at a place of a passage, in code points; ``None``: it is not to be said
to whoever asks.
"""


def nobody_known(_chunk: Chunk, _start: int) -> None:
    """Say of no words whose they are."""


def undated(title: str) -> str:
    """Return a title without the day with which files are named.

    >>> undated("2024-05-28 Promotion committee"), undated("2024-05-28")
    ('Promotion committee', '2024-05-28')
    """
    return _DAY_IN_FRONT.sub("", title)


def lead(
    chunk: Chunk,
    text: str,
    question: Question,
    voice: Voice | None = None,
    whose: WordsOf | None = None,
) -> str:
    """Say who said it and when; and, where a day was asked for and the text has only "yesterday",
    which day that was.
    """
    speaks = voice or Voice(question.language)
    language = speaks.language
    when = day_in_words(chunk.said_at, language) if chunk.said_at else ""
    about = _meant(chunk, text, language) if question.asks & Asks.WHEN else ""
    if about and about != when:
        when = {
            "en": f"{when} (meaning {about})",
            "ja": f"{when}（{about}のこと）",
            "zh": f"{when}（指{about}）",
        }[language]
    role = _ROLES[language].get(chunk.speaker or "")
    if whose is None:
        return said_by(speaks, role or chunk.speaker or "", when)
    if whose.in_chat:
        return you_said(speaks, "" if _repeats(whose.title, chunk.text) else whose.title, when)
    return _led(speaks, whose, role or "", when)


def _repeats(title: str, said: str) -> bool:
    """Tell whether a chat is called by what was said, which its first words are."""
    return " ".join(said.split()).startswith(title.rstrip("…").strip()[:CALLED_BY])


def _led(voice: Voice, whose: WordsOf, role: str, when: str) -> str:
    """Lead what somebody said or wrote of whom, or of which text, something is known."""
    if whose.author is not None and whose.author.own:
        return you_wrote(voice, when)
    if name := role or (whose.author and whose.author.name):
        return said_by(voice, name, when)
    return stands_in(voice, whose.title, when)


def _meant(chunk: Chunk, text: str, language: Language) -> str:
    """Return the day that a text means by "yesterday" or "on Friday", seen from when it was
    written; empty if it means none, or several.
    """
    if chunk.said_at is None or _NAMES_ITS_DAY.search(text):
        return ""
    days = {
        span.start.date(): span
        for span in spans(text, chunk.said_at)
        if span.days <= 1 and not span.open and span.weight >= 1
    }
    if len(days) != 1:
        return ""
    (day,) = days
    if day < chunk.said_at.date() and _AHEAD.search(text):
        return ""  # "she starts on Monday": the one to come
    return day_in_words(days[day].start, language)
