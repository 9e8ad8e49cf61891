"""Adapters of MLX and of PEFT are the same under other names: there and back nothing is lost, and
both put the same on the base.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from lpm_kernel.L2.recipes.mlx.adapter import as_mlx, as_peft, to_mlx, to_peft

LAYERS = ("self_attn.q_proj", "self_attn.o_proj", "mlp.down_proj")


def adapter(seed: int, rank: int, blocks: int) -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(seed)
    found = {}
    for block in range(blocks):
        for number, layer in enumerate(LAYERS):
            wide, high = 4 + number, 3 + 2 * number
            name = f"base_model.model.model.layers.{block}.{layer}"
            found[f"{name}.lora_A.weight"] = random.normal(size=(rank, wide)).astype(np.float32)
            found[f"{name}.lora_B.weight"] = random.normal(size=(high, rank)).astype(np.float32)
    return found


@given(st.integers(0, 2**16), st.integers(1, 8), st.integers(1, 3))
def test_there_and_back_nothing_is_lost(seed: int, rank: int, blocks: int) -> None:
    mine = adapter(seed, rank, blocks)
    back = as_peft(as_mlx(mine))
    assert set(back) == set(mine)
    assert all(np.array_equal(back[name], mine[name]) for name in mine)


@given(st.integers(0, 2**16), st.integers(1, 8))
def test_both_put_the_same_on_the_base(seed: int, rank: int) -> None:
    mine = adapter(seed, rank, 1)
    theirs = as_mlx(mine)
    for layer in LAYERS:
        name = f"model.layers.0.{layer}"
        a, b = (mine[f"base_model.model.{name}.lora_{half}.weight"] for half in "AB")
        x = np.ones((1, a.shape[1]), np.float32)
        np.testing.assert_allclose(
            x @ (b @ a).T, x @ theirs[f"{name}.lora_a"] @ theirs[f"{name}.lora_b"], rtol=1e-4
        )


@settings(max_examples=20)
@given(st.integers(1, 16), st.sampled_from([1, 8, 32, 12.8]))
def test_the_factor_stays(rank: int, alpha: float) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        peft, mlx, back = place / "peft", place / "mlx", place / "back"
        peft.mkdir()
        save_file(adapter(1, rank, 2), peft / "adapter_model.safetensors")
        (peft / "adapter_config.json").write_text(json.dumps({"r": rank, "lora_alpha": alpha}))
        to_mlx(peft, mlx)
        to_peft(mlx, back, "a base")
        said = json.loads((mlx / "adapter_config.json").read_text("utf-8"))["lora_parameters"]
        assert said["scale"] == pytest.approx(alpha / rank)
        assert said["keys"] == sorted(LAYERS)
        known = json.loads((back / "adapter_config.json").read_text("utf-8"))
        assert known["lora_alpha"] == pytest.approx(alpha)
        assert (known["r"], known["base_model_name_or_path"]) == (rank, "a base")
        assert set(known["target_modules"]) == {"q_proj", "o_proj", "down_proj"}
        assert set(load_file(back / "adapter_model.safetensors")) == set(adapter(1, rank, 2))


def test_what_is_no_adapter_is_refused() -> None:
    with pytest.raises(ValueError, match="no matrix"):
        as_mlx({"lm_head.weight": np.zeros((2, 2))})
    with pytest.raises(ValueError, match="no matrix"):
        as_peft({"model.layers.0.mlp.up_proj.lora_a": np.zeros(3)})
