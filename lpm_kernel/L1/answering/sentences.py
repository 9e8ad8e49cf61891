"""The sentences of what was recalled that are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.L0.text.chunks import sentence_spans

PASSAGES = 10
"""Passages that are read, the best by recall."""

SENTENCES = 12
"""Sentences of a passage that are read."""

_DATE_LINE = re.compile(
    r"(?:[\W\d_]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|st|nd|rd|th|of"
    r"|[年月日時分曜月火水木金土〇一二三四五六七八九十])+",
    re.IGNORECASE,
)


_MAIL_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|差出人|宛先|日時|件名)[ \t]?[:：]"
)
"""How a mail begins: the day and the sender are known of it, and are no sentence."""


@dataclass(frozen=True)
class PassageSentence:
    """A sentence of a passage. ``start`` and ``end`` count code points in the passage, end
    exclusive.
    """

    item: int
    start: int
    end: int
    text: str = field(repr=False)


def sentences(items: Sequence[Recalled], most: int = PASSAGES) -> list[PassageSentence]:
    """Give the sentences that are read; the line with the date at the head of a letter is none, nor
    is the head of a mail, nor what the person struck.
    """
    return [
        PassageSentence(number, start, end, item.chunk.text[start:end])
        for number, item in enumerate(items[:most])
        for start, end in sentence_spans(item.chunk.text)[:SENTENCES]
        if not _DATE_LINE.fullmatch(item.chunk.text[start:end])
        and not (item.chunk.start == 0 and _heads_mail(item.chunk.text[start:end]))
        and not overlaps(item.struck, start, end)
    ]


def _heads_mail(text: str) -> bool:
    return all(_MAIL_HEADER.match(line) for line in text.splitlines() if line.strip())


def overlaps(struck: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a stretch touches what the person struck."""
    return any(first < end and start < last for first, last in struck)
