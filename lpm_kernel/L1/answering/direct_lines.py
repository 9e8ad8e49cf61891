"""The direct line of an answer: words of a quotation that answer by themselves."""

from __future__ import annotations

from lpm_kernel.L0.language.identification import Language

_EDGES = " \t\n\u3000.,;:、。，；：*_`#|·・–—-=→"
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
    while start < end and text[start] in _EDGES:
        start += 1
    while start < end and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def as_sentence(words: str, language: Language) -> str:
    """Return words as a sentence of a language: with a capital and a stop.

    >>> as_sentence("because of the rain", "en"), as_sentence("軍手", "ja")
    ('Because of the rain.', '軍手。')
    """
    told = " ".join(words.split())
    return told[:1].upper() + told[1:] + ("" if told[-1:] in _ENDS else _STOPS[language])
