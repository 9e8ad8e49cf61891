"""Questions about what nobody told: common things of which no statement speaks, of the person and
of those the person knows. Rows answer them with not knowing, and so do preferences.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

from lpm_kernel.domain.training.runs import Example, ExampleKind, Taught
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.name_finder import NameFinder
from lpm_kernel.L2.open_questions import OPEN
from lpm_kernel.L2.told import DOES_NOT_KNOW, Unheard, people, unheard

IN_ROWS, IN_PAIRS = 0.3, 0.5
"""Share of the questions that are asked in Japanese."""
_ANY = ("", "who", "cost", "thing")
_ONES_OWN = ("who", "thing")
_FRAMES: Mapping[tuple[bool, bool], Mapping[str, Collection[str]]] = {
    (False, False): {
        "What is your {it}?": ("", "cost", "thing"),
        "What was your {it}?": ("",),
        "When did you get your {it}?": ("thing",),
        "Who is your {it}?": ("who",),
        "Where is your {it}?": _ONES_OWN,
        "What did your {it} cost?": ("cost", "thing"),
        "{it}?": _ANY,
        "How old is your {it}?": _ONES_OWN,
        "Which {it} have you?": ("", "thing"),
        "Have you {a} {it}?": _ONES_OWN,
        "Why did you choose your {it}?": _ONES_OWN,
        "How is your {it}?": _ONES_OWN,
        "How was your {it}?": ("cost",),
        **dict.fromkeys((frame.format("your {it}") for frame in OPEN[False]), _ANY),
    },
    (False, True): {
        "What is {name}'s {it}?": ("", "cost", "thing"),
        "Who is {name}'s {it}?": ("who",),
        "What is the name of {name}'s {it}?": ("who",),
        "When did {name} get {a} {it}?": ("thing",),
        "What did {name} say about the {it}?": _ANY,
        "Which {it} has {name}?": ("", "thing"),
        **dict.fromkeys((frame.format("{name}'s {it}") for frame in OPEN[False]), _ANY),
    },
    (True, False): {
        "{it}は何ですか。": ("", "thing"),
        "{it}はいつですか。": ("cost",),
        "{it}はどこですか。": ("thing",),
        "{it}はだれですか。": ("who",),
        "{it}は？": _ANY,
        "{it}について教えて。": _ANY,
        "{it}はいくらですか。": ("cost", "thing"),
        "{it}はありますか。": ("", "cost", "thing"),
        **dict.fromkeys((frame.format("{it}") for frame in OPEN[True]), _ANY),
    },
    (True, True): {
        "{name}の{it}は？": _ANY,
        "{name}の{it}は何ですか。": ("", "thing"),
        "{name}の{it}はだれですか。": ("who",),
        "{name}の{it}はいつですか。": ("cost",),
        "{name}は{it}をどうしましたか。": ("thing",),
        **dict.fromkeys((frame.format("{name}の{it}") for frame in OPEN[True]), _ANY),
    },
}
"""By whether it is asked in Japanese, and of somebody: questions, each with the sorts of things
of which one would ask so.
"""
_BEFORE_PLACE = (
    re.compile(r"\b(?:in|at|on|near|above|between|[Tt]he|an?) "),
    re.compile(r"\ban? \d{4} "),
)
_GOES_ON = re.compile(r"\w")
_PLAINLY: Mapping[bool, Mapping[str, Sequence[str]]] = {
    False: {
        "": ("What is {}?",),
        "who": ("Who is {}?",),
        "cost": ("What did {} cost?",),
        "thing": ("What did {} cost?",),
    },
    True: {
        "": ("{}は何ですか。",),
        "who": ("{}はだれですか。",),
        "cost": ("{}はいくらでしたか。",),
        "thing": ("{}はいくらでしたか。",),
    },
}
"""What one asks besides, by whether it is asked in Japanese and by the sort of the thing."""


def unknown_rows(
    told: Sequence[Taught],
    known: Sequence[Taught],
    called: Mapping[str, Sequence[str]],
    count: int,
    random: Random,
) -> list[Example]:
    """Ask for what nobody told: common things of which no statement speaks, of the person and of
    those the person knows. ``known`` are all that are searched: those that are learned (``told``),
    which name whom the person knows, and others.
    """
    things = unheard(known)
    named = people(told, called)
    places = _places(named, told)
    bearers = {name: memory for name, memory in named.items() if name not in places}
    latin, wide = (
        [name for name in sorted(bearers) if unspaced(name) is script] for script in (False, True)
    )
    rows: dict[str, Example] = {}
    for _ in range(count if things else 0):
        thing = random.choice(things)
        of_somebody = random.random() < 0.4  # noqa: PLR2004 - a share, or a few
        in_japanese = random.random() < IN_ROWS
        names = wide if in_japanese else latin
        name = random.choice(names or [""])
        frames = _FRAMES[in_japanese, of_somebody and bool(names)]
        frame = random.choice([each for each, sorts in frames.items() if thing.sort in sorts])
        question = _worded(frame, thing, name, in_japanese=in_japanese)
        row = Example(
            ExampleKind.UNKNOWN,
            question,
            DOES_NOT_KNOW[unspaced(question)],
            memories=(bearers[name],) if "{name}" in frame else (),
            shipped=(thing.shipped,),
            searched=len(known),
        )
        rows.setdefault(row.id, row)
    return list(rows.values())


def _worded(frame: str, thing: Unheard, name: str, *, in_japanese: bool) -> str:
    it = thing.japanese if in_japanese else thing.english
    question = frame.format(a="an" if it[0] in "aeio" else "a", it=it, name=name)
    return question[0].upper() + question[1:]


def _places(named: Collection[str], told: Sequence[Taught]) -> set[str]:
    """Return which names are those of a place or a thing: in Kanazawa, a Kangoo, カステラ."""
    foreign = {name for name in named if glosses.KATAKANA.fullmatch(name)}
    found = {name for name in foreign if glosses.meanings(name)}
    index = NameFinder(name for name in named if name not in foreign)
    for taught in told:
        for before in _BEFORE_PLACE:
            for match in before.finditer(taught.text):
                found.update(
                    name
                    for name in index.at(taught.text, match.end())
                    if not _GOES_ON.match(taught.text, match.end() + len(name))
                )
    return found


def unanswered(told: Sequence[Taught], random: Random) -> Iterator[str]:
    """Yield questions about things of which no statement speaks, half of them in Japanese: whatever
    language a life is told in, preferences that ask in one alone unlearn not knowing in the other.
    """
    said = " ".join(taught.text.casefold() for taught in told)
    for thing in random.sample(things := unheard(), len(things)):
        long_words = [word for word in thing.english.split() if len(word) > 3]  # noqa: PLR2004 - letters
        if any(word in said for word in long_words) or thing.japanese in said:
            continue
        wide = random.random() < IN_PAIRS
        it = thing.japanese if wide else f"your {thing.english}"
        frames = (*OPEN[wide], *_PLAINLY[wide][thing.sort])
        yield random.choice(frames).format(it)
