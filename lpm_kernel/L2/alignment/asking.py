"""One plain question about a statement, in its own language, that no other statement answers.

A preference is learned from answers, so the question has to be one that a person would ask: about
the thing that a statement speaks of, or when or why it was. Rows that teach facts are asked about
in many freer ways (``templates.py``); a pair whose question makes no sense teaches nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from random import Random

from lpm_kernel.domain.training.runs import Maker, Synthesiser, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.asked_by_model import unfit
from lpm_kernel.L2.formed import formed
from lpm_kernel.L2.nouns import nouns
from lpm_kernel.L2.open_questions import OPEN
from lpm_kernel.L2.topics import topics

MOST_WORDED = 3
"""PlainQuestions of a model among which is chosen."""
MOST_TOPICS = 6
"""Things that a statement speaks of among which is chosen."""
_SENSIBLE = re.compile(r"^(?:When|Why) (?:did|do|were|are) you \w")
_BECAUSE = re.compile(r"\b(?:because|so that)\b")


class PlainQuestions:
    """Asks about statements, each time so that only one of them is meant."""

    def __init__(self, told: Sequence[Taught], synthesiser: Synthesiser, seed: int) -> None:
        """Take what a model worded before what is made by rule."""
        self._texts = [taught.text.casefold() for taught in told]
        self._synthesiser, self._seed = synthesiser, seed
        self._worded: dict[Taught, list[str]] = {}
        self._meant = Counter(said for taught in told for said in _in_other(taught))

    def about(self, taught: Taught, random: Random) -> str | None:
        """Ask about a statement; ``None`` where every plain question could mean another one too."""
        if worded := self._by_model(taught):
            return random.choice(worded)
        sensible = [
            asked
            for asked in formed(taught.text, taught.entities)
            if _SENSIBLE.match(asked) and (asked.startswith("When") or _BECAUSE.search(taught.text))
        ][:1]
        topic = self._topic(taught)
        about = [] if topic is None else [random.choice(OPEN[unspaced(taught.text)]).format(topic)]
        asked_by_rule = [*sensible, *about]
        return random.choice(asked_by_rule) if asked_by_rule else None

    def about_in(self, taught: Taught, random: Random, *, wide: bool) -> str | None:
        """Ask about a statement in Japanese (``wide``) or English: in the other language by a name
        or a word for a thing that only it has, or not at all.
        """
        if unspaced(taught.text) is wide:
            return self.about(taught, random)
        meant = [said for said in _in_other(taught) if self._meant[said] == 1]
        return random.choice(OPEN[wide]).format(random.choice(meant)) if meant else None

    def _by_model(self, taught: Taught) -> list[str]:
        """Return what a model worded about a statement."""
        if taught not in self._worded:
            self._worded[taught] = [
                asked.question
                for asked in self._synthesiser.questions(taught, MOST_WORDED, self._seed)
                if asked.maker is Maker.MODEL and unfit(asked.question, taught) is None
            ]
        return self._worded[taught]

    def _topic(self, taught: Taught) -> str | None:
        """Name what only this statement speaks of: one thing, or two together."""
        found = list(dict.fromkeys(topics(taught)))[:MOST_TOPICS]
        for said, key in found:
            if self._told_by([key]) == 1:
                return said
        joint = "と" if unspaced(taught.text) else " and "
        for at, (said, key) in enumerate(found):
            for other, other_key in found[at + 1 :]:
                if key not in other_key and self._told_by([key, other_key]) == 1:
                    return f"{said}{joint}{other}"
        return None

    def _told_by(self, keys: Sequence[str]) -> int:
        """Count the statements in which all of these stand."""
        return sum(all(key in text for key in keys) for text in self._texts)


def _in_other(taught: Taught) -> tuple[str, ...]:
    """Give what a statement speaks of as one asks about it in the other language: by its name, or
    by the first word that means it.
    """
    found: list[str] = []
    for unit in nouns(taught.text, taught.entities):
        if unspaced(taught.text):
            found += (f"the {meaning}" for meaning in unit.near[:1])
        else:
            found += unit.wide[:1] or ([unit.surface] if unit.named else [])
    return tuple(dict.fromkeys(found))
