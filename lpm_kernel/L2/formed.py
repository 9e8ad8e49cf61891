"""Questions in the words of an English sentence: "I moved to Teramachi in May" gives "When did you
move to Teramachi?". By rule, from the order of words and a dictionary's verbs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH
from lpm_kernel.L2.verbs import base

_SECOND = {
    "i": "you",
    "i'm": "you are",
    "i've": "you have",
    "i'd": "you would",
    "i'll": "you will",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "am": "are",
}
_BE = {"am": "are", "is": "is", "are": "are", "was": "was", "were": "were"}
_HELP = frozenset("have has had can cannot could will would must may should do does did".split())  # noqa: SIM905 - reads better as prose
_ARTICLES = frozenset("a an the my your his her its our their this that".split())  # noqa: SIM905 - reads better as prose
_RELATIVE = frozenset({"that", "who", "whom", "which", "whose"})
_JOINTS = frozenset(
    [
        "from",
        "to",
        "on",
        "in",
        "at",
        "by",
        "with",
        "because",
        "until",
        "since",
        "for",
        "of",
        "before",
        "after",
        "when",
        "while",
        "into",
        "through",
        "during",
        "about",
        "as",
        "and",
        "so",
        "which",
        "who",
        "that",
        "near",
        "instead",
    ]
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b(?:19|20)\d\d\b|\b(?:{_MONTHS})\b|\b(?:spring|summer|autumn|winter)\b|年|月")
AMOUNT = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b"
)
_REASON = re.compile(
    rf"\b(?:because|so that|until|therefore|since|it makes)\b(?! (?:\d|{_MONTHS}))"
)
_COUNTED = re.compile(
    r"\b(?!(?:19|20)\d\d\b)(?:\d[\d.,]{0,11}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand) ([a-z]{3,}s)\b"
)
_ASIDE = re.compile(r"^([^,]{2,40}), (?!and\b|but\b|or\b)[^,]{3,60}, (?=[a-z])")
"""Who or what is meant, between two commas behind a subject."""
_TIME_FIRST = re.compile(
    rf"^(?:In|On|Since|By|At|Until|From) (?=\d|{_MONTHS})(?:\d{{1,2}} )?(?:(?:{_MONTHS}) )?"
    r"(?:\d{4}),? (?=\S)"
)
MOST_SUBJECT = 10
"""Words among which a sentence's verb is looked for."""
FEWEST_WORDS = 3


def formed(text: str) -> Iterator[str]:
    """Yield questions about an English sentence; of another language none.

    >>> list(formed("My rent has been 748 euros since May."))[:2]
    ['What has your rent been?', 'Since when has your rent been 748 euros?']
    >>> next(formed("Celestino, the porter, bought my first jar."))
    'What did Celestino buy?'
    """
    if unspaced(text):
        return
    clause = re.split(r"[;.!?](?:\s|$)", text.strip())[0].rstrip(" .")
    clause = _ASIDE.sub(r"\1 ", _TIME_FIRST.sub("", clause))
    words = [_SECOND.get(word.lower(), word) for word in clause.split()]
    if len(words) < FEWEST_WORDS:
        return
    asked = [word for word, fits in (("When", DATE), ("Why", _REASON)) if fits.search(text)]
    place = _predicate(words)
    if words[0] == "you":
        yield from _of_you(words, asked)
    elif place is None:
        pass
    elif words[place].lower() in _BE:
        yield from _of_being(words, place, asked)
    elif words[place].lower() in _HELP:
        yield from _with_helper(words, place, asked)
    else:
        yield from _of_another(words, place, asked)
    for counted in dict.fromkeys(_COUNTED.findall(clause)):
        yield f"How many {counted}?"


def _predicate(words: Sequence[str]) -> int | None:
    """Find the verb of a sentence: an "is" or "has", or one that its form tells; only then one that
    might be a noun. What stands behind an article is one: "my rent has been".
    """
    bare = None
    relative = False
    for place, word in enumerate(words[1:MOST_SUBJECT], 1):
        plain = word.lower()
        relative = relative or plain in _RELATIVE
        if plain in _BE or plain in _HELP:
            return place
        verb = base(word)
        if not verb or relative or words[place - 1].lower() in _ARTICLES or plain.endswith("ing"):
            continue
        behind = words[place + 1].lower() if place + 1 < len(words) else ""
        if plain != verb and behind not in _BE and behind not in _HELP:
            return place
        bare = bare or place
    return bare


def _of_being(words: Sequence[str], at: int, asked: Sequence[str]) -> Iterator[str]:
    be, subject, rest = words[at].lower(), _subject(words[:at]), list(words[at + 1 :])
    said = f" {rest[0]}" if rest and _is_participle(rest[0]) else ""
    for which in ("What", "Who", "Where"):
        yield f"{which} {_BE[be]} {subject}{said if which == 'Where' else ''}?"
    for which in asked:
        yield f"{which} {_BE[be]} {subject}{said}?"
    yield f"{be.capitalize()} {subject} {' '.join(rest)}?"
    if rest and not said:
        yield f"Who or what {be} {' '.join(rest[:5])}?"


def _with_helper(words: Sequence[str], at: int, asked: Sequence[str]) -> Iterator[str]:
    """Ask about "my rent has been 748 euros since May": what has it been, and since when."""
    helper, subject, rest = words[at].lower(), _subject(words[:at]), list(words[at + 1 :])
    if not rest:
        return
    helper, said = ("can", "not ") if helper == "cannot" else (helper, "")
    parts = [" ".join(part) for part in _shortened(rest) if part] or [" ".join(rest)]
    yield f"What {helper} {subject} {said}{rest[0]}?"
    for which in asked:
        since = which == "When" and any(word.lower() == "since" for word in rest)
        yield f"{'Since when' if since else which} {helper} {subject} {said}{parts[0]}?"
    for part in parts:
        yield f"Who {helper} {said}{part}?"
    yield f"{helper.capitalize()} {subject} {said}{' '.join(rest)}?"


def _of_another(words: Sequence[str], at: int, asked: Sequence[str]) -> Iterator[str]:
    """Ask about what somebody else did, or does."""
    verb, subject, rest = words[at], _subject(words[:at]), list(words[at + 1 :])
    helper = "did" if _is_past(verb) else "does" if verb.lower().endswith("s") else "do"
    yield f"What {helper} {subject} {base(verb)}?"
    parts = [" ".join(part) for part in _shortened(rest) if part] or [" ".join(rest)]
    for which in asked:
        yield f"{which} {helper} {subject} {base(verb)} {parts[0]}".rstrip() + "?"
    for part in parts:
        yield f"Who {verb} {part}".rstrip() + "?"


def _of_you(words: Sequence[str], asked: Sequence[str]) -> Iterator[str]:
    """Ask about what the person did: the verb goes back to its bare form behind its helper."""
    place = next(
        (
            at
            for at, word in enumerate(words[1:4], 1)
            if word.lower() in _BE or word.lower() in _HELP or base(word)
        ),
        1,
    )
    verb = words[place].lower()
    between, rest = list(words[1:place]), list(words[place + 1 :])
    if verb in _BE or verb in _HELP:
        opening = {"cannot": "can", "was": "were"}.get(verb, verb)
        rest = [*between, *rest]
        bare = ""
    else:
        bare = base(verb) or verb
        opening, rest = ("did" if verb != bare else "do"), [*between, bare, *rest]
    for which in (*asked, "Where", "How"):
        for part in _shortened(rest):
            if part:
                yield f"{which} {opening} you {' '.join(part)}?"
    if bare:
        for joined in _joined(rest):
            yield f"What {opening} you {bare}{joined}?"
    yield f"{opening.capitalize()} you {' '.join(rest)}?"


def _joined(words: Sequence[str]) -> list[str]:
    """Give what stands behind the object of a verb, stretch by stretch: of "buy four hives from
    Anselmo for 95 euros" nothing, " from Anselmo" and " for 95 euros".
    """
    stretches = _stretches(words)[1:]
    return ["", *(f" {' '.join(_clean(stretch))}" for stretch in stretches if len(stretch) > 1)]


def _stretches(words: Sequence[str]) -> list[list[str]]:
    turns = [
        0,
        *(at for at, word in enumerate(words) if at and word.lower().strip(",") in _JOINTS),
        len(words),
    ]
    return [list(words[start:end]) for start, end in pairwise(turns)]


def _shortened(words: Sequence[str]) -> Iterator[list[str]]:
    """Give the sentence up to its first, its second and so on turn, and with one stretch between
    left out.
    """
    stretches = _stretches(words)
    for count in range(1, min(len(stretches), 4)):
        yield _clean([word for stretch in stretches[:count] for word in stretch])
    if len(stretches) > 2:  # noqa: PLR2004 - a share, or a few
        yield _clean([*stretches[0], *stretches[-1]])
        yield _clean([*stretches[0], *stretches[1 + len(stretches) // 3]])


def _clean(words: Sequence[str]) -> list[str]:
    return [*words[:-1], words[-1].rstrip(",;:")] if words else []


def _subject(words: Sequence[str]) -> str:
    """Write a subject inside a sentence: its first word small where it is no name."""
    first, behind = words[0], words[1] if len(words) > 1 else ""
    plain = first.lower() in ENGLISH or (glosses.ordinary(first) and not behind[:1].isupper())
    return " ".join([first.lower() if plain else first, *words[1:]]).rstrip(",")


def _is_past(verb: str) -> bool:
    """Tell whether a verb tells of the past, by its form."""
    plain = verb.lower().strip(",;:")
    return plain != base(plain) and not plain.endswith("s")


def _is_participle(word: str) -> bool:
    if word.lower() == "born":
        return True
    return _is_past(word) and not word.lower().endswith("ing") and bool(base(word))
