"""What torch makes of a training's rows and adapter, in a process of its own: `make bench` holds it
beside what the product makes.

python -m tests.bench.in_torch answers RUN QUESTIONS   # JSON, one answer a line
python -m tests.bench.in_torch bare RUN STEPS          # seconds of each step of trl's own loop
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

from lpm_kernel.L2.recipes import sft
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
    from transformers import TrainerCallback

    stamps: list[float] = []

    class Watch(TrainerCallback):
        """Looks at the clock."""

        def on_step_end(self, *_: object, **__: object) -> None:
            stamps.append(time.monotonic())

    loop = sft.trainer(run, sft.Recipe.read(run), most_steps=steps)
    loop.add_callback(Watch())
    loop.train()
    print(json.dumps([round(after - before, 3) for before, after in pairwise(stamps)]), flush=True)


if __name__ == "__main__":
    settle("tests.bench.in_torch")
    what, where, more = sys.argv[1:]
    if what == "answers":
        answers(Path(where), Path(more))
    else:
        bare(Path(where), int(more))
