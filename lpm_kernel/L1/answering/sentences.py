"""The sentences of what was recalled that are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.text.salutations import past_salutation
from lpm_kernel.L0.text.sentences import sentence_spans

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
_QUOTES = re.compile(r"(?:>\s{0,3}){1,9}")
_ATTRIBUTION = re.compile(
    r"on [^\n]{3,80} wrote\s?:|[^\n]{3,60}(?:さんは?書きました|写道)\s?[:：]", re.IGNORECASE
)
"""The line above what a mail quotes."""
_GRAMMAR = re.compile(r"[ぁ-ん]{2}|[。，！；？]")
_ROW = re.compile(
    r"[^|\n]{0,300}\|[^|\n]{0,300}\||(?:[^:;\n]{1,40}: [^;\n]{0,300}; ){2}"
    r"|(?![\d,.]{1,30}(?:\s|\Z))(?:[^,\n]{0,80},(?=\S)){3}"
)
"""A row of a table, as one draws it, as it is kept ("date: 3 May; place: Kyoto; what: a saw"), or
as a program writes it ("3 May,Kyoto,a saw,").
"""


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
    """Give the sentences that are read, without the salutation before them; the line with the date
    at the head of a letter is none, nor is the head of a mail or of what it quotes, nor what the
    person struck.
    """
    return [
        PassageSentence(number, start, end, item.chunk.text[start:end])
        for number, item in enumerate(items[:most])
        for start, end in _spans(item.chunk.text)
        if not _DATE_LINE.fullmatch(item.chunk.text[start:end])
        and not (item.chunk.start == 0 and _heads_mail(item.chunk.text[start:end]))
        and not overlaps(item.struck, start, end)
    ]


def is_label(text: str) -> bool:
    """Tell whether a Japanese or Chinese line is a heading or an address: it has no grammar.

    >>> is_label("受験番号 1147 阿部七海 殿"), is_label("七海は合格した。"), is_label("Rhine, 1998")
    (True, False, False)
    """
    return not _GRAMMAR.search(text) and language_of(text) != "en"


def is_row(text: str) -> bool:
    """Tell whether a sentence is a row of a table: what stands beside it is of something else.

    >>> [is_row(text) for text in
    ...     ("choir | 120 | 120 |", "01/08,240,5900,2", "Tea | both.", "1,240,000 yen, all told")]
    [True, True, False, False]
    """
    return bool(_ROW.match(text))


def _spans(text: str) -> list[tuple[int, int]]:
    """Give where the sentences stand that are read, end exclusive.

    >>> text = "Dear Mr. and Mrs. Ito: Amari came second. Well done!"
    >>> [text[start:end] for start, end in _spans(text)]
    ['Amari came second.', 'Well done!']
    """
    found = []
    for start, end in sentence_spans(text)[:SENTENCES]:
        quotes = _QUOTES.match(text, start, end)
        begins = quotes.end() if quotes else start
        begins = past_salutation(text, begins, end)
        if begins < end and not _ATTRIBUTION.fullmatch(text, begins, end):
            found.append((begins, end))
    return found


def _heads_mail(text: str) -> bool:
    return all(_MAIL_HEADER.match(line) for line in text.splitlines() if line.strip())


def overlaps(struck: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a stretch touches what the person struck."""
    return any(first < end and start < last for first, last in struck)
