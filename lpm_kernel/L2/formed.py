"""Questions in the words of an English sentence: "I moved to Teramachi in May" gives "When did you
move to Teramachi?". By rule, from the order of words and a dictionary's verbs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH, MONTHS
from lpm_kernel.L1.statements.extraction_english import KIN
from lpm_kernel.L2.verbs import base
from lpm_kernel.L2.wording import TITLES

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
_PLACES = frozenset({"in", "on", "at", "near", "under", "above", "behind", "beside", "into"})
_WAYS = frozenset({"from", "to", "through", "across", "over", "along", "towards", "around"})
_MEANS = frozenset({"by", "with", "through", "without"})
_OPENING = {"cannot": "can", "was": "were"}
_PARTICLES = frozenset({"out", "up", "off", "away", "back", "down", "along", "home", "there"})
_CLAUSES = frozenset({"and", "so", "because", "which", "who", "that", "when", "while", "as"})
"""Words behind which a clause of its own begins, which is not asked about without what is before
it.
"""
DATE = re.compile(rf"\b(?:19|20)\d\d\b|\b(?:{MONTHS})\b|\b(?:spring|summer|autumn|winter)\b|年|月")
REASON = re.compile(rf"\b(?:because|so that|until|therefore|since|it makes)\b(?! (?:\d|{MONTHS}))")
_COUNTED = re.compile(
    r"\b(?!(?:19|20)\d\d\b)(?:\d[\d.,]{0,11}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand) ([a-z]{3,}s)\b"
)
_ASIDE = re.compile(r"^([^,]{2,40}), (?!and\b|but\b|or\b)[^,]{3,60}, (?=[a-z])")
"""Who or what is meant, between two commas behind a subject."""
_AND_THEN = re.compile(r" (?:and|but) (?=(?:I|we|you|he|she|it|they)\b)")
"""Where another sentence begins."""
_BECAUSE = re.compile(r",? \b(?:because|so that|therefore)\b")
_ENDS = re.compile("".join(rf"(?<!\b{each})" for each in sorted(TITLES)) + r"[;.!?](?:\s|$)")
"""Where a sentence ends, not behind a title."""
_TIME_FIRST = re.compile(
    rf"^(?:In|On|Since|By|At|Until|From) (?=\d|{MONTHS})(?:\d{{1,2}} )?(?:(?:{MONTHS}) )?"
    r"(?:\d{4}),? (?=\S)"
)
_SAYS_NOTHING = frozenset({"been", "had", "got", "be", "have", "done", "do", "made"})
"""Verbs that ask nothing by themselves: who has been?"""
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
    clause = _ENDS.split(text.strip())[0].rstrip(" .")
    clause = _AND_THEN.split(clause)[0].rstrip(",")
    clause = _ASIDE.sub(r"\1 ", _TIME_FIRST.sub("", clause))
    asked = [word for word, fits in (("When", DATE), ("Why", REASON)) if fits.search(text)]
    words = _first_of(_BECAUSE.split(clause)[0].rstrip(",").split())
    if len(words) < FEWEST_WORDS:
        return
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


def _first_of(words: Sequence[str]) -> list[str]:
    """Speak to the person, of what was done first: "moved out and went home" leaves "moved out"."""
    until = next(
        (
            at
            for at, (before, word) in enumerate(pairwise(words))
            if at > 1 and before.lower() == "and" and _is_past(word) and base(word)
        ),
        len(words),
    )
    return [_SECOND.get(word.lower(), word) for word in words[:until]]


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
    for which in ("Who" if _may_be_somebody(words[:at]) else "What", "Where"):
        yield f"{which} {_BE[be]} {subject}{said if which == 'Where' else ''}?"
    for which in asked:
        yield f"{which} {_BE[be]} {subject}{said}?"
    yield f"{be.capitalize()} {subject} {' '.join(rest)}?"
    if rest and not said and rest[0].lower() not in _JOINTS:
        yield f"Who or what {be} {' '.join(rest[:5])}?"


def _may_be_somebody(subject: Sequence[str]) -> bool:
    """Tell whether a subject is a name, or says whose relative it is.

    >>> _may_be_somebody(["your", "rent"]), _may_be_somebody(["your", "sister"])
    (False, True)
    """
    first, last = subject[0], subject[-1].lower().rstrip(",")
    return last in KIN or (first[:1].isupper() and first.lower() not in ENGLISH)


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
        if part not in _SAYS_NOTHING:
            yield f"Who {helper} {said}{part}?"
    yield f"{helper.capitalize()} {subject} {said}{' '.join(rest)}?"


def _of_another(words: Sequence[str], at: int, asked: Sequence[str]) -> Iterator[str]:
    """Ask about what somebody else did, or does."""
    verb, subject, rest = words[at], _subject(words[:at]), list(words[at + 1 :])
    helper = "did" if _is_past(verb) else "does" if verb.lower().endswith("s") else "do"
    before = rest[0].lower() if rest else ""
    if before not in _JOINTS and before not in _PARTICLES:
        yield f"What {helper} {subject} {base(verb)}?"
    elif before in _PLACES:
        yield f"Where {helper} {subject} {base(verb)}?"
    parts = [" ".join(part) for part in _shortened(rest) if part] or [" ".join(rest)]
    for which in asked:
        yield f"{which} {helper} {subject} {base(verb)} {parts[0]}".rstrip() + "?"
    for part in parts if helper != "do" else ():
        yield f"Who {verb} {part}".rstrip() + "?"


def _of_you(words: Sequence[str], asked: Sequence[str]) -> Iterator[str]:
    """Ask about what the person did: the verb goes back to its bare form behind its helper."""
    place = next((at for at, word in enumerate(words[1:4], 1) if _is_verb(word)), 1)
    verb = words[place].lower()
    between, behind = list(words[1:place]), list(words[place + 1 :])
    bare = "" if verb in _BE or verb in _HELP else base(verb) or verb
    opening = ("did" if verb != bare else "do") if bare else _OPENING.get(verb, verb)
    rest = [*between, *([bare] if bare else []), *behind]
    for which in (*asked, *_where_or_how(verb, rest)):
        for part in _shortened(rest):
            if part:
                yield f"{which} {opening} you {' '.join(part)}?"
    if bare and _has_object(behind):
        for joined in _joined(rest):
            yield f"What {opening} you {bare}{joined}?"
    yield f"{opening.capitalize()} you {' '.join(rest)}?"


def _is_verb(word: str) -> bool:
    return word.lower() in _BE or word.lower() in _HELP or bool(base(word))


def _has_object(behind: Sequence[str]) -> bool:
    """Tell whether something is done to what stands behind a verb: not in "moved out", "go
    swimming", "live in Bergen".
    """
    first = behind[0].lower() if behind else ""
    return first not in _JOINTS and first not in _PARTICLES and not first.endswith("ing")


def _where_or_how(verb: str, rest: Sequence[str]) -> list[str]:
    """Give what a sentence answers of where and how."""
    first = rest[0] if rest else ""
    if verb in _BE and first and not (first.lower() in _PLACES or _is_participle(first)):
        return []
    kinds = (("Where", _PLACES | _WAYS), ("How", _MEANS))
    return [which for which, told in kinds if _says(told, rest)]


def _says(told: Collection[str], words: Sequence[str]) -> bool:
    """Tell whether one of these stands before something that is no time."""
    return any(
        word.lower() in told and not (behind[:1].isdigit() or DATE.search(behind))
        for word, behind in pairwise(words)
    )


def _joined(words: Sequence[str]) -> list[str]:
    """Give what stands behind the object of a verb, stretch by stretch: of "buy four hives from
    Anselmo for 95 euros" nothing, " from Anselmo" and " for 95 euros".
    """
    stretches = [
        stretch
        for stretch in _stretches(words)[1:]
        if len(stretch) > 1 and stretch[0].lower() not in _CLAUSES
    ]
    return ["", *(f" {' '.join(_clean(stretch))}" for stretch in stretches)]


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
        for other in (stretches[-1], stretches[1 + len(stretches) // 3]):
            if other[0].lower() not in _CLAUSES:
                yield _clean([*stretches[0], *other])


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
