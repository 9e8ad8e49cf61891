"""From trained weights to what llama.cpp serves: an adapter beside its base, in its base, or a whole model.

    python -m lpm_kernel.L2.recipes.export adapter ADAPTER_DIR OUT.gguf --base BASE [--name NAME]
    python -m lpm_kernel.L2.recipes.export merge ADAPTER_DIR BASE.gguf OUT.gguf --type q8_0 [--scale 1.0] [--name NAME]
    python -m lpm_kernel.L2.recipes.export model HF_DIR OUT.gguf --type f16 [--name NAME]

`adapter` writes peft's LoRA adapter as a small file that the model host loads beside its base; BASE is the base's Hugging
Face folder (its `config.json` suffices) or its GGUF file. `merge` adds the adapter to the weights of a base GGUF file and
keeps everything else of that file, tokenizer included. `model` writes a whole Hugging Face folder as GGUF.

The Llama and the Qwen2 family are known. What cannot be written truthfully is refused, with what to do instead. The output
is whole or not there at all; tensors are made and written one after the other, so memory holds one at a time. No torch.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.utility import LocalTensor, SafetensorsLocal
from numpy.typing import NDArray

from lpm_kernel.errors import InvalidInputError, NodeError

Weights = NDArray[np.float32]

FAMILIES = {"LlamaForCausalLM": "llama", "Qwen2ForCausalLM": "qwen2"}
"""Hugging Face's name of a model's class, and llama.cpp's of its architecture."""

PERMUTED = {"llama"}
"""Architectures whose query and key rows llama.cpp wants in another order: it turns neighbours, Hugging Face halves."""

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
BESIDE_THE_BLOCKS = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}

TYPES = {
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}


# --- the base ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Base:
    """The measures of a base model: enough to know where an adapter belongs and whether it fits."""

    architecture: str
    layers: int
    width: int
    inner: int
    heads: int
    key_heads: int
    head_width: int

    @classmethod
    def read(cls, place: Path) -> Base:
        """Read them from a Hugging Face folder or a GGUF file. Raises ``InvalidInputError``."""
        return cls.of_file(_open(place)) if place.is_file() else cls.of_config(read_config(place))

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> Base:
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
            raise InvalidInputError(f"The model's config.json says nothing usable about {error}.", "Download the folder again.") from error

    @classmethod
    def of_file(cls, file: gguf.GGUFReader) -> Base:
        """Read them from a GGUF file's keys."""
        architecture = str(_value(file, "general.architecture"))
        if architecture not in FAMILIES.values() or _value(file, f"{architecture}.expert_count"):
            raise _unknown_family(architecture)
        try:
            width, heads, key_heads, layers, inner = (
                int(_value(file, f"{architecture}.{key}"))
                for key in ("embedding_length", "attention.head_count", "attention.head_count_kv", "block_count", "feed_forward_length")
            )
        except TypeError as error:
            raise InvalidInputError("The base file does not say how large the model is.", "It may be an adapter, or damaged. Take the base model.") from error
        head_width = int(_value(file, f"{architecture}.attention.key_length") or width // heads)
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

    >>> permuted(np.arange(8, dtype=np.float32), heads=2).tolist()
    [0.0, 2.0, 1.0, 3.0, 4.0, 6.0, 5.0, 7.0]
    """
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def read_config(folder: Path) -> dict[str, Any]:
    """Read a Hugging Face folder's `config.json`, if its family is known. Raises ``InvalidInputError``."""
    config = _json(folder / "config.json")
    name = (config.get("architectures") or [config.get("model_type") or "nameless"])[0]
    if name not in FAMILIES:
        raise _unknown_family(str(name))
    return config


def _unknown_family(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"Models of the kind “{name[:60]}” are not exported.", "The Llama and the Qwen2 family are; take a base of one of these, such as SmolLM2 or Qwen2.5."
    )


# --- the adapter ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """One layer's change: ``up`` times ``down``, times the adapter's scale."""

    layer: int
    module: str
    down: Weights
    up: Weights

    @property
    def tensor(self) -> str:
        """The name of the weights it changes, as llama.cpp has it."""
        return f"blk.{self.layer}.{LINEAR[self.module]}.weight"


@dataclass(frozen=True)
class Lora:
    """An adapter as peft wrote it. Its weight is ``alpha / rank``, as in llama.cpp."""

    rank: int
    alpha: float
    pairs: tuple[Pair, ...]


UNFIT: dict[str, tuple[str, str]] = {
    "use_dora": ("uses DoRA, which changes the lengths of the rows too", "Train with use_dora=False."),
    "rank_pattern": ("has different ranks for different layers", "Train with one rank and without rank_pattern."),
    "alpha_pattern": ("has different weights for different layers", "Train with one lora_alpha and without alpha_pattern."),
    "modules_to_save": ("holds whole layers beside its low-rank changes", "Train without modules_to_save."),
    "trainable_token_indices": ("holds new rows of the vocabulary", "Train without trainable_token_indices."),
    "target_parameters": ("changes single parameters", "Train with target_modules alone."),
    "layer_replication": ("repeats layers of its base", "Train without layer_replication."),
    "lora_bias": ("has biases of its own", "Train with lora_bias=False."),
    "fan_in_fan_out": ("was made for transposed layers, which these families do not have", "Train with fan_in_fan_out=False."),
    "use_qalora": ("was made for a base quantised in groups", "Train with use_qalora=False."),
    "alora_invocation_tokens": ("takes effect only after certain words", "Train without alora_invocation_tokens."),
}
"""Settings of peft that a GGUF adapter has no place for: what the adapter does with them, and what to do."""

CHANGED_BASES = ("pissa", "olora", "corda", "loftq")
"""Ways to begin that change the base as well, so that the adapter means nothing without that changed base."""

LORA_NAME = re.compile(r"base_model\.model\.model\.layers\.(\d+)\.([a-z_]+\.[a-z_]+)\.lora_([AB])\.weight")


def read_adapter(folder: Path, base: Base) -> Lora:
    """Read what peft saved, checked against its base. Raises ``InvalidInputError`` for what cannot be exported."""
    config = _json(folder / "adapter_config.json")
    _refuse_unfit(config)
    rank, alpha = int(config["r"]), float(config["lora_alpha"])
    if config.get("use_rslora"):
        alpha *= math.sqrt(rank)  # there the weight is alpha / sqrt(rank)
    if alpha == 0:
        raise InvalidInputError("The adapter's lora_alpha is zero, so that it changes nothing.", "Train with another lora_alpha; twice the rank is usual.")
    halves: dict[tuple[int, str], dict[str, Weights]] = {}
    for name, tensor in _tensors([folder / "adapter_model.safetensors"]):
        layer, module, half = _place(name)
        halves.setdefault((layer, module), {})[half] = _numbers(tensor)
    pairs = tuple(_pair(layer, module, found, base, rank) for (layer, module), found in halves.items())
    if not pairs:
        raise InvalidInputError("The adapter holds no weights.", "Its training may have broken off; train again.")
    return Lora(rank, alpha, pairs)


def _refuse_unfit(config: Mapping[str, Any]) -> None:
    kind = config.get("peft_type")
    if kind != "LORA" or not isinstance(config.get("r"), int) or not isinstance(config.get("lora_alpha"), int | float):
        raise InvalidInputError(f"This is no LoRA adapter but “{str(kind)[:40]}”.", "Train a LoRA adapter.")
    for setting, (what, instead) in UNFIT.items():
        if config.get(setting):
            raise InvalidInputError(f"The adapter {what}, which a GGUF adapter cannot hold.", instead)
    if config.get("bias", "none") != "none":
        raise InvalidInputError("The adapter changes biases, which a GGUF adapter cannot hold.", "Train with bias=none.")
    beginning = str(config.get("init_lora_weights", ""))
    if beginning.lower().startswith(CHANGED_BASES):
        raise InvalidInputError(f"The adapter began with {beginning}, which changes its base too.", "Train with init_lora_weights=True.")


def _place(name: str) -> tuple[int, str, str]:
    """Return layer, module and half of a tensor. Raises ``InvalidInputError`` for one that has no place in a GGUF adapter."""
    found = LORA_NAME.fullmatch(name)
    if found is not None and found[2] in LINEAR:
        return int(found[1]), found[2], found[3]
    if "embed" in name or "lm_head" in name:
        raise InvalidInputError("The adapter changes the vocabulary's weights.", "Train without embed_tokens and lm_head among the target modules.")
    raise InvalidInputError(f"The adapter changes “{name[:100]}”, which is no linear layer of a known name.", f"Train on {', '.join(LINEAR)}.")


def _pair(layer: int, module: str, halves: Mapping[str, Weights], base: Base, rank: int) -> Pair:
    rows, columns = base.shape(module)
    down, up = halves.get("A"), halves.get("B")
    if down is None or up is None:
        raise InvalidInputError(f"Half of the adapter's change to {module} in layer {layer} is missing.", "The file is damaged; train again.")
    if down.shape[0] != rank or up.shape[-1] != rank:
        raise InvalidInputError(f"The adapter's settings say rank {rank} and its weights do not.", "The folder is a mixture of two; train again.")
    if layer >= base.layers or (up.shape[0], down.shape[-1]) != (rows, columns):
        raise InvalidInputError(
            f"The adapter does not fit this base: {module} in layer {layer} is {up.shape[0]} × {down.shape[-1]} in it; "
            f"the base has {base.layers} layers, and {rows} × {columns} there.",
            "Give the base model that the adapter was trained on.",
        )
    if not (np.isfinite(down).all() and np.isfinite(up).all()):
        raise InvalidInputError("The adapter holds numbers that are not finite: its training went astray.", "Train again with a smaller learning rate.")
    return Pair(layer, module, down, base.in_order(module, up))


# --- what is written -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Tensor:
    """A tensor to be written: announced with its shape, made when its turn comes."""

    name: str
    shape: tuple[int, ...]
    kind: gguf.GGMLQuantizationType
    make: Callable[[], NDArray[Any]]


def export_adapter(folder: Path, base: Base, out: Path, name: str) -> None:
    """Write a LoRA adapter, byte for byte what llama.cpp's `convert_lora_to_gguf.py` makes of it under that name."""
    lora = read_adapter(folder, base)
    with _written(out, base.architecture) as (writer, tensors):
        writer.add_type(gguf.GGUFType.ADAPTER)
        writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
        writer.add_name(name)
        writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, lora.alpha)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for pair in lora.pairs:
            tensors += [_whole(f"{pair.tensor}.lora_a", pair.down), _whole(f"{pair.tensor}.lora_b", pair.up)]


def export_merged(folder: Path, source: Path, out: Path, kind: str, scale: float, name: str) -> None:
    """Write the base with the adapter in its weights. What the adapter does not change stays as it is, in its own type."""
    file = _open(source)
    base = Base.of_file(file)
    lora = read_adapter(folder, base)
    changes = {pair.tensor: pair for pair in lora.pairs}
    if missing := sorted(changes.keys() - {tensor.name for tensor in file.tensors}):
        raise InvalidInputError(f"The base file has no “{missing[0]}”.", "Give the whole base model; a file in several parts has to be joined first.")
    wanted, file_type = TYPES[kind]
    with _written(out, base.architecture) as (writer, tensors):
        called = _value(file, "general.name") or source.stem
        _copy_keys(file, writer, {"general.name", "general.description", "general.file_type", "general.quantization_version"})
        writer.add_name(f"{called} with {name}")
        writer.add_description(f"{called}, merged with the LoRA adapter {name} at scale {scale:g}")
        writer.add_file_type(file_type)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for tensor in file.tensors:
            shape = tuple(int(length) for length in reversed(tensor.shape))
            pair = changes.get(tensor.name)
            if pair is None:
                tensors.append(Tensor(tensor.name, shape, tensor.tensor_type, partial(_as_it_is, tensor)))
            else:
                tensors.append(_packed(tensor.name, shape, wanted, partial(_merged, tensor, pair, scale * lora.alpha / lora.rank)))


def _as_it_is(tensor: gguf.ReaderTensor) -> NDArray[Any]:
    return np.asarray(tensor.data)


def _merged(tensor: gguf.ReaderTensor, pair: Pair, weight: float) -> Weights:
    try:
        weights: Weights = gguf.dequantize(tensor.data, tensor.tensor_type)
    except NotImplementedError as error:
        raise InvalidInputError(f"The base keeps its weights as {tensor.tensor_type.name}, which is not read.", "Take the base in f16 or q8_0.") from error
    return weights + np.float32(weight) * (pair.up @ pair.down)


def export_model(folder: Path, out: Path, kind: str, name: str) -> None:
    """Write a Hugging Face folder's weights, measures and tokenizer."""
    config = read_config(folder)
    base = Base.of_config(config)
    wanted, file_type = TYPES[kind]
    weights = list(_tensors(sorted(folder.glob("model*.safetensors"))))
    with _written(out, base.architecture) as (writer, tensors):
        writer.add_type(gguf.GGUFType.MODEL)
        writer.add_name(name)
        factors = _add_measures(writer, config, base)
        writer.add_file_type(file_type)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        _add_tokenizer(writer, folder, int(config["vocab_size"]))
        if factors is not None:
            tensors.append(_whole("rope_freqs.weight", factors))
        for source, tensor in weights:
            if not source.endswith(".rotary_emb.inv_freq"):
                tensors.append(_of_model(source, tensor, base, wanted))


def _of_model(source: str, tensor: LocalTensor, base: Base, kind: gguf.GGMLQuantizationType) -> Tensor:
    stem, _, what = source.rpartition(".")
    block = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", stem)
    module = block[2] if block else ""
    known = IN_A_BLOCK.get(module) if block else BESIDE_THE_BLOCKS.get(stem)
    if known is None or what not in {"weight", "bias"}:
        raise InvalidInputError(f"The model has a tensor “{source[:100]}” that its family does not have.", "It may be changed or quantised; take the original.")
    name = f"blk.{block[1]}.{known}.{what}" if block else f"{known}.{what}"
    # Norms and biases are few and delicate: they stay whole.
    kind = gguf.GGMLQuantizationType.F32 if len(tensor.shape) == 1 else kind
    return _packed(name, tensor.shape, kind, lambda: base.in_order(module, _numbers(tensor)))


def _add_measures(writer: gguf.GGUFWriter, config: Mapping[str, Any], base: Base) -> Weights | None:
    """Write how large the model is and how it counts places; return the factors of its rotations, if it stretches them."""
    if config.get("quantization_config"):
        raise InvalidInputError("The model's weights are quantised.", "Take the original weights, in float32, float16 or bfloat16.")
    if config.get("use_sliding_window"):
        raise InvalidInputError("The model looks back over a sliding window only, which is not exported.", "Take a model without use_sliding_window.")
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
    rope = {"rope_theta": config.get("rope_theta", 10_000.0)} | (config.get("rope_scaling") or {}) | (config.get("rope_parameters") or {})
    writer.add_rope_freq_base(float(rope["rope_theta"]))
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(float(rope["factor"]))
    elif kind == "llama3":
        return _stretched(rope, base.head_width)
    elif kind != "default":
        raise InvalidInputError(f"The model stretches its places by “{str(kind)[:40]}”, which is not exported.", "Take one with default, linear or llama3.")
    return None


def _stretched(rope: Mapping[str, Any], head_width: int) -> Weights:
    """Return by how much Llama 3 slows each rotation: the slow ones by ``factor``, the quick ones not at all, smoothly between."""
    turns = float(rope["rope_theta"]) ** -(np.arange(0, head_width, 2, dtype=np.float32) / np.float32(head_width))
    length, low, high, factor = (float(rope[key]) for key in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor", "factor"))
    cycles = length * turns / (2 * math.pi)
    smooth = np.clip((cycles - low) / (high - low), 0.0, 1.0)
    factors: Weights = (1.0 / ((1.0 - smooth) / factor + smooth)).astype(np.float32)
    return factors


# --- the tokenizer -------------------------------------------------------------------------------

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
OTHERS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CUTS = {
    ("digits", "bytes and words"): "smollm",
    ("bytes and words",): "gpt-2",
    (CONTRACTIONS + r"\p{N}" + OTHERS, "bytes"): "qwen2",
    (CONTRACTIONS + r"\p{N}{1,3}" + OTHERS, "bytes"): "llama-bpe",
}
"""How a text is cut before pairs are joined, by the steps that `tokenizer.json` names, and llama.cpp's word for it."""


def _add_tokenizer(writer: gguf.GGUFWriter, folder: Path, size: int) -> None:
    """Write the vocabulary, the joins and the marks. Raises ``InvalidInputError`` for a tokenizer of another kind."""
    tokenizer = _json(folder / "tokenizer.json")
    model = tokenizer.get("model") or {}
    if model.get("type") != "BPE" or model.get("byte_fallback"):
        raise InvalidInputError("The model's tokenizer is no byte-level BPE.", "Take a model that has one, such as SmolLM2 or Qwen2.5.")
    tokens, kinds = vocabulary(tokenizer, size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(cut(tokenizer.get("pre_tokenizer") or {}))
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    marks = gguf.SpecialVocab(folder, load_merges=True, n_vocab=size)
    marks.add_special_token.setdefault("bos", False)  # llama.cpp would put a mark before every text where Hugging Face puts none
    marks.add_to_gguf(writer, quiet=True)


def vocabulary(tokenizer: Mapping[str, Any], size: int) -> tuple[list[str], list[int]]:
    """Return every token and of which kind it is, places without a token included. Raises ``InvalidInputError``.

    >>> words, kinds = vocabulary({"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 1, "content": "<|end|>", "special": False}]}, 3)
    >>> words, [kind.name for kind in kinds]
    (['a', '<|end|>', '[PAD2]'], ['NORMAL', 'CONTROL', 'UNUSED'])
    """
    tokens = [f"[PAD{place}]" for place in range(size)]
    kinds: list[int] = [gguf.TokenType.UNUSED] * size
    try:
        for token, place in tokenizer["model"]["vocab"].items():
            tokens[place], kinds[place] = token, gguf.TokenType.NORMAL
        for added in tokenizer["added_tokens"]:
            text, place = added["content"], added["id"]
            control = added["special"] or (text.startswith("<|") and text.endswith("|>"))
            tokens[place], kinds[place] = text, gguf.TokenType.CONTROL if control else gguf.TokenType.USER_DEFINED
    except (IndexError, KeyError, TypeError) as error:
        raise InvalidInputError("The tokenizer does not belong to the weights: they have no row for a token.", "Download the folder again.") from error
    return tokens, kinds


def cut(step: Mapping[str, Any]) -> str:
    """Return llama.cpp's word for what `pre_tokenizer` says. Raises ``InvalidInputError`` for a way that it may not know.

    >>> cut({"type": "ByteLevel", "add_prefix_space": False})
    'gpt-2'
    """
    steps = tuple(_step(each) for each in (step.get("pretokenizers") or [step]))
    if steps not in CUTS:
        raise InvalidInputError("The tokenizer cuts texts in a way that is not known here.", f"Known are those of {', '.join(CUTS.values())}.")
    return CUTS[steps]


def _step(step: Mapping[str, Any]) -> str:
    kind = step.get("type")
    if kind == "Digits" and step.get("individual_digits"):
        return "digits"
    if kind == "ByteLevel" and not step.get("add_prefix_space"):
        return "bytes and words" if step.get("use_regex", True) else "bytes"
    if kind == "Split" and step.get("behavior") == "Isolated":
        return str((step.get("pattern") or {}).get("Regex"))
    return f"unknown: {kind}"


# --- files ---------------------------------------------------------------------------------------


def _whole(name: str, numbers: Weights) -> Tensor:
    return Tensor(name, numbers.shape, gguf.GGMLQuantizationType.F32, lambda: np.ascontiguousarray(numbers))


def _packed(name: str, shape: tuple[int, ...], kind: gguf.GGMLQuantizationType, make: Callable[[], Weights]) -> Tensor:
    """Announce a tensor in that type; rows that do not divide into its blocks are written as f16."""
    if shape[-1] % gguf.GGML_QUANT_SIZES[kind][0]:
        kind = gguf.GGMLQuantizationType.F16
    return Tensor(name, shape, kind, lambda: gguf.quantize(make(), kind))


@contextmanager
def _written(out: Path, architecture: str) -> Iterator[tuple[gguf.GGUFWriter, list[Tensor]]]:
    """Collect keys and tensors, then write them to a scratch file that takes its name when it is whole and on the disk."""
    scratch = out.with_name(f".{out.name}.{os.getpid()}.part")
    writer = gguf.GGUFWriter(scratch, architecture)
    tensors: list[Tensor] = []
    try:
        yield writer, tensors
        for tensor in tensors:
            block, size = gguf.GGML_QUANT_SIZES[tensor.kind]
            writer.add_tensor_info(tensor.name, tensor.shape, np.dtype(np.float32), math.prod(tensor.shape) // block * size, raw_dtype=tensor.kind)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        for tensor in tensors:
            writer.write_tensor_data(tensor.make())
        writer.close()
        for place in (scratch, out.parent):
            handle = os.open(place, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        scratch.replace(out)
    finally:
        writer.close()
        scratch.unlink(missing_ok=True)


def _copy_keys(file: gguf.GGUFReader, writer: gguf.GGUFWriter, but: Iterable[str]) -> None:
    left_out = {"general.architecture", *but}
    for name, field in file.fields.items():
        if name.startswith("GGUF.") or name in left_out:
            continue
        if name == "split.count" and field.contents() > 1:
            raise InvalidInputError("The base comes in several files.", "Join them with llama.cpp's gguf-split first.")
        if name == "general.alignment":
            writer.add_custom_alignment(field.contents())
            continue
        writer.add_key_value(name, field.contents(), field.types[0], sub_type=field.types[-1] if len(field.types) > 1 else None)


def _open(path: Path) -> gguf.GGUFReader:
    try:
        return gguf.GGUFReader(path)
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise InvalidInputError(f"“{path.name}” cannot be read as a GGUF file.", "It may be cut short; download it again.") from error


def _value(file: gguf.GGUFReader, key: str) -> Any:  # noqa: ANN401 - whatever the file holds under that key, None for nothing
    field = file.get_field(key)
    return None if field is None else field.contents()


def _tensors(files: Sequence[Path]) -> Iterator[tuple[str, LocalTensor]]:
    """Name every tensor of the safetensors files, in the order of their names within a file."""
    if not files:
        raise InvalidInputError("The folder holds no model.safetensors.", "Download the model with its safetensors.")
    for file in files:
        try:
            yield from SafetensorsLocal(file).tensors.items()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInputError(f"“{file.name}” cannot be read.", "It may be missing or cut short; download it again, or train again.") from error


def _numbers(tensor: LocalTensor) -> Weights:
    """Return the numbers of a tensor as float32, which holds each of the three kinds exactly."""
    try:
        raw = tensor.mmap_bytes()
        if tensor.dtype == "BF16":
            numbers = (raw.view("<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
        else:
            numbers = raw.view({"F32": "<f4", "F16": "<f2"}[tensor.dtype]).astype(np.float32)
        return np.asarray(numbers).reshape(tensor.shape)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInputError(f"A tensor of the kind {tensor.dtype} cannot be read.", "Save it as float32, float16 or bfloat16.") from error


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"“{path.parent.name}” has no {path.name} that can be read.", "Give the whole folder, as it was saved.") from error
    if not isinstance(content, dict):
        raise InvalidInputError(f"{path.name} holds no object.", "Give the folder as it was saved.")
    return content


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command, write the file, and say on one line of JSON what was written; a refusal is a sentence on stderr."""
    parser = argparse.ArgumentParser(prog="export", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    adapter = commands.add_parser("adapter", help="a peft LoRA adapter as GGUF")
    adapter.add_argument("folder", type=Path, help="the folder that peft saved")
    adapter.add_argument("out", type=Path)
    adapter.add_argument("--base", type=Path, required=True, help="the base: its Hugging Face folder or its GGUF file")
    merge = commands.add_parser("merge", help="a base GGUF file with the adapter in its weights")
    merge.add_argument("folder", type=Path, help="the folder that peft saved")
    merge.add_argument("base", type=Path, help="the base's GGUF file")
    merge.add_argument("out", type=Path)
    merge.add_argument("--scale", type=float, default=1.0, help="how much of the adapter: 1 is all of it, as it was trained")
    model = commands.add_parser("model", help="a whole Hugging Face folder as GGUF")
    model.add_argument("folder", type=Path, help="config.json, tokenizer.json and the safetensors")
    model.add_argument("out", type=Path)
    for command in (merge, model):
        command.add_argument("--type", choices=TYPES, default="q8_0", help="how numbers are kept: f16, or q8_0 in half the space")
    for command in (adapter, merge, model):
        command.add_argument("--name", help="what it is called inside, such as the run's id; the folder's name if not given")
    given = parser.parse_args(arguments)
    name = given.name or given.folder.resolve().name
    try:
        if given.command == "adapter":
            export_adapter(given.folder, Base.read(given.base), given.out, name)
        elif given.command == "merge":
            export_merged(given.folder, given.base, given.out, given.type, given.scale, name)
        else:
            export_model(given.folder, given.out, given.type, name)
    except NodeError as error:
        print(f"{error.detail} {error.hint}".strip(), file=sys.stderr)  # noqa: T201 - the parent reads it
        return 1
    except OSError as error:
        print(f"{given.out.name} could not be written: {error.strerror}. Make room, or choose another place.", file=sys.stderr)  # noqa: T201 - as above
        return 1
    print(json.dumps({"file": str(given.out), "bytes": given.out.stat().st_size}))  # noqa: T201 - as above
    return 0


if __name__ == "__main__":
    sys.exit(main())
