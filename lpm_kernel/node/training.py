"""Trainings of this home: what can be learned, learning it, examining it, and what answers as the
person.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from lpm_kernel.backends.llm.weights import bundled_gguf, bundled_model
from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.ports import Adapter, ChatMessage, LanguageModel, Sampling, Scorer
from lpm_kernel.domain.training.runs import (
    Example,
    InUse,
    LearnedFrom,
    Run,
    RunId,
    RunState,
    Scorecard,
    Trainer,
)
from lpm_kernel.errors import (
    ConflictError,
    InvalidInputError,
    ModelUnavailableError,
    NodeError,
    NotFoundError,
)
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L2.exam import Item, read_items
from lpm_kernel.L2.render import as_person, with_notes
from lpm_kernel.L2.templates import Templates
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.home import work
from lpm_kernel.usecases.training import (
    examination,
    learn,
    material,
    merging,
    prepare,
    service,
    wording,
)
from lpm_kernel.usecases.training.desk import TrainingBase, TrainingPorts

NOTES_READ = 4
"""Passages that are read with a question of the examination."""
_NOT_HERE = Problem(
    "Its files are not here",
    "A backup keeps what is known of a training, but not its weights.",
    "Train again; what it learned from is still kept.",
)
SHORT = Sampling(temperature=0.0, max_tokens=60)


@lru_cache(maxsize=8)
def _mark(file: Path, written: int) -> str:  # noqa: ARG001 - a file that was written anew is another one
    """Tell a base from another by its bytes, which are read once: they may be gigabytes."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()[:16]


class Mind:
    """The model in use, with a training's adapter and without."""

    def __init__(self, model: LanguageModel, adapter: Adapter) -> None:
        self._model, self._adapter = model, adapter

    def answer(self, messages: Sequence[ChatMessage], *, trained: bool) -> str:
        """Answer greedily and shortly. Raises ``ModelUnavailableError``."""
        sampling = replace(SHORT, adapter=self._adapter) if trained else SHORT
        return "".join(delta.text for delta in self._model.stream(messages, sampling)).strip()

    def likelihood(
        self, messages: Sequence[ChatMessage], continuation: str, *, trained: bool
    ) -> tuple[float, int]:
        """Return the log-probability of a continuation and how many tokens it has. Raises
        ``ModelUnavailableError``.
        """
        if not isinstance(self._model, Scorer):
            raise ModelUnavailableError(
                "What serves the model cannot say how likely words are.",
                "Examine it with a model on this machine.",
            )
        scored = self._model.score(messages, continuation, self._adapter if trained else None)
        return sum(value for _, value in scored), len(scored)


class Training:
    """Trainings."""

    def __init__(self, ports: Ports, models: Models, memory: Memory, graph: EntityGraph) -> None:
        self._ports = ports
        self._models = models
        self._memory = memory
        self._graph = graph

    @cached_property
    def trainer(self) -> Trainer:
        """What trains: the recipes, or the twin where the settings say so."""
        return ScriptedTrainer() if self._ports.settings.trainer == "scripted" else ChildTrainer()

    @property
    def training_desk(self) -> TrainingPorts:
        """What trainings are made with."""
        called = {
            entity.name: entity.aliases
            for entity in self._graph.named().found.by_slug.values()
            if entity.aliases
        }
        return TrainingPorts(
            self._ports.runs,
            self._ports.memories,
            self._ports.documents,
            self.trainer,
            Templates(called),
            self._ports.home.versions,
            self._ports.clock,
            self._ports.conversations.identity().name,
            called,
            self._ports.decisions,
            self._memory.correction,
        )

    def training_base(self) -> TrainingBase:
        """Return what a training starts from. Raises ``ConflictError`` where the model in use is
        not on this machine.
        """
        setting = self._ports.settings.model
        if setting.startswith("http"):
            raise ConflictError(
                "The model in use is served elsewhere, so its weights cannot be trained here.",
                "Take a model on this machine into use (Settings, Models).",
            )
        if setting.startswith("scripted"):
            return TrainingBase("scripted", Path(setting), Path(setting), 0)
        learns = bundled_gguf() if setting == "bundled" else Path(setting)
        mark = _mark(learns, learns.stat().st_mtime_ns)
        parameters = self._models.model.card().parameters or 0
        return TrainingBase(
            f"{learns.stem}@{mark}",
            learns,
            bundled_model() if setting == "bundled" else learns,
            4 * parameters,
        )

    def material(self, *, private: bool = False) -> material.Material:
        """Return what could be learned now."""
        return material.material(self.training_desk, private=private)

    def prepare_training(
        self,
        given: Mapping[str, Any],
        *,
        private: bool = False,
        added: Sequence[Example] = (),
        questions: str = "",
    ) -> Run:
        """Make the rows of a training, to be read before anything is learned. ``questions`` are
        JSON lines for its examination.
        """
        desk = self.training_desk
        read_items(questions, ())
        run = prepare.prepare(desk, self.training_base(), given, private=private, added=added)
        if questions.strip():
            (self._ports.home.versions / run.id / "questions.jsonl").write_text(questions, "utf-8")
        return run

    def queue_training(self, run: RunId, *, until: str = "examined") -> Job:
        """Queue a training, from where it is. ``until``: ``measured`` or ``examined``. Raises
        ``ConflictError`` where another is at work.
        """
        known = self._ports.runs.get(run)
        if known.state in (RunState.READY, RunState.TAINTED):
            raise ConflictError("This training is over.", "Prepare another one.")
        for job in self._trainings_at_work():
            if job.request.get("run") != run:
                raise ConflictError(
                    "Another training is at work.", "Wait for it, or cancel it first."
                )
            if job.request.get("until") == until:
                return job
            self._ports.jobs.cancel(job.id, self._ports.clock.now())
        if until == "examined":
            self._ports.runs.change(run, state=RunState.WORKING, error=None)
        return self._ports.jobs.add(
            "train", Lane.HEAVY, None, self._ports.clock.now(), {"run": run, "until": until}
        )

    def _trainings_at_work(self) -> list[Job]:
        return self._at_work("train")

    def _at_work(self, kind: str) -> list[Job]:
        return self._ports.jobs.page(
            limit=100, kind=kind, states=[JobState.QUEUED, JobState.RUNNING]
        )[0]

    def training_jobs(self) -> dict[RunId, Job]:
        """Return the newest job of each training that had one lately."""
        return self._newest("train")

    def _newest(self, kind: str) -> dict[RunId, Job]:
        return {
            RunId(str(job.request.get("run"))): job
            for job in reversed(self._ports.jobs.page(limit=100, kind=kind)[0])
        }

    def cancel_training(self, run: RunId) -> Run:
        """Stop a training with a checkpoint; it can go on."""
        known = self._ports.runs.get(run)
        for job in self._trainings_at_work():
            if job.request.get("run") == run:
                self._ports.jobs.cancel(job.id, self._ports.clock.now())
        return learn.stop(self.training_desk, known)

    def train_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Learn, examine and put ready, as a job."""
        run = RunId(str(job.request["run"]))
        try:
            return self._train(run, str(job.request.get("until", "examined")), progress)
        except NodeError as error:
            learn.failed(self.training_desk, run, Problem.of(error))
            raise

    def _train(self, identifier: RunId, until: str, progress: work.Progress) -> work.JobOutcome:
        desk, base, run = self.training_desk, self.training_base(), self._ports.runs.get(identifier)
        if run.base != base.name:
            raise ConflictError(
                f"This training was prepared for {run.base.partition('@')[0]}, and another model is"
                " in use now.",
                "Take that model into use again, or prepare another training.",
            )
        run = learn.measure(desk, wording.word(desk, run, self._say, progress), base, progress)
        estimate = dict(run.estimate or {})
        if until == "measured":
            return work.JobOutcome(
                f"About {max(1, round(estimate.get('seconds', 0) / 60))} minutes.", estimate
            )
        if run.state is not RunState.WORKING:
            run = self._ports.runs.change(run.id, state=RunState.WORKING)
        run = learn.learn(desk, run, base, progress)
        card = self.examine_training(run.id, progress)
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.TRAINED,
            training=run.number,
            memories=len(self._ports.runs.sources(run.id)),
        )
        return work.JobOutcome(
            f"Training {run.number} is {'better' if card.verdict.better else 'not better'} than"
            " what was in use.",
            {"run": run.id, "better": card.verdict.better},
        )

    def _say(self, messages: Sequence[ChatMessage], sampling: Sampling) -> str:
        return "".join(delta.text for delta in self._models.model.stream(messages, sampling))

    def examine_training(
        self, run: RunId, progress: work.Progress = lambda *_: None, questions: str = ""
    ) -> Scorecard:
        """Examine a training; new ``questions`` have it examined anew."""
        known, place = self._ports.runs.get(run), self._ports.home.versions / run
        if questions.strip():
            read_items(questions, ())
            (place / "questions.jsonl").write_text(questions, "utf-8")
            for name in ("exam.jsonl", "answers.jsonl"):
                (place / name).unlink(missing_ok=True)
        given: list[Item] = []
        if (place / "questions.jsonl").exists():
            given = read_items(
                (place / "questions.jsonl").read_text("utf-8"), self.material(private=True).taught
            )
        return examination.examine(
            self.training_desk,
            known,
            Mind(self._models.model, self.adapter_of(known)),
            self._read_for,
            progress,
            given=given,
        )

    def _read_for(self, question: str) -> list[str]:
        found = self._memory.recall_query(
            RecallQuery(Question(question), k=NOTES_READ, scope=Scope(include_private=False))
        )
        return [item.content for item in found.items[:NOTES_READ]]

    def adapter_of(self, run: Run, scale: float | None = None) -> Adapter:
        """Return a training as the model host takes it. Raises ``NotFoundError`` where it has no
        adapter.
        """
        path = self._ports.home.versions / run.id / "adapter.gguf"
        if not path.exists():
            raise NotFoundError("adapter of training", str(run.number))
        return Adapter(run.id, path, float(scale if scale is not None else 1.0))

    @property
    def adapter(self) -> Adapter | None:
        """The training that answers as the person, where one is in use and its files are there."""
        used = self._ports.runs.in_use().run
        if used is None:
            return None
        try:
            known = self._ports.runs.get(used)
            return (
                self.adapter_of(known)
                if known.state is RunState.READY and known.base == self.training_base().name
                else None
            )
        except (NodeError, OSError):  # the base answers, or says itself why it cannot
            return None

    def promote_training(self, run: RunId, *, insist: bool = False) -> InUse:
        """Let a training answer as the person."""
        used = service.promote(self.training_desk, self._ports.runs.get(run), insist=insist)
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.TRAINING_IN_USE,
            training=self._ports.runs.get(run).number,
            insisted=used.insisted,
        )
        return used

    def roll_back_training(self, run: RunId | None = None) -> InUse:
        """Go one step back. Raises ``ConflictError`` where ``run`` is not the one in use."""
        if run is not None and self._ports.runs.in_use().run != run:
            raise ConflictError(
                "This training is not in use.", "Only the one that is in use can be taken back."
            )
        used = service.roll_back(self.training_desk)
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.TRAINING_IN_USE,
            training=self._ports.runs.get(used.run).number if used.run else 0,
            insisted=False,
        )
        return used

    def delete_training(self, run: RunId) -> None:
        """Delete a training and everything that it left."""
        known = self._ports.runs.get(run)
        if any(job.request.get("run") == run for job in self._at_work("merge")):
            raise ConflictError(
                "This training is being exported.", "Wait for it, or cancel that first."
            )
        service.delete(self.training_desk, known)
        self.forget_adapter(run)

    def merge_training(
        self,
        run: RunId,
        kind: str,
        progress: work.Progress = lambda *_: None,
        target: Path | None = None,
    ) -> Path:
        """Write a training as a whole model, here and now."""
        return merging.merge(
            self.training_desk,
            self._ports.runs.get(run),
            self.training_base(),
            kind,
            progress,
            target,
        )

    def queue_merge(self, run: RunId, kind: str) -> Job:
        """Queue writing a training as a whole model into its folder; one that is waiting already
        will do. Refused at once where it cannot be.
        """
        merging.check(self.training_desk, self._ports.runs.get(run), self.training_base(), kind)
        waiting = next(
            (
                job
                for job in self._at_work("merge")
                if job.request.get("run") == run and job.request.get("kind") == kind
            ),
            None,
        )
        return waiting or self._ports.jobs.add(
            "merge", Lane.HEAVY, None, self._ports.clock.now(), {"run": run, "kind": kind}
        )

    def merge_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Write a training as a whole model, as a job."""
        run = self._ports.runs.get(RunId(str(job.request["run"])))
        made = self.merge_training(run.id, str(job.request["kind"]), progress)
        return work.JobOutcome(
            f"Training {run.number} is a model of {made.stat().st_size / 1e6:.0f} MB.",
            {"run": run.id, "bytes": made.stat().st_size},
        )

    def merging_jobs(self) -> dict[RunId, Job]:
        """Return the newest job that writes each training as a whole model, of those that had one
        lately.
        """
        return self._newest("merge")

    def merged(self, run: RunId) -> dict[str, Path]:
        """Return the whole models of a training that lie ready, by kind."""
        return merging.merged_in(self._ports.home.versions / run)

    def forget_adapter(self, run: RunId) -> None:
        """Have the model drop an adapter, with what it kept of prompts under it."""
        forget = getattr(self._models.model, "forget_adapter", None)
        if forget is not None:
            forget(run)

    def taint_trainings(self, documents: Sequence[DocumentId]) -> list[Run]:
        """Take every training out of service that learned something of these documents."""
        doomed = {
            run.id for run in service.concerned(self._ports.runs, self._ports.memories, documents)
        }
        for job in (*self._trainings_at_work(), *self._at_work("merge")):
            if job.request.get("run") in doomed:
                self._ports.jobs.cancel(job.id, self._ports.clock.now())
        touched = service.taint(self.training_desk, documents)
        for run in touched:
            self.forget_adapter(run.id)
        return touched

    def learned_from(self, run: Run) -> list[LearnedFrom]:
        """Return what a training learned from, as it was learned and as it reads now."""
        return service.learned_from(self.training_desk, run)

    def knowing(self, memory: MemoryId) -> list[Run]:
        """Return the trainings that learned a statement, the newest first."""
        return self._ports.runs.knowing(memory)

    def ask_trained(self, question: str, run: RunId | None, *, retrieval: bool) -> str:
        """Answer a question from the weights, with what recall finds or without; ``run`` of
        ``None`` is the base.
        """
        if not question.strip():
            raise InvalidInputError("There is no question.", "Write one.")
        name = self._ports.conversations.identity().name
        notes = self._read_for(question) if retrieval else ()
        asked = with_notes(question, notes, name) if notes else as_person(question, name)
        mind = Mind(
            self._models.model,
            self.adapter_of(self._ports.runs.get(run)) if run else Adapter("", Path(), 0.0),
        )
        return mind.answer(asked, trained=run is not None)

    def sweep_trainings(self) -> None:
        """Remove folders of trainings that the registry does not have, and note which trainings
        nobody works at any more.
        """
        at_work = {job.request.get("run") for job in self._trainings_at_work()}
        known: dict[str, Run] = {}
        cursor: str | None = None
        while True:
            page, cursor = self._ports.runs.page(limit=200, cursor=cursor)
            known |= {run.id: run for run in page}
            if cursor is None:
                break
        self._sweep_folders(known)
        for run in known.values():
            if (
                run.state is not RunState.TAINTED
                and not (self._ports.home.versions / run.id).is_dir()
            ):
                self._ports.runs.change(run.id, state=RunState.TAINTED, error=_NOT_HERE)
                if self._ports.runs.in_use().run == run.id:
                    self._ports.runs.use(None, self._ports.clock.now())
            elif run.state is RunState.WORKING and run.id not in at_work:
                learn.stop(self.training_desk, run)

    def _sweep_folders(self, known: Mapping[str, Run]) -> None:
        """Remove trainings that are out of service for good, put aside what belongs to none, and
        remove what a killed writer of whole models left.
        """
        for folder in (
            self._ports.home.versions.iterdir() if self._ports.home.versions.is_dir() else ()
        ):
            if not folder.is_dir() or not folder.name.startswith("t_"):
                continue
            if folder.name not in known:
                self._put_training_aside(folder)
            elif known[folder.name].state is RunState.TAINTED:
                shutil.rmtree(folder, ignore_errors=True)
        if not self._at_work("merge"):
            for part in self._ports.home.versions.glob("t_*/.merged-*.part"):
                part.unlink(missing_ok=True)

    def _put_training_aside(self, folder: Path) -> None:
        """Move a training that the registry does not have to where it lies for as long as deleted
        documents do; an erasure removes it.
        """
        self._ports.home.aside.mkdir(mode=0o700, exist_ok=True)
        place = self._ports.home.aside / folder.name
        shutil.rmtree(place, ignore_errors=True)
        now = self._ports.clock.now().timestamp()
        os.utime(folder, (now, now))
        folder.replace(place)
