"""The home as a whole: erasing, backups, archives, and whether everything is as it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.store.home.backups import LocalBackups, check_backup, is_whole
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.config import Home
from lpm_kernel.domain.home.audit import Break, first_break
from lpm_kernel.domain.home.backups import Backup
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.stores import Contents
from lpm_kernel.node.chat import Chat
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.profile import ChatProfile
from lpm_kernel.node.readers import Readers
from lpm_kernel.node.reflection import Reflecting
from lpm_kernel.node.rescue import prepare
from lpm_kernel.node.style import OwnStyle
from lpm_kernel.node.training import Training
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.home import (
    archive_export,
    archive_import,
    archives,
    erasing,
    erasure,
    restoring,
)
from lpm_kernel.usecases.home import backups as backup
from lpm_kernel.usecases.home import restore as restored
from lpm_kernel.usecases.home import verification as verifying
from lpm_kernel.usecases.home.settlements import Settled
from lpm_kernel.usecases.memory import graph as mapping
from lpm_kernel.usecases.share.keys import Keystore, identity_in
from lpm_kernel.usecases.share.people_archives import PeopleStores
from lpm_kernel.usecases.training import readers


@dataclass(frozen=True)
class HomeSubjects:
    """The subjects out of which something is taken, and into which something is brought back."""

    models: Models
    workspace: WorkspaceFiles
    memory: Memory
    graph: EntityGraph
    reflection: Reflecting
    training: Training
    readers: Readers
    chat: Chat
    profiles: ChatProfile
    style: OwnStyle


class HomeKeeping:
    """What keeps the home, and what takes something out of it for good."""

    def __init__(self, ports: Ports, subjects: HomeSubjects) -> None:
        self._ports = ports
        self._subjects = subjects
        self.take_in_elsewhere: Callable[[Home, Path, str], None]
        """Takes an archive into another home, which will have this identity."""

    # --- erasing ---------------------------------------------------------------------------------

    @property
    def _erased_from(self) -> erasing.ErasingPorts:
        here, subjects = self._ports, self._subjects
        return erasing.ErasingPorts(
            Contents(here.documents, here.decisions, here.conversations, here.erasures, here.files),
            here.index,
            here.clock,
            here.home,
            subjects.workspace.folder,
            erasure.ErasureReach(
                self.shelves,
                (here.home.exports, here.home.imports, here.home.damaged),
                self._forget_prompts,
                self._forget_drawn,
                subjects.chat.read_threads,
            ),
            erasing.FollowUps(
                subjects.workspace.keep_step,
                subjects.reflection.pages_resting_on,
                subjects.reflection.out_of_pages,
                lambda ids: len(subjects.training.resting_on(ids)),
                subjects.training.taint_trainings,
                lambda ids: len(readers.resting_on(here.home, ids)),
                subjects.readers.drop,
                subjects.chat.threads_of,
                subjects.graph.queue_where_drawn,
                self._forget_seen,
            ),
        )

    def _forget_prompts(self) -> None:
        root = self._ports.home.root
        model = self._subjects.models.given.model or EndpointModel(lambda: host_endpoint(root))
        if (forget := getattr(model, "forget", None)) is not None:
            forget()

    def _forget_seen(self) -> None:
        self._ports.pictures.forget()
        self._subjects.memory.forget_questions()
        self._subjects.profiles.forget()
        self._subjects.style.forget()

    def _forget_drawn(self) -> None:
        here = self._ports
        name = here.conversations.identity().name
        mapping.forget(here.index.graph, here.entity_decisions, name)

    def all_that_was_told(self) -> tuple[list[DocumentId], list[ConversationId]]:
        """Return every document and every conversation, put away or not."""
        return erasing.everything_told(self._ports.documents, self._ports.conversations)

    def propose_erasure(
        self, documents: Sequence[DocumentId], conversations: Sequence[ConversationId] = ()
    ) -> erasure.ErasureProposal:
        """Say what erasing these would take away, and give the token that does it."""
        return erasing.propose(self._erased_from, documents, conversations, len(self.exported()))

    def confirm_erasure(self, token: str) -> Job:
        """Erase: nobody finds it from now on, and the job takes out its traces."""
        return erasing.confirm(self._erased_from, token)

    def erase_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Take out the traces of what was erased, as a job."""
        return erasing.do(self._erased_from, job, self._ports.settings.backup_folder, progress)

    # --- backups ---------------------------------------------------------------------------------

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
        now, before = self.backups, LocalBackups(self._ports.home.backups)
        return [now] if now.folder == before.folder else [now, before]

    @property
    def _backed_up_from(self) -> backup.BackupPorts:
        here = self._ports
        return backup.BackupPorts(
            self.backups,
            here.home,
            here.documents,
            here.erasures,
            here.files,
            here.audit,
            here.clock,
            here.database.copy_kept_to,
            here.database.fingerprint,
        )

    def back_up(
        self,
        label: str = "asked",
        progress: Progress = lambda *_: None,
        *,
        peer_keys: bool = False,
        accept_loss: bool = False,
    ) -> Backup:
        """Make a backup now; with ``peer_keys`` also of the keys with which the node speaks to
        others.

        ``accept_loss``: what the last backup has and this one has not is not missed.
        """
        options = backup.BackupOptions(label, peer_keys, accept_loss)
        return backup.back_up(self._backed_up_from, options, progress)

    def backup_is_due(self) -> bool:
        """Tell whether the schedule wants a backup now."""
        here = self._ports
        fingerprint, minutes = here.database.fingerprint, here.settings.backup_minutes
        return backup.due(self.backups, here.clock, fingerprint, minutes)

    def backup_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Make a backup, as a job."""
        return backup.do(self._backed_up_from, job, progress)

    def restore(self, wanted: str, to: Path | None = None) -> str:
        """Bring a backup back and return where the present state was put aside. The node has to be
        opened anew afterwards.

        With ``to``, make another home of it instead and leave this one as it is.
        """
        here = self._ports
        ports = restoring.RestorePorts(
            here.home,
            self.backups,
            here.erasures,
            here.audit,
            restoring.BackupCheck(is_whole, check_backup),
            self._prepare,
            lambda other, path: self.take_in_elsewhere(
                other, path, self.identity if to is None else ""
            ),
            self._subjects.workspace.keep_step,
            lambda: self.back_up("before-restore").id,
            here.close,
        )
        return restoring.bring_back(ports, wanted, to)

    def _prepare(self, staging: Path, present: restored.Present) -> None:
        prepare(staging, present, self._ports.home.secret("audit-key"), self._ports.clock)

    # --- archives --------------------------------------------------------------------------------

    def _archived(self, identity: str | None = None) -> archive_export.ArchiveStores:
        here = self._ports
        here.uses.write()
        return archive_export.ArchiveStores(
            here.documents,
            here.decisions,
            here.entity_decisions,
            Settled(here.reflections, here.validities, here.holding),
            here.conversations,
            here.threads,
            here.profiles,
            here.roles,
            here.files,
            here.audit,
            here.clock,
            PeopleStores(
                here.contacts,
                here.permissions,
                here.discussions,
                self.identity if identity is None else identity,
            ),
        )

    @property
    def identity(self) -> str:
        """The DID of this node; nothing where it has none yet, or waits for its passphrase and has
        shown no card.
        """
        return identity_in(Keystore(self._ports.home, self._ports.clock))

    def export(
        self,
        path: Path,
        wanted: archive_export.ExportOptions,
        progress: Progress = lambda *_: None,
    ) -> dict[str, object]:
        """Write everything into one archive."""
        closed = self._subjects.chat.closed
        return archive_export.export(
            self._archived(), self._ports.settings, wanted, path, closed, progress
        )

    def export_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Write an archive, as a job."""
        return archives.export_as_job(self.export, self._ports.home.exports, job, progress)

    def exported(self) -> list[Path]:
        """Return the archives that lie ready, oldest first; one that is removed meanwhile is left
        out.
        """
        return archives.exported(self._ports.home.exports)

    def take_in(
        self,
        path: Path,
        progress: Progress = lambda *_: None,
        identity: str | None = None,
    ) -> archive_import.TakenIn:
        """Take an archive in; a worker reads what came with it. ``identity`` is the DID that this
        home will have, where that is not the one that it has.
        """
        here, subjects = self._ports, self._subjects
        came = archive_import.take_in(
            self._archived(identity),
            subjects.workspace.folder,
            here.live_settings,
            here.erasures.tombstones,
            path,
            progress,
        )
        subjects.memory.divide_corrections()
        subjects.workspace.remember_kept()
        return came

    def import_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Take an archive in, as a job."""
        return archives.import_as_job(self.take_in, self._ports.home.imports, job, progress)

    def drop_imported(self) -> None:
        """Remove what was taken in. Not before its job has ended: a job that is killed then is done
        again, and needs it.
        """
        archives.drop_imported(self._ports.home.imports, self._ports.jobs)

    def sweep_archives(self) -> None:
        """Remove archives that were made for export and are a day old, and what came for import and
        has no job any more.
        """
        here = self._ports
        archives.sweep(here.home, here.jobs, here.clock, lambda folder: LocalFiles(folder).sweep())

    # --- whether everything is as it should be ---------------------------------------------------

    def verify(
        self, *, repair: bool = False, progress: Progress = lambda *_: None
    ) -> Iterator[verifying.Discrepancy]:
        """Hold everything against everything."""
        here, models = self._ports, self._subjects.models
        ports = verifying.VerificationPorts(
            here.documents,
            here.conversations,
            here.files,
            here.index,
            here.jobs,
            here.audit,
            self.backups,
            here.reader,
            models.embedder if models.embedder_state().state == "ready" else None,
            here.clock,
        )
        complaints = {
            "node.db": here.database.complaints(),
            "index.db": here.index.complaints(),
        }
        return verifying.verify(ports, complaints, repair=repair, progress=progress)

    def verify_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Hold everything against everything, as a job."""
        return verifying.verify_as_job(
            lambda repair, noted: self.verify(repair=repair, progress=noted), job, progress
        )

    def first_break(self) -> Break | None:
        """Walk the audit chain, held against what the home and its backups noted."""
        return first_break(
            self._ports.audit.all(), verifying.heads(self._ports.audit, self.backups)
        )
