"""What torch makes of a training's rows and adapter, in a process of its own: `make bench` holds it
beside what the product makes.

python -m tests.bench.in_torch answers RUN QUESTIONS   # JSON, one answer a line
python -m tests.bench.in_torch bare RUN STEPS          # seconds of each step of trl's own loop
python -m tests.bench.in_torch bare-dpo RUN STEPS      # the same of its DPOTrainer, over the pairs
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from lpm_kernel.L2.recipes import dpo, sft
from lpm_kernel.L2.recipes.loop.folder import rows_in
from lpm_kernel.L2.recipes.loop.machine import sixteen_bits, stay_offline
from lpm_kernel.L2.recipes.loop.settings import base_model
from lpm_kernel.L2.settling import settle

MOST_TOKENS = 60


def answers(run: Path, questions: Path) -> None:
    """Answer each line of ``questions`` (messages in JSON) greedily."""
    import torch
    from peft import PeftModel

    model, tokenizer = base_model(sft.Recipe.read(run).base)
    learned = PeftModel.from_pretrained(model, str(run / "adapter")).eval()
    with torch.no_grad():
        for line in questions.read_text("utf-8").splitlines():
            asked = tokenizer.apply_chat_template(
                json.loads(line), add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
            said = learned.generate(
                **asked,
                max_new_tokens=MOST_TOKENS,
                do_sample=False,
                pad_token_id=tokenizer.pad_token_id,
            )  # type: ignore[no-untyped-call]
            print(
                json.dumps(
                    tokenizer.decode(
                        said[0, asked["input_ids"].shape[1] :], skip_special_tokens=True
                    ).strip(),
                    ensure_ascii=False,
                ),
                flush=True,
            )


def bare(run: Path, steps: int) -> None:
    """Take steps with trl's trainer alone: nothing is written, looked at or sampled."""
    _time(sft.trainer(run, sft.Recipe.read(run), most_steps=steps))


def bare_dpo(run: Path, steps: int) -> None:
    """Take steps with trl's DPOTrainer as anybody would write it, with the recipe's settings."""
    import torch
    from datasets import Dataset  # type: ignore[import-untyped]
    from peft import PeftModel
    from trl import DPOConfig, DPOTrainer  # type: ignore[attr-defined]

    recipe = dpo.PreferenceRecipe.read(run)
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    base, tokenizer = base_model(recipe.base)
    settings = DPOConfig(
        output_dir=str(run / "bare"),
        per_device_train_batch_size=recipe.batch,
        max_steps=steps,
        beta=recipe.beta,
        loss_type=list(recipe.loss_type),
        loss_weights=list(recipe.loss_weights),
        learning_rate=recipe.learning_rate,
        bf16=sixteen_bits(recipe.precision, on_cpu=True),
        use_cpu=True,
        max_length=None,
        gradient_checkpointing=False,
        save_strategy="no",
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
    )
    rows = [{side: row[side] for side in dpo.SIDES} for row in rows_in(run / "pairs.jsonl")]
    _time(
        DPOTrainer(
            model=PeftModel.from_pretrained(base, str(run / "adapter"), is_trainable=True),
            args=settings,
            train_dataset=Dataset.from_list(rows),
            processing_class=tokenizer,
        )
    )


def _time(loop: Any) -> None:  # noqa: ANN401 - trl publishes no types
    """Print the seconds of each step but the first."""
    from transformers import TrainerCallback

    stamps: list[float] = []

    class Watch(TrainerCallback):
        """Looks at the clock."""

        def on_step_end(self, *_: object, **__: object) -> None:
            stamps.append(time.monotonic())

    loop.add_callback(Watch())
    loop.train()
    print(json.dumps([round(after - before, 3) for before, after in pairwise(stamps)]), flush=True)


if __name__ == "__main__":
    settle("tests.bench.in_torch")
    stay_offline()
    what, where, more = sys.argv[1:]
    if what == "answers":
        answers(Path(where), Path(more))
    else:
        {"bare": bare, "bare-dpo": bare_dpo}[what](Path(where), int(more))
