"""Questions about a statement by template: no model, the same ones for the same seed.

A question turns on few of the statement's words, in another order and form, some of them exchanged
for words near in meaning or of the other language. What is learned so is the way from what a
question speaks of to the statement, not one wording of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

from lpm_kernel.domain.training.runs import Taught, Worded
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import IRREGULAR
from lpm_kernel.L2.wording import Unit, spell, units

WIDE = 0.35
"""Share of the questions that are asked in Japanese about an English statement, where there are
words for it.
"""

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
_FIRST = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself"}
_BE = {"am": "are", "is": "is", "are": "are", "was": "was", "were": "were"}
_HELP = frozenset("have has had can cannot could will would must may should do does did".split())  # noqa: SIM905 - reads better as prose
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
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b|\b(?:spring|summer|autumn|winter)\b|年|月"
)
_AMOUNT = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand)\b"
)
_REASON = re.compile(r"\b(?:because|so that|until|therefore|since|it makes)\b|から|ので|ため")

ABOUT_TWO = (
    "What about the {a} and the {b}?",
    "What do you remember of the {a} and the {b}?",
    "{a}, {b}: what do you know?",
    "Tell me about the {a} and the {b}.",
    "How was it with the {a} and the {b}?",
    "What is it with the {a} of the {b}?",
    "Which {a} goes with {b}?",
    "Is there something about {a} and {b}?",
    "{a} {b}?",
    "The {a} with the {b}, how was that?",
    "What has {a} to do with {b}?",
)
ABOUT_ONE = (
    "Tell me about the {a}.",
    "What about {a}?",
    "{a}?",
    "What do you say of {a}?",
    "What do you know about the {a}?",
    "And the {a}?",
)
WHEN = (
    "When was that with the {a} and the {b}?",
    "On which day was the {a}, {b}?",
    "Since when {a} {b}?",
    "What year was it with {a} and {b}?",
    "How long ago was the {a}?",
)
COUNT = (
    "How many {a}, with the {b}?",
    "How much is the {a} for {b}?",
    "What number has the {a}, {b}?",
    "How large is the {a} of the {b}?",
)
WHO = (
    "Who is it with the {a} and the {b}?",
    "Whose {a} is it, {b}?",
    "Which person has to do with {a} and {b}?",
    "Whom do you think of with {a}?",
)
WHERE = (
    "Where was the {a} with the {b}?",
    "In which place is the {a}, {b}?",
    "Where does one find the {a}?",
)
WHY = (
    "Why {a} {b}?",
    "What is the reason for {a} and {b}?",
    "How come, the {a} and the {b}?",
    "What made you do that with the {a}?",
)
HOW = ("How did you {a} the {b}?", "In which way {a} and {b}?", "How do you do it with {a}?")
ABOUT_TWO_WIDE = (
    "{a}と{b}について教えてください。",
    "{a}の{b}はどうですか。",
    "{a}で{b}は何ですか。",
    "{a}、{b}は？",
    "{a}は{b}ですか。",
    "{b}の{a}のことを覚えていますか。",
)
ABOUT_ONE_WIDE = (
    "{a}は？",
    "{a}について教えて。",
    "{a}は何ですか。",
    "{a}はどうなりましたか。",
    "{a}はどうですか。",
)
WHEN_WIDE = (
    "{a}の{b}はいつですか。",
    "{a}に{b}のはいつですか。",
    "いつ{a}を{b}しましたか。",
    "{a}はいつからですか。",
    "{a}は何年ですか。",
)
COUNT_WIDE = (
    "{a}の{b}はいくらですか。",
    "{a}はいくつですか。",
    "{a}は何人、{b}は？",
    "{a}の{b}は何歳ですか。",
)
WHO_WIDE = ("{a}の{b}はだれですか。", "{a}はどなたですか。", "だれが{a}を{b}しましたか。")
WHERE_WIDE = ("{a}の{b}はどこですか。", "どこで{a}を{b}しますか。", "{a}はどこにありますか。")
WHY_WIDE = ("なぜ{a}を{b}したのですか。", "どうして{a}ですか、{b}は？", "{a}の理由は？")


class Templates:
    """The synthesiser that needs no model. ``called`` gives by name what else its bearer is called
    in this home.
    """

    id = "templates/1"

    def __init__(self, called: Mapping[str, Sequence[str]] | None = None) -> None:
        self._called = called or {}

    def questions(self, taught: Taught, wanted: int, seed: int) -> Sequence[Worded]:
        """Give up to so many different questions: well-formed ones first, then ever freer ones."""
        random = Random(f"{seed}:{taught.text}")  # noqa: S311 - drawn anew from the seed, not a secret
        names = tuple(self._called) + taught.entities
        found = dict.fromkeys(formed(taught.text))
        here = units(taught.text, names, self._called)
        if here:
            for _ in range(8 * wanted):
                if len(found) >= wanted:
                    break
                found.setdefault(_free(taught.text, here, random))
        kept = list(found)
        well = len(dict.fromkeys(formed(taught.text)))
        chosen = (
            kept[: max(wanted // 2, wanted - (len(kept) - well))] if well > wanted // 2 else kept
        )
        return [Worded(_turned(question, random)) for question in [*chosen, *kept[well:]][:wanted]]


def _turned(question: str, random: Random) -> str:
    """Now and then the person asks about themselves: my workshop, not your workshop."""
    if unspaced(question) or random.random() > 0.25:  # noqa: PLR2004 - a share, or a few
        return question
    return re.sub(
        r"\b(?:you|your|yours|yourself)\b", lambda word: _FIRST[word[0].lower()], question
    )


def formed(text: str) -> Iterator[str]:
    """Turn an English sentence into questions of its own words: "I moved to Teramachi" gives "When
    did you move?".
    """
    if unspaced(text):
        return
    clause = re.split(r"[;.!?](?:\s|$)", text.strip())[0].rstrip(" .")
    words = [_SECOND.get(word.lower(), word) for word in clause.split()]
    if len(words) < 3:  # noqa: PLR2004 - a share, or a few
        return
    asked = [
        word
        for word, fits in (("When", _DATE), ("How many", _AMOUNT), ("Why", _REASON))
        if fits.search(text)
    ]
    at = next((place for place, word in enumerate(words[:8]) if word.lower() in _BE), None)
    if words[0] == "you":
        yield from _of_you(words, asked)
    elif at:
        subject, rest = words[:at], words[at + 1 :]
        subject[0] = (
            subject[0]
            if subject[0][0].isupper() and not glosses.ordinary(subject[0])
            else subject[0].lower()
        )
        for which in ("What", "Who", "Where", *asked):
            yield f"{which} {_BE[words[at].lower()]} {' '.join(subject)}?"
        yield f"{words[at].capitalize()} {' '.join(subject)} {' '.join(rest)}?"
        yield f"Who or what is {' '.join(rest[:5])}?"
    else:
        verb = next((place for place, word in enumerate(words[1:6], 1) if base(word)), None)
        if verb is not None:
            subject, rest = words[:verb], words[verb + 1 :]
            for part in _shortened(rest):
                yield (
                    f"Who {words[verb]} {' '.join(part)}?"
                    if part
                    else f"What about {' '.join(subject)}?"
                )
            for which in ("What", "When" if "When" in asked else "How"):
                yield f"{which} did {' '.join(subject)} {base(words[verb])}?"
            yield f"What do you know about {' '.join(subject)}?"


def _of_you(words: list[str], asked: list[str]) -> Iterator[str]:
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
    between, rest = words[1:place], words[place + 1 :]
    if verb in _BE or verb in _HELP:
        opening, rest = ("can" if verb == "cannot" else verb), [*between, *rest]
    else:
        past = verb != base(verb)
        opening, rest = ("did" if past else "do"), [*between, base(verb) or verb, *rest]
    for which in (*asked, "What", "Where", "How"):
        for part in _shortened(rest):
            if part:
                yield f"{which} {opening} you {' '.join(part)}?"
    yield f"{opening.capitalize()} you {' '.join(rest)}?"


def _shortened(words: list[str]) -> Iterator[list[str]]:
    """Give the sentence up to its first, its second and so on turn, and with one stretch between
    left out.
    """
    turns = [
        0,
        *(at for at, word in enumerate(words) if at and word.lower().strip(",") in _JOINTS),
        len(words),
    ]
    stretches = [words[start:end] for start, end in pairwise(turns)]
    for count in range(1, min(len(stretches), 4)):
        yield _clean([word for stretch in stretches[:count] for word in stretch])
    if len(stretches) > 2:  # noqa: PLR2004 - a share, or a few
        yield _clean([*stretches[0], *stretches[-1]])
        yield _clean([*stretches[0], *stretches[1 + len(stretches) // 3]])


def _clean(words: list[str]) -> list[str]:
    return [*words[:-1], words[-1].rstrip(",;:")] if words else words


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


def _free(text: str, here: Sequence[Unit], random: Random) -> str:
    """Ask with one or two of the statement's words, some exchanged."""
    wide_units = [unit for unit in here if unit.wide] or [
        unit for unit in here if unspaced(unit.surface)
    ]
    latin = [unit for unit in here if not unspaced(unit.surface) or unit.near]
    if wide_units and (not latin or random.random() < (WIDE if not unspaced(text) else 1 - WIDE)):
        return _asked(text, wide_units, random, wide=True)
    return _asked(text, latin or here, random, wide=False)


def _asked(text: str, here: Sequence[Unit], random: Random, *, wide: bool) -> str:
    pair = random.sample(list(here), 2) if len(here) > 1 else [here[0], here[0]]
    kinds = (
        [ABOUT_TWO_WIDE, ABOUT_ONE_WIDE, WHO_WIDE, WHERE_WIDE]
        if wide
        else [ABOUT_TWO, ABOUT_TWO, ABOUT_ONE, WHO, WHERE, HOW]
    )
    if _DATE.search(text):
        kinds += [WHEN_WIDE] * 2 if wide else [WHEN] * 2
    if _AMOUNT.search(text):
        kinds += [COUNT_WIDE] * 2 if wide else [COUNT] * 2
    kinds += [WHY_WIDE] if wide else [WHY]
    frame = random.choice(random.choice(kinds))
    if len(here) == 1 and "{b}" in frame:
        frame = (ABOUT_ONE_WIDE if wide else ABOUT_ONE)[random.randrange(5)]
    first, second = (
        spell(unit, random, wide=wide) if not (wide and unspaced(unit.surface)) else unit.surface
        for unit in pair
    )
    said = frame.format(a=first, b=second)
    for unit, word in zip(pair, (first, second), strict=True):
        if unit.named and not wide:
            said = re.sub(rf"\b[Tt]he (?={re.escape(word)})", "", said)
    return said[0].upper() + said[1:]
