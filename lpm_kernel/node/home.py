"""The home as a whole: erasing, backups, archives, and whether everything is as it should be."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.store.home.backups import LocalBackups, check_backup, is_whole
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.config import Home
from lpm_kernel.domain.home.audit import Break, first_break
from lpm_kernel.domain.home.backups import Backup
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.errors import CorruptHomeError, NotFoundError, UnusableArchiveError
from lpm_kernel.node.chat import Chat
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.reflection import Reflecting
from lpm_kernel.node.rescue import prepare
from lpm_kernel.node.training import Training
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.home import archive_export, archive_import, work
from lpm_kernel.usecases.home import backups as backup
from lpm_kernel.usecases.home import erasure as erasing
from lpm_kernel.usecases.home import restore as restoring
from lpm_kernel.usecases.home import verification as verifying
from lpm_kernel.usecases.home.settlements import Settled, written
from lpm_kernel.usecases.memory import graph as mapping
from lpm_kernel.usecases.memory.workspace import take_away
from lpm_kernel.usecases.processes import reading_documents, running_as, waiting_for
from lpm_kernel.usecases.training.service import concerned

ARCHIVE_SECONDS = 86_400.0
"""How long an exported archive lies ready."""


class HomeKeeping:
    """What keeps the home, and what takes something out of it for good."""

    def __init__(
        self,
        ports: Ports,
        models: Models,
        workspace: WorkspaceFiles,
        memory: Memory,
        graph: EntityGraph,
        reflection: Reflecting,
        training: Training,
        chat: Chat,
    ) -> None:
        self._ports = ports
        self._models = models
        self._workspace = workspace
        self._memory = memory
        self._graph = graph
        self._reflection = reflection
        self._training = training
        self._chat = chat
        self.take_in_elsewhere: Callable[[Home, Path], None]
        """Takes an archive into another home."""

    def all_that_was_told(self) -> tuple[list[DocumentId], list[ConversationId]]:
        """Return every document and every conversation, put away or not."""
        conversations = []
        for put_away in (False, True):
            found, cursor = self._ports.conversations.page(limit=500, put_away=put_away)
            conversations += found
            while cursor is not None:
                found, cursor = self._ports.conversations.page(
                    limit=500, cursor=cursor, put_away=put_away
                )
                conversations += found
        return [each.id for each in self._ports.documents.everything()], [
            each.id for each in conversations
        ]

    def propose_erasure(
        self, documents: Sequence[DocumentId], conversations: Sequence[ConversationId] = ()
    ) -> erasing.ErasureProposal:
        """Say what erasing these would take away, and give the token that does it."""
        self._workspace.keep_step()
        kept = (sum(len(shelf.all()) for shelf in self.shelves), len(self.exported()))
        return erasing.propose(
            self._ports.documents,
            self._ports.decisions,
            self._ports.conversations,
            self._ports.files,
            self._ports.index,
            self._ports.erasures,
            self._ports.clock,
            [
                *documents,
                *(
                    each
                    for each in self._reflection.pages_resting_on(documents)
                    if each not in documents
                ),
            ],
            conversations,
            backups=kept[0],
            exports=kept[1],
            trainings=lambda doomed: len(concerned(self._ports.runs, self._ports.memories, doomed)),
        )

    def confirm_erasure(self, token: str) -> Job:
        """Erase: nobody finds it from now on, and the job takes out its traces."""
        doomed = [
            each.id
            for each in erasing.usable(self._ports.erasures, self._ports.clock, token).documents
        ]
        self._reflection.out_of_pages(doomed)
        self._training.taint_trainings(doomed)
        with (
            self._ports.files.locked()
        ):  # nobody reads a file anew between its going and its rows' going
            take_away(
                self._workspace.folder,
                self._ports.files,
                [
                    *self._ports.documents.many(doomed),
                    *self._ports.documents.many(doomed, away=True),
                ],
            )
            job = erasing.confirm(
                self._ports.erasures,
                self._ports.conversations,
                self._ports.index,
                self._ports.clock,
                token,
            )
        self._ports.pictures.forget()
        return job

    def erase_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Take out the traces of what was erased, as a job."""
        identifier = str(job.request.get("erasure", ""))
        progress(0.0, "wait", "Waiting until no document is being read")
        for folder in self._ports.home.aside.glob(
            "t_*"
        ):  # nobody knows any more what they learned from
            shutil.rmtree(folder)
        with (
            waiting_for(self._ports.home, "backup"),
            reading_documents(self._ports.home, undisturbed=True),
        ):
            went = erasing.erase(
                self._ports.erasures,
                self._ports.documents,
                self._ports.conversations,
                self._ports.files,
                self._ports.index,
                self.shelves,
                self._ports.clock,
                self._forget_prompts,
                lambda: mapping.forget(
                    self._ports.index.graph,
                    self._ports.entity_decisions,
                    self._ports.conversations.identity().name,
                ),
                (self._ports.home.exports, self._ports.home.imports, self._ports.home.damaged),
                identifier,
                progress,
            )
        if self._graph.graph_state() != "none":
            self._graph.queue_graph()
        out_of_reach = (
            self._ports.settings.backup_folder
            and not Path(self._ports.settings.backup_folder).expanduser().is_dir()
        )
        more = (
            " The folder of the backups is not there; they are rewritten when it is back, and"
            " before one of them is restored."
            if out_of_reach
            else ""
        )
        return work.JobOutcome(
            f"{went['documents']} documents and {went['conversations']} conversations are"
            f" gone.{more}",
            went,
        )

    def _forget_prompts(self) -> None:
        model = self._models.given[0] or EndpointModel(lambda: host_endpoint(self._ports.home.root))
        if (forget := getattr(model, "forget", None)) is not None:
            forget()

    @property
    def backups(self) -> LocalBackups:
        """The backups, where the settings say that they go."""
        folder = self._ports.settings.backup_folder
        return LocalBackups(
            Path(folder).expanduser().absolute() if folder else self._ports.home.backups
        )

    @property
    def shelves(self) -> list[LocalBackups]:
        """Every folder that backups of this home may lie in: where they go now, and where they went
        before the settings named another.
        """
        return [
            self.backups,
            *(
                [LocalBackups(self._ports.home.backups)]
                if self.backups.folder != self._ports.home.backups
                else []
            ),
        ]

    def back_up(
        self,
        label: str = "asked",
        progress: work.Progress = lambda *_: None,
        *,
        peer_keys: bool = False,
        accept_loss: bool = False,
    ) -> Backup:
        """Make a backup now; with ``peer_keys`` also of the keys with which the node speaks to
        others.

        ``accept_loss``: what the last backup has and this one has not is not missed.
        """
        return backup.back_up(
            self.backups,
            self._ports.audit,
            self._ports.erasures,
            self._ports.files,
            self._ports.clock,
            self._ports.home,
            self._ports.database.copy_to,
            self._ports.database.fingerprint,
            label,
            progress,
            documents=self._ports.documents,
            peer_keys=peer_keys,
            accept_loss=accept_loss,
        )

    def backup_is_due(self) -> bool:
        """Tell whether the schedule wants a backup now."""
        return backup.due(
            self.backups,
            self._ports.clock,
            self._ports.database.fingerprint,
            self._ports.settings.backup_minutes,
        )

    def backup_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Make a backup, as a job."""
        made = self.back_up(str(job.request.get("label", "asked")), progress)
        return work.JobOutcome(
            f"Backup {made.id}: {made.documents} documents.",
            {"backup": made.id, "documents": made.documents, "bytes": made.bytes},
        )

    def restore(self, wanted: str, to: Path | None = None) -> str:
        """Bring a backup back and return where the present state was put aside. The node has to be
        opened anew afterwards.

        With ``to``, make another home of it instead and leave this one as it is.
        """
        if Path(wanted).expanduser().is_file():
            return self._restore_archive(Path(wanted).expanduser(), to)
        source = backup.found(self.backups, wanted, is_whole)
        if wrong := check_backup(source):
            raise CorruptHomeError(
                f"The backup is not as it was written: {wrong[0]}. Nothing was restored.",
                "Choose another one: `lpm backup --list`.",
            )
        return self._restore(source, to)

    def _restore_archive(self, archive: Path, to: Path | None) -> str:
        with TemporaryDirectory(dir=self._ports.home.imports) as folder:
            self.take_in_elsewhere(Home(Path(folder)), archive.absolute())
            return self._restore(Path(folder), to)

    def _restore(self, source: Path, to: Path | None) -> str:
        present = restoring.Present(
            self._ports.erasures.tombstones(),
            list(self._ports.audit.all()),
            len(self._ports.erasures.unfinished()),
        )
        if to is not None:
            restoring.restore_to(Home(to.expanduser().absolute()), source, present, self._prepare)
            return ""
        restoring.refuse_while_running(self._ports.home)
        with running_as(self._ports.home, "node"):
            # so that what was written there and not read yet is in the backup that is made first
            self._workspace.keep_step()
            return restoring.restore(
                self._ports.home,
                source,
                present,
                self._prepare,
                lambda: self.back_up("before-restore").id,
                self._ports.close,
            )

    def _prepare(self, staging: Path, present: restoring.Present) -> None:
        prepare(staging, present, self._ports.home.secret("audit-key"), self._ports.clock)

    @property
    def _settled(self) -> Settled:
        self._ports.uses.write()
        return Settled(self._ports.reflections, self._ports.validities, self._ports.holding)

    def export(
        self,
        path: Path,
        wanted: archive_export.ExportOptions,
        progress: work.Progress = lambda *_: None,
    ) -> dict[str, object]:
        """Write everything into one archive."""
        return archive_export.export(
            self._ports.documents,
            self._ports.decisions,
            self._ports.entity_decisions,
            partial(written, self._settled),
            self._ports.conversations,
            self._ports.roles,
            self._ports.files,
            self._ports.audit,
            self._ports.settings,
            self._ports.clock,
            wanted,
            path,
            self._chat.closed,
            progress,
        )

    def export_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Write an archive, as a job."""
        wanted = archive_export.ExportOptions(
            private=job.request.get("private") is not False,
            conversations=job.request.get("conversations") is not False,
        )
        made = self.export(self._ports.home.exports / f"{job.id}.zip", wanted, progress)
        return work.JobOutcome(
            f"{made['documents']} documents and {made['conversations']} conversations in one"
            " archive.",
            made,
        )

    def exported(self) -> list[Path]:
        """Return the archives that lie ready, oldest first; one that is removed meanwhile is left
        out.
        """
        made: dict[Path, float] = {}
        for path in self._ports.home.exports.glob("*.zip"):
            with suppress(FileNotFoundError):
                made[path] = path.stat().st_mtime
        return sorted(made, key=lambda path: made[path])

    def take_in(
        self, path: Path, progress: work.Progress = lambda *_: None
    ) -> archive_import.TakenIn:
        """Take an archive in; a worker reads what came with it."""
        came = archive_import.take_in(
            self._ports.documents,
            self._ports.decisions,
            self._ports.entity_decisions,
            self._settled,
            self._ports.conversations,
            self._ports.roles,
            self._ports.files,
            self._workspace.folder,
            self._ports.audit,
            self._ports.erasures.tombstones,
            self._ports.clock,
            self._ports.settings,
            lambda changes: self._ports.change_settings(**changes),
            path,
            progress,
        )
        self._memory.divide_corrections()
        self._workspace.remember_kept()
        return came

    def import_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Take an archive in, as a job."""
        path = self._ports.home.imports / PurePath(str(job.request.get("archive", ""))).name
        if not path.is_file():
            raise NotFoundError("archive", path.name)
        try:
            came = self.take_in(path, progress)
        except UnusableArchiveError:
            path.unlink(missing_ok=True)
            raise
        return work.JobOutcome(came.sentence, asdict(came))

    def drop_imported(self) -> None:
        """Remove what was taken in. Not before its job has ended: a job that is killed then is done
        again, and needs it.
        """
        waiting = list(self._ports.home.imports.iterdir())
        if waiting:
            jobs = [
                (PurePath(str(job.request.get("archive", ""))).name, job.state)
                for job in self._ports.jobs.page(limit=500, kind="import")[0]
            ]
            taken_in = {name for name, state in jobs if state is JobState.SUCCEEDED} - {
                name for name, state in jobs if state is not JobState.SUCCEEDED
            }
            for path in waiting:
                if path.name in taken_in:
                    path.unlink(missing_ok=True)

    def verify(
        self, *, repair: bool = False, progress: work.Progress = lambda *_: None
    ) -> Iterator[verifying.Discrepancy]:
        """Hold everything against everything."""
        return verifying.verify(
            self._ports.documents,
            self._ports.conversations,
            self._ports.files,
            self._ports.index,
            self._ports.jobs,
            self._ports.audit,
            self.backups,
            self._ports.reader,
            self._models.embedder if self._models.embedder_state().state == "ready" else None,
            self._ports.clock,
            {
                "node.db": self._ports.database.complaints(),
                "index.db": self._ports.index.complaints(),
            },
            repair=repair,
            progress=progress,
        )

    def verify_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Hold everything against everything, as a job."""
        found = list(self.verify(repair=job.request.get("repair") is True, progress=progress))
        count = {
            state: sum(each.state == state for each in found)
            for state in ("damaged", "look", "repaired")
        }
        sentence = (
            "Everything is as it should be."
            if not any(count.values())
            else ", ".join(f"{n} {state}" for state, n in count.items() if n) + "."
        )
        return work.JobOutcome(sentence, {**count, "findings": [asdict(each) for each in found]})

    def first_break(self) -> Break | None:
        """Walk the audit chain, held against what the home and its backups noted."""
        return first_break(
            self._ports.audit.all(), verifying.heads(self._ports.audit, self.backups)
        )

    def sweep_archives(self) -> None:
        """Remove archives that were made for export and are a day old, and what came for import and
        has no job any more.
        """
        wanted = {
            PurePath(str(job.request.get("archive", ""))).name
            for job in self._ports.jobs.page(limit=500, kind="import")[0]
            if job.ended_at is None
        }
        now = self._ports.clock.now().timestamp()
        for folder, keep in (
            (self._ports.home.exports, set[str]()),
            (self._ports.home.imports, wanted),
        ):
            for half_written in (folder, self._ports.home.root):
                LocalFiles(half_written).sweep()
            for path in folder.iterdir():
                if path.name not in keep and now - path.stat().st_mtime > ARCHIVE_SECONDS:
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
