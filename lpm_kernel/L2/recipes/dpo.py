"""Preference learning: from pairs of a better and a worse answer to a further LoRA adapter, by
direct preference optimisation (Rafailov et al. 2023, https://arxiv.org/abs/2305.18290).

    python -m lpm_kernel.L2.recipes.dpo RUN            # learn, or go on where it stood
    python -m lpm_kernel.L2.recipes.dpo RUN --measure  # three steps: what would the whole need?
    accelerate launch -m lpm_kernel.L2.recipes.dpo RUN the same on several devices

RUN is the folder of a training with ``adapter/``, which `sft.py` made, ``dpo.json``
(``PreferenceRecipe`` below), ``pairs.jsonl`` and ``pairs_held_out.jsonl``; a row is
``{"id", "rule", "prompt": [messages], "chosen": [message], "rejected": [message]}``. What comes out
stands in ``RUN/dpo``: ``progress.jsonl`` (a line for every step and every look at what is held
out), ``estimate.json``, ``adapter/``, ``margins.jsonl`` (each held-out pair, before and after) and
``outcome.json``.

The adapter learns on from where it is, and a frozen copy of it on the same base is the reference
(trl's ``ref``). Kept is the checkpoint with the best mean margin on what is held out. A file
``RUN/dpo/stop`` ends it after the step under way, with a checkpoint.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from lpm_kernel.L2.exam import figure
from lpm_kernel.L2.recipes.loop.folder import (
    alone,
    append,
    checkpoint,
    copy_adapter,
    last_checkpoint,
    rows_in,
    state_of,
    write,
)
from lpm_kernel.L2.recipes.loop.learning import Diary, Looks, SeededOrder, as_it_was, learn_on
from lpm_kernel.L2.recipes.loop.machine import (
    Room,
    device_of,
    division,
    is_first_process,
    peak_bytes,
    processes,
    stay_offline,
)
from lpm_kernel.L2.recipes.loop.measuring import Measured, measure
from lpm_kernel.L2.recipes.loop.settings import LoopSettings, arguments, base_model, command
from lpm_kernel.L2.shares import share

LOSSES = (
    "sigmoid",
    "sigmoid_norm",
    "hinge",
    "ipo",
    "apo_zero",
    "apo_down",
    "nca_pair",
    "bco_pair",
    "sft",
)
"""What trl can make smaller that needs no setting besides β: see its ``DPOConfig.loss_type``."""
MARGIN = Looks("eval_rewards/margins", more_is_better=True)


@dataclass(frozen=True)
class PreferenceRecipe(LoopSettings):
    """What is trained, and how."""

    file: ClassVar[str] = "dpo.json"

    beta: float = 0.1
    """How strongly the reference holds: more stays nearer to it."""
    loss_type: tuple[str, ...] = ("sigmoid", "sft")
    """Of ``LOSSES``; the sum of them, each by its weight. ``sft`` keeps the better answer likely,
    which the margin alone does not: it also grows where both become unlikely.
    """
    loss_weights: tuple[float, ...] = (1.0, 0.2)
    """As much ``sft`` as keeps the language whole: at 1.0 most of what is learned are statements by
    heart, and at a rate of 2e-4 facts and not knowing are lost (docs/log.md).
    """
    learning_rate: float = 5e-5
    warmup_steps: int = 10
    epochs: float = 3.0
    batch: int = 8
    """Pairs a step, over all devices and micro-batches."""
    checkpoint_every: int = 10
    pairs: str = "pairs.jsonl"
    """In the folder of the run, what is learned."""

    @classmethod
    def read(cls, run: Path) -> Self:
        """Read them; raises ``SystemExit`` with a sentence for what cannot be."""
        recipe = super().read(run)
        if unknown := set(recipe.loss_type) - set(LOSSES):
            raise SystemExit(
                f"The recipe has losses that are not known: {', '.join(sorted(unknown))}. There"
                f" are: {', '.join(LOSSES)}."
            )
        if len(recipe.loss_weights) != len(recipe.loss_type):
            raise SystemExit(
                f"The recipe has {len(recipe.loss_type)} losses and {len(recipe.loss_weights)}"
                " weights. Give each loss its weight."
            )
        if recipe.beta <= 0:
            raise SystemExit("The recipe's beta is not above zero, so that nothing is preferred.")
        return recipe


def main(given: list[str] | None = None) -> None:
    """Run one training, or measure it."""
    run, only_measured = command(
        "lpm_kernel.L2.recipes.dpo", "Teach a language model which answers are better.", given
    )
    place = run / "dpo"
    place.mkdir(exist_ok=True)
    with alone(place):
        if only_measured:
            recipe = PreferenceRecipe.read(run)
            # a look goes forward twice, as policy and as reference; a step back once more
            measure(
                place,
                recipe,
                Measured(
                    lambda steps: trainer(run, recipe, most_steps=steps),
                    lambda row: (
                        2 * len(row["prompt_ids"])
                        + len(row["chosen_ids"])
                        + len(row["rejected_ids"])
                    ),
                    look=1 / 2,
                ),
            )
        else:
            learn(run)


def trainer(run: Path, recipe: PreferenceRecipe, *, most_steps: int | None = None) -> Any:  # noqa: ANN401 - trl's trainer; its types stay behind this door
    """Put model, pairs and settings into trl's trainer. It makes the reference itself: a copy of
    the adapter under the name ``ref``.
    """
    stay_offline()
    import torch
    from peft import PeftModel
    from transformers import set_seed
    from trl import DPOConfig, DPOTrainer  # type: ignore[attr-defined]

    class Preferring(SeededOrder, DPOTrainer):
        """trl's trainer, going on in the same order."""

        room = None if most_steps else Room.of(run / "dpo") or Room.of(run)

    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    set_seed(recipe.seed)
    base, tokenizer = base_model(recipe.base)
    pairs, held_out = _pairs(run / recipe.pairs), _pairs(run / "pairs_held_out.jsonl")
    given = arguments(recipe, run / "dpo", len(pairs), len(held_out), most_steps)
    # all of a look's batches alike: trl's mean over pairs is the mean of its batches' means
    at_most = max(1, recipe.micro_batch // processes())
    given["per_device_eval_batch_size"], _ = division(len(held_out) or 1, at_most, 1)
    settings = DPOConfig(
        **given,
        beta=recipe.beta,
        loss_type=list(recipe.loss_type),
        loss_weights=list(recipe.loss_weights),
        metric_for_best_model=MARGIN.measure,
        greater_is_better=True,
        remove_unused_columns=False,  # the length of a pair is looked at after they are
    )
    return Preferring(
        model=PeftModel.from_pretrained(base, str(run / "adapter"), is_trainable=True),
        args=settings,
        train_dataset=pairs,
        eval_dataset=held_out if len(held_out) else None,
        processing_class=tokenizer,
    )


def _pairs(file: Path) -> Any:  # noqa: ANN401 - a data set; its types stay behind this door
    """Read pairs, each with its length in characters, by which those of a step are put
    together.
    """
    from datasets import Dataset  # type: ignore[import-untyped]

    return Dataset.from_list(
        [
            {**row, "length": sum(len(said["content"]) for side in SIDES for said in row[side])}
            for row in rows_in(file)
        ]
    )


SIDES = ("prompt", "chosen", "rejected")


# --- learning -----------------------------------------------------------------------------------


def learn(run: Path) -> None:
    """Learn, from the adapter or from the last whole checkpoint, and leave the adapter that was
    best.
    """
    recipe, place = PreferenceRecipe.read(run), run / "dpo"
    place.mkdir(exist_ok=True)
    if (place / "outcome.json").exists():
        return
    at = last_checkpoint(place)
    preferring = trainer(run, recipe)
    started = time.monotonic()
    if at is None or not MARGIN.is_the_end(at, recipe):
        preferring.add_callback(_diary(place, recipe, preferring))
        if not learn_on(preferring, place, at):
            return
    seconds = time.monotonic() - started
    if is_first_process():
        _finish(place, recipe, preferring, seconds)


def _diary(place: Path, recipe: PreferenceRecipe, preferring: Any) -> Any:  # noqa: ANN401 - trl's types stay behind this door
    """Write down steps and looks, with their margins."""
    from transformers import TrainerCallback

    class MarginDiary(Diary, TrainerCallback):
        """Tells margins and accuracies too."""

        looks = MARGIN

        def told(self, logs: Mapping[str, float]) -> dict[str, float]:
            return {
                "margin": round(logs["rewards/margins"], 4),
                "accuracy": round(logs["rewards/accuracies"], 4),
            }

        def seen(self, metrics: Mapping[str, float]) -> dict[str, float]:
            return {
                "held_out_margin": round(metrics["eval_rewards/margins"], 4),
                "held_out_accuracy": round(metrics["eval_rewards/accuracies"], 4),
            }

    return MarginDiary(place, recipe, preferring)


# --- what came of it ----------------------------------------------------------------------------


def _finish(place: Path, recipe: PreferenceRecipe, preferring: Any, seconds: float) -> None:  # noqa: ANN401 - trl's types stay behind this door
    """Leave the best adapter, whole, and then what came of it."""
    at = last_checkpoint(place)
    if at is None:
        raise SystemExit("There is no whole checkpoint to take the adapter from. Train again.")
    best = checkpoint(place, _best_step(at))
    scratch = place / ".adapter"
    shutil.rmtree(scratch, ignore_errors=True)
    copy_adapter(best, scratch)
    margins = _margins(preferring, scratch)
    shutil.rmtree(place / "adapter", ignore_errors=True)
    scratch.rename(place / "adapter")
    (place / "margins.jsonl").unlink(missing_ok=True)
    for margin in margins:
        append(place / "margins.jsonl", asdict(margin))
    write(
        place / "outcome.json",
        {
            "steps": state_of(at)["global_step"],
            "best_step": _best_step(at),
            "seconds": round(seconds, 1),
            "peak_bytes": peak_bytes(device_of(recipe.device)),
            "held_out": compared(margins, recipe.beta),
            "by_rule": {
                rule: compared([each for each in margins if each.rule == rule], recipe.beta)
                for rule in sorted({each.rule for each in margins})
            },
        },
    )


def _best_step(at: Path) -> int:
    """Return the step whose checkpoint had the best margin, or the last one where none was looked
    at.
    """
    state = state_of(at)
    return int(state.get("best_global_step") or state["global_step"])


@dataclass(frozen=True)
class Margin:
    """How much likelier the better answer of a held-out pair is than the worse one."""

    id: str
    rule: str
    before: float
    """In nats: log p(chosen) − log p(rejected), each summed over the tokens of the answer, by the
    adapter from which it learned.
    """
    after: float
    chosen_tokens: int
    rejected_tokens: int


def _margins(preferring: Any, adapter: Path) -> list[Margin]:  # noqa: ANN401 - trl's types stay behind this door
    """Read what is held out with the reference and with the adapter that is kept."""
    from peft import load_peft_weights, set_peft_model_state_dict

    held_out = preferring.eval_dataset
    if held_out is None:
        return []
    model = preferring.accelerator.unwrap_model(preferring.model)
    set_peft_model_state_dict(model, load_peft_weights(str(adapter), "cpu"), "default")
    before, after = (_likelier(preferring, name) for name in ("ref", "default"))
    return [
        Margin(row["id"], row["rule"], was, now, len(row["chosen_ids"]), len(row["rejected_ids"]))
        for row, was, now in zip(held_out, before, after, strict=True)
    ]


def _likelier(preferring: Any, adapter: str) -> list[float]:  # noqa: ANN401 - as above
    """Return for each held-out pair the difference of the log-likelihoods under an adapter."""
    from trl.trainer.utils import use_adapter

    model = preferring.accelerator.unwrap_model(preferring.model)
    rows, at_once = list(preferring.eval_dataset), preferring.args.per_device_eval_batch_size
    found: list[float] = []
    with as_it_was(model), use_adapter(model, adapter), preferring.accelerator.autocast():
        for first in range(0, len(rows), at_once):
            batch = preferring.data_collator(rows[first : first + at_once])
            batch = {name: values.to(model.device) for name, values in batch.items()}
            answers = batch["input_ids"].masked_fill(batch.pop("completion_mask") == 0, -100)
            read = model(**batch, labels=answers, fused_lm_head=True, use_cache=False)
            chosen, rejected = read.log_probs.sum(dim=1).chunk(2)
            found += [round(value, 4) for value in (chosen - rejected).tolist()]
    return found


def compared(margins: Sequence[Margin], beta: float) -> dict[str, Any]:
    """Return what held-out pairs say, before and after: the share of pairs whose better answer is
    the likelier one and the mean margin in nats; and of what was learned the implicit reward's, β
    times the margin's growth. Each is a ``Figure`` with its interval of 95 %.

    >>> found = compared([Margin("a", "voice", -2.0, 1.0, 9, 8)], 0.1)
    >>> [found[when]["accuracy"]["value"] for when in ("before", "after", "reward")]
    [0.0, 1.0, 1.0]
    >>> found["reward"]["margin"]["value"], found["chosen_tokens"]
    (0.3, 9.0)
    """
    read = {
        "before": [each.before for each in margins],
        "after": [each.after for each in margins],
        "reward": [beta * (each.after - each.before) for each in margins],
    }
    tokens = {
        "chosen_tokens": [each.chosen_tokens for each in margins],
        "rejected_tokens": [each.rejected_tokens for each in margins],
    }
    return {
        "pairs": len(margins),
        **{
            when: {
                "accuracy": asdict(share([float(value > 0) for value in values])),
                "margin": asdict(figure(values)),
            }
            for when, values in read.items()
        },
        **{side: round(sum(of) / max(1, len(of)), 2) for side, of in tokens.items()},
    }


if __name__ == "__main__":
    main()
