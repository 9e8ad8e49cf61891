"""How the next token is drawn from a model's scores."""

from __future__ import annotations

import secrets
from ctypes import c_void_p

import llama_cpp

from lpm_kernel.domain.ports import Sampling
from lpm_kernel.errors import InvalidInputError

TEMPERATURE = 0.2
TOP_P = 0.9
"""What the makers of the bundled model recommend for it."""

PENALTY_WINDOW = 256
"""How many of the last tokens the penalties look at."""


class Sampler:
    """A chain of llama.cpp samplers for one answer. Close it: its memory is not Python's."""

    def __init__(self, vocabulary: c_void_p, grammar: str, sampling: Sampling) -> None:
        self._chain = llama_cpp.llama_sampler_chain_init(
            llama_cpp.llama_sampler_chain_default_params()
        )
        if sampling.frequency_penalty or sampling.presence_penalty:
            self._add(
                llama_cpp.llama_sampler_init_penalties(
                    llama_cpp.llama_vocab_n_tokens(vocabulary),
                    PENALTY_WINDOW,
                    1.0,
                    sampling.frequency_penalty or 0.0,
                    sampling.presence_penalty or 0.0,
                )
            )
        if grammar:
            rules = llama_cpp.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
            if not rules:
                self.close()
                raise InvalidInputError(
                    "The JSON schema cannot be turned into a grammar.",
                    "Keep to objects, arrays, enums and plain types.",
                )
            self._add(rules)
        temperature = TEMPERATURE if sampling.temperature is None else sampling.temperature
        if temperature <= 0:
            self._add(llama_cpp.llama_sampler_init_greedy())
            return
        self._add(
            llama_cpp.llama_sampler_init_top_p(
                TOP_P if sampling.top_p is None else sampling.top_p, 1
            )
        )
        self._add(llama_cpp.llama_sampler_init_temp(temperature))
        self._add(
            llama_cpp.llama_sampler_init_dist(
                secrets.randbits(32) if sampling.seed is None else sampling.seed & 0xFFFFFFFF
            )
        )

    def _add(self, sampler: c_void_p) -> None:
        llama_cpp.llama_sampler_chain_add(self._chain, sampler)

    def draw(self, context: c_void_p) -> int:
        """Draw the next token from the scores of the last position."""
        return int(llama_cpp.llama_sampler_sample(self._chain, context, -1))

    def close(self) -> None:
        """Give the memory back; a second call does nothing."""
        if self._chain is not None:
            llama_cpp.llama_sampler_free(self._chain)
            self._chain = None
