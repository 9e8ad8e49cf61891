"""The direct line of an answer: words of a quotation that answer by themselves."""

from __future__ import annotations

import re

from lpm_kernel.L0.language.analysis import terms, unspaced
from lpm_kernel.L0.language.english import tagged
from lpm_kernel.L0.language.identification import Language

_BEFORE = re.compile(r"(?:[\s,;:、。，；：*_`#|·・=→]|[.–—−-](?!\d))+")
"""Marks before a word; what belongs to a number stays with it."""
_AFTER = " \t\n\u3000.,;:、。，；：*_`|·・–—-=→"
_LOWER_FIRST = re.compile(r"[a-z](?:[a-z]|$|\W)")
_PAIRS = {")": "(", "）": "（", "]": "[", "」": "「", "』": "『", "”": "“", "】": "【"}
_STOPS = {"en": ".", "ja": "。", "zh": "。"}
_ENDS = ".!?。！？…"


_WHETHER = re.compile(
    r"^\W{0,4}(?:(?:and|but|so) )?(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will"
    r"|would|shall|should|may|might|must)(?:n['’]t)? \w",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(
    r"\b(?:who|whom|whose|which|what|when|where|why|how|or)\b|[何誰]|だれ|どこ|どの|どれ|どちら|どう|いつ|いく"
    r"|なぜ|なに|なん|什么|谁|哪|怎|几|多少",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(r"(?:か|の|吗|嗎)[。？?]{0,2}\s*$")


def tells_whether(question: str, words: str) -> bool:
    """Tell whether words can answer by themselves: to a question that wants a yes or a no, only
    those that have a verb.

    >>> tells_whether("Do I like nights better?", "better than days")
    False
    >>> tells_whether("Should one see a repair?", "visible to whoever looks for it")
    True
    >>> tells_whether("Is it tea or coffee?", "tea"), tells_whether("売りますか。", "売らない")
    (True, True)
    """
    whether = _WHETHER.match(question) or _ENDS_ASKING.search(question)
    if not whether or _ASKS_WHICH.search(question) or unspaced(words):
        return True
    return any(token.finite for token in tagged(words))


def spells_out(sentence: str, question: str, answer: str) -> bool:
    """Tell whether a sentence says the words that answer, and names nothing else that the question
    does not.

    >>> spells_out("The Old Lady came on 14 June.", "When did the Old Lady come?", "14 June")
    True
    >>> spells_out("My father kept a dog.", "Which animal did my father keep?", "old Beti")
    False
    """
    said, known = set(terms(sentence)), set(terms(question)) | set(terms(answer))
    if not set(terms(answer)) <= said:
        return False
    if unspaced(sentence):
        return said <= known
    named = (token for token in tagged(sentence) if token.noun or token.named or token.tag == "CRD")
    return all(known.issuperset(terms(token.text)) for token in named)


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
