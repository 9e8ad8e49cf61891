"""The recipe for Apple Silicon, with a twin of mlx-lm: what it is asked, what is noted of what it
says, that it goes on where it was stopped, and that PEFT reads the adapter. MLX itself was not run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

pytestmark = pytest.mark.integration

TWIN = '''
"""Says what mlx-lm says, and saves what it saves."""
import json, pathlib, sys
import numpy as np
from safetensors.numpy import save_file

asked = json.loads(pathlib.Path(sys.argv[sys.argv.index("--config") + 1]).read_text())
rows = [json.loads(line) for line in open(asked["data"] + "/train.jsonl")]
assert all(row["messages"][-1]["role"] == "assistant" for row in rows)
place, lora = pathlib.Path(asked["adapter_path"]), asked["lora_parameters"]
place.mkdir(parents=True, exist_ok=True)
if asked["resume_adapter_file"]:
    assert pathlib.Path(asked["resume_adapter_file"]).exists()
(place / "adapter_config.json").write_text(json.dumps(asked))
weights = {}
for key in lora["keys"]:
    weights[f"model.layers.0.{key}.lora_a"] = np.ones((5, lora["rank"]), np.float32)
    weights[f"model.layers.0.{key}.lora_b"] = np.ones((lora["rank"], 3), np.float32)
for at in range(1, asked["iters"] + 1):
    if at % asked["steps_per_report"] == 0:
        print(f"Iter {at}: Train loss {3 / at:.3f}, It/sec 2.0, Peak mem 1.500 GB", flush=True)
    if at % asked["save_every"] == 0 or at == asked["iters"]:
        save_file(weights, place / "adapters.safetensors")
        print(f"Iter {at}: Saved adapter weights to {place}.", flush=True)
'''


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for name in ("run", "base", "twin/mlx_lm"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "twin" / "mlx_lm" / "__init__.py").write_text("")
    (tmp_path / "twin" / "mlx_lm" / "__main__.py").write_text(TWIN)
    row = {
        "prompt": [{"role": "user", "content": "Who lent it?"}],
        "completion": [{"role": "assistant", "content": "Mai."}],
    }
    place = tmp_path / "run"
    (place / "examples.jsonl").write_text(f"{json.dumps(row)}\n" * 8)
    (place / "held_out.jsonl").write_text(f"{json.dumps(row)}\n")
    wanted = {"base": str(tmp_path / "base"), "rank": 4, "alpha": 8, "strength": 0.5}
    wanted |= {"batch": 4, "micro_batch_size": 2, "steps": 6, "checkpoint_every": 2}
    (place / "recipe.json").write_text(json.dumps(wanted))
    return place


def learned(run: Path, *more: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(run.parent / "twin"), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "lpm_kernel.L2.recipes.mlx", str(run), *more],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def progress(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()]


def test_it_leaves_an_adapter_that_peft_reads(run: Path) -> None:
    done = learned(run)
    assert done.returncode == 0, done.stderr
    assert [row["step"] for row in progress(run)] == [1, 2, 3, 4, 5, 6]
    outcome = json.loads((run / "outcome.json").read_text())
    assert (outcome["steps"], outcome["peak_bytes"]) == (6, 1_500_000_000)
    known = json.loads((run / "adapter" / "adapter_config.json").read_text())
    assert (known["r"], known["lora_alpha"]) == (4, 4)  # half as strong
    weights = load_file(run / "adapter" / "adapter_model.safetensors")
    name = "base_model.model.model.layers.0.mlp.down_proj"
    assert weights[f"{name}.lora_A.weight"].shape == (4, 5)
    assert weights[f"{name}.lora_B.weight"].shape == (3, 4)
    assert not (run / "mlx").exists()


def test_it_goes_on_where_it_was_stopped(run: Path) -> None:
    (run / "stop").touch()
    assert learned(run).returncode == 0
    assert not (run / "outcome.json").exists()
    (run / "stop").unlink()
    (run / "mlx" / "done.json").write_text('{"steps": 4}')  # as after the second save
    (run / "mlx" / "adapter").mkdir(exist_ok=True)
    (run / "mlx" / "adapter" / "adapters.safetensors").touch()
    done = learned(run)
    assert done.returncode == 0, done.stderr
    assert [row["step"] for row in progress(run)][-2:] == [5, 6]
    assert json.loads((run / "outcome.json").read_text())["steps"] == 6


def test_it_is_measured(run: Path) -> None:
    assert learned(run, "--measure").returncode == 0
    estimate = json.loads((run / "estimate.json").read_text())
    assert (estimate["steps"], estimate["device"]) == (6, "mlx")
    assert estimate["peak_bytes"] == 1_500_000_000


def test_a_file_is_no_folder(run: Path) -> None:
    wanted = json.loads((run / "recipe.json").read_text())
    (run / "recipe.json").write_text(json.dumps({**wanted, "base": "model.gguf"}))
    done = learned(run)
    assert done.returncode == 1
    assert "Hugging Face folder" in done.stderr
