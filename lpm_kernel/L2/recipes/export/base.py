"""What a base model measures, and how its parts are called by Hugging Face and by llama.cpp."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.reading import Weights, opened, read_json, value

FAMILIES = {"LlamaForCausalLM": "llama", "Qwen2ForCausalLM": "qwen2"}
"""Hugging Face's name of a model's class, and llama.cpp's of its architecture."""

PERMUTED = {"llama"}
"""Architectures whose query and key rows llama.cpp wants in another order: it turns neighbours,
Hugging Face halves.
"""

LINEAR = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""The layers that an adapter may change: Hugging Face's name and llama.cpp's."""

IN_A_BLOCK = LINEAR | {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}
BESIDE_THE_BLOCKS = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


@dataclass(frozen=True)
class BaseMeasures:
    """The measures of a base model: enough to know where an adapter belongs and whether it fits."""

    architecture: str
    layers: int
    width: int
    inner: int
    heads: int
    key_heads: int
    head_width: int

    @classmethod
    def read(cls, place: Path) -> BaseMeasures:
        """Read them from a Hugging Face folder or a GGUF file. Raises ``InvalidInputError``."""
        return cls.of_file(opened(place)) if place.is_file() else cls.of_config(read_config(place))

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> BaseMeasures:
        """Read them from what `config.json` says."""
        try:
            width, heads = int(config["hidden_size"]), int(config["num_attention_heads"])
            return cls(
                architecture=FAMILIES[config["architectures"][0]],
                layers=int(config["num_hidden_layers"]),
                width=width,
                inner=int(config["intermediate_size"]),
                heads=heads,
                key_heads=int(config.get("num_key_value_heads") or heads),
                head_width=int(config.get("head_dim") or width // heads),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInputError(
                f"The model's config.json says nothing usable about {error}.",
                "Download the folder again.",
            ) from error

    @classmethod
    def of_file(cls, file: gguf.GGUFReader) -> BaseMeasures:
        """Read them from a GGUF file's keys."""
        architecture = str(value(file, "general.architecture"))
        if architecture not in FAMILIES.values() or value(file, f"{architecture}.expert_count"):
            raise unknown_family(architecture)
        try:
            width, heads, key_heads, layers, inner = (
                int(value(file, f"{architecture}.{key}"))
                for key in (
                    "embedding_length",
                    "attention.head_count",
                    "attention.head_count_kv",
                    "block_count",
                    "feed_forward_length",
                )
            )
        except TypeError as error:
            raise InvalidInputError(
                "The base file does not say how large the model is.",
                "It may be an adapter, or damaged. Take the base model.",
            ) from error
        head_width = int(value(file, f"{architecture}.attention.key_length") or width // heads)
        return cls(architecture, layers, width, inner, heads, key_heads, head_width)

    def shape(self, module: str) -> tuple[int, int]:
        """Return rows and columns of a linear layer's weights, by Hugging Face's name of it."""
        asked, keys = self.heads * self.head_width, self.key_heads * self.head_width
        shapes = {
            "self_attn.q_proj": (asked, self.width),
            "self_attn.k_proj": (keys, self.width),
            "self_attn.v_proj": (keys, self.width),
            "self_attn.o_proj": (self.width, asked),
            "mlp.gate_proj": (self.inner, self.width),
            "mlp.up_proj": (self.inner, self.width),
            "mlp.down_proj": (self.width, self.inner),
        }
        return shapes[module]

    def in_order(self, module: str, rows: Weights) -> Weights:
        """Return the rows of a layer, weights or bias, in llama.cpp's order."""
        heads = {"self_attn.q_proj": self.heads, "self_attn.k_proj": self.key_heads}.get(module)
        if heads is None or self.architecture not in PERMUTED:
            return rows
        return permuted(rows, heads)


def permuted(rows: Weights, heads: int) -> Weights:
    """Interleave the two halves of each head's rows.

    >>> import numpy as np
    >>> permuted(np.arange(8, dtype=np.float32), heads=2).tolist()
    [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]
    """
    return (
        rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
        .swapaxes(1, 2)
        .reshape(rows.shape)
    )


def read_config(folder: Path) -> dict[str, Any]:
    """Read a Hugging Face folder's `config.json`, if its family is known. Raises
    ``InvalidInputError``.
    """
    config = read_json(folder / "config.json")
    name = (config.get("architectures") or [config.get("model_type") or "nameless"])[0]
    if name not in FAMILIES:
        raise unknown_family(str(name))
    return config


def unknown_family(name: str) -> InvalidInputError:
    """Refuse a model of another family."""
    return InvalidInputError(
        f"Models of the kind “{name[:60]}” are not exported.",
        "The Llama and the Qwen2 family are; take a base of one of these, such as SmolLM2 or"
        " Qwen2.5.",
    )
