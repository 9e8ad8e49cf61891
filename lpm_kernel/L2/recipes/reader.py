"""Teaching a multilingual encoder to read: which words of a text answer a question, whether any do,
and whether a text carries a claim.

    python -m lpm_kernel.L2.recipes.reader RUN     # learn, or go on where it stood

RUN is a folder with ``recipe.json`` (``ReaderRecipe`` below), ``base.npz`` (the encoder) and
``examples-*.npz``, which `python -m lpm_kernel.backends.embed.e5.course` writes. What comes out:
``progress.jsonl``, ``state.pt`` (all that is needed to go on) and ``learned.npz``: the layers that
were taught and the heads, as they were learned.

All layers are taught, unless the lower ones are left as they came (``frozen``), which takes half
the time and reads worse (ADR 0016). The vocabulary stays as it came. Heads as in Devlin et al.
2019: begin and end of the span over the tokens, the first token standing for "none"; relevance and
support over the first token. A file ``stop`` in the folder ends it after the step under way.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lpm_kernel.L2.settling import end_with_parent, settle

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARTS: Final = ("q", "k", "v", "o", "fi", "fo")
NORMS: Final = ("aln", "oln")
HEADS: Final = ("span", "relevance", "support")
BUCKET: Final = 64
"""Batches whose rows are sorted by length together."""
SUPPORT_COUNTS: Final = 0.5
RELEVANCE_COUNTS: Final = 0.5
"""What relevance among the windows of a question counts beside the span."""
NEVER: Final = -1e4
"""A logit that nothing is."""
PAD: Final = 1


@dataclass(frozen=True)
class ReaderRecipe:
    """What is learned, and how."""

    frozen: int = 0
    """Lower layers that stay as they are."""
    learning_rate: float = 6e-5
    head_rate: float = 1e-3
    steps: int = 10_000
    warmup_steps: int = 100
    batch: int = 16
    checkpoint_every: int = 250
    seed: int = 1
    threads: int | None = None
    device: str = "auto"
    """``auto`` takes a GPU where there is one; or ``cpu``, ``cuda``, ``mps``."""
    shares: tuple[float, ...] = ()
    """How often a batch comes from each file of examples, in the order of their names; empty: as
    often as they have rows.
    """

    @classmethod
    def read(cls, run: Path) -> ReaderRecipe:
        """Read ``recipe.json``; raises ``SystemExit`` for a setting that is not known."""
        given = json.loads((run / "recipe.json").read_text("utf-8"))
        if unknown := set(given) - {known.name for known in fields(cls)}:
            raise SystemExit(
                f"The recipe has settings that are not known: {', '.join(sorted(unknown))}."
            )
        return cls(**{**given, "shares": tuple(given.get("shares", ()))})


@dataclass(frozen=True)
class ReadingExamples:
    """Pairs of question and text, in tokens. n pairs."""

    tokens: NDArray[np.int32]
    """All of them, one pair after the other."""
    starts: NDArray[np.int64]
    """Shape (n + 1,): where each pair begins among the tokens."""
    labels: NDArray[np.int32]
    """Shape (n, 4): the tokens where the answer begins and ends (0: none), and 1, 0 or -1 (not
    known) for relevance and for support.
    """
    texts: NDArray[np.int32]
    """Shape (n,): the token where the text of each pair begins."""
    questions: NDArray[np.int32]
    """Shape (n,): the number of the question that a pair is one window of several for; those of
    one question stand together. -1: it stands alone.
    """

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.labels)

    @classmethod
    def read(cls, path: Path) -> ReadingExamples:
        """Read what `backends.embed.e5.course` wrote."""
        with np.load(path) as kept:
            names = ("tokens", "starts", "labels", "texts", "questions")
            return cls(*(kept[name] for name in names))

    def batches(self, size: int, draw: random.Random) -> Iterator[NDArray[np.int64]]:
        """Give numbers of pairs of about one length, for ever, each pair as often as any other;
        the windows of one question stay together.
        """
        lengths = np.diff(self.starts)
        together = self._together()
        size = max(1, round(size * len(together) / max(1, len(self))))
        while True:
            order = draw.sample(together, len(together))
            for start in range(0, len(order), size * BUCKET):
                there = order[start : start + size * BUCKET]
                there.sort(key=lambda rows: lengths[rows].mean() + draw.random() * 12)
                batches = [there[at : at + size] for at in range(0, len(there), size)]
                draw.shuffle(batches)
                yield from (np.concatenate(batch) for batch in batches)

    def _together(self) -> list[NDArray[np.int64]]:
        """Return the numbers of the pairs, those of one question together."""
        begins = np.ones(len(self), np.bool_)
        begins[1:] = (self.questions[1:] < 0) | (np.diff(self.questions) != 0)
        return np.split(np.arange(len(self)), np.flatnonzero(begins)[1:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn, or go on."""
    parser = argparse.ArgumentParser(description="Teach an encoder to read.")
    parser.add_argument("run", type=Path)
    run: Path = parser.parse_args(arguments).run
    settle("lpm_kernel.L2.recipes.reader")
    end_with_parent()
    recipe = ReaderRecipe.read(run)
    learner = Learner(run, recipe)
    learner.go_on()


class Learner:
    """One training, from its folder."""

    def __init__(self, run: Path, recipe: ReaderRecipe) -> None:
        if recipe.threads:
            torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)
        self._run, self._recipe = run, recipe
        self._device = torch.device(device_of(recipe.device))
        with np.load(run / "base.npz") as base:
            self.model = Encoder(dict(base), recipe.frozen).to(self._device)
        heads = [p for name in HEADS for p in getattr(self.model, name).parameters()]
        ours = {id(parameter) for parameter in heads}
        body = [p for p in self.model.parameters() if p.requires_grad and id(p) not in ours]
        self._rates = (recipe.learning_rate, recipe.head_rate)
        self._adam = torch.optim.AdamW(
            [{"params": body}, {"params": heads}], lr=recipe.learning_rate, weight_decay=0.01
        )
        self.step = 0
        if (run / "state.pt").exists():
            state = torch.load(run / "state.pt", map_location=self._device, weights_only=True)
            self.model.load_state_dict(state["model"], strict=False)
            self._adam.load_state_dict(state["adam"])
            self.step = state["step"]

    def go_on(self) -> None:
        """Learn until the last step or until a file ``stop`` is there."""
        recipe, run = self._recipe, self._run
        files = [ReadingExamples.read(path) for path in sorted(run.glob("examples-*.npz"))]
        draw = random.Random(recipe.seed + self.step)  # noqa: S311 - an order, no secret
        streams = [file.batches(recipe.batch, draw) for file in files]
        shares = recipe.shares or [float(len(file)) for file in files]
        began, losses = time.monotonic(), []
        while self.step < recipe.steps and not (run / "stop").exists():
            at = draw.choices(range(len(files)), shares)[0]
            losses.append(self._learn(files[at], next(streams[at])))
            self.step += 1
            if self.step % recipe.checkpoint_every == 0:
                self.keep()
                told = {
                    "step": self.step,
                    "loss": round(float(np.mean(losses)), 4),
                    "seconds": round(time.monotonic() - began, 1),
                }
                with (run / "progress.jsonl").open("a", encoding="utf-8") as handle:
                    handle.write(json.dumps(told) + "\n")
                losses = []
        self.keep()
        _whole(run / "learned.npz", lambda path: np.savez(path, **self.model.learned()))  # type: ignore[arg-type]

    def keep(self) -> None:
        """Write down all that is needed to go on. Whole or not at all."""
        state = {
            "model": self.model.trained_state(),
            "adam": self._adam.state_dict(),
            "step": self.step,
        }
        _whole(self._run / "state.pt", lambda path: torch.save(state, path))

    def _learn(self, examples: ReadingExamples, numbers: NDArray[np.int64]) -> float:
        for group, rate in zip(self._adam.param_groups, self._rates, strict=True):
            group["lr"] = rate * self._scale()
        ids, mask = padded(examples, numbers)
        labels = torch.from_numpy(examples.labels[numbers].astype(np.int64)).to(self._device)
        with torch.autocast(self._device.type, dtype=torch.bfloat16):
            said = self.model(ids.to(self._device), mask.to(self._device))
        total = loss(said, labels)
        if (examples.questions[numbers] >= 0).any():
            total = total + among(said, labels, Asked.of(examples, numbers, self._device))
        self._adam.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._adam.step()
        return float(total.detach())

    def _scale(self) -> float:
        """Up over the first steps, then down to nothing."""
        recipe = self._recipe
        left = 1 - self.step / max(1, recipe.steps)
        return min(1.0, (self.step + 1) / max(1, recipe.warmup_steps)) * max(0.03, left)


class Layer(nn.Module):
    """A layer of BERT (Devlin et al. 2019): attention, then two matrices with GELU between them,
    each followed by what came in and a norm.
    """

    def __init__(self, width: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        self._heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.fi, self.fo = nn.Linear(width, inner), nn.Linear(inner, width)
        self.aln, self.oln = (nn.LayerNorm(width, epsilon) for _ in range(2))

    def forward(self, state: Tensor, mask: Tensor) -> Tensor:
        """Shape (pairs, tokens, width) in and out; ``mask`` of shape (pairs, 1, 1, tokens)."""
        pairs, tokens, width = state.shape

        def split(part: nn.Linear) -> Tensor:
            found: Tensor = part(state)
            return found.view(pairs, tokens, self._heads, -1).transpose(1, 2)

        seen = functional.scaled_dot_product_attention(
            split(self.q), split(self.k), split(self.v), attn_mask=mask
        )
        seen = seen.transpose(1, 2).reshape(pairs, tokens, width)
        state = self.aln(state + self.o(seen))
        found: Tensor = self.oln(state + self.fo(functional.gelu(self.fi(state))))
        return found


class Encoder(nn.Module):
    """The encoder with its heads. ``base``: ``words``, ``positions``, ``sizes`` (layers, heads),
    ``epsilon``, the norm of the embedding, and the matrices of each layer by its number.
    """

    def __init__(self, base: Mapping[str, NDArray[Any]], frozen: int) -> None:
        super().__init__()
        self._frozen = frozen
        layers, heads = (int(size) for size in base["sizes"])
        epsilon = float(base["epsilon"])
        inner, width = base["0.fi.w"].shape
        words = torch.from_numpy(base["words"].astype(np.float32)).to(torch.bfloat16)
        self.words = nn.Embedding(words.shape[0], width, _weight=words, _freeze=True)
        self.register_buffer("positions", torch.from_numpy(base["positions"].astype(np.float32)))
        self.norm = nn.LayerNorm(width, epsilon)
        _fill(self.norm, base, "embedded")
        self.layers = nn.ModuleList(Layer(width, inner, heads, epsilon) for _ in range(layers))
        for number, layer in enumerate(self.layers):
            for name in (*PARTS, *NORMS):
                _fill(getattr(layer, name), base, f"{number}.{name}")
        self.span, self.relevance, self.support = (nn.Linear(width, n) for n in (2, 1, 1))
        for name in HEADS:
            head = getattr(self, name)
            if f"{name}.w" in base:
                _fill(head, base, name)
            else:
                nn.init.normal_(head.weight, std=0.02)
                nn.init.zeros_(head.bias)
        for module in (self.norm, *self.layers[:frozen]):
            for parameter in module.parameters():
                parameter.requires_grad = False

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Give the logits: of the span, shape (pairs, tokens, 2); of relevance and of support,
        shape (pairs,).
        """
        positions = self.positions[: ids.shape[1]]  # type: ignore[index]  # a buffer
        with torch.no_grad():
            state: Tensor = self.norm(self.words(ids).float() + positions)
        seen = mask[:, None, None, :]
        for number, layer in enumerate(self.layers):
            with torch.set_grad_enabled(torch.is_grad_enabled() and number >= self._frozen):
                state = layer(state, seen)
        state = state.float()
        spans = self.span(state).masked_fill(~mask[..., None], NEVER)
        head = state[:, 0]
        return spans, self.relevance(head)[:, 0], self.support(head)[:, 0]

    def trained_state(self) -> dict[str, Tensor]:
        """Return what learning changes."""
        names = {name for name, parameter in self.named_parameters() if parameter.requires_grad}
        return {name: value for name, value in self.state_dict().items() if name in names}

    def learned(self) -> dict[str, NDArray[np.float32]]:
        """Return the layers that were taught and the heads, as ``base`` names them."""
        modules = {
            f"{number}.{name}": getattr(layer, name)
            for number, layer in enumerate(self.layers)
            if number >= self._frozen
            for name in (*PARTS, *NORMS)
        } | {name: getattr(self, name) for name in HEADS}
        return {
            f"{name}.{kind}": value.detach().float().cpu().numpy()
            for name, module in modules.items()
            for kind, value in (("w", module.weight), ("b", module.bias))
        }


def _fill(module: nn.Module, base: Mapping[str, NDArray[Any]], name: str) -> None:
    for kind, parameter in (("w", module.weight), ("b", module.bias)):
        parameter.data = torch.from_numpy(base[f"{name}.{kind}"].astype(np.float32))


def loss(said: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Sum what each head lost over the pairs whose label is known. ``labels``: shape (pairs, 4), as
    in :class:`ReadingExamples`.
    """
    spans, relevance, support = (logits.float() for logits in said)
    judged, claimed = labels[:, 2] >= 0, labels[:, 3] >= 0
    total = spans.sum() * 0.0
    if judged.any():
        ends = [functional.cross_entropy(spans[judged][..., n], labels[judged, n]) for n in (0, 1)]
        total = total + (ends[0] + ends[1]) / 2
        total = total + functional.binary_cross_entropy_with_logits(
            relevance[judged], labels[judged, 2].float()
        )
    if claimed.any():
        total = total + SUPPORT_COUNTS * functional.binary_cross_entropy_with_logits(
            support[claimed], labels[claimed, 3].float()
        )
    return total


@dataclass(frozen=True)
class Asked:
    """Which windows of a batch were found for which question."""

    questions: Tensor
    """Shape (pairs,)."""
    text: Tensor
    """Shape (pairs, tokens): whether a token is of the text."""

    @classmethod
    def of(
        cls, examples: ReadingExamples, numbers: NDArray[np.int64], device: torch.device
    ) -> Asked:
        """Read what stands beside the pairs of a batch."""
        starts, ends = examples.texts[numbers], np.diff(examples.starts)[numbers] - 1
        at = np.arange(int(ends.max()) + 1)[None]
        text = (at >= starts[:, None]) & (at < ends[:, None])
        questions = torch.from_numpy(examples.questions[numbers].astype(np.int64))
        return cls(questions.to(device), torch.from_numpy(text).to(device))


def among(said: tuple[Tensor, Tensor, Tensor], labels: Tensor, asked: Asked) -> Tensor:
    """Weigh what was said of the windows of one question against each other: over all their tokens
    at once (Clark and Gardner 2018, shared normalisation), each as far as it stands above its
    window's "none", with "no window" among them; and over their relevance.
    """
    spans, relevance = said[0].float(), said[1].float()
    above = (spans - spans[:, :1]).masked_fill(~asked.text[..., None], NEVER)
    numbers = sorted({number for number in asked.questions.tolist() if number >= 0})
    total = spans.sum() * 0.0
    for number in numbers:
        rows = asked.questions == number
        there = rows & (labels[:, 2] == 1)
        for end in (0, 1):
            logits = above[rows][..., end].flatten()
            none = logits.new_zeros(1)
            right = above[there, labels[there, end], end] if there.any() else none
            lost = torch.logsumexp(torch.cat([logits, none]), 0) - torch.logsumexp(right, 0)
            total = total + lost / 2
        if there.any():
            lost = torch.logsumexp(relevance[rows], 0) - torch.logsumexp(relevance[there], 0)
            total = total + RELEVANCE_COUNTS * lost
    return total / max(1, len(numbers))


def padded(examples: ReadingExamples, numbers: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
    """Put pairs side by side: their tokens, and which of them are none to fill up. Shape (pairs,
    tokens).
    """
    rows = [examples.tokens[examples.starts[n] : examples.starts[n + 1]] for n in numbers]
    ids = np.full((len(rows), max(map(len, rows))), PAD, np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
    lengths = np.array([len(row) for row in rows])
    mask = np.arange(ids.shape[1])[None] < lengths[:, None]
    return torch.from_numpy(ids), torch.from_numpy(mask)


def device_of(wanted: str) -> str:
    """Return where to compute."""
    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole or not at all."""
    fresh = path.with_name(f"new-{path.name}")
    write(fresh)
    with fresh.open("rb") as handle:
        os.fsync(handle.fileno())
    fresh.replace(path)


if __name__ == "__main__":
    main()
