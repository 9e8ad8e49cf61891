"""What a model thinks before it answers, told apart from the answer.

Models that were trained to think write it between ``<think>`` and ``</think>`` before they answer
(DeepSeek-R1, arXiv:2501.12948; Qwen3, arXiv:2505.09388). It is no part of the answer: it is not
quoted, cited, kept or learned from, and may be looked at while it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from lpm_kernel.domain.ports import Delta

OPENS: Final = "<think>"
CLOSES: Final = "</think>"
MOST_THOUGHT: Final = 4096
"""Tokens that a model may think before it answers, besides those of the answer."""


class Splitter:
    r"""Tells thoughts apart in text that comes in pieces. They stand before the answer: the same
    signs within it are part of it.

    >>> splitter = Splitter()
    >>> [splitter.feed(piece) for piece in ("<thi", "nk>Who", " is it?</think>", "\n\nMai.")]
    [('', ''), ('', 'Who'), ('', ' is it?'), ('Mai.', '')]
    """

    def __init__(self, *, inside: bool = False) -> None:
        """``inside``: the prompt ends within a thought, as the templates of some models have it."""
        self.thinks = inside
        self._held = ""
        self._begun = False

    @property
    def answers(self) -> bool:
        """Tell whether the answer has begun."""
        return self._begun

    def feed(self, text: str) -> tuple[str, str]:
        """Take a piece, and return what of it, and of what was held back, is answer and what is
        thought.
        """
        if self._begun:
            return text, ""
        self._held += text
        thought = ""
        while True:
            if self.thinks:
                before, closed, after = self._held.partition(CLOSES)
                if not closed:
                    keep = _beginning(self._held, CLOSES)
                    thought += self._held[: len(self._held) - keep]
                    self._held = self._held[len(self._held) - keep :]
                    return "", thought
                thought += before
                self._held, self.thinks = after, False
            started = self._held.lstrip()
            if started.startswith(OPENS):
                self._held, self.thinks = started[len(OPENS) :], True
            elif OPENS.startswith(started):
                return "", thought
            else:
                self._begun, self._held = True, ""
                return started, thought

    def finish(self) -> tuple[str, str]:
        """Return what was held back when the text ended."""
        held, self._held = self._held, ""
        return ("", held) if self.thinks else (held.lstrip(), "")


def apart(deltas: Iterable[Delta], *, inside: bool = False) -> Iterator[Delta]:
    """Give the pieces of an answer with its thoughts apart."""
    splitter = Splitter(inside=inside)
    for delta in deltas:
        said, thought = splitter.feed(delta.text)
        if delta.finish_reason is not None:
            rest, more = splitter.finish()
            said, thought = said + rest, thought + more
        thought = delta.thought + thought
        if said or thought or delta.finish_reason is not None:
            yield replace(delta, text=said, thought=thought)


def without_thoughts(text: str) -> str:
    r"""Return an answer without what was thought before it.

    >>> without_thoughts("<think>Who lent it?</think>\nMai."), without_thoughts("Mai.")
    ('Mai.', 'Mai.')
    """
    splitter = Splitter()
    said, _ = splitter.feed(text)
    return said + splitter.finish()[0]


def _beginning(text: str, mark: str) -> int:
    """Return how many signs at the end of a text may be the beginning of a mark."""
    longest = min(len(text), len(mark) - 1)
    return next((size for size in range(longest, 0, -1) if mark.startswith(text[-size:])), 0)
