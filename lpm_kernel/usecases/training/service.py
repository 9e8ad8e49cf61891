"""Which training answers as the person, what it learned from, and what becomes of it when that is
erased.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import OF_WEIGHTS, InUse, Run, RunId, RunState
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.L2.exam import Measure, final_arm
from lpm_kernel.usecases.training.examination import forget_what_was_read
from lpm_kernel.usecases.training.learn import SUPERVISED
from lpm_kernel.usecases.training.material import is_sealed
from lpm_kernel.usecases.training.pair_rows import learned_in, leave_out
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.preferences import stands
from lpm_kernel.usecases.training.rows import (
    THOUGHTS,
    WORDINGS,
    examples_in,
    lines_in,
    write_lines,
    write_rows,
)
from lpm_kernel.usecases.training.words_elsewhere import forget_consent

UNFINISHED = frozenset({RunState.PREPARED, RunState.WORKING, RunState.STOPPED})
"""States in which a training may still learn."""


def promote(
    ports: TrainingPorts, run: Run, *, insist: bool = False, not_worse: bool = False
) -> InUse:
    """Let a training answer as the person. Raises ``ConflictError`` where it is not ready, or is no
    better and nobody insists; with ``not_worse`` one that is no worse is good enough.
    """
    if run.state is not RunState.READY:
        raise ConflictError(
            "This training is not ready to be used.", "Let the training finish first."
        )
    verdict = run.scorecard.verdict if run.scorecard is not None else None
    fit = verdict is None or verdict.better or (not_worse and not verdict.reasons)
    if verdict is not None and not fit and not insist:
        worse = ", ".join(verdict.reasons) or "it knows no more than before"
        raise ConflictError(
            f"This training is not better than what is in use ({worse}).",
            "Look at its scorecard. To use it all the same, insist (`--insist`, or “Use it"
            " anyway”).",
        )
    return ports.runs.use(run.id, ports.clock.now(), insisted=insist and not fit)


def roll_back(ports: TrainingPorts) -> InUse:
    """Go one step back: to what was in use before, as far as it is still there, else the base.
    Raises ``ConflictError`` where nothing is in use.
    """
    now = ports.runs.in_use()
    if now.run is None:
        raise ConflictError("The base model is in use; there is nothing to switch back from.", "")
    return ports.runs.use(_before(ports, {now.run}), ports.clock.now())


def _before(ports: TrainingPorts, without: set[RunId]) -> RunId | None:
    """Give what was in use before the training in use was taken into use for the first time;
    without these, and without those that are not ready any more.
    """
    uses = ports.runs.used()
    first = max((place for place, use in enumerate(uses) if use.run == uses[0].run), default=0)
    for use in uses[first + 1 :]:
        if use.run is None:
            return None
        if use.run in without:
            continue
        try:
            if ports.runs.get(use.run).state is RunState.READY:
                return use.run
        except NotFoundError:
            continue
    return None


def delete(ports: TrainingPorts, run: Run) -> None:
    """Delete a training with everything in its folder. Raises ``ConflictError`` while it is in use
    or at work, or one that goes on from it is not over.
    """
    if run.state is RunState.WORKING:
        raise ConflictError("This training is running.", "Cancel it first.")
    if ports.runs.in_use().run == run.id:
        raise ConflictError(
            "This training is in use.", "Use another training, or the base model, first."
        )
    for child in every(ports.runs):
        if child.settings.get("start") == run.id and child.state in UNFINISHED:
            raise ConflictError(
                f"Training {child.number} goes on from this one, and is not over.",
                "Wait for it, or delete it first.",
            )
    _remove(ports, run)
    ports.runs.delete(run.id)


def _remove(ports: TrainingPorts, run: Run) -> None:
    """Remove what a training has in files, wherever it learned."""
    shutil.rmtree(ports.folder / run.id, ignore_errors=True)
    clear_scratch(ports.scratch, run.id)


def clear_scratch(scratch: Path | None, identifier: str) -> None:
    """Remove what a training has where it learned: all of it at once, so that nothing goes on from
    half of it.
    """
    place = scratch / identifier if scratch is not None else None
    if place is not None and place.is_dir():
        gone = place.with_name(f"gone_{identifier}")
        shutil.rmtree(gone, ignore_errors=True)
        place.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def lose_weights(place: Path) -> None:
    """Remove the weights in the folder of a training; a whole model that the person exported
    stays.
    """
    for name in ("adapter", "checkpoints", "dpo"):
        shutil.rmtree(place / name, ignore_errors=True)
    for name in ("adapter.gguf", SUPERVISED):
        (place / name).unlink(missing_ok=True)


def every(runs: Runs) -> Iterator[Run]:
    """Give every training, the newest first."""
    cursor: str | None = None
    while True:
        page, cursor = runs.page(limit=200, cursor=cursor)
        yield from page
        if cursor is None:
            return


def speaks_to_others(ports: TrainingPorts, run: Run) -> bool:
    """Tell whether a training may answer somebody else than its owner: it learned nothing that is
    private, and was examined without saying any of it.
    """
    if run.scorecard is None or is_sealed(ports, run):
        return False
    said = run.scorecard.arms[final_arm(run.scorecard.arms)].get(Measure.LEAK)
    return said is None or said.value == 0


def concerned(ports: TrainingPorts, ids: Collection[str]) -> list[Run]:
    """Return the trainings that learned something of these documents or chats, or what the person
    put right in them.
    """
    told = sorted(
        {belief.memory for each in ids for belief in ports.memories.believed(DocumentId(each))}
    )
    found = (
        *ports.runs.resting_on([DocumentId(each) for each in ids]),
        *(run for memory_id in told for run in ports.runs.knowing(memory_id)),
        *_with_pairs(ports, lambda pair: not set(ids).isdisjoint(pair.sources)),
    )
    return list({run.id: run for run in found if run.state is not RunState.TAINTED}.values())


def outlived(ports: TrainingPorts) -> list[Run]:
    """Return the trainings that learned of a chat that is not there any more, or does not keep by
    now what was said in it: from what was told there, or from pairs.
    """
    verdicts = ports.verdicts
    by_pairs = (
        [] if verdicts is None else _with_pairs(ports, lambda pair: not stands(verdicts, pair))
    )
    by_threads = [
        run
        for run in every(ports.runs)
        if run.state is not RunState.TAINTED and _is_of_a_thread_that_went(ports, run)
    ]
    return list({run.id: run for run in (*by_pairs, *by_threads)}.values())


def _is_of_a_thread_that_went(ports: TrainingPorts, run: Run) -> bool:
    named = {source.document for source in ports.runs.sources(run.id) if source.document}
    told = [each for each in sorted(named) if is_thread(each)]
    there = (*ports.documents.many(told), *ports.documents.many(told, away=True)) if told else ()
    return len({document.id for document in there}) < len(told)


def _with_pairs(ports: TrainingPorts, fits: Callable[[PreferencePair], bool]) -> list[Run]:
    """Return the trainings that learned such a pair."""
    found = []
    for place in ports.folder.glob("t_*") if ports.folder.is_dir() else ():
        with suppress(NotFoundError):  # being prepared, or left by a process that died
            run = ports.runs.get(RunId(place.name))
            if any(map(fits, learned_in(ports.folder, run))):
                found.append(run)
    return [run for run in found if run.state is not RunState.TAINTED]


def taint(ports: TrainingPorts, ids: Sequence[str]) -> list[Run]:
    """Take out of service, at once, every training that learned something of what is erased
    (documents and chats), or of a chat that is gone, and remove everything that it left in words or
    weights.

    The newest clean one that was in use before takes its place, else the base. Doing it twice is
    doing it once.
    """
    told = {belief.memory for each in ids for belief in ports.memories.believed(DocumentId(each))}
    touched = doomed(ports, ids)
    tainted = {run.id for run in touched}
    if ports.runs.in_use().run in tainted:
        ports.runs.use(_before(ports, tainted), ports.clock.now())
    for run in touched:
        _remove(ports, run)
        kept = {name: run.hashes[name] for name in OF_WEIGHTS & set(run.hashes)}
        now = ports.clock.now()
        ports.runs.change(run.id, state=RunState.TAINTED, ended_at=now, hashes=kept, error=None)
    for place in ports.folder.glob("t_*") if ports.folder.is_dir() else ():
        if ids:
            forget_what_was_read(place)
        _scrub(place, set(ids), told)
        _scrub_pairs(ports, place, set(ids) | told)
    return touched


def doomed(ports: TrainingPorts, ids: Sequence[str]) -> list[Run]:
    """Return the trainings that go when these documents and chats go, and those whose sources are
    gone already.
    """
    found = (*concerned(ports, ids), *outlived(ports))
    return list({run.id: run for run in found}.values())


def _scrub_pairs(ports: TrainingPorts, place: Path, gone: set[str]) -> None:
    """Take out of the pairs of a training those that it did not learn, and that are of something
    that is gone; of any other it would not be there any more.
    """
    verdicts = ports.verdicts

    def is_gone(pair: PreferencePair) -> bool:
        of_it = not gone.isdisjoint((*pair.sources, *pair.memories))
        return of_it or (verdicts is not None and not stands(verdicts, pair))

    leave_out(place, is_gone)


def _scrub(place: Path, documents: set[str], told: set[MemoryId]) -> None:
    """Take out of the words of a training what it did not learn, but held: private statements that
    it was examined for, and those of which every row was struck.
    """
    material_of = (
        [json.loads(line) for line in lines]
        if (lines := lines_in(place / "material.jsonl"))
        else []
    )
    gone = {
        row["memory"]
        for row in material_of
        if row.get("document") in documents or row["memory"] in told
    }
    if not gone:
        return
    for name in ("rows.jsonl", "added.jsonl"):
        write_rows(
            place / name,
            (row for row in list(examples_in(place / name)) if not gone & set(row.memories)),
        )
    forget_consent(place, gone)
    # the figures stay, in the registry
    # the answers first: they belong to the questions by number
    for name in ("answers.jsonl", "exam.jsonl", WORDINGS, THOUGHTS):
        (place / name).unlink(missing_ok=True)
    # last: it tells whether anything is to be taken out, also to who goes on after a kill
    write_lines(place / "material.jsonl", (row for row in material_of if row["memory"] not in gone))
