"""English verbs, as far as a dictionary of glosses knows them."""

from __future__ import annotations

import re

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.stopwords import IRREGULAR

_ARTICLES = frozenset(
    ["the", "a", "an", "my", "your", "his", "her", "its", "our", "their", "this", "that"]
)
_WHOM = frozenset(["i", "we", "you", "they", "he", "she", "it", "me", "us", "them", "him"])
_JOINTS = frozenset(
    ["on", "in", "at", "by", "to", "for", "with", "under", "from", "into", "about", "near"]
)
_DOES = (
    r"\b(?:I|you|we|they|to|not|will|would|can|could|should|may|must|who|that) "
    r"|(?<![.!?] )\b[A-ZÀ-Þ][\w'’]+ (?=\w+s\b)"
)
"""What stands before a verb: somebody, a helper, or the name of who does it."""
NUMBERS = frozenset({"twenty", "thirty", "forty", "fifty", "hundred", "thousand"}) | {
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
}


def base(word: str) -> str:
    """Give the bare form of an English verb, and nothing for a word that is none.

    >>> base("moved"), base("taught"), base("carries"), base("teapot")
    ('move', 'teach', 'carry', '')
    """
    plain = word.lower().strip(",;:")
    if not plain.isalpha():
        return ""
    stem = IRREGULAR.get(plain, "")
    tries = [stem, plain]
    for ending, instead in (
        ("ied", "y"),
        ("ies", "y"),
        ("ed", ""),
        ("d", ""),
        ("es", ""),
        ("s", ""),
        ("ing", ""),
        ("ing", "e"),
    ):
        if plain.endswith(ending):
            tries.append(plain.removesuffix(ending) + instead)
    if plain.endswith("ed") and len(plain) > 4 and plain[-3] == plain[-4]:  # noqa: PLR2004 - stopped: stop
        tries.append(plain[:-3])
    return next((each for each in tries if each and glosses.known(f"to {each}")), "")


def does(word: str, text: str) -> bool:
    """Tell whether a word that may be a noun says in a text what somebody does.

    >>> does("make", "and I make the cake"), does("stand", "My hives stand on the slope.")
    (True, True)
    >>> does("rent", "My rent has been 748 euros."), does("house", "She sold the new house in May.")
    (False, False)
    """
    if not base(word):
        return False
    if re.search(rf"(?:{_DOES}){word}\b", text):
        return True
    found = re.search(rf"([\w'’]+) {word} (?=(\w+))", text)
    if not found or found[1].lower() in _ARTICLES | _JOINTS | {"of"}:
        return False
    behind = found[2].lower()
    # the scale stands under
    if re.match(rf"(?:An?|The|My|Our|His|Her|\w+['’]s) [\w'’]+ {word} ", text):
        return behind in _ARTICLES | _WHOM | _JOINTS
    if word.endswith("s") and base(word) != word:  # he makes her
        return behind in _ARTICLES | _WHOM
    return found[1].endswith("s") and behind in _ARTICLES | _WHOM | _JOINTS  # hives stand on
