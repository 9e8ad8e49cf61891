"""The bundled vocabulary as Hugging Face has it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import gguf

from lpm_kernel.backends.llm.weights import bundled_gguf
from lpm_kernel.L2.recipes import export

BEGINNING = 4096
"""Tokens of the smaller vocabulary; a BPE's beginning is a BPE."""


@cache
def bundled_vocabulary() -> tuple[list[str], list[int], list[str], str]:
    file = gguf.GGUFReader(bundled_gguf())
    tokens, kinds, merges, template = (
        file.get_field(f"tokenizer.{key}").contents() for key in ("ggml.tokens", "ggml.token_type", "ggml.merges", "chat_template")
    )
    return tokens, kinds, merges, template


def write_tokenizer(folder: Path, *, whole: bool, cut_as: str = "smollm") -> None:
    """Write the bundled vocabulary, or its beginning, as Hugging Face has it, cutting texts as that family does."""
    tokens, kinds, merges, template = bundled_vocabulary()
    if not whole:
        tokens, kinds = tokens[:BEGINNING], kinds[:BEGINNING]
        known = set(tokens)
        merges = [merge for merge in merges if {*merge.split(" "), merge.replace(" ", "")} <= known]
    steps = next(steps for steps, name in export.CUTS.items() if name == cut_as)
    into_bytes: dict[str, Any] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": steps[-1] == "bytes and words"}
    cut: dict[str, Any] = {"type": "Split", "pattern": {"Regex": steps[0]}, "behavior": "Isolated", "invert": False}
    if steps[0] == "digits":
        cut = {"type": "Digits", "individual_digits": True}
    added = [
        {"id": place, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for place, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind == gguf.TokenType.CONTROL
    ]
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cut, into_bytes]},
        "decoder": into_bytes,
        "model": {"type": "BPE", "vocab": {token: place for place, token in enumerate(tokens)}, "merges": [merge.split(" ") for merge in merges]},
    }
    marks = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "<|im_end|>", "unk_token": "<|endoftext|>", "chat_template": template}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **marks}), "utf-8")
