"""A language model from a GGUF file, by llama.cpp, in this process.

Everything is done over llama.cpp's C interface as `llama_cpp` publishes it: one context, one
sequence, prompts read in batches between which a request may be given up, states kept by prefix
(`prefixes.py`), and at most one LoRA adapter on the base's weights at a time (`adapters.py`): each
request names its own, or none.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

# Threads that wait for each other must sleep. Spinning ones starve on a busy machine: 0.3 words a
# second where sleeping ones wrote 30. OpenMP reads this when llama.cpp is loaded, so it comes
# before the import.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
import llama_cpp

from lpm_kernel.backends.llm.adapters import Adapters, Worn
from lpm_kernel.backends.llm.gate import Gate, GoneError, never
from lpm_kernel.backends.llm.pieces import WrittenAnswer
from lpm_kernel.backends.llm.prefixes import Prefixes, shared
from lpm_kernel.backends.llm.sampler import Sampler
from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, ModelCard, Sampling
from lpm_kernel.domain.thoughts import CLOSES, OPENS, Splitter
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError

BATCH = 256
"""Tokens read at once; between two batches a request can be given up, which takes up to half a
second on a small machine.
"""

WORTH_KEEPING = 64
"""A state is saved, and fetched, when that spares reading at least this many tokens."""

ROWS = 32
"""Positions whose scores are held at once when a continuation is scored."""

PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"
)
"""For a file that brings no chat template."""


@dataclass(frozen=True)
class _Asked:
    """What is to be written."""

    prompt: int
    """Tokens of the prompt."""
    sampling: Sampling
    thinking: Splitter


class GgufModel:
    """One GGUF file. Threads take turns; ``stream`` holds the turn until it is exhausted or
    closed.
    """

    def __init__(
        self, path: Path, *, context: int = 4096, threads: int = 2, cache_bytes: int = 192_000_000
    ) -> None:
        if not path.is_file():
            raise ModelUnavailableError(f"There is no model file at {path}.")
        self.path = path
        self.gate = Gate()
        self._llama = _load(path, context, threads)
        self.window: int = min(
            self._llama.n_ctx(), llama_cpp.llama_model_n_ctx_train(self._llama.model)
        )
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._llama.model)
        self._memory = llama_cpp.llama_get_memory(self._llama.ctx)
        self._read: list[int] = []
        self._prefixes = Prefixes(cache_bytes)
        self._adapters = Adapters(self._llama)
        self._format = self._chat_format()
        self._control = self._control_tokens()
        self._thinking_marks = self._tokens_of((OPENS, CLOSES))
        self._thought_end = self.tokenize(f"\n{CLOSES}\n\n", special=True)
        self.tokens_read = 0
        """Prompt tokens that were really read, since the start: what the kept prefixes save shows
        here.
        """

    # --- the port --------------------------------------------------------------------------------

    def card(self) -> ModelCard:
        """Describe the model by what its file says."""
        name = self._llama.metadata.get("general.name") or self.path.stem
        size = self.path.stat().st_size / 1e6
        return ModelCard(
            id=self.path.stem,
            context_window=self.window,
            local=True,
            description=f"{name}, {size:.0f} MB, on this machine",
            parameters=int(llama_cpp.llama_model_n_params(self._llama.model)),
        )

    def count_tokens(self, text: str) -> int:
        """Count as this model reads."""
        return len(self.tokenize(text))

    def stream(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling = Sampling(),
        gone: Callable[[], bool] = never,
    ) -> Iterator[Delta]:
        """Answer piece by piece. ``gone`` is asked between steps: when it turns true, the model
        stops, even before the first piece.

        Raises ``PromptTooLongError``, ``ModelUnavailableError`` for an adapter that cannot be put
        on, and ``InvalidInputError`` for a response format that no grammar can be made of.
        """
        rendered = self.render(messages)
        prompt = self.tokenize(rendered, special=True)
        if len(prompt) >= self.window:
            raise PromptTooLongError(len(prompt), self.window)
        # a grammar lets no thought end
        opened = sampling.response_format is None and rendered.rstrip().endswith(OPENS)
        thinking = Splitter(inside=opened)
        try:
            with (
                self.gate.turn(gone),
                closing(Sampler(self._vocabulary, self._grammar(sampling), sampling)) as sampler,
            ):
                self._put_on(sampling.adapter)
                self._take_in(prompt, gone)
                yield from self._write(_Asked(len(prompt), sampling, thinking), sampler, gone)
        except GoneError:
            return

    def score(
        self,
        messages: Sequence[ChatMessage],
        continuation: str,
        adapter: Adapter | None = None,
        gone: Callable[[], bool] = never,
    ) -> list[tuple[str, float]]:
        """Return each token of ``continuation`` with its natural log-probability after
        ``messages``. Raises ``PromptTooLongError``.
        """
        prompt = self.tokenize(self.render(messages), special=True)
        after = self.tokenize(continuation)
        if len(prompt) + len(after) > self.window:
            raise PromptTooLongError(len(prompt) + len(after), self.window)
        scored: list[tuple[str, float]] = []
        with self.gate.turn(gone):
            self._put_on(adapter)
            self._take_in(prompt, gone)
            rows = self._scores(1).copy()
            for start in range(0, len(after), ROWS):
                part = after[start : start + ROWS]
                self._decode(part, every=True)
                following = self._scores(len(part))
                for index, token in enumerate(part):
                    row = rows[-1] if index == 0 else following[index - 1]
                    scored.append(
                        (
                            self._piece(token).decode("utf-8", "replace"),
                            float(row[token] - _log_sum(row)),
                        )
                    )
                rows = following[-1:].copy()
        return scored

    # --- beside the port -------------------------------------------------------------------------

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the tokens of a text. ``special`` reads the template's own marks, which a person's
        words never get.
        """
        tokens: list[int] = self._llama.tokenize(
            text.encode("utf-8", "replace"), add_bos=False, special=special
        )
        return tokens

    def render(self, messages: Sequence[ChatMessage]) -> str:
        """Write the messages in the form that the model was trained on; marks of that form inside a
        message are broken up.
        """
        plain = [
            {
                "role": message.role,
                "content": self._control.sub(
                    lambda mark: f"{mark[0][0]}\u200b{mark[0][1:]}", message.content
                ),
            }
            for message in messages
        ]
        try:
            return str(self._format(messages=plain).prompt)
        except ValueError as error:
            raise InvalidInputError(
                f"The model's chat template refuses these messages: {error}.",
                "Send them in turns of user and assistant, the system's first.",
            ) from error

    def forget(self) -> None:
        """Drop everything that was kept of prompts."""
        with self.gate.turn():
            self._prefixes.forget()
            self._rewind(0)

    def forget_adapter(self, identifier: str) -> None:
        """Take an adapter out of memory, with all that was read with it."""
        with self.gate.turn():
            self._prefixes.forget(
                lambda weights: isinstance(weights, Worn) and weights.adapter == identifier
            )
            if self._adapters.worn.adapter == identifier:
                self._rewind(0)
            self._adapters.forget(identifier)

    def close(self) -> None:
        """Give the memory back."""
        self._prefixes.forget()
        self._llama.close()

    # --- reading ---------------------------------------------------------------------------------

    def _put_on(self, adapter: Adapter | None) -> None:
        """Have the weights that were asked for. What was read with others is kept aside, since it
        means nothing to these.
        """
        before = self._adapters.worn
        if self._adapters.use(adapter) == before:
            return
        if len(self._read) >= WORTH_KEEPING:
            self._prefixes.keep(self._read, self._state(), before)
        self._rewind(0)

    def _take_in(self, prompt: list[int], gone: Callable[[], bool]) -> None:
        """Read the prompt from where a kept state ends; the last token is always read, for its
        scores.
        """
        common = shared(self._read, prompt)
        worn = self._adapters.worn
        if len(self._read) - common >= WORTH_KEEPING or not self._read:
            if self._read:
                self._prefixes.keep(self._read, self._state(), worn)
            saved = self._prefixes.nearest(prompt, worn)
            if saved is not None and shared(saved.tokens, prompt) >= common + WORTH_KEEPING:
                common = self._restore(saved.tokens, saved.state, prompt)
        self._rewind(min(common, len(prompt) - 1))
        for start in range(len(self._read), len(prompt), BATCH):
            if gone():
                raise GoneError
            part = prompt[start : start + BATCH]
            self._decode(part)
            self.tokens_read += len(part)
        if gone():
            raise GoneError

    def _rewind(self, length: int) -> None:
        """Go back to the state after ``length`` tokens; a model that cannot go back half-way starts
        anew.
        """
        if length == len(self._read):
            return
        if not llama_cpp.llama_memory_seq_rm(self._memory, 0, length, -1):
            llama_cpp.llama_memory_clear(self._memory, True)
            length = 0
        del self._read[length:]

    def _decode(self, tokens: Sequence[int], *, every: bool = False) -> None:
        """Read tokens after what was read; scores come for the last of them, or for ``every``
        one.
        """
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        try:
            batch.n_tokens = len(tokens)
            for index, token in enumerate(tokens):
                batch.token[index] = token
                batch.pos[index] = len(self._read) + index
                batch.n_seq_id[index] = 1
                batch.seq_id[index][0] = 0
                batch.logits[index] = every or index == len(tokens) - 1
            status = llama_cpp.llama_decode(self._llama.ctx, batch)
        finally:
            llama_cpp.llama_batch_free(batch)
        if status != 0:
            self._rewind(0)
            raise ModelUnavailableError(
                f"The model stopped while reading (llama.cpp says {status})."
            )
        self._read.extend(tokens)

    def _state(self) -> bytearray:
        size = llama_cpp.llama_state_seq_get_size(self._llama.ctx, 0)
        state = bytearray(size)
        written = llama_cpp.llama_state_seq_get_data(
            self._llama.ctx, (ctypes.c_uint8 * size).from_buffer(state), size, 0
        )
        return state[:written] if written < size else state

    def _restore(self, tokens: tuple[int, ...], state: bytearray, prompt: list[int]) -> int:
        # not a copy: a state has tens of megabytes
        buffer = (ctypes.c_uint8 * len(state)).from_buffer(state)
        if not llama_cpp.llama_state_seq_set_data(self._llama.ctx, buffer, len(state), 0):
            self._rewind(0)
            return 0
        self._read = list(tokens)
        return shared(tokens, prompt)

    # --- writing ---------------------------------------------------------------------------------

    def _write(self, asked: _Asked, sampler: Sampler, gone: Callable[[], bool]) -> Iterator[Delta]:
        """Write an answer. What is thought before it counts for itself, and stops nothing; a
        thought without end is ended for the model, so that it can go on to its answer (s1,
        arXiv:2501.19393, section 3).
        """
        room = self.window - asked.prompt
        limit = room if asked.sampling.max_tokens is None else asked.sampling.max_tokens
        if limit <= 0:
            yield Delta("", "length", prompt_tokens=asked.prompt)
            return
        answer = WrittenAnswer(asked.sampling.stop, asked.thinking)
        reason: Literal["stop", "length"] = "length"
        while True:
            token = sampler.draw(self._llama.ctx)
            if llama_cpp.llama_vocab_is_eog(self._vocabulary, token):
                reason = "stop"
                break
            text, thought = answer.add(self._piece(token))
            if text or thought:
                yield Delta(text, thought=thought)
            if answer.stopped:
                reason = "stop"
                break
            if gone():
                raise GoneError
            if answer.is_full(room, limit):
                break
            read = [token]
            if answer.wanders(room, len(self._thought_end)):
                read += self._thought_end
                for text, thought in answer.cut_short([self._piece(each) for each in read[1:]]):
                    yield Delta(text, thought=thought)
            self._decode(read)
        text, thought = answer.rest()
        yield Delta(
            text,
            reason,
            prompt_tokens=asked.prompt,
            completion_tokens=answer.tokens,
            thought=thought,
        )

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(64)
        length = llama_cpp.llama_token_to_piece(
            self._vocabulary, token, buffer, len(buffer), 0, False
        )
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = llama_cpp.llama_token_to_piece(
                self._vocabulary, token, buffer, len(buffer), 0, False
            )
        # some models have them among the marks that are never written
        return buffer.raw[:length] if length else self._thinking_marks.get(token, b"")

    def _scores(self, rows: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the scores of the last ``rows`` positions, shape (rows, vocabulary), as a view
        that the next reading overwrites.
        """
        pointer = llama_cpp.llama_get_logits(self._llama.ctx)
        return np.ctypeslib.as_array(pointer, shape=(rows, self._llama.n_vocab()))

    def _grammar(self, sampling: Sampling) -> str:
        """Return the grammar of the response format that was asked for, empty for free text."""
        wanted = sampling.response_format or {"type": "text"}
        kind = wanted.get("type")
        if kind == "text":
            return ""
        schema = (
            wanted.get("schema")
            if kind == "json_object"
            else wanted.get("json_schema", {}).get("schema")
            if kind == "json_schema"
            else None
        )
        if kind == "json_object" and schema is None:
            return str(llama_cpp.llama_grammar.JSON_GBNF)
        if not isinstance(schema, dict):
            raise InvalidInputError(
                "The response format is not understood.",
                "Use text, json_object, or json_schema with a schema.",
            )
        try:
            return str(llama_cpp.llama_grammar.json_schema_to_gbnf(json.dumps(schema)))
        except (
            ValueError,
            KeyError,
            TypeError,
            AssertionError,
            NotImplementedError,
            AttributeError,
            RecursionError,
        ) as error:
            raise InvalidInputError(
                "The JSON schema cannot be turned into a grammar.",
                "Keep to objects, arrays, enums and plain types.",
            ) from error

    # --- the file's own form ---------------------------------------------------------------------

    def _chat_format(self) -> Callable[..., Any]:
        def text(token: int) -> str:
            return (
                llama_cpp.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace")
                if token >= 0
                else ""
            )

        template = self._llama.metadata.get("tokenizer.chat_template", PLAIN_TEMPLATE)
        formatter: Callable[..., Any] = llama_cpp.llama_chat_format.Jinja2ChatFormatter(
            template,
            eos_token=text(self._llama.token_eos()),
            bos_token=text(self._llama.token_bos()),
        )
        return formatter

    def _tokens_of(self, marks: Sequence[str]) -> dict[int, bytes]:
        """Return the tokens that are one of these marks each, with its bytes."""
        found = {}
        for mark in marks:
            tokens = self.tokenize(mark, special=True)
            if len(tokens) == 1:
                found[tokens[0]] = mark.encode("utf-8")
        return found

    def _control_tokens(self) -> re.Pattern[str]:
        marks = [
            llama_cpp.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace")
            for token in range(self._llama.n_vocab())
            if llama_cpp.llama_vocab_is_control(self._vocabulary, token)
        ]
        # A one-character mark would break up ordinary text; the empty pattern `(?!)` matches
        # nothing.
        return re.compile("|".join(re.escape(mark) for mark in marks if len(mark) > 1) or "(?!)")


def _load(path: Path, context: int, threads: int) -> llama_cpp.Llama:
    """Load a file, with flash attention where the model allows it: it reads prompts a sixth faster.
    Raises ``ModelUnavailableError``.
    """
    failure: Exception | None = None
    for flash in (True, False):
        try:
            return llama_cpp.Llama(
                str(path),
                n_ctx=context,
                n_batch=BATCH,
                n_threads=threads,
                n_threads_batch=threads,
                flash_attn=flash,
                verbose=False,
            )
        except (ValueError, RuntimeError, OSError) as error:
            failure = error
    raise ModelUnavailableError(
        f"“{path.name}” could not be loaded; it may not be a GGUF model, or be cut short, or be"
        " larger than the memory."
    ) from failure


def _log_sum(row: np.ndarray[Any, np.dtype[np.float32]]) -> float:
    top = float(row.max())
    return top + float(np.log(np.exp(row.astype(np.float64) - top).sum()))
