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

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from lpm_kernel.domain.training.runs import with_present_names
from lpm_kernel.L2.settling import end_with_parent, settle

MEASURED_STEPS = 3
HEAP_GROWS = 1.22
"""By how much the processor's memory at its fullest, over hundreds of micro-batches of every
length, exceeds the fullest of the measured steps: 1.19, 1.24 and 1.27 in three whole trainings
(`docs/log.md`).
"""
STATE = "trainer_state.json"
"""What the trainer notes of itself in a checkpoint."""
WHOLE = "whole"
"""Stands in a checkpoint once all of it is written."""


@dataclass(frozen=True)
class Recipe:
    """What is trained, and how."""

    base: str
    """A Hugging Face folder, or a GGUF file that transformers reads."""
    rank: int = 16
    alpha: int = 32
    strength: float = 1.0
    """How much of what was learned the adapter puts on the base, as a share of ``alpha``: less of
    it holds a little less and admits more often that it does not know.
    """
    dropout: float = 0.0
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
    samples: tuple[str, ...] = field(default=())
    """Questions that are answered before and now and then while it learns, as messages in JSON."""

    @classmethod
    def read(cls, run: Path) -> Recipe:
        """Read ``recipe.json``; raises ``SystemExit`` with a sentence for a setting that it does
        not know.
        """
        given = with_present_names(json.loads((run / "recipe.json").read_text("utf-8")))
        if unknown := set(given) - {each.name for each in fields(cls)}:
            raise SystemExit(
                f"The recipe has settings that are not known: {', '.join(sorted(unknown))}."
            )
        return cls(**{**given, "samples": tuple(given.get("samples", ()))})


def main(arguments: list[str] | None = None) -> None:
    """Run one training, or measure it."""
    parser = argparse.ArgumentParser(
        description="Teach a language model from questions and answers."
    )
    parser.add_argument("run", type=Path)
    parser.add_argument(
        "--measure", action="store_true", help="take three steps, write estimate.json and end"
    )
    chosen = parser.parse_args(arguments)
    settle("lpm_kernel.L2.recipes.sft")
    with _alone(chosen.run):
        _run(chosen)


def _run(chosen: argparse.Namespace) -> None:
    if chosen.measure:
        measure(chosen.run)
    else:
        learn(chosen.run)


@contextmanager
def _alone(run: Path) -> Iterator[None]:
    """Be the only one that writes there, and do not outlive who started it: a worker that was
    killed leaves nobody behind.
    """
    end_with_parent()
    with (run / "lock").open("w") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# --- the model ----------------------------------------------------------------------------------


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


def trainer(run: Path, recipe: Recipe, *, most_steps: int | None = None) -> Any:  # noqa: ANN401 - trl's trainer; its types stay behind this door
    """Put model, rows and settings into trl's trainer."""
    import torch
    from datasets import Dataset  # type: ignore[import-untyped]
    from peft import LoraConfig
    from transformers import set_seed
    from trl import SFTConfig, SFTTrainer  # type: ignore[attr-defined]

    class Teaching(SFTTrainer):
        """Draws the order of an epoch from the seed and the epoch's number, so that going on in the
        middle of one finds the same order.
        """

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:  # noqa: ANN401 - trl's types stay behind this door
            self.order = super()._get_train_sampler(train_dataset)
            return self.order

        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:  # noqa: ANN401 - as above
            make_room(room, inputs["input_ids"].numel())
            return super().training_step(model, inputs, num_items_in_batch)  # type: ignore[no-untyped-call]

        def prediction_step(self, model: Any, inputs: Any, *more: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
            make_room(room, inputs["input_ids"].numel())
            return super().prediction_step(model, inputs, *more, **named)

    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    room = None if most_steps else Room.of(run)
    set_seed(recipe.seed)
    model, tokenizer = base_model(recipe.base)
    on_cpu = device_of(recipe) == "cpu"
    rows, held = (
        Dataset.from_list(list(_rows(run / name))) for name in ("examples.jsonl", "held_out.jsonl")
    )
    devices = max(1, int(os.environ.get("WORLD_SIZE", "1")))
    micro_batch = min(recipe.micro_batch_size or recipe.batch, recipe.batch)
    in_all = most_steps or recipe.steps or -(-len(rows) // recipe.batch) * recipe.epochs
    settings = SFTConfig(
        output_dir=str(run / "checkpoints"),
        per_device_train_batch_size=max(1, micro_batch // devices),
        per_device_eval_batch_size=micro_batch,
        gradient_accumulation_steps=max(1, recipe.batch // micro_batch),
        num_train_epochs=recipe.epochs,
        max_steps=most_steps or recipe.steps or -1,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=min(recipe.warmup_steps, int(in_all) // 10),  # of a short training, a tenth
        weight_decay=0.0,
        max_grad_norm=1.0,
        bf16=sixteen_bits(recipe.precision, on_cpu=on_cpu),
        use_cpu=on_cpu,
        train_sampling_strategy="group_by_length",
        completion_only_loss=True,
        max_length=None,
        packing=False,
        gradient_checkpointing=False,
        dataloader_pin_memory=not on_cpu,
        save_strategy="no" if most_steps else "steps",
        save_steps=recipe.checkpoint_every,
        save_total_limit=2,
        eval_strategy="no" if most_steps or not len(held) else "steps",
        eval_steps=recipe.checkpoint_every,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        seed=recipe.seed,
        data_seed=recipe.seed,
    )
    lora = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return Teaching(
        model=model,
        args=settings,
        train_dataset=rows,
        eval_dataset=held if len(held) else None,
        processing_class=tokenizer,
        peft_config=lora,
    )


@dataclass(frozen=True)
class Room:
    """How much memory the measured steps needed, and what a token of a micro-batch takes of it."""

    most: int
    token: float

    @classmethod
    def of(cls, run: Path) -> Room | None:
        """Read it from what was measured; ``None`` where nothing was, or where the memory is not
        the processor's own.
        """
        file = run / "estimate.json"
        known = json.loads(file.read_text("utf-8")) if file.exists() else {}
        return (
            cls(int(known["peak_bytes"] / HEAP_GROWS), known["token_bytes"])
            if known.get("token_bytes") and known["device"] == "cpu"
            else None
        )


def make_room(room: Room | None, tokens: int) -> None:
    """Give free memory back to the system before a micro-batch that might not fit beside
    it.

    Micro-batches are of every length, so what one leaves free seldom holds the next, and the heap
    grows by half and more over a hundred steps. Giving all of it back at each step costs page
    faults (``SETTLED``); when it is needed, every few steps, it costs little.
    """
    if (
        room is not None
        and sys.platform == "linux"
        and _resident_bytes() + room.token * tokens > room.most
    ):
        import ctypes

        # a C library that has no such function keeps what it has
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)


def device_of(recipe: Recipe) -> str:
    """Return where it learns: ``cpu``, ``cuda`` or ``mps``. Raises ``SystemExit`` with a sentence
    for a device that is not there.
    """
    import torch

    there = [
        name
        for name, known in (
            ("cuda", torch.cuda.is_available()),
            ("mps", torch.backends.mps.is_available()),
            ("cpu", True),
        )
        if known
    ]
    if recipe.device not in {"auto", *there}:
        raise SystemExit(
            f"This machine has no device “{recipe.device}” that torch can use; it has"
            f" {' and '.join(there)}. Leave the device to the node."
        )
    return there[0] if recipe.device == "auto" else recipe.device


def sixteen_bits(precision: str, *, on_cpu: bool) -> bool:
    """Tell whether the sums of a step run in bfloat16. A processor without it would compute them in
    software, far slower.
    """
    import torch

    if precision != "auto":
        return precision == "bfloat16"
    if on_cpu:
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())  # noqa: SLF001 - torch has no public name for it
    return bool(torch.cuda.is_available() and torch.cuda.is_bf16_supported())


def _rows(file: Path) -> Iterator[Mapping[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


# --- learning -----------------------------------------------------------------------------------


def learn(run: Path) -> None:
    """Learn, from the start or from the last whole checkpoint, and leave the adapter."""
    recipe = Recipe.read(run)
    if (run / "outcome.json").exists():
        return
    at = last_checkpoint(run)
    if at is not None and _is_the_end(at, recipe):
        _finish(
            run,
            recipe,
            json.loads((at / STATE).read_text("utf-8"))["global_step"],
            0.0,
            lambda scratch: _copy_adapter(at, scratch),
        )
        return
    teaching = trainer(run, recipe)
    teaching.add_callback(_diary(run, recipe, teaching))
    started = time.monotonic()
    teaching.train(resume_from_checkpoint=str(at) if at else None)
    if (run / "stop").exists() and teaching.state.global_step < teaching.state.max_steps:
        return
    if teaching.is_world_process_zero():
        _finish(
            run,
            recipe,
            teaching.state.global_step,
            time.monotonic() - started,
            lambda scratch: teaching.save_model(str(scratch)),
        )


def _finish(
    run: Path, recipe: Recipe, steps: int, seconds: float, write: Callable[[Path], None]
) -> None:
    """Leave the adapter, whole, and then what came of it."""
    scratch = run / ".adapter"
    shutil.rmtree(scratch, ignore_errors=True)
    write(scratch)
    _weaken(scratch, recipe)
    shutil.rmtree(run / "adapter", ignore_errors=True)
    scratch.rename(run / "adapter")
    _write(
        run / "outcome.json",
        {
            "steps": steps,
            "seconds": round(seconds, 1),
            "peak_bytes": _peak_bytes(device_of(recipe)),
        },
    )


def _weaken(adapter: Path, recipe: Recipe) -> None:
    """Write the strength of what was learned into the adapter: whoever puts it on a base, merges or
    exports it takes it from there.
    """
    known = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    _write(adapter / "adapter_config.json", known | {"lora_alpha": recipe.alpha * recipe.strength})


def _is_the_end(checkpoint: Path, recipe: Recipe) -> bool:
    """Tell whether nothing is to be learned after a checkpoint. The trainer would take a further
    step before it looked.
    """
    state = json.loads((checkpoint / STATE).read_text("utf-8"))
    return bool(
        state["global_step"] >= state["max_steps"]
        or held_out_so_far(state["log_history"])[1] >= recipe.patience
    )


def held_out_so_far(history: Iterable[Mapping[str, float]]) -> tuple[float, int]:
    """Return the best loss on what is held out, and how many looks since then found nothing better.

    >>> held_out_so_far([{"eval_loss": 2.0}, {"loss": 1.0}, {"eval_loss": 1.5}, {"eval_loss": 1.6},
    ...     {"eval_loss": 1.5}])
    (1.5, 2)
    """
    best, worse = float("inf"), 0
    for entry in history:
        if "eval_loss" in entry:
            worse = 0 if entry["eval_loss"] < best else worse + 1
            best = min(best, entry["eval_loss"])
    return best, worse


def _copy_adapter(checkpoint: Path, target: Path) -> None:
    target.mkdir()
    for file in checkpoint.glob("adapter_*"):
        shutil.copy2(file, target)


def last_checkpoint(run: Path) -> Path | None:
    """Give the newest checkpoint that was written to its end; those that were not are put away."""
    found = sorted(
        (run / "checkpoints").glob("checkpoint-*"),
        key=lambda path: int(path.name.rpartition("-")[2]),
    )
    whole = [path for path in found if (path / WHOLE).exists()]
    for path in found:
        if path not in whole:
            shutil.rmtree(path, ignore_errors=True)
    return whole[-1] if whole else None


def _diary(run: Path, recipe: Recipe, teaching: Any) -> Any:  # noqa: ANN401, C901 - one small method for each event
    """Write down what happens: steps, losses, answers; and end when asked to, or when nothing gets
    better.
    """
    from transformers import TrainerCallback

    for name in ("progress.jsonl", "samples.jsonl"):
        _cut_off(run / name)
    lines = list(_rows(run / "progress.jsonl")) if (run / "progress.jsonl").exists() else []
    told = max((line["step"] for line in lines if "loss" in line), default=0)
    looked = {line["step"] for line in lines if "held_out" in line}
    answered = (
        {line["step"] for line in _rows(run / "samples.jsonl")}
        if (run / "samples.jsonl").exists()
        else set()
    )

    class Diary(TrainerCallback):
        """The trainer's callback."""

        def __init__(self) -> None:
            self.best, self.worse, self.loss = float("inf"), 0, 0.0
            self.clock = time.monotonic()

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - trl's types stay behind this door
            if state.is_world_process_zero and 0 not in answered and not state.global_step:
                _sample(run, recipe, teaching, 0)
            self.best, self.worse = held_out_so_far(state.log_history)
            self.clock = time.monotonic()

        def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - trl's types stay behind this door
            import torch

            if hasattr(teaching.order, "generator"):
                teaching.order.generator = torch.Generator().manual_seed(
                    recipe.seed * 1_000_003 + int(state.epoch or 0)
                )

        def on_log(
            self,
            args: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            state: Any,  # noqa: ANN401  trl's types stay behind this door
            control: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            logs: Mapping[str, float] | None = None,
            **_: Any,  # noqa: ANN401  trl's types stay behind this door
        ) -> None:
            if not state.is_world_process_zero or not logs:
                return
            if "loss" in logs and state.global_step > told:
                now = time.monotonic()
                _append(
                    run / "progress.jsonl",
                    {
                        "step": state.global_step,
                        "of": state.max_steps,
                        "loss": round(logs["loss"], 4),
                        "seconds": round(now - self.clock, 2),
                    },
                )
                self.clock = now

        def on_evaluate(
            self,
            args: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            state: Any,  # noqa: ANN401  trl's types stay behind this door
            control: Any,  # noqa: ANN401  trl's types stay behind this door
            metrics: Mapping[str, float] | None = None,
            **_: Any,  # noqa: ANN401  trl's types stay behind this door
        ) -> None:
            loss = (metrics or {}).get("eval_loss")
            if loss is None:
                return
            if state.is_world_process_zero and state.global_step not in looked:
                _append(
                    run / "progress.jsonl",
                    {"step": state.global_step, "of": state.max_steps, "held_out": round(loss, 4)},
                )
            self.worse = 0 if loss < self.best else self.worse + 1
            self.best = min(self.best, loss)
            if self.worse >= recipe.patience:
                control.should_training_stop = True

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - trl's types stay behind this door
            if (run / "stop").exists():
                control.should_save = True
                control.should_training_stop = True

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ANN401, ARG002 - trl's types stay behind this door
            if state.is_world_process_zero:
                (run / "checkpoints" / f"checkpoint-{state.global_step}" / WHOLE).touch()
                if state.global_step not in answered:
                    _sample(run, recipe, teaching, state.global_step)
                self.clock = time.monotonic()

    return Diary()


def _sample(run: Path, recipe: Recipe, teaching: Any, step: int) -> None:  # noqa: ANN401 - trl's types stay behind this door
    """Answer the sample questions as the model would now. The draw of random numbers is left as it
    was.
    """
    import torch

    if not recipe.samples:
        return
    tokenizer, model = teaching.processing_class, teaching.accelerator.unwrap_model(teaching.model)
    with _as_it_was(model), torch.no_grad():
        for number, asked in enumerate(recipe.samples):
            prompt = tokenizer.apply_chat_template(
                json.loads(asked), add_generation_prompt=True, return_tensors="pt", return_dict=True
            ).to(model.device)
            words = model.generate(
                **prompt, max_new_tokens=40, do_sample=False, pad_token_id=tokenizer.pad_token_id
            )[0, prompt["input_ids"].shape[1] :]
            _append(
                run / "samples.jsonl",
                {
                    "step": step,
                    "question": number,
                    "answer": tokenizer.decode(words, skip_special_tokens=True).strip(),
                },
            )


@contextmanager
def _as_it_was(model: Any) -> Iterator[None]:  # noqa: ANN401 - trl's types stay behind this door
    """Let the model answer, and let it learn on afterwards."""
    learning = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(learning)


# --- measuring ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """What the whole would need."""

    seconds: float
    steps: int
    peak_bytes: int
    """Most memory that the process held at once."""
    device: str
    free_bytes: int | None = None
    """What a GPU has free for it; of the processor's own memory, who asks knows better."""
    token_bytes: float = 0.0
    """What a token of a micro-batch needs besides the model."""


def measure(run: Path) -> None:
    """Take three steps, each of the longest rows, and write down what the whole would need.

    Those rows need the most memory, and not each time as much: the same step took 8.8 to 11.0 GB,
    as the heap happened to lie. Time goes by tokens, since the others are shorter.
    """
    import torch

    recipe = Recipe.read(run)
    started = time.monotonic()
    trial = trainer(run, recipe, most_steps=MEASURED_STEPS)
    loading, loaded = time.monotonic() - started, _resident_bytes()
    learned, held = (
        [len(row) for row in dataset["input_ids"]] if dataset is not None else []
        for dataset in (trial.train_dataset, trial.eval_dataset)
    )
    rows = len(learned)
    longest = sorted(range(rows), key=lambda row: -learned[row])[: recipe.batch]
    trial.train_dataset = trial.train_dataset.select(longest * MEASURED_STEPS)
    in_all = recipe.steps or -(-rows // recipe.batch) * int(recipe.epochs)
    device = device_of(recipe)
    free = torch.cuda.mem_get_info()[0] + torch.cuda.memory_reserved() if device == "cuda" else None
    stamps: list[tuple[int, float]] = []

    from transformers import TrainerCallback

    class Watch(TrainerCallback):
        """Looks at the clock after every step, and at how much was read."""

        def on_log(
            self,
            args: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            state: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            control: Any,  # noqa: ARG002, ANN401  trl's types stay behind this door
            logs: Mapping[str, float] | None = None,
            **_: Any,  # noqa: ANN401  trl's types stay behind this door
        ) -> None:
            if logs and "num_tokens" in logs:
                stamps.append((int(logs["num_tokens"]), time.monotonic()))

    trial.add_callback(Watch())
    try:
        trial.train()
    except torch.OutOfMemoryError:
        total = torch.cuda.get_device_properties(0).total_memory if device == "cuda" else 0
        _write(
            run / "estimate.json",
            asdict(Estimate(0.0, in_all, max(total, _peak_bytes(device)) + 1, device, free)),
        )
        return
    shutil.rmtree(run / "checkpoints", ignore_errors=True)
    token = (stamps[-1][1] - stamps[0][1]) / max(1, stamps[-1][0] - stamps[0][0])
    to_learn = sum(learned) * in_all * recipe.batch / rows
    # forward alone is about a third of a step
    to_look_at = sum(held) * (in_all // recipe.checkpoint_every) / 3
    peak, micro_batch = _peak_bytes(device), max(1, recipe.micro_batch_size or recipe.batch)
    widest = max(micro_batch * max(learned), 1)  # each is padded to its longest row
    most = int(peak * HEAP_GROWS) if device == "cpu" else peak
    made = Estimate(
        round(loading + token * (to_learn + to_look_at), 1),
        in_all,
        most,
        device,
        free,
        max(0, peak - loaded) / widest,
    )
    _write(run / "estimate.json", asdict(made))


def _peak_bytes(device: str) -> int:
    """Most memory that this process held: on a GPU what torch reserved there, otherwise resident
    memory.
    """
    import resource

    import torch

    if device == "cuda":
        return int(torch.cuda.max_memory_reserved())
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most if sys.platform == "darwin" else most * 1024)


def _resident_bytes() -> int:
    """Memory that this process holds now."""
    import psutil

    return int(psutil.Process().memory_info().rss)


# --- files --------------------------------------------------------------------------------------


def _append(file: Path, line: Mapping[str, Any]) -> None:
    with file.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def _cut_off(file: Path) -> None:
    """Take away a last line that was not written to its end: what is appended would run on from
    it.
    """
    if file.exists():
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)


def _write(file: Path, content: Mapping[str, Any]) -> None:
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    part.replace(file)


if __name__ == "__main__":
    main()
