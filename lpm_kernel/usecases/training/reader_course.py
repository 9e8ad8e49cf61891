"""The course of teaching the reader further: what is learned is gathered, learned, examined and
kept. A stop or a kill anywhere leaves what was in use before; the next time goes on from there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from lpm_kernel.config import Home
from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.training.reading import ReaderTrainer, ReadingExample
from lpm_kernel.domain.training.runs import Learned
from lpm_kernel.errors import ConflictError, NodeError
from lpm_kernel.usecases.processes import alone
from lpm_kernel.usecases.training import reader_exam, readers
from lpm_kernel.usecases.training.reader_exam import LEARNED, OWN, PAPERS, SHIPPED, Figures
from lpm_kernel.usecases.training.readers import LearnedReader
from lpm_kernel.usecases.training.verdict_examples import (
    VerdictExample,
    VerdictExamples,
    VerdictPorts,
    VerdictSource,
    gather,
    stands,
)

VERDICTS_NEEDED: Final = 40
"""Judged answers without which nothing is learned: it would learn chance."""
KEPT_APART_NEEDED: Final = 8
"""Questions kept apart without which nobody could tell whether it reads better."""
LEFT_OUT: Final[Mapping[str, str]] = {
    "private": "rest on something private",
    "not_there": "rest on something that is not there any more",
    "nothing_cited": "cite nothing, and no passage holds what is right",
}


@dataclass(frozen=True)
class ReaderWork:
    """What the reader is taught with."""

    home: Home
    trainer: ReaderTrainer
    verdicts: VerdictPorts
    clock: Clock


def learn(work: ReaderWork, progress: Progress = lambda *_: None) -> LearnedReader:
    """Learn from the verdicts, examine what came of it, and keep it; it is not in use yet. What
    ``progress`` raises stops it with a checkpoint.

    Raises ``ConflictError`` where there are too few verdicts, something of them was erased
    meanwhile, or another process learns; ``UnavailableError`` where what trains is missing.
    """
    with alone(work.home, readers.LOCK, "The reader is being taught already."):
        gathered = gather(work.verdicts)
        check(gathered)
        progress(0.0, "prepare", f"Preparing {gathered.verdicts} verdicts")
        run = _prepared(work, gathered)
        weights = run / readers.WEIGHTS
        with _unless_erased(run):
            if not weights.exists():
                _teach(work, run, progress)
            made = _examined(work, gathered, weights, progress)
            readers.keep(work.home, made, weights)
        # what was erased while it was being kept
        if readers.drop(work.home, lambda source: not _stands(work, source)):
            raise _erased()
        shutil.rmtree(run, ignore_errors=True)
        return made


def check(gathered: VerdictExamples) -> None:
    """Raise ``ConflictError`` where there is too little to learn from."""
    if gathered.verdicts < VERDICTS_NEEDED:
        count = gathered.verdicts
        raise ConflictError(
            f"There {'is' if count == 1 else 'are'} {count} verdict{'' if count == 1 else 's'} to"
            f" learn from, and it takes {VERDICTS_NEEDED}.{_left_out(gathered)}",
            "Say of more answers whether they are right.",
        )
    if len(gathered.kept_apart) < KEPT_APART_NEEDED:
        raise ConflictError(
            f"The verdicts are about so few questions that {len(gathered.kept_apart)} can be kept"
            f" apart to examine it, and it takes {KEPT_APART_NEEDED}.",
            "Judge answers to more questions.",
        )


def gone(work: ReaderWork) -> Callable[[Mapping[str, Any]], bool]:
    """Return what tells whether a source that was noted is gone."""
    return lambda source: not _stands(work, source)


def _left_out(gathered: VerdictExamples) -> str:
    told = [
        f"{gathered.left_out[why]} {words}"
        for why, words in LEFT_OUT.items()
        if why in gathered.left_out
    ]
    return f" Of the others, {', '.join(told)}." if told else ""


def _prepared(work: ReaderWork, gathered: VerdictExamples) -> Path:
    """Return the folder in which it learns: as it stands where the same is learned, else anew. The
    plan comes first, so that an erasure knows whose words lie there.
    """
    run, examples = work.home.readers / readers.LEARNING, _examples(gathered.learned)
    written = json.dumps([[asdict(e) for e in examples], dict(work.trainer.recipe)])
    of = sha256(f"{work.trainer.base}\n{written}".encode()).hexdigest()
    if _plan(run) != of:
        shutil.rmtree(run, ignore_errors=True)
        run.mkdir(parents=True, mode=0o700)
        plan = {"of": of, "sources": _sources(gathered)}
        readers.write(run / readers.PLAN, json.dumps(plan))
    if not (run / "recipe.json").exists():
        work.trainer.prepare(run, examples)
    return run


def _plan(run: Path) -> str | None:
    try:
        of: str = json.loads((run / readers.PLAN).read_text("utf-8"))["of"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return of


def _teach(work: ReaderWork, run: Path, progress: Progress) -> None:
    def said(learned: Learned) -> None:
        if not (run / readers.PLAN).exists():
            raise _erased()
        of = max(1, learned.of)
        progress(0.05 + 0.5 * learned.step / of, "learn", f"Step {learned.step} of {learned.of}")

    work.trainer.learn(run, said)
    work.trainer.finish(run)


def _examined(
    work: ReaderWork, gathered: VerdictExamples, weights: Path, progress: Progress
) -> LearnedReader:
    """Ask the same of the reader that the node ships and of what was learned."""
    asked = {OWN: _examples(gathered.kept_apart), PAPERS: work.trainer.papers()}
    found: dict[str, dict[str, Figures]] = {kind: {} for kind in asked}
    for number, (arm, file) in enumerate(((SHIPPED, None), (LEARNED, weights))):
        reader = work.trainer.reader(file)
        begun = 0.55 + 0.22 * number

        def said(share: float, begun: float = begun) -> None:
            progress(begun + 0.22 * share, "examine", "Examining what was learned")

        for kind, examples in asked.items():
            found[kind][arm] = reader_exam.figures(reader, examples, said)
    return LearnedReader(
        readers.fresh_id(),
        work.clock.now().isoformat(),
        work.trainer.base,
        readers.hash_of(weights),
        gathered.counts,
        _sources(gathered),
        dict(work.trainer.recipe),
        found,
        reader_exam.reasons(found),
    )


def _examples(made: Sequence[VerdictExample]) -> list[ReadingExample]:
    return [each.example for each in made]


def _sources(gathered: VerdictExamples) -> list[dict[str, Any]]:
    both = (*gathered.learned, *gathered.kept_apart)
    rows = [asdict(source) for each in both for source in each.sources]
    named = ("answers", "documents", "struck")
    return [row | {name: list(row[name]) for name in named} for row in rows]


def _stands(work: ReaderWork, source: Mapping[str, Any]) -> bool:
    """Tell whether a source is there as it was; one that cannot be read is not."""
    try:
        known = VerdictSource(
            TurnId(source["turn"]),
            ConversationId(source["conversation"]),
            source["asked"],
            tuple(map(TurnId, source["answers"])),
            tuple(map(DocumentId, source["documents"])),
            tuple(source.get("struck", ())),
        )
    except (KeyError, TypeError):
        return False
    return stands(work.verdicts, known)


@contextmanager
def _unless_erased(run: Path) -> Iterator[None]:
    """Say so where an erasure took the folder away in which it learns."""
    try:
        yield
    except (OSError, NodeError) as error:
        if not (run / readers.PLAN).exists():
            raise _erased() from error
        raise


def _erased() -> ConflictError:
    return ConflictError(
        "Something that the reader was learning from was erased meanwhile.",
        "Let it learn again: `lpm reader learn`.",
    )
