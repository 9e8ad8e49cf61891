"""Trainings of this home: what can be learned, learning it, examining it, and what answers as the
person.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict, Unpack

from lpm_kernel.backends.graph.search import GraphEndpoint, GraphRag
from lpm_kernel.backends.llm.weights import bundled_gguf, bundled_model
from lpm_kernel.backends.machine import machine_state
from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.backends.train.scratch import ScratchTrainer
from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.ports import Adapter
from lpm_kernel.domain.training.comparison import SourceText
from lpm_kernel.domain.training.growth import MachineState, SkipReason
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import (
    Example,
    InUse,
    LearnedFrom,
    LearnedText,
    Run,
    RunId,
    Scorecard,
    Trainer,
)
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.L2.alignment.style import StyleProfile
from lpm_kernel.L2.alignment.style_features import Written
from lpm_kernel.L2.exam import read_items
from lpm_kernel.L2.templates import Templates
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.memory.findings import Finding
from lpm_kernel.usecases.share.grants import granted_documents
from lpm_kernel.usecases.training import (
    comparison,
    course,
    growth,
    lineage,
    material,
    merging,
    minds,
    prepare,
    service,
    sweeping,
)
from lpm_kernel.usecases.training.names import named_in
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts
from lpm_kernel.usecases.training.verdict_examples import VerdictPorts
from lpm_kernel.usecases.training.words_elsewhere import (
    WordsLeaving,
    WordsPorts,
    words_endpoint,
)


@dataclass(frozen=True)
class WordsWish:
    """What the person says of the endpoint that words the questions."""

    key: str | None = field(default=None, repr=False)
    """Nothing where it has the key that was given before, or none."""
    consent: bool = False


NO_WISH = WordsWish()


class WrittenRows(TypedDict, total=False):
    """What the person wrote for a training."""

    added: Sequence[Example]
    pairs: Sequence[PreferencePair]
    questions: str
    """JSON lines for its examination."""


class Training:
    """Trainings."""

    def __init__(self, ports: Ports, models: Models, memory: Memory, graph: EntityGraph) -> None:
        self._ports = ports
        self._models = models
        self._memory = memory
        self._graph = graph
        self.own_statements: Callable[[Sequence[DocumentId] | None], Sequence[Finding]]
        """Gives what the person says in documents and did not decide about."""
        self.machine: Callable[[], MachineState] = machine_state
        self.own_style: Callable[[bool], Mapping[Written, StyleProfile]]
        """Gives how the person writes each language, with what is private or without."""

    @cached_property
    def trainer(self) -> Trainer:
        """What trains: the recipes, or the twin where the settings say so."""
        settings = self._ports.settings
        scripted = settings.trainer == "scripted"
        made = ScriptedTrainer() if scripted else ChildTrainer(settings.train_devices)
        return ScratchTrainer(made, self.scratch) if self.scratch else made

    @property
    def scratch(self) -> Path | None:
        """Where trainings learn that do not learn in the home; each home has a folder there."""
        if not self._ports.settings.scratch:
            return None
        mark = hashlib.sha256(bytes(self._ports.home.root)).hexdigest()[:12]
        return Path(self._ports.settings.scratch).expanduser() / f"second-me-{mark}"

    @property
    def training_ports(self) -> TrainingPorts:
        """What trainings are made with."""
        here, entities = self._ports, self._graph.named().found.by_slug.values()
        called = {entity.name: entity.aliases for entity in entities if entity.aliases}
        return TrainingPorts(
            here.runs,
            here.memories,
            here.documents,
            self.trainer,
            Templates(called),
            here.home.versions,
            here.clock,
            here.conversations.identity().name,
            called,
            here.decisions,
            self._memory.correction,
            self._memory.fading,
            VerdictPorts(
                here.conversations, here.documents, here.decisions, here.memories, here.index
            ),
            self.own_statements,
            {entity.name: entity.kind for entity in entities},
            lambda document: here.files.words(document.sha256, document.text_version or ""),
            lambda: granted_documents(here.permissions, here.clock, here.documents.all()),
            self.own_style,
            WordsPorts(self._models.words_model, self._models.words_are_here),
            self.scratch,
        )

    @property
    def _work(self) -> course.TrainingWork:
        return course.TrainingWork(
            self.training_ports,
            self._ports.jobs,
            self.training_base,
            lambda: self._models.model,
            self._memory.recall_query,
            self._models.thinking,
        )

    def training_base(self) -> TrainingBase:
        """Return what a training starts from. Raises ``ConflictError`` where the model in use is
        not on this machine.
        """
        weights = minds.ModelWeights(
            lambda: (bundled_gguf(), bundled_model()), lambda: self._models.model.card().parameters
        )
        return minds.base_of(self._ports.settings.model, weights)

    def material(
        self, *, private: bool = False, documents: str | Sequence[str] = ()
    ) -> material.Material:
        """Return what could be learned now, with what was written in ``documents``."""
        return material.material(self.training_ports, private=private, documents=documents)

    def words_leaving(self, given: Mapping[str, Any], *, private: bool = False) -> WordsLeaving:
        """Say what would leave this machine if the endpoint that these settings name worded the
        questions. Nothing is sent. Raises ``InvalidInputError``.
        """
        return prepare.words_leaving(self.training_ports, given, private=private)

    def prepare_training(
        self,
        given: Mapping[str, Any],
        *,
        private: bool = False,
        words: WordsWish = NO_WISH,
        **written: Unpack[WrittenRows],
    ) -> Run:
        """Make the rows of a training, to be read before anything is learned. Raises
        ``InvalidInputError``, and ``ConsentNeededError`` where sentences would leave for an
        endpoint that is to word them.
        """
        self._check_thoughts(given)
        own = prepare.OwnRows(
            written.get("added", ()), written.get("pairs", ()), consent=words.consent
        )
        run = course.prepare_run(
            self._work, given, private=private, own=own, questions=written.get("questions", "")
        )
        endpoint = words_endpoint(run.settings)
        if endpoint is not None and words.key is not None:
            self._ports.home.write_secret(endpoint.key_name, words.key)
        return run

    def _check_thoughts(self, given: Mapping[str, Any]) -> None:
        thinks = self._models.given.thinking or self._models.thinking_state().kind != "none"
        wanted = given.get("thoughts") == "model" and given.get("reasoning", "none") != "none"
        if wanted and not thinks:
            raise InvalidInputError(
                "No model that thinks was chosen.",
                "Choose one in Settings, or leave the thoughts to the rules.",
            )

    def queue_training(self, run: RunId, *, until: str = "examined") -> Job:
        """Queue a training, from where it is. ``until``: ``measured`` or ``examined``. Raises
        ``ConflictError`` where another is at work.
        """
        return course.queue(self._work, run, until)

    def training_jobs(self, runs: Sequence[Run]) -> dict[RunId, Job]:
        """Return the newest job that learned each of these, of those that had one lately."""
        return course.jobs_of(self._ports.jobs, runs)

    def leave_job(self, job: Job) -> None:
        """Note at the training of a job that was cancelled that it does not go on."""
        course.leave_job(self._work, job)

    def cancel_training(self, run: RunId) -> Run:
        """Stop a training with a checkpoint; it can go on."""
        return course.cancel(self._work, run)

    def train_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Learn, examine and put ready, as a job."""
        return course.do(self._work, job, progress)

    @property
    def _growth(self) -> growth.GrowthPorts:
        settings = self._ports.settings
        return growth.GrowthPorts(
            self._work,
            settings.grow,
            settings.grow_day,
            settings.grow_steps,
            settings.grow_batch,
            self.machine,
        )

    def growth(self) -> growth.GrowthState:
        """Say how it stands with learning every week what is new."""
        return growth.state(self._growth)

    def look_for_growth(self) -> Job | None:
        """Queue this week's training where it is due, or note why it is skipped."""
        return growth.look(self._growth)

    def queue_growth(self) -> Job:
        """Queue it now, whatever the day. Raises ``ConflictError`` where nothing can be learned."""
        return growth.queue_asked(self._growth)

    def why_not_grow(self) -> SkipReason | None:
        """Return why nothing could be learned now if the person asked for it."""
        return growth.why_not(self._growth, asked=True)

    def grow_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Learn what is new, and take it into use where nothing got worse, as a job."""
        return growth.do(self._growth, job, progress)

    def examine_training(
        self, run: RunId, progress: Progress = lambda *_: None, questions: str = ""
    ) -> Scorecard:
        """Examine a training; new ``questions`` have it examined anew."""
        return course.examine(self._work, run, progress, questions)

    def adapter_of(self, run: Run, scale: float | None = None) -> Adapter:
        """Return a training as the model host takes it. Raises ``NotFoundError`` where it has no
        adapter.
        """
        return minds.adapter_of(self._ports.home.versions, run, scale)

    @property
    def adapter(self) -> Adapter | None:
        """The training that answers as the person, where one is in use and its files are there."""
        here = self._ports
        return minds.adapter_in_use(here.runs, here.home.versions, self.training_base)

    def speaks_to_others(self, run: Run) -> bool:
        """Tell whether a training may answer somebody else than its owner."""
        return service.speaks_to_others(self.training_ports, run)

    def promote_training(self, run: RunId, *, insist: bool = False) -> InUse:
        """Let a training answer as the person."""
        return course.promote(self._work, run, insist=insist)

    def roll_back_training(self, run: RunId | None = None) -> InUse:
        """Go one step back. Raises ``ConflictError`` where ``run`` is not the one in use."""
        return course.roll_back(self._work, run)

    def delete_training(self, run: RunId) -> None:
        """Delete a training and everything that it left."""
        course.delete(self._work, run)

    def merge_training(
        self,
        run: RunId,
        kind: str,
        progress: Progress = lambda *_: None,
        target: Path | None = None,
    ) -> Path:
        """Write a training as a whole model, here and now."""
        return course.merge(self._work, run, kind, progress, target)

    def queue_merge(self, run: RunId, kind: str) -> Job:
        """Queue writing a training as a whole model into its folder; one that is waiting already
        will do. Refused at once where it cannot be.
        """
        return course.queue_merge(self._work, run, kind)

    def merge_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Write a training as a whole model, as a job."""
        return course.do_merge(self._work, job, progress)

    def merging_jobs(self) -> dict[RunId, Job]:
        """Return the newest job that writes each training as a whole model, of those that had one
        lately.
        """
        return course.newest_jobs(self._ports.jobs, "merge")

    def merged(self, run: RunId) -> dict[str, Path]:
        """Return the whole models of a training that lie ready, by kind."""
        return merging.merged_in(self._ports.home.versions / run)

    def forget_adapter(self, run: RunId) -> None:
        """Have the model drop an adapter, with what it kept of prompts under it."""
        course.forget_adapter(self._models.model, run)

    def resting_on(self, ids: Collection[str]) -> list[Run]:
        """Return the trainings that learned something of these documents or chats."""
        return service.concerned(self.training_ports, ids)

    def taint_trainings(self, ids: Sequence[str] = ()) -> list[Run]:
        """Take every training out of service that learned something of these documents or chats, or
        of a chat that is gone.
        """
        return course.taint(self._work, ids)

    def learned_from(self, run: Run) -> list[LearnedFrom]:
        """Return what a training learned from, as it was learned and as it reads now."""
        return lineage.learned_from(self.training_ports, run)

    def settings_again(self, run: RunId) -> dict[str, Any]:
        """Return the settings with which to learn again what a training knew. Raises
        ``NotFoundError``.
        """
        return lineage.settings_again(self.training_ports, self._ports.runs.get(run))

    def learned_texts(self, run: Run) -> list[LearnedText]:
        """Return the texts that a training learned from, by their hashes."""
        return lineage.learned_texts(self.training_ports, run)

    def knowing(self, memory: MemoryId) -> list[Run]:
        """Return the trainings that learned a statement, the newest first."""
        return self._ports.runs.knowing(memory)

    def ask_trained(self, question: str, run: RunId | None, *, retrieval: bool) -> str:
        """Answer a question from the weights, with what recall finds or without; ``run`` of
        ``None`` is the base.
        """
        return course.ask(self._work, question, run, retrieval=retrieval)

    def compare(
        self,
        progress: Progress = lambda *_: None,
        *,
        limit: int = 16,
        seed: int = 1,
        given: str = "",
        graph: bool = True,
    ) -> tuple[list[comparison.Compared], dict[str, object]]:
        """Put the same questions to plain retrieval, to what this node recalls and, where it is
        installed and not left out, to GraphRAG, with the model in use; return what came of it, and
        of what. ``given`` are JSON lines of the person's own. Raises ``ConflictError``.
        """
        from lpm_kernel.backends.llm.relay import Relay  # it brings a web server along

        here, ports = self._ports, self.training_ports
        embedder = self._models.embedder
        if embedder is None:
            raise ConflictError("There is no embedder.", "Choose one in Settings.")
        taught = self.material().taught
        called = named_in(ports, taught).called
        asked = comparison.questions(
            taught, limit, seed, names=called, given=read_items(given, taught)
        )
        texts = self._open_texts()
        here.home.versions.mkdir(parents=True, exist_ok=True)
        with (
            TemporaryDirectory(dir=here.home.versions, prefix=sweeping.COMPARING) as place,
            Relay(self._models.model, embedder) as relay,
        ):
            search = GraphRag(
                GraphEndpoint(relay.address, relay.key, relay.name, relay.window, relay.dimension)
            )
            compared = comparison.ComparisonPorts(
                self._models.model,
                embedder,
                self._work.notes_for,
                texts,
                ports.name,
                search if graph and GraphRag.is_there() else None,
                Path(place),
            )
            found = comparison.compare(compared, asked, progress, relay.costs)
            about: dict[str, object] = {
                "model": relay.name,
                "embedder": embedder.id,
                "texts": len(texts),
                "questions": len(asked),
                "seed": seed,
                "date": f"{here.clock.now():%Y-%m-%d}",
            }
        return found, about

    def _open_texts(self) -> list[SourceText]:
        """Return what is neither private nor put away, as it reads now."""
        found = (
            SourceText(document.id, document.title, self._memory.text_of(document.id))
            for document in self._ports.documents.all()
            if not document.private and document.superseded_by is None
        )
        return [each for each in found if each.text.strip()]

    def sweep_trainings(self) -> None:
        """Remove folders of trainings that the registry does not have, and note which trainings
        nobody works at any more; what learned from a chat that is gone goes.
        """
        here = self._ports
        sweeping.sweep(here.runs, here.jobs, here.clock, here.home, self.scratch)
        self.taint_trainings()
