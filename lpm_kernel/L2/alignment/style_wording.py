"""How somebody writes, in words: a few short facts for the prompt of a model that speaks as them.

Every fact is one of the sentences that stand here, with a number, or with words out of closed lists
of fillers and beginnings. Nothing that the person told, and no name, can come into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.L2.alignment.style import StyleProfile, general_sample
from lpm_kernel.L2.alignment.style_features import Mark, Written

HARDLY: Final = 0.01
"""Share of sentences below which somebody does not do a thing."""
NOW_AND_THEN: Final = 0.04
OFTEN: Final = 0.12
MOSTLY: Final = 0.75
MORE: Final = 2.0
"""How many times as often as in general text makes it theirs."""
HABITUAL: Final = 0.012
"""Share of sentences from which on a word is a habit."""
FEWEST: Final = 4
"""Uses below which it is chance."""
VARIED: Final = 0.7
"""Standard deviation of the length of sentences over their mean."""
_TELLS_NOTHING: Final = frozenset(
    "i it there that this we you one when if not 今日 今 私 僕 俺".split()  # noqa: SIM905  reads better as prose
)
"""Beginnings that come of what is told."""
_SELVES: Final = ("私", "僕", "俺")
_UNITS: Final[Mapping[Written, str]] = {"en": "words", "ja": "characters"}
_SIGNS: Final[Mapping[Mark, tuple[str, str]]] = {
    Mark.EXCLAMATION: ("Exclamation marks now and then.", "No exclamation marks."),
    Mark.ELLIPSIS: ("Sometimes trails off with “…”.", ""),
    Mark.DASH: ("Dashes now and then.", "No dashes."),
    Mark.EMOJI: ("An emoji now and then.", "No emoji."),
}
"""What is said where a sign is used, and where it is not."""


def described(profile: StyleProfile, voice: Voice) -> list[str]:
    """Return the facts, in English, as prompts are; none where the person's texts are not alike
    enough. What they chose for how the node speaks (length, manner) is not spoken against.
    """
    if not profile.tells_apart:
        return []
    figures = {figure.name: figure for figure in profile.figures}
    own = {name: figure.own for name, figure in figures.items()}
    found: list[str] = []
    if voice.length is Length.NORMAL:
        about = f"Sentences of about {round(own['length'])} {_UNITS[profile.language]}"
        varied = ", some much longer, some of a word or two" if own["variety"] > VARIED else ""
        found.append(f"{about}{varied}.")
    for mark, (used, unused) in _SIGNS.items():
        if own[mark] >= NOW_AND_THEN:
            found.append(used)
        elif own[mark] < HARDLY and unused:
            found.append(unused)
    comma = figures[Mark.COMMA]
    if comma.own < comma.general / 1.5:
        found.append("Few commas.")
    found += _english(own, voice) if profile.language == "en" else _japanese(profile, own, voice)
    return [*found, *_words(profile)]


def _english(own: Mapping[str, float], voice: Voice) -> Iterator[str]:
    if own[Mark.SMALL_START] >= OFTEN:
        often = "Mostly" if own[Mark.SMALL_START] >= MOSTLY else "Often"
        yield f"{often} begins sentences with a small letter."
    if voice.manner is Manner.USUAL:
        if own[Mark.CONTRACTED] >= MOSTLY:
            yield "Contracts: don't, I'm."
        elif own[Mark.CONTRACTED] <= 1 - MOSTLY:
            yield "Hardly contracts: do not, I am."


def _japanese(profile: StyleProfile, own: Mapping[str, float], voice: Voice) -> Iterator[str]:
    if voice.manner is Manner.USUAL:
        if own[Mark.POLITE] >= MOSTLY:
            yield "Ends sentences in です or ます."
        elif own[Mark.POLITE] <= 1 - MOSTLY:
            yield "Plain endings (だ, である), not です and ます."
    if own[Mark.PARTICLE] >= OFTEN:
        yield "Often ends sentences in ね or よ."
    said = {word: profile.sample.habits.get(word, 0) for word in _SELVES}
    first = max(_SELVES, key=said.__getitem__)
    if said[first] >= FEWEST and said[first] >= MOSTLY * sum(said.values()):
        yield f"Says {first} for “I”."


def _words(profile: StyleProfile) -> Iterator[str]:
    """Yield the beginnings and the fillers that somebody has more than others do."""
    general = general_sample(profile.language)
    openers = _more(
        profile.sample.openers, general.openers, (profile.sample.sentences, general.sentences)
    )
    opens = [word.capitalize() for word in openers if word not in _TELLS_NOTHING][:2]
    if opens:
        yield f"Often begins with {_listed(opens)}."
    habits = _more(
        profile.sample.habits, general.habits, (profile.sample.sentences, general.sentences)
    )
    says = [word for word in habits if word not in _SELVES][:3]
    if says:
        yield f"Readily says {_listed(says)}."


def _more(own: Mapping[str, int], general: Mapping[str, int], of: tuple[int, int]) -> list[str]:
    """Return the words that are used often, and more than elsewhere, the most used first."""
    found = [
        word
        for word, count in own.items()
        if count >= FEWEST
        and count / of[0] >= HABITUAL
        and count / of[0] >= MORE * general.get(word, 0) / of[1]
    ]
    return sorted(found, key=lambda word: (-own[word], word))


def _listed(words: list[str]) -> str:
    quoted = [f"“{word}”" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
