"""What can be set of any recipe that learns step by step, and how trl's trainers take it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Self

from lpm_kernel.domain.training.runs import with_present_names
from lpm_kernel.L2.recipes.loop.machine import (
    device_of,
    division,
    processes,
    sixteen_bits,
    stay_offline,
)
from lpm_kernel.L2.settling import settle


@dataclass(frozen=True)
class LoopSettings:
    """What is trained, and how."""

    file: ClassVar[str]
    """In the folder of a run, where they stand."""

    base: str
    """A Hugging Face folder, or a GGUF file that transformers reads."""
    learning_rate: float = 1e-3
    warmup_steps: int = 20
    epochs: float = 3.0
    steps: int | None = None
    """Most steps; ``None`` leaves it to ``epochs``."""
    batch: int = 16
    """Rows a step, over all devices and micro-batches."""
    micro_batch_size: int | None = None
    """Rows that go through the model at once; fewer need less memory and give the same result.
    ``None``: the whole batch.
    """
    checkpoint_every: int = 25
    patience: int = 4
    """Looks at what is held out without getting better, after which it ends."""
    seed: int = 1
    threads: int | None = None
    precision: str = "auto"
    """``auto``, ``float32`` or ``bfloat16``: the sums of a step in sixteen bits where the processor
    has them; the weights stay in 32.
    """
    device: str = "auto"
    """``auto`` takes a GPU where there is one; or ``cpu``, ``cuda``, ``mps``."""

    @classmethod
    def read(cls, run: Path) -> Self:
        """Read them; raises ``SystemExit`` with a sentence for a setting that is not known."""
        given: dict[str, Any] = with_present_names(json.loads((run / cls.file).read_text("utf-8")))
        if unknown := set(given) - {each.name for each in fields(cls)}:
            raise SystemExit(
                f"The recipe has settings that are not known: {', '.join(sorted(unknown))}."
            )
        lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        return cls(**{**given, **lists})

    @property
    def micro_batch(self) -> int:
        """Rows that go through the model at once, over all devices."""
        return min(self.micro_batch_size or self.batch, self.batch)

    def steps_over(self, rows: int) -> int:
        """Return the steps of a whole training over so many rows."""
        return self.steps or -(-rows // self.batch) * int(self.epochs)


def arguments(
    settings: LoopSettings, run: Path, rows: int, held_out: int, most_steps: int | None
) -> dict[str, Any]:
    """Return the settings as transformers' ``TrainingArguments`` name them; checkpoints go under
    ``run``.
    """
    on_cpu = device_of(settings.device) == "cpu"
    at_once, times = division(settings.batch, settings.micro_batch, processes())
    in_all = most_steps or settings.steps or -(-rows // settings.batch) * settings.epochs
    return {
        "output_dir": str(run / "checkpoints"),
        "per_device_train_batch_size": at_once,
        "per_device_eval_batch_size": max(1, settings.micro_batch // processes()),
        "gradient_accumulation_steps": times,
        "num_train_epochs": settings.epochs,
        "max_steps": most_steps or settings.steps or -1,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "cosine",
        # of a short training, a tenth
        "warmup_steps": min(settings.warmup_steps, int(in_all) // 10),
        "weight_decay": 0.0,
        "max_grad_norm": 1.0,
        "bf16": sixteen_bits(settings.precision, on_cpu=on_cpu),
        "use_cpu": on_cpu,
        "train_sampling_strategy": "group_by_length",
        "max_length": None,
        "gradient_checkpointing": False,
        "dataloader_pin_memory": not on_cpu,
        "save_strategy": "no" if most_steps else "steps",
        "save_steps": settings.checkpoint_every,
        "save_total_limit": 2,
        "eval_strategy": "no" if most_steps or not held_out else "steps",
        "eval_steps": settings.checkpoint_every,
        "logging_steps": 1,
        "report_to": "none",
        "disable_tqdm": True,
        "seed": settings.seed,
        "data_seed": settings.seed,
    }


def base_model(base: str) -> tuple[Any, Any]:
    """Load the model that learns, with its tokenizer. Weights are 32-bit: small ones would round
    steps away.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    path = Path(base)
    given: dict[str, Any] = {"gguf_file": path.name} if path.is_file() else {}
    folder = str(path.parent if path.is_file() else path)
    tokenizer = AutoTokenizer.from_pretrained(folder, **given)
    if given:
        given["quantization_config"] = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **given)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def command(module: str, description: str, given: Sequence[str] | None) -> tuple[Path, bool]:
    """Read the command line of a recipe and settle its process: return the folder of the run, and
    whether it is only to be measured.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("run", type=Path)
    parser.add_argument(
        "--measure", action="store_true", help="take three steps, write estimate.json and end"
    )
    chosen = parser.parse_args(given)
    settle(module)
    stay_offline()
    return chosen.run, chosen.measure
