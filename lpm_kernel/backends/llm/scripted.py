r"""The twin of a language model: it says what its script says, word by word, the same every time.

A script is a list of pairs, a regular expression and an answer; the first whose expression is found in the last
message answers, with `\1` or `\g<name>` standing for what was caught. Without a match it repeats the last message.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lpm_kernel.backends.llm.gate import never
from lpm_kernel.domain.ports import ChatMessage, Delta, ModelCard, Sampling
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError

WORD = re.compile(r"\S+\s*|\s+")


class ScriptedModel:
    r"""Answers by script. A token is a word.

    >>> model = ScriptedModel([("capital of (\\w+)", "You ask about \\1."), ("fail", None)])
    >>> "".join(piece.text for piece in model.stream([ChatMessage("user", "What is the capital of France?")]))
    'You ask about France.'
    """

    def __init__(self, script: Sequence[tuple[str, str | None]] = (), *, window: int = 8192, pause: float = 0.0) -> None:
        self.script = [(re.compile(pattern, re.IGNORECASE | re.DOTALL), answer) for pattern, answer in script]
        """Pairs of expression and answer; an answer of ``None`` stands for a model that breaks down."""
        self.window = window
        self.pause = pause
        """Seconds before each word, for watching a stream or stopping it."""
        self.seen: list[tuple[ChatMessage, ...]] = []
        """Every prompt so far, the last at the end: what a test asks about."""
        self.stopped = 0
        """How many answers were closed before their end."""

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read `{"answers": [[pattern, answer], ...], "window": n, "pause": seconds}`; all three may be missing. Raises ``InvalidInputError``."""
        try:
            script = json.loads(path.read_text("utf-8"))
            answers = [(str(pattern), None if answer is None else str(answer)) for pattern, answer in script.get("answers", [])]
            return cls(answers, window=int(script.get("window", 8192)), pause=float(script.get("pause", 0.0)))
        except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
            raise InvalidInputError(f"The script {path.name} cannot be read: {error}.", "It is a JSON object with answers, window and pause.") from error

    def card(self) -> ModelCard:
        """Describe the twin."""
        return ModelCard(id="scripted", context_window=self.window, local=True, description="answers from a script, without a model")

    def count_tokens(self, text: str) -> int:
        """Count words.

        >>> ScriptedModel().count_tokens("four words in all")
        4
        """
        return len(text.split())

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling(), gone: Callable[[], bool] = never) -> Iterator[Delta]:
        """Answer word by word, minding ``stop`` and ``max_tokens``. A prompt over the window raises ``PromptTooLongError``."""
        self.seen.append(tuple(messages))
        cost = sum(self.count_tokens(message.content) for message in messages)
        if cost >= self.window:
            raise PromptTooLongError(cost, self.window)
        answer = self._answer(messages)
        cut = min([place for stop in sampling.stop if stop and (place := answer.find(stop)) >= 0], default=len(answer))
        words = WORD.findall(answer[:cut])
        limit = len(words) if sampling.max_tokens is None else min(sampling.max_tokens, len(words))
        self.stopped += 1
        for word in words[:limit]:
            if self.pause:
                time.sleep(self.pause)
            if gone():
                return
            yield Delta(word)
        self.stopped -= 1
        yield Delta("", "stop" if limit == len(words) else "length", prompt_tokens=cost, completion_tokens=limit)

    def _answer(self, messages: Sequence[ChatMessage]) -> str:
        asked = messages[-1].content if messages else ""
        for pattern, answer in self.script:
            if found := pattern.search(asked):
                if answer is None:
                    raise ModelUnavailableError("The script says that the model breaks down here.")
                return found.expand(answer)
        return asked
