"""Questions about a statement by template: no model, the same ones for the same seed.

A question turns on few of the statement's words, in another order and form, some of them exchanged
for words near in meaning or of the other language. What is learned so is the way from what a
question speaks of to the statement, not one wording of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from lpm_kernel.domain.training.runs import Taught, Worded
from lpm_kernel.L0.language.analysis import names, unspaced
from lpm_kernel.L2.clauses import DATE, REASON, YEAR
from lpm_kernel.L2.formed import formed
from lpm_kernel.L2.nouns import nouns, without_article
from lpm_kernel.L2.open_questions import OPEN
from lpm_kernel.L2.topics import topics
from lpm_kernel.L2.wording import Unit, spell

WIDE = 0.35
"""Share of the questions that are asked in Japanese about an English statement, where there are
words for it.
"""

TURNED = 0.25
"""Share of the questions in which the person asks about themselves."""
_FIRST = {"you": "me", "your": "my", "yours": "mine", "yourself": "myself"}
_HELPS = {"are": "am", "were": "was", "Are": "Am", "Were": "Was"}
_YOU_DO = re.compile(
    r"\b([Aa]re|[Ww]ere|[Dd]o|[Dd]id|[Hh]ave|[Hh]ad|[Cc]an|[Cc]ould|[Ww]ill|[Ww]ould|[Ss]hould"
    r"|[Mm]ay|[Mm]ust|that|which|whom?|when|what|and|says?) you\b"
)
"""Where "you" is who does something, not whom it is done to."""
_ONESELF = re.compile(r"\b(?:me|I)\b")
MOST_OPEN, MOST_TOPICS = 6, 3
"""Open questions about a statement, and things that it speaks of among which they are shared."""
ABOUT_TWO = (
    "What about the {a} and the {b}?",
    "What do you remember of the {a} and the {b}?",
    "What do you know about the {a} and the {b}?",
    "Tell me about the {a} and the {b}.",
    "Do you remember the {a} and the {b}?",
    "What was that about the {a} and the {b}?",
    "What has the {a} to do with the {b}?",
    "How was it with the {a} and the {b}?",
    "Did you say something about the {a} and the {b}?",
    "The {a} and the {b}: what do you know?",
    "The {a}, the {b}?",
)
ABOUT_ONE = (
    "Tell me about the {a}.",
    "What about the {a}?",
    "The {a}?",
    "What do you say of the {a}?",
    "What do you know about the {a}?",
    "Do you remember the {a}?",
    "And the {a}?",
)
WHEN = (
    "When was that with the {a} and the {b}?",
    "When was that with the {a}?",
    "How long ago was that with the {a}?",
)
IN_WHICH_YEAR = ("In which year was that with the {a} and the {b}?",)
WHO = (
    "Who has to do with the {a} and the {b}?",
    "Who was that with the {a}?",
    "Whom do you think of with the {a}?",
)
WHERE = ("Where was that with the {a} and the {b}?", "Where was that with the {a}?")
WHY = (
    "Why was that with the {a} and the {b}?",
    "How come, the {a} and the {b}?",
    "What was the reason, with the {a}?",
)
ABOUT_TWO_WIDE = (
    "{a}と{b}について教えてください。",
    "{a}と{b}のことを覚えていますか。",
    "{a}と{b}について何を知っていますか。",
    "{a}と{b}はどうですか。",
    "{a}と{b}は？",
)
ABOUT_ONE_WIDE = (
    "{a}は？",
    "{a}について教えて。",
    "{a}のことを覚えていますか。",
    "{a}について何を知っていますか。",
    "{a}はどうなりましたか。",
    "{a}はどうですか。",
)
WHEN_WIDE = (
    "{a}と{b}はいつの話ですか。",
    "{a}はいつの話ですか。",
)
IN_WHICH_YEAR_WIDE = ("{a}は何年のことですか。",)
WHO_WIDE = ("{a}に関係があるのはだれですか。", "{a}と{b}といえばだれですか。")
WHERE_WIDE = ("{a}はどこの話ですか。", "{a}と{b}といえばどこですか。")
WHY_WIDE = ("{a}はどうしてですか。", "{a}と{b}の理由は何ですか。")
_PLACED = re.compile(
    r"\b(?:in|at|on|near|under|above|behind|beside|to|from) (?:the |my )?[A-ZÀ-Þ](?![a-z]{2,8} \d)"
)
"""What says where something was."""


class Templates:
    """The synthesiser that needs no model. ``called`` gives by name what else its bearer is called
    in this home.
    """

    id = "templates/7"

    def __init__(self, called: Mapping[str, Sequence[str]] | None = None) -> None:
        self._called = called or {}

    def questions(self, taught: Taught, wanted: int, seed: int) -> Sequence[Worded]:
        """Give up to so many different questions: well-formed and open ones first, then ever freer
        ones.
        """
        random = Random(f"{seed}:{taught.text}")  # noqa: S311 - drawn anew from the seed, not a secret
        known = tuple(self._called) + taught.entities
        sensible = list(dict.fromkeys([*_open(taught, random), *formed(taught.text, known)]))
        found = dict.fromkeys(sensible)
        here = nouns(taught.text, known, self._called)
        if here:
            for _ in range(8 * wanted):
                if len(found) >= wanted:
                    break
                found.setdefault(_free(taught.text, here, random))
        kept = list(found)
        well = len(sensible)
        chosen = (
            kept[: max(wanted // 2, wanted - (len(kept) - well))] if well > wanted // 2 else kept
        )
        return [Worded(_turned(question, random)) for question in [*chosen, *kept[well:]][:wanted]]


def _turned(question: str, random: Random) -> str:
    """Now and then the person asks about themselves: my workshop, not your workshop."""
    if unspaced(question) or random.random() > TURNED or _ONESELF.search(question):
        return question
    return in_first_person(question)


def in_first_person(question: str) -> str:
    """Put a question to the person as the person's own.

    >>> in_first_person("Where were you with your cat?"), in_first_person("Who lends you a ladder?")
    ('Where was I with my cat?', 'Who lends me a ladder?')
    """
    said = _YOU_DO.sub(lambda found: f"{_HELPS.get(found[1], found[1])} I", question)
    return re.sub(r"\b(?:you|your|yours|yourself)\b", lambda word: _FIRST[word[0]], said)


def _open(taught: Taught, random: Random) -> list[str]:
    """Ask for whatever there is to say of what a statement speaks of."""
    wide = unspaced(taught.text)
    about = [said for said, _ in topics(taught)]
    frames = OPEN[wide]
    asked = [
        frame.format(said)
        for said in list(dict.fromkeys(about))[:MOST_TOPICS]
        for frame in random.sample(frames, len(frames))
    ]
    return asked if len(asked) <= MOST_OPEN else random.sample(asked, MOST_OPEN)


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
    one, two = (ABOUT_ONE_WIDE, ABOUT_TWO_WIDE) if wide else (ABOUT_ONE, ABOUT_TWO)
    frames = [one, two, two, *_kinds(text, wide=wide)]
    frame = random.choice(random.choice(frames))
    if len(here) == 1 and "{b}" in frame:
        frame = random.choice(one)
    pair = random.sample(list(here), 2) if len(here) > 1 else [here[0], here[0]]
    first, second = (_spelled(unit, random, wide=wide) for unit in pair)
    said = frame.format(a=first, b=second)
    said = said if wide else without_article(said)
    return said[0].upper() + said[1:]


def _spelled(unit: Unit, random: Random, *, wide: bool) -> str:
    """Write a thing in the language of a question."""
    if unspaced(unit.surface):
        return unit.surface if wide else spell(unit, random, change=1)
    return spell(unit, random, wide=wide)


def _kinds(text: str, *, wide: bool) -> list[Sequence[str]]:
    """Give what else may be asked: when, where a statement says when, and so with each."""
    fits = (
        (DATE.search(text), WHEN, WHEN_WIDE),
        (YEAR.search(text), IN_WHICH_YEAR, IN_WHICH_YEAR_WIDE),
        (names(text), WHO, WHO_WIDE),
        (_PLACED.search(text), WHERE, WHERE_WIDE),
        (REASON.search(text), WHY, WHY_WIDE),
    )
    return [japanese if wide else english for found, english, japanese in fits if found]
