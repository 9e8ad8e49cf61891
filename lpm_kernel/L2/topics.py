"""What a statement speaks of, as one asks about it: names, and nouns with their articles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import names, unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH, MONTHS
from lpm_kernel.L2.verbs import NUMBERS, base, does
from lpm_kernel.L2.wording import TITLES

LONGEST_TOPIC = 40
_NOUNS = re.compile(
    r"\b((?i:the|my|an?|his|her|its|their|our))(?=((?:\s+[A-Za-z][\w'\u2019-]*){1,4}))"
)
MOST_NOUNS = 3
_VERB_BEFORE = re.compile(
    r"(?:the|my|your|his|her|its|their|our|an?|this|that|me|us|them|him|it|you|no|one|two|three"
    r"|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)(?![\w'\u2019-])",
    re.IGNORECASE,
)
"""What stands after a verb, and not after a noun: "the course takes eight"."""
_NUMBERED = re.compile(
    r"(?:about|around|over|under|only|almost|nearly)\s+(?:\d|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|twenty|thirty|half|a\b)",
    re.IGNORECASE,
)
"""What stands after a verb, too: "the room keeps about 58 per cent"."""
_ENDS_NOUNS = re.compile(r".{2,}ed$")
_BREAKS = (
    ENGLISH
    | {title.lower() for title in TITLES}
    | {"every", "each", "under", "near", "behind", "against", "instead"}
)
_LATER = frozenset({"last", "next"}) | NUMBERS
"""Words that belong to what comes behind them: "the council last spring", two days."""
_WORD = re.compile(r"[A-Za-z][\w'\u2019-]*")
_NO_TOPIC = re.compile(
    r"^(?:In|On|At|By|Since|Until|Today|Yesterday)\b|^(?:[A-Z][a-z]+(?:teen|ty)|Two|Three|Four|Five"
    r"|Six|Seven|Eight|Nine|Ten|Eleven|Twelve)$"
    rf"|\b(?:{MONTHS})\b"
)
_EMPTY = re.compile(
    r"ones?|things?|way|day|time|first|second|third|next|last|latter|former|others?|rest|same|best"
    r"|worst|most|least|whole|left|right|new|old"
)
"""Nouns that say nothing of what is meant, and what stands for one that was said before."""
_NOUN_WIDE = re.compile(r"(?:[一-龯々]{2,12}|[ァ-ヶー]{2,20})(?=[はがをにのとでもへや、。]|$)")
_DATED_WIDE = re.compile(r"[年月日時分]|^[一二三四五六七八九十]+")


def topics(taught: Taught) -> Iterator[tuple[str, str]]:
    """Yield what a statement speaks of, as it is asked about and as it stands there: whom it is
    about, what it names, and its nouns.

    >>> [said for said, _ in topics(Taught("m1", "I hung my hat in the long room of Kanazawa."))]
    ['Kanazawa', 'your hat', 'the long room']
    >>> [said for said, _ in topics(Taught("m2", "The summer course takes eight."))]
    ['the summer course']
    >>> [said for said, _ in topics(Taught("m3", "The long room keeps about 58 per cent."))]
    ['the long room']
    >>> [said for said, _ in topics(Taught("m4", "The cello got four coats, the last in May."))]
    ['the cello']
    """
    text, wide = taught.text, unspaced(taught.text)
    for name in (*taught.entities, *proper_names(text)):
        fits = name in text and len(name) <= LONGEST_TOPIC and name not in TITLES
        fits = fits and not _NO_TOPIC.search(name)
        if fits and (wide or not unspaced(name)):
            yield re.sub(r"^The ", "the ", name), name.casefold()
    if wide:
        for match in _NOUN_WIDE.finditer(text):
            if not _DATED_WIDE.search(match[0]):
                yield match[0], match[0].casefold()
    else:
        yield from _nouns(text)


def _nouns(text: str) -> Iterator[tuple[str, str]]:
    """Yield the nouns of an English text with what stands before them: the, my, her."""
    for match in _NOUNS.finditer(text):
        words: list[str] = []
        for found in list(_WORD.finditer(match[2]))[:MOST_NOUNS]:
            word, behind = found[0], text[match.start(2) + found.end() :].lstrip()
            if word.lower() in _BREAKS or _ENDS_NOUNS.match(word):
                break
            ends = word in _LATER or _is_verb(word, behind) or does(word, text)
            if ends and words and not _EMPTY.fullmatch(words[-1]):
                break
            words.append(word)
        if words and not _EMPTY.fullmatch(words[-1]):
            nouns = " ".join(words)
            owner = match[1].lower()
            whose = {"my": "your", "our": "your", "a": "the", "an": "the"}.get(owner, owner)
            yield f"{whose} {nouns}", nouns.casefold()


def _is_verb(word: str, behind: str) -> bool:
    """Tell whether a word behind nouns is what they do or did, by its form and what follows it.

    >>> _is_verb("got", "four coats"), _is_verb("keeps", "about 58"), _is_verb("keeps", "of stone")
    (True, True, False)
    """
    if word.endswith("s"):
        return bool(_VERB_BEFORE.match(behind) or _NUMBERED.match(behind))
    return not word.endswith("ing") and base(word) not in {"", word.lower()}


def proper_names(text: str) -> list[str]:
    """Give what a text names, without the word that has a capital because a sentence begins with
    it.

    >>> proper_names("Met Mai on a bus. Sixteen of us came from Bergen.")
    ['Mai', 'Bergen']
    """
    return [proper for name in names(text) if (proper := _proper(name, text))]


def _proper(name: str, text: str) -> str:
    first, _, rest = name.partition(" ")
    opens = re.search(rf"(?:^|[.!?:;]\s+){re.escape(name)}", text)
    ordinary = first.lower() in ENGLISH or glosses.ordinary(first) or base(first)
    return rest.removeprefix("the ") if opens and ordinary and not unspaced(name) else name
