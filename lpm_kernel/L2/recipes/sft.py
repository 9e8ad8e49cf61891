"""Supervised fine-tuning: from questions and answers to a LoRA adapter.

    python -m lpm_kernel.L2.recipes.sft RUN            # learn, or go on where it stood
    python -m lpm_kernel.L2.recipes.sft RUN --measure  # three steps: what would the whole need?
    accelerate launch -m lpm_kernel.L2.recipes.sft RUN the same on several devices

RUN is a folder with ``recipe.json`` (``Recipe`` below), ``examples.jsonl`` and ``held_out.jsonl``;
a row is ``{"prompt": [messages], "completion": [message]}``. What comes out: ``progress.jsonl`` (a
line for every step), ``samples.jsonl`` (answers before and while it learns), ``estimate.json``,
``adapter/`` and ``outcome.json``.

Loss counts for the answer only. A file ``stop`` in the folder ends it after the step under way,
with a checkpoint.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from lpm_kernel.L2.recipes.loop.folder import (
    alone,
    append,
    copy_adapter,
    cut_off,
    last_checkpoint,
    rows_in,
    state_of,
    write,
)
from lpm_kernel.L2.recipes.loop.learning import Diary, Looks, SeededOrder, as_it_was, learn_on
from lpm_kernel.L2.recipes.loop.machine import (
    Room,
    device_of,
    is_first_process,
    peak_bytes,
    stay_offline,
)
from lpm_kernel.L2.recipes.loop.measuring import Measured, measure
from lpm_kernel.L2.recipes.loop.settings import LoopSettings, arguments, base_model, command


@dataclass(frozen=True)
class Recipe(LoopSettings):
    """What is trained, and how."""

    file: ClassVar[str] = "recipe.json"

    start: str | None = None
    """An adapter from which it goes on, with its rank, alpha and strength; otherwise a new one."""
    rank: int = 16
    alpha: int = 32
    strength: float = 1.0
    """How much of what was learned the adapter puts on the base, as a share of ``alpha``: less of
    it holds a little less and admits more often that it does not know.
    """
    dropout: float = 0.0
    samples: tuple[str, ...] = field(default=())
    """Questions that are answered before and now and then while it learns, as messages in JSON."""


def main(given: list[str] | None = None) -> None:
    """Run one training, or measure it."""
    run, only_measured = command(
        "lpm_kernel.L2.recipes.sft",
        "Teach a language model from questions and answers.",
        given,
    )
    with alone(run):
        if only_measured:
            recipe = Recipe.read(run)
            # forward alone is about a third of a step
            measure(
                run,
                recipe,
                Measured(
                    lambda steps: trainer(run, recipe, most_steps=steps),
                    lambda row: len(row["input_ids"]),
                    look=1 / 3,
                ),
            )
        else:
            learn(run)


def trainer(run: Path, recipe: Recipe, *, most_steps: int | None = None) -> Any:  # noqa: ANN401 - trl's trainer; its types stay behind this door
    """Put model, rows and settings into trl's trainer."""
    stay_offline()
    import torch
    from datasets import Dataset  # type: ignore[import-untyped]
    from peft import LoraConfig, PeftModel
    from transformers import set_seed
    from trl import SFTConfig, SFTTrainer  # type: ignore[attr-defined]

    class Teaching(SeededOrder, SFTTrainer):
        """trl's trainer, going on in the same order."""

        room = None if most_steps else Room.of(run)

    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    set_seed(recipe.seed)
    model, tokenizer = base_model(recipe.base)
    rows, held = (
        Dataset.from_list(list(rows_in(run / name)))
        for name in ("examples.jsonl", "held_out.jsonl")
    )
    settings = SFTConfig(
        **arguments(recipe, run, len(rows), len(held), most_steps),
        completion_only_loss=True,
        packing=False,
    )
    lora = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return Teaching(
        model=PeftModel.from_pretrained(model, recipe.start, is_trainable=True)
        if recipe.start
        else model,
        args=settings,
        train_dataset=rows,
        eval_dataset=held if len(held) else None,
        processing_class=tokenizer,
        peft_config=None if recipe.start else lora,
    )


# --- learning -----------------------------------------------------------------------------------


def learn(run: Path) -> None:
    """Learn, from the start or from the last whole checkpoint, and leave the adapter."""
    recipe = Recipe.read(run)
    if (run / "outcome.json").exists():
        return
    at = last_checkpoint(run)
    if at is not None and Looks().is_the_end(at, recipe):
        steps = state_of(at)["global_step"]
        _finish(run, recipe, steps, 0.0, lambda scratch: copy_adapter(at, scratch))
        return
    teaching = trainer(run, recipe)
    teaching.add_callback(_diary(run, recipe, teaching))
    started = time.monotonic()
    if learn_on(teaching, run, at) and is_first_process():
        _finish(
            run,
            recipe,
            teaching.state.global_step,
            time.monotonic() - started,
            lambda scratch: teaching.save_model(str(scratch)),
        )


def _finish(
    run: Path, recipe: Recipe, steps: int, seconds: float, write_to: Callable[[Path], None]
) -> None:
    """Leave the adapter, whole, and then what came of it."""
    scratch = run / ".adapter"
    shutil.rmtree(scratch, ignore_errors=True)
    write_to(scratch)
    _weaken(scratch, recipe)
    shutil.rmtree(run / "adapter", ignore_errors=True)
    scratch.rename(run / "adapter")
    write(
        run / "outcome.json",
        {
            "steps": steps,
            "seconds": round(seconds, 1),
            "peak_bytes": peak_bytes(device_of(recipe.device)),
        },
    )


def _weaken(adapter: Path, recipe: Recipe) -> None:
    """Write the strength of what was learned into the adapter: whoever puts it on a base, merges or
    exports it takes it from there. In one from which it went on it stands already.
    """
    if recipe.start:
        return
    known = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    write(adapter / "adapter_config.json", known | {"lora_alpha": recipe.alpha * recipe.strength})


def _diary(run: Path, recipe: Recipe, teaching: Any) -> Any:  # noqa: ANN401 - trl's types stay behind this door
    """Write down steps and losses, and the answers to the sample questions."""
    from transformers import TrainerCallback

    samples = run / "samples.jsonl"
    if is_first_process():
        cut_off(samples)
    answered = {line["step"] for line in rows_in(samples)}

    class SamplingDiary(Diary, TrainerCallback):
        """Answers sample questions too."""

        def note(self, step: int) -> None:
            if step not in answered:
                _sample(run, recipe, teaching, step)

    return SamplingDiary(run, recipe, teaching)


def _sample(run: Path, recipe: Recipe, teaching: Any, step: int) -> None:  # noqa: ANN401 - trl's types stay behind this door
    """Answer the sample questions as the model would now. The draw of random numbers is left as it
    was.
    """
    if not recipe.samples:
        return
    tokenizer, model = teaching.processing_class, teaching.accelerator.unwrap_model(teaching.model)
    with as_it_was(model):
        for number, asked in enumerate(recipe.samples):
            prompt = tokenizer.apply_chat_template(
                json.loads(asked), add_generation_prompt=True, return_tensors="pt", return_dict=True
            ).to(model.device)
            words = model.generate(
                **prompt, max_new_tokens=40, do_sample=False, pad_token_id=tokenizer.pad_token_id
            )[0, prompt["input_ids"].shape[1] :]
            append(
                run / "samples.jsonl",
                {
                    "step": step,
                    "question": number,
                    "answer": tokenizer.decode(words, skip_special_tokens=True).strip(),
                },
            )


if __name__ == "__main__":
    main()
