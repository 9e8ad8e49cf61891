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
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.formed import AMOUNT, DATE, formed
from lpm_kernel.L2.topics import topics
from lpm_kernel.L2.wording import Unit, spell, units

WIDE = 0.35
"""Share of the questions that are asked in Japanese about an English statement, where there are
words for it.
"""

_FIRST = {"you": "I", "your": "my", "yours": "mine", "yourself": "myself"}
OPEN = (
    "Tell me about {}.",
    "What about {}?",
    "What do you know about {}?",
    "What can you tell me about {}?",
    "What do you remember of {}?",
    "What is there to say about {}?",
)
OPEN_WIDE = ("{}について教えてください。", "{}のことを教えて。", "{}はどうですか。")
MOST_OPEN, MOST_TOPICS = 6, 3
"""Open questions about a statement, and things that it speaks of among which they are shared."""
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

    id = "templates/2"

    def __init__(self, called: Mapping[str, Sequence[str]] | None = None) -> None:
        self._called = called or {}

    def questions(self, taught: Taught, wanted: int, seed: int) -> Sequence[Worded]:
        """Give up to so many different questions: well-formed and open ones first, then ever freer
        ones.
        """
        random = Random(f"{seed}:{taught.text}")  # noqa: S311 - drawn anew from the seed, not a secret
        names = tuple(self._called) + taught.entities
        sensible = list(dict.fromkeys([*_open(taught, random), *formed(taught.text)]))
        found = dict.fromkeys(sensible)
        here = _in_words(units(taught.text, names, self._called))
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
    if unspaced(question) or random.random() > 0.25:  # noqa: PLR2004 - a share, or a few
        return question
    return re.sub(
        r"\b(?:you|your|yours|yourself)\b", lambda word: _FIRST[word[0].lower()], question
    )


def _in_words(here: list[Unit]) -> list[Unit]:
    """Leave numbers out where there is enough else: nobody asks where the 748 of the euros is."""
    worded = [unit for unit in here if not unit.surface[:1].isdigit()]
    return worded if len(worded) > 1 else here


def _open(taught: Taught, random: Random) -> list[str]:
    """Ask for whatever there is to say of what a statement speaks of."""
    wide = unspaced(taught.text)
    about = [said for said, _ in topics(taught)]
    frames = OPEN_WIDE if wide else OPEN
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
    pair = random.sample(list(here), 2) if len(here) > 1 else [here[0], here[0]]
    kinds = (
        [ABOUT_TWO_WIDE, ABOUT_ONE_WIDE, WHO_WIDE, WHERE_WIDE]
        if wide
        else [ABOUT_TWO, ABOUT_TWO, ABOUT_ONE, WHO, WHERE, HOW]
    )
    if DATE.search(text):
        kinds += [WHEN_WIDE] * 2 if wide else [WHEN] * 2
    if AMOUNT.search(text):
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
