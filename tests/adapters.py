"""Tiny models and random adapters, written without torch: what loads and switches needs no
training.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from safetensors.numpy import save_file

from lpm_kernel.backends.llm.weights import bundled_gguf
from lpm_kernel.domain.ports import Adapter
from lpm_kernel.L2.recipes.export.adapter import export_adapter
from lpm_kernel.L2.recipes.export.base import LINEAR, BaseMeasures
from lpm_kernel.L2.recipes.export.model import export_model
from lpm_kernel.L2.recipes.export.tokens import CUTS

BEGINNING = 4096
"""Tokens of the smaller vocabulary; a BPE's beginning is a BPE."""
RANK = 4
ALPHA = 8
TINY = {
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": BEGINNING,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
}


@cache
def bundled_vocabulary() -> tuple[list[str], list[int], list[str], str]:
    file = gguf.GGUFReader(bundled_gguf())
    tokens, kinds, merges, template = (
        file.get_field(f"tokenizer.{key}").contents()
        for key in ("ggml.tokens", "ggml.token_type", "ggml.merges", "chat_template")
    )
    return tokens, kinds, merges, template


def write_tokenizer(folder: Path, *, whole: bool, cut_as: str = "smollm") -> None:
    """Write the bundled vocabulary, or its beginning, as Hugging Face has it, cutting texts as that
    family does.
    """
    tokens, kinds, merges, template = bundled_vocabulary()
    if not whole:
        tokens, kinds = tokens[:BEGINNING], kinds[:BEGINNING]
        known = set(tokens)
        merges = [merge for merge in merges if {*merge.split(" "), merge.replace(" ", "")} <= known]
    steps = next(steps for steps, name in CUTS.items() if name == cut_as)
    into_bytes: dict[str, Any] = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": steps[-1] == "bytes and words",
    }
    cut: dict[str, Any] = {
        "type": "Split",
        "pattern": {"Regex": steps[0]},
        "behavior": "Isolated",
        "invert": False,
    }
    if steps[0] == "digits":
        cut = {"type": "Digits", "individual_digits": True}
    added = [
        {
            "id": place,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for place, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind == gguf.TokenType.CONTROL
    ]
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cut, into_bytes]},
        "decoder": into_bytes,
        "model": {
            "type": "BPE",
            "vocab": {token: place for place, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in merges],
        },
    }
    marks = {
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|im_end|>",
        "unk_token": "<|endoftext|>",
        "chat_template": template,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **marks}), "utf-8"
    )


def write_tiny_folder(folder: Path, seed: int = 1) -> None:
    """Write a random Llama of two layers as Hugging Face has it: it says nonsense, the same every
    time, and learns in a moment.
    """
    dice = np.random.default_rng(seed)
    base = BaseMeasures.of_config(TINY)
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (BEGINNING, base.width),
        "lm_head.weight": (BEGINNING, base.width),
        "model.norm.weight": (base.width,),
    }
    for layer in range(base.layers):
        shapes |= {f"model.layers.{layer}.{module}.weight": base.shape(module) for module in LINEAR}
        shapes |= {
            f"model.layers.{layer}.{norm}.weight": (base.width,)
            for norm in ("input_layernorm", "post_attention_layernorm")
        }
    weights = {
        name: dice.normal(1.0 if len(shape) == 1 else 0.0, 0.2, shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    write_tokenizer(folder, whole=False)
    (folder / "config.json").write_text(
        json.dumps({"model_type": "llama", "tie_word_embeddings": False, **TINY}), "utf-8"
    )
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def write_tiny_model(out: Path, seed: int = 1) -> None:
    """Write the same as GGUF: it loads in a moment."""
    with tempfile.TemporaryDirectory() as scratch:
        write_tiny_folder(Path(scratch), seed)
        export_model(Path(scratch), out, "f16", out.stem)


def write_peft_adapter(
    folder: Path, base: BaseMeasures, seed: int, strength: float = 0.15, rank: int = RANK
) -> None:
    """Write a random adapter for that base as peft saves it."""
    dice = np.random.default_rng(seed)
    weights: dict[str, Any] = {}
    for layer in range(base.layers):
        for module in LINEAR:
            rows, columns = base.shape(module)
            name = f"base_model.model.model.layers.{layer}.{module}.lora"
            weights[f"{name}_A.weight"] = dice.normal(0.0, strength, (rank, columns)).astype(
                np.float32
            )
            weights[f"{name}_B.weight"] = dice.normal(0.0, strength, (rows, rank)).astype(
                np.float32
            )
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": ALPHA,
        "target_modules": sorted(module.rpartition(".")[2] for module in LINEAR),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps(config), "utf-8")
    save_file(weights, folder / "adapter_model.safetensors")


def write_adapter(
    out: Path, base: BaseMeasures, seed: int, strength: float = 0.15, rank: int = RANK
) -> Adapter:
    """Write a random adapter for that base as GGUF, and return it under its file's name."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        write_peft_adapter(Path(scratch), base, seed, strength, rank)
        export_adapter(Path(scratch), base, out, out.stem)
    return Adapter(out.stem, out)
