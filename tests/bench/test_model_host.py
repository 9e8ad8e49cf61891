"""How long until the first word: at the model host and with bare llama.cpp, and in a second turn.
Ratios of one run.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

# bare llama.cpp gets what the host gives itself, or the comparison would flatter the host
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
import llama_cpp

from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ports import ChatMessage, Sampling
from tests.hosts import Host

ROUNDS = 5
EVIDENCE = 12
"""Sentences of evidence in a prompt, some 500 tokens in all."""

Messages = list[ChatMessage]


def prompt(seed: int) -> Messages:
    """Evidence and a question that begin with the seed, so that no prompt shares its beginning with
    another.
    """
    lines = [
        f"[{seed}.{line}] On day {seed * 31 + line} we took boat {seed * 7 + line} out past the"
        " harbour wall, and the wind turned at noon."
        for line in range(EVIDENCE)
    ]
    return [
        ChatMessage("system", f"Notebook {seed}. Answer from these notes.\n" + "\n".join(lines)),
        ChatMessage("user", "Which boat did we take first?"),
    ]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EndpointModel]:
    with (
        Host(tmp_path_factory.mktemp("home"), model="bundled") as host,
        closing(EndpointModel(host.endpoint)) as asked,
    ):
        yield asked


def first_word_at_host(model: EndpointModel, messages: Messages) -> tuple[float, str]:
    started = time.perf_counter()
    first, text = 0.0, ""
    for delta in model.stream(messages, Sampling(temperature=0.0, max_tokens=16)):
        first = first or time.perf_counter() - started
        text += delta.text
    return first, text


def first_word_bare(bare: llama_cpp.Llama, messages: Messages) -> float:
    started = time.perf_counter()
    stream = bare.create_chat_completion(
        [{"role": message.role, "content": message.content} for message in messages],
        temperature=0.0,
        max_tokens=16,
        stream=True,
    )
    first = 0.0
    for chunk in stream:
        if not first and chunk["choices"][0]["delta"].get("content"):
            first = time.perf_counter() - started
    return first


def test_the_first_word_comes_nearly_as_soon_as_from_bare_llama(model: EndpointModel) -> None:
    with closing(
        llama_cpp.Llama(
            str(bundled_model()), n_ctx=4096, n_threads=2, n_threads_batch=2, verbose=False
        )
    ) as bare:
        # Alternately, so that a busy moment of the machine falls on both.
        pairs = [
            (
                first_word_at_host(model, prompt(2 * seed))[0],
                first_word_bare(bare, prompt(2 * seed + 1)),
            )
            for seed in range(ROUNDS)
        ]
    host, alone = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(
        f"\ntime to the first word: host {host:.3f} s, bare {alone:.3f} s, ratio {host / alone:.2f}"
        " (wanted: at most 1.25)"
    )
    assert host / alone <= 1.25


def test_a_second_turn_begins_where_the_first_ended(model: EndpointModel) -> None:
    cold: list[float] = []
    warm: list[float] = []
    for seed in range(100, 100 + ROUNDS):
        messages = prompt(seed)
        first, text = first_word_at_host(model, messages)
        cold.append(first)
        messages += [ChatMessage("assistant", text), ChatMessage("user", "And on the day after?")]
        warm.append(first_word_at_host(model, messages)[0])
    ratio = statistics.median(warm) / statistics.median(cold)
    print(
        f"\nsecond turn: {statistics.median(warm):.3f} s after {statistics.median(cold):.3f} s"
        f" cold, ratio {ratio:.2f} (wanted: at most 0.30)"
    )
    assert ratio <= 0.30


def test_conversations_that_take_turns_keep_their_beginnings(model: EndpointModel) -> None:
    talks = [prompt(seed) for seed in range(200, 204)]
    cold: list[float] = []
    warm: list[float] = []
    for turn in range(3):
        for talk in talks:
            first, text = first_word_at_host(model, talk)
            (warm if turn else cold).append(first)
            talk += [ChatMessage("assistant", text), ChatMessage("user", f"And on day {turn}?")]
    ratio = statistics.median(warm) / statistics.median(cold)
    print(
        f"\nfour conversations in turn: {statistics.median(warm):.3f} s after"
        f" {statistics.median(cold):.3f} s cold, ratio {ratio:.2f} (wanted: at most 0.30)"
    )
    assert ratio <= 0.30
