"""A LoRA adapter as peft saves it: read, held against its base, refused where GGUF has no place for
it, and written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.base import LINEAR, BaseMeasures
from lpm_kernel.L2.recipes.export.reading import Weights, numbers_of, read_json, tensors_of
from lpm_kernel.L2.recipes.export.writing import whole, written


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
    "use_dora": (
        "uses DoRA, which changes the lengths of the rows too",
        "Train with use_dora=False.",
    ),
    "rank_pattern": (
        "has different ranks for different layers",
        "Train with one rank and without rank_pattern.",
    ),
    "alpha_pattern": (
        "has different weights for different layers",
        "Train with one lora_alpha and without alpha_pattern.",
    ),
    "modules_to_save": (
        "holds whole layers beside its low-rank changes",
        "Train without modules_to_save.",
    ),
    "trainable_token_indices": (
        "holds new rows of the vocabulary",
        "Train without trainable_token_indices.",
    ),
    "target_parameters": ("changes single parameters", "Train with target_modules alone."),
    "layer_replication": ("repeats layers of its base", "Train without layer_replication."),
    "lora_bias": ("has biases of its own", "Train with lora_bias=False."),
    "fan_in_fan_out": (
        "was made for transposed layers, which these families do not have",
        "Train with fan_in_fan_out=False.",
    ),
    "use_qalora": ("was made for a base quantised in groups", "Train with use_qalora=False."),
    "alora_invocation_tokens": (
        "takes effect only after certain words",
        "Train without alora_invocation_tokens.",
    ),
}
"""Settings of peft that a GGUF adapter has no place for: what the adapter does with them, and what
to do.
"""

CHANGED_BASES = ("pissa", "olora", "corda", "loftq")
"""Ways to begin that change the base as well, so that the adapter means nothing without that
changed base.
"""

LORA_NAME = re.compile(
    r"base_model\.model\.model\.layers\.(\d+)\.([a-z_]+\.[a-z_]+)\.lora_([AB])\.weight"
)


def read_adapter(folder: Path, base: BaseMeasures) -> Lora:
    """Read what peft saved, checked against its base. Raises ``InvalidInputError`` for what cannot
    be exported.
    """
    config = read_json(folder / "adapter_config.json")
    _refuse_unfit(config)
    rank, alpha = int(config["r"]), float(config["lora_alpha"])
    if config.get("use_rslora"):
        alpha *= math.sqrt(rank)  # there the weight is alpha / sqrt(rank)
    if alpha == 0:
        raise InvalidInputError(
            "The adapter's lora_alpha is zero, so that it changes nothing.",
            "Train with another lora_alpha; twice the rank is usual.",
        )
    halves: dict[tuple[int, str], dict[str, Weights]] = {}
    for name, tensor in tensors_of([folder / "adapter_model.safetensors"]):
        layer, module, half = _place(name)
        halves.setdefault((layer, module), {})[half] = numbers_of(tensor)
    pairs = tuple(
        _pair(layer, module, found, base, rank) for (layer, module), found in halves.items()
    )
    if not pairs:
        raise InvalidInputError(
            "The adapter holds no weights.", "Its training may have broken off; train again."
        )
    return Lora(rank, alpha, pairs)


def _refuse_unfit(config: Mapping[str, Any]) -> None:
    kind = config.get("peft_type")
    if (
        kind != "LORA"
        or not isinstance(config.get("r"), int)
        or not isinstance(config.get("lora_alpha"), int | float)
    ):
        raise InvalidInputError(
            f"This is no LoRA adapter but “{str(kind)[:40]}”.", "Train a LoRA adapter."
        )
    for setting, (what, instead) in UNFIT.items():
        if config.get(setting):
            raise InvalidInputError(
                f"The adapter {what}, which a GGUF adapter cannot hold.", instead
            )
    if config.get("bias", "none") != "none":
        raise InvalidInputError(
            "The adapter changes biases, which a GGUF adapter cannot hold.", "Train with bias=none."
        )
    beginning = str(config.get("init_lora_weights", ""))
    if beginning.lower().startswith(CHANGED_BASES):
        raise InvalidInputError(
            f"The adapter began with {beginning}, which changes its base too.",
            "Train with init_lora_weights=True.",
        )


def _place(name: str) -> tuple[int, str, str]:
    """Return layer, module and half of a tensor. Raises ``InvalidInputError`` for one that has no
    place in a GGUF adapter.
    """
    found = LORA_NAME.fullmatch(name)
    if found is not None and found[2] in LINEAR:
        return int(found[1]), found[2], found[3]
    if "embed" in name or "lm_head" in name:
        raise InvalidInputError(
            "The adapter changes the vocabulary's weights.",
            "Train without embed_tokens and lm_head among the target modules.",
        )
    raise InvalidInputError(
        f"The adapter changes “{name[:100]}”, which is no linear layer of a known name.",
        f"Train on {', '.join(LINEAR)}.",
    )


def _pair(
    layer: int, module: str, halves: Mapping[str, Weights], base: BaseMeasures, rank: int
) -> Pair:
    rows, columns = base.shape(module)
    down, up = halves.get("A"), halves.get("B")
    if down is None or up is None:
        raise InvalidInputError(
            f"Half of the adapter's change to {module} in layer {layer} is missing.",
            "The file is damaged; train again.",
        )
    if down.shape[0] != rank or up.shape[-1] != rank:
        raise InvalidInputError(
            f"The adapter's settings say rank {rank} and its weights do not.",
            "The folder is a mixture of two; train again.",
        )
    if layer >= base.layers or (up.shape[0], down.shape[-1]) != (rows, columns):
        raise InvalidInputError(
            f"The adapter does not fit this base: {module} in layer {layer} is {up.shape[0]} ×"
            f" {down.shape[-1]} in it; the base has {base.layers} layers, and {rows} × {columns}"
            " there.",
            "Give the base model that the adapter was trained on.",
        )
    if not (np.isfinite(down).all() and np.isfinite(up).all()):
        raise InvalidInputError(
            "The adapter holds numbers that are not finite: its training went astray.",
            "Train again with a smaller learning rate.",
        )
    return Pair(layer, module, down, base.in_order(module, up))


def export_adapter(folder: Path, base: BaseMeasures, out: Path, name: str) -> None:
    """Write a LoRA adapter, byte for byte what llama.cpp's `convert_lora_to_gguf.py` makes of it
    under that name.
    """
    lora = read_adapter(folder, base)
    with written(out, base.architecture) as (writer, tensors):
        writer.add_type(gguf.GGUFType.ADAPTER)
        writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
        writer.add_name(name)
        writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, lora.alpha)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for pair in lora.pairs:
            tensors += [
                whole(f"{pair.tensor}.lora_a", pair.down),
                whole(f"{pair.tensor}.lora_b", pair.up),
            ]
