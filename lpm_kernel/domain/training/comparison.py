"""Other ways to answer from the same texts, and what each costs."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class SourceText:
    """A text that is answered from."""

    id: str
    title: str = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True)
class Cost:
    """What was asked of the model, and how long it took."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    refused: int = 0
    """Calls that the model could not take: a prompt longer than its window, as a rule."""
    seconds: float = 0.0


@dataclass(frozen=True)
class GraphAnswer:
    """What a search over a graph answered, or why it did not."""

    search: str
    """``local`` or ``global``."""
    question: int
    """Its place among the questions."""
    answer: str = field(default="", repr=False)
    problem: str = ""


@dataclass(frozen=True)
class GraphMade:
    """What became of making the graph: counts by what it consists of, or why there is none."""

    counts: Mapping[str, int]
    problem: str = ""


class GraphSearch(Protocol):
    """Answers from a graph that a model makes of texts. The twin of it is a script that the model
    behind it speaks.
    """

    def answers(
        self, texts: Sequence[SourceText], questions: Sequence[str], place: Path
    ) -> Generator[GraphMade | GraphAnswer, None, None]:
        """Make the graph in an empty folder, then give each search's answer to each question;
        closing it ends the work. Raises ``UnavailableError``.
        """
        ...
