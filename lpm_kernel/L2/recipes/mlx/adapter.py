"""An adapter as PEFT keeps it, and as MLX does (mlx-lm's ``adapters.safetensors``).

Both hold two matrices for each layer. PEFT has ``lora_A`` of shape (rank, in) and ``lora_B`` of
shape (out, rank), and puts ``alpha / rank`` of their product on the base; MLX has ``lora_a`` of
shape (in, rank) and ``lora_b`` of shape (rank, out), and names that factor ``scale``. So each is
the other transposed, and nothing is lost either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

PEFT_WEIGHTS, PEFT_SETTINGS = "adapter_model.safetensors", "adapter_config.json"
MLX_WEIGHTS, MLX_SETTINGS = "adapters.safetensors", "adapter_config.json"

_PEFT: Final = re.compile(
    r"base_model\.model\.(?P<layer>[\w.]{1,200})\.lora_(?P<half>[AB])\.weight"
)
_MLX: Final = re.compile(r"\b(?P<layer>[\w.]{1,200})\.lora_(?P<half>[ab])")
Weights = Mapping[str, NDArray[Any]]


def as_mlx(weights: Weights) -> dict[str, NDArray[Any]]:
    """Give PEFT's matrices as MLX names and turns them. Raises ``ValueError`` for others.

    >>> both = {"base_model.model.model.layers.0.mlp.up_proj.lora_A.weight": np.zeros((2, 5))}
    >>> {name: each.shape for name, each in as_mlx(both).items()}
    {'model.layers.0.mlp.up_proj.lora_a': (5, 2)}
    """
    found = {}
    for name, matrix in weights.items():
        part = _read(_PEFT, name, matrix)
        found[f"{part['layer']}.lora_{part['half'].lower()}"] = np.ascontiguousarray(matrix.T)
    return found


def as_peft(weights: Weights) -> dict[str, NDArray[Any]]:
    """Give MLX's matrices as PEFT names and turns them. Raises ``ValueError`` for others."""
    found = {}
    for name, matrix in weights.items():
        part = _read(_MLX, name, matrix)
        peft = f"base_model.model.{part['layer']}.lora_{part['half'].upper()}.weight"
        found[peft] = np.ascontiguousarray(matrix.T)
    return found


def to_mlx(peft: Path, target: Path) -> None:
    """Write an adapter of PEFT, a folder, as one of MLX."""
    known = json.loads((peft / PEFT_SETTINGS).read_text("utf-8"))
    weights = as_mlx(load_file(peft / PEFT_WEIGHTS))
    settings = {
        "fine_tune_type": "lora",
        "num_layers": -1,
        "lora_parameters": {
            "rank": known["r"],
            "scale": known["lora_alpha"] / known["r"],
            "dropout": known.get("lora_dropout", 0.0),
            "keys": _keys(weights),
        },
    }
    _write(target, {MLX_WEIGHTS: weights}, {MLX_SETTINGS: settings})


def to_peft(mlx: Path, target: Path, base: str) -> None:
    """Write an adapter of MLX, a folder, as one of PEFT; ``base`` is what it was learned on."""
    known = json.loads((mlx / MLX_SETTINGS).read_text("utf-8"))["lora_parameters"]
    weights = load_file(mlx / MLX_WEIGHTS)
    alpha = known["scale"] * known["rank"]
    settings = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": known["rank"],
        "lora_alpha": round(alpha) if abs(alpha - round(alpha)) < 1e-9 else alpha,  # noqa: PLR2004 - rounding of a float
        "lora_dropout": known.get("dropout", 0.0),
        "target_modules": sorted({key.rpartition(".")[2] for key in _keys(weights)}),
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
    }
    _write(target, {PEFT_WEIGHTS: as_peft(weights)}, {PEFT_SETTINGS: settings})


def _read(pattern: re.Pattern[str], name: str, matrix: NDArray[Any]) -> re.Match[str]:
    part = pattern.fullmatch(name)
    if part is None or matrix.ndim != 2:  # noqa: PLR2004 - a matrix
        raise ValueError(f"{name} is no matrix of a LoRA adapter.")
    return part


def _keys(weights: Weights) -> list[str]:
    """Return the layers that an adapter is on, as MLX names them within a block."""
    named = (re.sub(r"^.*?layers\.\d+\.", "", name.rpartition(".lora_")[0]) for name in weights)
    return sorted(set(named))


def _write(
    target: Path, weights: Mapping[str, Weights], settings: Mapping[str, Mapping[str, Any]]
) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name, each in weights.items():
        save_file(dict(each), target / name)
    for name, said in settings.items():
        (target / name).write_text(json.dumps(said, indent=1), "utf-8")
