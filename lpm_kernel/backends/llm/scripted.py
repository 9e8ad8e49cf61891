r"""The twin of a language model: it says what its script says, word by word, the same every time.

A script is a list of pairs, a regular expression and an answer; the first whose expression is found
in the last message answers, with `\1` or `\g<name>` standing for what was caught. Without a match
it repeats the last message. An adapter has a script of its own, which is tried first; without one,
an adapter changes nothing.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lpm_kernel.backends.llm.gate import never
from lpm_kernel.backends.llm.probe import GGUF_MAGIC
from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, ModelCard, Sampling
from lpm_kernel.domain.thoughts import Splitter, without_thoughts
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError

WORD = re.compile(r"\S+\s*|\s+")

Script = Sequence[tuple[str, str | None]]

TWIN_MAGIC = b"scri"
"""How a file begins that a scripted training leaves."""

SURE, DOUBTFUL = -0.1, -10.0
"""The log-probability of a word that the script would say, and of one that it would not."""


class ScriptedModel:
    r"""Answers by script. A token is a word.

    >>> model = ScriptedModel([("capital of (\\w+)", "You ask about \\1."), ("fail", None)])
    >>> "".join(piece.text
    ...     for piece in model.stream([ChatMessage("user", "What is the capital of France?")]))
    'You ask about France.'
    """

    def __init__(
        self,
        script: Script = (),
        *,
        adapters: Mapping[str, Script] | None = None,
        window: int = 8192,
        pause: float = 0.0,
    ) -> None:
        self.script = _compiled(script)
        """Pairs of expression and answer; an answer of ``None`` stands for a model that breaks
        down.
        """
        self.adapters = {identifier: _compiled(own) for identifier, own in (adapters or {}).items()}
        """What is said with an adapter, by its id."""
        self.window = window
        self.pause = pause
        """Seconds before each word, for watching a stream or stopping it."""
        self.seen: list[tuple[ChatMessage, ...]] = []
        """Every prompt so far, the last at the end: what a test asks about."""
        self.stopped = 0
        """How many answers were closed before their end."""

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Read `{"answers": [[pattern, answer], ...], "adapters": {id: [[pattern, answer], ...]},
        "window": n, "pause": seconds}`.

        All four may be missing. Raises ``InvalidInputError``.
        """
        try:
            script = json.loads(path.read_text("utf-8"))
            adapters = {
                str(identifier): _pairs(own)
                for identifier, own in script.get("adapters", {}).items()
            }
            window, pause = int(script.get("window", 8192)), float(script.get("pause", 0.0))
            return cls(
                _pairs(script.get("answers", [])), adapters=adapters, window=window, pause=pause
            )
        except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
            raise InvalidInputError(
                f"The script {path.name} cannot be read: {error}.",
                "It is a JSON object with answers, adapters, window and pause.",
            ) from error

    def card(self) -> ModelCard:
        """Describe the twin."""
        return ModelCard(
            id="scripted",
            context_window=self.window,
            local=True,
            description="answers from a script, without a model",
        )

    def count_tokens(self, text: str) -> int:
        """Count words.

        >>> ScriptedModel().count_tokens("four words in all")
        4
        """
        return len(text.split())

    def stream(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling = Sampling(),
        gone: Callable[[], bool] = never,
    ) -> Iterator[Delta]:
        """Answer word by word, minding ``stop`` and ``max_tokens``.

        A prompt over the window raises ``PromptTooLongError``, an adapter without its file
        ``ModelUnavailableError``.
        """
        self.seen.append(tuple(messages))
        cost = sum(self.count_tokens(message.content) for message in messages)
        if cost >= self.window:
            raise PromptTooLongError(cost, self.window)
        answer = self._answer(messages, sampling.adapter)
        cut = min(
            [place for stop in sampling.stop if stop and (place := answer.find(stop)) >= 0],
            default=len(answer),
        )
        said = without_thoughts(answer[:cut])
        thoughts = WORD.findall(answer[: cut - len(said)])
        words = WORD.findall(said)
        limit = len(words) if sampling.max_tokens is None else min(sampling.max_tokens, len(words))
        self.stopped += 1
        splitter = Splitter()
        for word in (*thoughts, *words[:limit]):
            if self.pause:
                time.sleep(self.pause)
            if gone():
                return
            text, thought = splitter.feed(word)
            if text or thought:
                yield Delta(text, thought=thought)
        self.stopped -= 1
        text, thought = splitter.finish()
        yield Delta(
            text,
            "stop" if limit == len(words) else "length",
            prompt_tokens=cost,
            completion_tokens=len(thoughts) + limit,
            thought=thought,
        )

    def score(
        self,
        messages: Sequence[ChatMessage],
        continuation: str,
        adapter: Adapter | None = None,
        gone: Callable[[], bool] = never,  # noqa: ARG002 - as the real one has it
    ) -> list[tuple[str, float]]:
        """Return each word of ``continuation`` with its log-probability: sure as far as the script
        says the same, doubtful after.

        >>> model = ScriptedModel([("capital", "It is Tokyo.")])
        >>> model.score([ChatMessage("user", "What is the capital of Japan?")], "It is Osaka.")
        [('It ', -0.1), ('is ', -0.1), ('Osaka.', -10.0)]
        """
        words = WORD.findall(continuation)
        cost = sum(self.count_tokens(message.content) for message in messages) + len(words)
        if cost > self.window:
            raise PromptTooLongError(cost, self.window)
        said = [word.strip() for word in WORD.findall(self._answer(messages, adapter))]
        same = next(
            (
                place
                for place, word in enumerate(words)
                if said[place : place + 1] != [word.strip()]
            ),
            len(words),
        )
        return [(word, SURE if place < same else DOUBTFUL) for place, word in enumerate(words)]

    def forget(self) -> None:
        """Forget nothing, since nothing of a prompt is kept but what a test may ask for."""

    def forget_adapter(self, identifier: str) -> None:
        """Forget nothing, since a script is no adapter's file."""

    def _answer(self, messages: Sequence[ChatMessage], adapter: Adapter | None) -> str:
        asked = messages[-1].content if messages else ""
        script = self.script
        if adapter is not None and adapter.scale != 0:
            _look(adapter)
            script = [*self.adapters.get(adapter.id, ()), *script]
        for pattern, answer in script:
            if found := pattern.search(asked):
                if answer is None:
                    raise ModelUnavailableError("The script says that the model breaks down here.")
                return found.expand(answer)
        return asked


def _look(adapter: Adapter) -> None:
    """Refuse a file as a real model would that cannot be an adapter."""
    try:
        with adapter.path.open("rb") as handle:
            magic = handle.read(len(GGUF_MAGIC))
    except OSError as error:
        raise ModelUnavailableError(f"The adapter “{adapter.id[:80]}” no longer exists.") from error
    if magic not in {GGUF_MAGIC, TWIN_MAGIC}:
        raise ModelUnavailableError(
            f"The adapter “{adapter.id[:80]}” could not be loaded: it is damaged."
        )


def _compiled(script: Script) -> list[tuple[re.Pattern[str], str | None]]:
    return [(re.compile(pattern, re.IGNORECASE | re.DOTALL), answer) for pattern, answer in script]


def _pairs(given: Sequence[tuple[object, object]]) -> list[tuple[str, str | None]]:
    return [(str(pattern), None if answer is None else str(answer)) for pattern, answer in given]
