"""A whole Hugging Face folder: weights, measures and tokenizer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.utility import LocalTensor

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.base import (
    BESIDE_THE_BLOCKS,
    IN_A_BLOCK,
    BaseMeasures,
    read_config,
)
from lpm_kernel.L2.recipes.export.reading import Weights, numbers_of, tensors_of
from lpm_kernel.L2.recipes.export.tokens import add_tokenizer
from lpm_kernel.L2.recipes.export.writing import TYPES, Tensor, packed, whole, written


def export_model(folder: Path, out: Path, kind: str, name: str) -> None:
    """Write a Hugging Face folder's weights, measures and tokenizer."""
    config = read_config(folder)
    base = BaseMeasures.of_config(config)
    wanted, file_type = TYPES[kind]
    weights = list(tensors_of(sorted(folder.glob("model*.safetensors"))))
    with written(out, base.architecture) as (writer, tensors):
        writer.add_type(gguf.GGUFType.MODEL)
        writer.add_name(name)
        factors = _add_measures(writer, config, base)
        writer.add_file_type(file_type)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        add_tokenizer(writer, folder, int(config["vocab_size"]))
        if factors is not None:
            tensors.append(whole("rope_freqs.weight", factors))
        for source, tensor in weights:
            if not source.endswith(".rotary_emb.inv_freq"):
                tensors.append(_of_model(source, tensor, base, wanted))


def _of_model(
    source: str, tensor: LocalTensor, base: BaseMeasures, kind: gguf.GGMLQuantizationType
) -> Tensor:
    stem, _, what = source.rpartition(".")
    block = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", stem)
    module = block[2] if block else ""
    known = IN_A_BLOCK.get(module) if block else BESIDE_THE_BLOCKS.get(stem)
    if known is None or what not in {"weight", "bias"}:
        raise InvalidInputError(
            f"The model has a tensor “{source[:100]}” that its family does not have.",
            "It may be changed or quantised; take the original.",
        )
    name = f"blk.{block[1]}.{known}.{what}" if block else f"{known}.{what}"
    # Norms and biases are few and delicate: they stay whole.
    kind = gguf.GGMLQuantizationType.F32 if len(tensor.shape) == 1 else kind
    return packed(name, tensor.shape, kind, lambda: base.in_order(module, numbers_of(tensor)))


def _add_measures(
    writer: gguf.GGUFWriter, config: Mapping[str, Any], base: BaseMeasures
) -> Weights | None:
    """Write how large the model is and how it counts places; return the factors of its rotations,
    if it stretches them.
    """
    if config.get("quantization_config"):
        raise InvalidInputError(
            "The model's weights are quantised.",
            "Take the original weights, in float32, float16 or bfloat16.",
        )
    if config.get("use_sliding_window"):
        raise InvalidInputError(
            "The model looks back over a sliding window only, which is not exported.",
            "Take a model without use_sliding_window.",
        )
    writer.add_block_count(base.layers)
    writer.add_context_length(int(config["max_position_embeddings"]))
    writer.add_embedding_length(base.width)
    writer.add_feed_forward_length(base.inner)
    writer.add_head_count(base.heads)
    writer.add_head_count_kv(base.key_heads)
    writer.add_layer_norm_rms_eps(float(config["rms_norm_eps"]))
    writer.add_vocab_size(int(config["vocab_size"]))
    writer.add_rope_dimension_count(base.head_width)
    writer.add_key_length(base.head_width)
    writer.add_value_length(base.head_width)
    rope = (
        {"rope_theta": config.get("rope_theta", 10_000.0)}
        | (config.get("rope_scaling") or {})
        | (config.get("rope_parameters") or {})
    )
    writer.add_rope_freq_base(float(rope["rope_theta"]))
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(float(rope["factor"]))
    elif kind == "llama3":
        return _stretched(rope, base.head_width)
    elif kind != "default":
        raise InvalidInputError(
            f"The model stretches its places by “{str(kind)[:40]}”, which is not exported.",
            "Take one with default, linear or llama3.",
        )
    return None


def _stretched(rope: Mapping[str, Any], head_width: int) -> Weights:
    """Return by how much Llama 3 slows each rotation: the slow ones by ``factor``, the quick ones
    not at all, smoothly between.
    """
    turns = float(rope["rope_theta"]) ** -(
        np.arange(0, head_width, 2, dtype=np.float32) / np.float32(head_width)
    )
    length, low, high, factor = (
        float(rope[key])
        for key in (
            "original_max_position_embeddings",
            "low_freq_factor",
            "high_freq_factor",
            "factor",
        )
    )
    cycles = length * turns / (2 * math.pi)
    smooth = np.clip((cycles - low) / (high - low), 0.0, 1.0)
    factors: Weights = (1.0 / ((1.0 - smooth) / factor + smooth)).astype(np.float32)
    return factors
