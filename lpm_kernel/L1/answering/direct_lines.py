"""The direct line of an answer: words of a quotation that answer by themselves."""

from __future__ import annotations

import re

from lpm_kernel.L0.language.identification import Language

_BEFORE = re.compile(r"(?:[\s,;:、。，；：*_`#|·・=→]|[.–—−-](?!\d))+")
"""Marks before a word; what belongs to a number stays with it."""
_AFTER = " \t\n\u3000.,;:、。，；：*_`|·・–—-=→"
_LOWER_FIRST = re.compile(r"[a-z](?:[a-z]|$|\W)")
_PAIRS = {")": "(", "）": "（", "]": "[", "」": "「", "』": "『", "”": "“", "】": "【"}
_STOPS = {"en": ".", "ja": "。", "zh": "。"}
_ENDS = ".!?。！？…"


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a stretch of a text without marks at its edges, up to a bracket that it does not
    close. The stretch is empty where nothing is left.

    >>> text = "Pass 10/30: 78 points (60 to pass)."
    >>> text[slice(*trimmed(text, 11, 25))]
    '78 points'
    """
    opened: list[tuple[str, int]] = []
    for at in range(start, end):
        sign = text[at]
        if sign in _PAIRS.values():
            opened.append((sign, at))
        elif sign in _PAIRS:
            if not opened or opened[-1][0] != _PAIRS[sign]:
                end = at
                break
            opened.pop()
    if opened:
        end = opened[0][1]
    if marks := _BEFORE.match(text, start, end):
        start = marks.end()
    while start < end and text[end - 1] in _AFTER:
        end -= 1
    return start, end


def as_sentence(words: str, language: Language) -> str:
    """Return words as a sentence of a language: with a capital and a stop.

    >>> as_sentence("because of the rain", "en"), as_sentence("軍手", "ja")
    ('Because of the rain.', '軍手。')
    """
    told = " ".join(words.split())
    if _LOWER_FIRST.match(told):  # not "iPhone"
        told = told[0].upper() + told[1:]
    return told + ("" if told[-1:] in _ENDS else _STOPS[language])
