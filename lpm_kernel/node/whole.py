"""The node itself: what is open, with its work and how it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from lpm_kernel.backends.llm.client import is_local
from lpm_kernel.backends.llm.launch import read_where
from lpm_kernel.config import Home, default_home
from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InboxState
from lpm_kernel.errors import ConflictError
from lpm_kernel.node.chat import Chat
from lpm_kernel.node.findings import Findings
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.home import HomeKeeping, HomeSubjects
from lpm_kernel.node.library import Library
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models, Twins
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.profile import ChatProfile
from lpm_kernel.node.readers import Readers
from lpm_kernel.node.reflection import Reflecting
from lpm_kernel.node.speaking import Speaking
from lpm_kernel.node.style import OwnStyle
from lpm_kernel.node.training import Training
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.home import doctor, reconciliation, work
from lpm_kernel.usecases.home import erasure as erasing
from lpm_kernel.usecases.home.access import browsers, new_login_code
from lpm_kernel.usecases.processes import running
from lpm_kernel.usecases.share import sockets
from lpm_kernel.usecases.share.reach import reach

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from lpm_kernel.node.discussing import Discussing
    from lpm_kernel.node.meeting import Meeting
    from lpm_kernel.node.replying import Replying
    from lpm_kernel.usecases.share.answering import Answerer
    from lpm_kernel.usecases.share.exposure import Exposure

_PACKAGE = Path(__file__).resolve().parents[1]
_SHIPPED = _PACKAGE / "screens"
FRONT_END = _SHIPPED if _SHIPPED.exists() else _PACKAGE.parent / "lpm_frontend" / "out"
"""The built screens: those that came with the package, else those of the repository."""


class Node:
    """One person's node: its ports, and one object for each subject, each given what it uses."""

    _texts_seen = False
    """Whether it was looked since this node was opened that the texts are there."""

    def __init__(
        self,
        home: Home,
        *,
        clock: Clock | None = None,
        in_process: bool = True,
        checked: bool = True,
        **parts: object,
    ) -> None:
        twins, overrides = Twins.among(parts)
        self.ports = ports = Ports.open(home, clock, overrides, checked=checked)
        self.models = Models(ports, twins, in_process=in_process)
        self.library = Library(ports, self.models)
        self.workspace = WorkspaceFiles(ports)
        self.memory = Memory(ports, self.models, self.library, self.workspace)
        self.findings = Findings(ports, self.models)
        self.graph = EntityGraph(ports, self.memory)
        self.reflection = Reflecting(ports, self.library, self.workspace, self.memory, self.graph)
        self.training = Training(ports, self.models, self.memory, self.graph)
        self.readers = Readers(ports)
        self.speaking = Speaking(ports, self.models, self.training)
        self.chat = Chat(ports, self.models, self.library, self.memory, self.speaking)
        self.profile = ChatProfile(ports, self.models, self.graph)
        self.style = OwnStyle(ports, self.models)
        self.home = HomeKeeping(
            ports,
            HomeSubjects(
                self.models,
                self.workspace,
                self.memory,
                self.graph,
                self.reflection,
                self.training,
                self.readers,
                self.chat,
                self.profile,
                self.style,
            ),
        )
        # what one before is told by one after it; without it, it fails and is not silent
        self.library.remember = self.workspace.remember
        self.library.inherit = self.workspace.inherit
        self.library.seal_pages = self._seal
        self.memory.forget_learned = self.readers.drop
        self.workspace.extractors = self.findings.extractors
        self.memory.spread_on_map = self.graph.spread
        self.memory.life = self.reflection.life
        self.chat.people = self.graph.people
        self.chat.profile_lines = partial(self.profile.profile_lines, owner=True)
        self.chat.own_style = lambda voice, private: self.style.told(voice, private=private)
        self.training.own_style = lambda private: self.style.measured(private=private).profiles
        self.findings.life = self.reflection.life
        self.training.own_statements = self.findings.own_statements
        self.home.take_in_elsewhere = self._take_in

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits to be written, and let go of the databases."""
        self.ports.close()

    def _seal(self, documents: Sequence[DocumentId]) -> None:
        """Have nothing that the node made hold what is private by now."""
        self.readers.drop()  # first: a page that cannot be written must not keep it
        self.reflection.seal_pages(documents)

    def _take_in(self, home: Home, archive: Path, identity: str) -> None:
        with Node(home, clock=self.ports.clock, in_process=False) as fresh:
            fresh.home.take_in(archive, identity=identity)

    @classmethod
    def open(cls, home: Path | str | None = None, **parts: object) -> Self:
        """Open a home, making it if it is not there. ``parts``: twins for clock, model, embedder
        and reader, or any setting.
        """
        return cls(
            default_home() if home is None else Home(Path(home).expanduser().absolute()),
            **parts,  # type: ignore[arg-type]
        )

    def reconcile(self) -> int:
        """Queue what the index lacks, and sweep what a killed process left."""
        self.ports.files.sweep()
        self.workspace.folder.sweep()
        self.workspace.keep_step()
        erasing.resume(self.ports.erasures, self.ports.jobs, self.ports.clock)
        self.memory.divide_corrections()
        self.workspace.remember_kept()
        self.home.drop_imported()
        self.home.sweep_archives()
        self.training.sweep_trainings()
        self.readers.sweep()
        ports = reconciliation.ReconciliationPorts(
            self.library.library_ports,
            self.ports.conversations,
            self.ports.roles,
            self.ports.erasures,
            self.ports.audit,
        )
        reconciliation.let_go(ports)
        self.chat.keep_threads()
        embedder = self.models.embedder if self.models.embedder_answers() else None
        texts_too, self._texts_seen = not self._texts_seen, True
        return reconciliation.queue_lacking(ports, embedder, texts_too=texts_too)

    def recover_jobs(self) -> int:
        """Queue again what a dead worker left behind."""
        return work.recover(self.ports.jobs, self.ports.clock)

    def do_one_job(
        self, lanes: Sequence[Lane] = work.LANES, stopping: Callable[[], bool] = lambda: False
    ) -> bool:
        """Do the oldest waiting job of these lanes. ``False``: none was waiting."""
        done = work.do_one(
            self.ports.jobs,
            self.ports.documents,
            self.ports.clock,
            work.Worker(self.ports.worker, lanes, stopping),
            self._handlers,
        )
        if done:
            self.home.drop_imported()
        return done

    def cancel_job(self, identifier: JobId) -> Job:
        """Cancel a job; an ended one stays as it ended. What it learned can go on later. Raises
        ``NotFoundError``.
        """
        job = self.ports.jobs.cancel(identifier, self.ports.clock.now())
        self.training.leave_job(job)
        return job

    def run_jobs(self) -> None:
        """Do what is queued, here and now, for scripts; `lpm work` does it otherwise."""
        self.recover_jobs()
        while self.do_one_job():
            pass

    @property
    def _handlers(self) -> dict[str, work.Handler]:
        return {
            "ingest": self.library.ingest_job,
            "erase": self.home.erase_job,
            "backup": self.home.backup_job,
            "export": self.home.export_job,
            "import": self.home.import_job,
            "verify": self.home.verify_job,
            "reembed": self.models.reembed_job,
            "download": self.models.download_job,
            "graph": self.graph.graph_job,
            "reflect": self.reflection.reflect_job,
            "extract": self.findings.extract_job,
            "train": self.training.train_job,
            "grow": self.training.grow_job,
            "merge": self.training.merge_job,
        }

    @cached_property
    def meeting(self) -> Meeting:
        """Other people, and what they may ask."""
        # here, so that a node that speaks to nobody does not load the protocol
        from lpm_kernel.node.meeting import Meeting

        return Meeting(self.ports, self.library)

    @cached_property
    def discussing(self) -> Discussing:
        """Tables at which several talk."""
        from lpm_kernel.node.discussing import Discussing  # here, likewise

        return Discussing(
            self.ports,
            self.chat,
            self.library,
            self.meeting.keystore,
            self._answerer,
        )

    @cached_property
    def replying(self) -> Replying:
        """What is said to other nodes."""
        from lpm_kernel.node.replying import Replying  # here, likewise

        return Replying(
            self.ports,
            self.models,
            self.training,
            self.memory,
            self.discussing.reply,
        )

    def _answerer(self) -> Answerer:
        return self.replying.answerer()

    def left(self) -> doctor.EgressSummary:
        """Say what left this machine."""
        return doctor.left(self.ports.departures, self.ports.post)

    def waiting(self) -> doctor.WaitingSummary:
        """Count what waits for the person's word. The protocol is loaded only where there is
        something.
        """
        here = self.ports
        return doctor.WaitingSummary(
            len(self.meeting.waiting()) if here.post.unfinished(InboxState.WAITING) else 0,
            self.discussing.invited if here.discussions.invitations() else 0,
        )

    def exposure(self) -> Exposure:
        """Say who can reach what, from where and since when, and what has left."""
        # here, since it knows what was signed for contacts
        from lpm_kernel.usecases.share import exposure

        here, runs = self.ports, running(self.ports.home)
        host, reached = read_where(here.home.root), reach(here.home, here.settings)
        names = {os.getpid(): "serve"} | ({} if host is None else {host.pid: "model"})
        met = bool(here.contacts.all() or here.contacts.invites())
        return exposure.Exposure(
            reached,
            sockets.listeners(
                [pid for _, pid in runs],
                names | {pid: name for name, pid in runs},
                exposure.udp_ports(reached),
            ),
            here.access.all_keys(),
            browsers(here.access, here.clock),
            self.meeting.people() if met else [],
            self.meeting.open_invites() if met else [],
            exposure.elsewhere(here.settings, here.audit, is_local),
            here.departures.by_host(),
            exposure.forgotten(here.post),
        )

    def link_beside(self) -> str:
        """Make a link that opens the sample life once. Raises ``ConflictError`` while it does not
        run.
        """
        where = self.ports.beside.address()
        if where is None:
            raise ConflictError("The sample life is not running.", "Open her home first.")
        with Node(self.ports.beside.home) as sample:
            code = new_login_code(sample.ports.access, sample.ports.clock)
            return f"{where}/login?code={code}"

    def examine(self) -> Iterator[doctor.Check]:
        """Run the doctor's checks."""
        # here, so that a node that speaks to nobody does not load the protocol
        from lpm_kernel.usecases.share.keys import protection

        here = self.ports
        runs = dict(running(here.home))
        model, embedder = self.models.model_state(), self.models.embedder_state()
        yield from doctor.settings_file(here.settings_problem, here.home)
        yield from doctor.examine(
            doctor.ExaminedNode(
                here.settings,
                here.home,
                here.documents,
                here.index,
                self.left(),
                model,
                embedder,
                runs,
                FRONT_END,
                protection(here.home.keys),
                reach(here.home, here.settings),
                self.models.reader_state(),
            )
        )
        yield from doctor.kept(self.home.backups, here.files, here.audit, here.documents)
        self.workspace.keep_step()
        yield from doctor.workspace(
            here.home, self.workspace.workspace_troubles, self.workspace.workspace_unread
        )
        yield from doctor.tables(here.settings, here.discussions)
        yield from doctor.plug_ins(here.reader)
