"""The node itself: what is open, with its work and how it is."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from lpm_kernel.backends.llm.client import is_local
from lpm_kernel.backends.llm.launch import read_where
from lpm_kernel.config import Home, default_home
from lpm_kernel.domain.audit import AuditKind
from lpm_kernel.domain.jobs import Lane
from lpm_kernel.errors import ConflictError
from lpm_kernel.node.keeping import Keeping
from lpm_kernel.usecases.chat import roles, turns
from lpm_kernel.usecases.home import doctor, work
from lpm_kernel.usecases.home import erasure as erasing
from lpm_kernel.usecases.home.access import browsers, new_login_code
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library import ingestion as reading
from lpm_kernel.usecases.processes import running
from lpm_kernel.usecases.share import sockets
from lpm_kernel.usecases.share.reach import reach

if TYPE_CHECKING:
    from typing import Self

    from lpm_kernel.node.meeting import Meeting
    from lpm_kernel.node.replying import Replying
    from lpm_kernel.usecases.share.exposure import Exposure

_PACKAGE = Path(__file__).resolve().parents[1]
_SHIPPED = _PACKAGE / "screens"
FRONT_END = _SHIPPED if _SHIPPED.exists() else _PACKAGE.parent / "lpm_frontend" / "out"
"""The built screens: those that came with the package, else those of the repository."""


class Node(Keeping):
    """One person's node: the stores, the files, the index, the models, and what is built from
    them.
    """

    _texts_seen = False
    """Whether it was looked since this node was opened that the texts are there."""

    @classmethod
    def open(cls, home: Path | str | None = None, **parts: object) -> Self:
        """Open a home, making it if it is not there. ``parts``: twins for clock, model and
        embedder, or any setting.
        """
        return cls(
            default_home() if home is None else Home(Path(home).expanduser().absolute()),
            **parts,  # type: ignore[arg-type]
        )

    def reconcile(self) -> int:
        """Queue what the index lacks, and sweep what a killed process left."""
        self.files.sweep()
        self.workspace.sweep()
        self.keep_step()
        erasing.resume(self.erasures, self.jobs, self.clock)
        self.divide_corrections()
        self.remember_kept()
        self._drop_imported()
        self._sweep_archives()
        self.sweep_trainings()
        documents, conversations = (
            library.clear_out(self.files, self.documents, self.index, self.clock),
            turns.let_go(self.conversations, self.clock),
        )
        roles.let_go(self.roles, self.clock)
        if documents or conversations:
            self.audit.append(
                self.clock.now(),
                AuditKind.REMOVED,
                documents=documents,
                conversations=conversations,
            )
        if not self.erasures.unfinished():
            reading.sweep_files(self.files, self.documents, self.clock)
        again = 0
        if not self._texts_seen:
            self._texts_seen = True
            again = reading.read_again(
                self.files, self.documents, self.jobs, self.reader, self.clock
            )
        embedder = self.embedder if self._embedder_answers() else None
        return again + reading.reconcile(
            self.documents, self.jobs, self.index, embedder, self.reader, self.clock
        )

    def recover_jobs(self) -> int:
        """Queue again what a dead worker left behind."""
        return work.recover(self.jobs, self.clock)

    def do_one_job(
        self, lanes: Sequence[Lane] = work.LANES, stopping: Callable[[], bool] = lambda: False
    ) -> bool:
        """Do the oldest waiting job of these lanes. ``False``: none was waiting."""
        done = work.do_one(
            self.jobs, self.documents, self.clock, self.worker, self._handlers, lanes, stopping
        )
        if done:
            self._drop_imported()
        return done

    def run_jobs(self) -> None:
        """Do what is queued, here and now, for scripts; `lpm work` does it otherwise."""
        self.recover_jobs()
        while self.do_one_job():
            pass

    @property
    def _handlers(self) -> dict[str, work.Handler]:
        return {
            "ingest": self._ingest_job,
            "erase": self._erase_job,
            "backup": self._backup_job,
            "export": self._export_job,
            "import": self._import_job,
            "verify": self._verify_job,
            "reembed": self._reembed_job,
            "download": self._download_job,
            "graph": self._graph_job,
            "reflect": self._reflect_job,
            "extract": self._extract_job,
            "train": self._train_job,
            "merge": self._merge_job,
        }

    @cached_property
    def meeting(self) -> Meeting:
        """Other people, and what they may ask."""
        # here, so that a node that speaks to nobody does not load the protocol
        from lpm_kernel.node.meeting import Meeting

        return Meeting(self)

    @cached_property
    def replying(self) -> Replying:
        """What is said to other nodes."""
        from lpm_kernel.node.replying import Replying  # here, likewise

        return Replying(self)

    def left(self) -> doctor.Left:
        """Say what left this machine."""
        return doctor.left(self.departures, self.post)

    def exposure(self) -> Exposure:
        """Say who can reach what, from where and since when, and what has left."""
        # here, since it knows what was signed for contacts
        from lpm_kernel.usecases.share import exposure

        runs, host = running(self.home), read_where(self.home.root)
        names = (
            {os.getpid(): "serve"}
            | ({} if host is None else {host.pid: "model"})
            | {pid: name for name, pid in runs}
        )
        reached = reach(self.home, self.settings)
        udp = frozenset(
            int(port) for each in reached.addresses for port in re.findall(r"/udp/(\d{1,5})", each)
        )
        met = bool(self.contacts.all() or self.contacts.invites())
        return exposure.Exposure(
            reached,
            sockets.listeners([pid for _, pid in runs], names, udp),
            self.access.all_keys(),
            browsers(self.access, self.clock),
            self.meeting.people() if met else [],
            self.meeting.open_invites() if met else [],
            [
                exposure.Elsewhere(what, host, exposure.since_chosen(self.audit, kind, host))
                for what, host, kind in self._elsewhere()
            ],
            self.departures.by_host(),
            sum(each.bytes for each in self.post.all_left() if each.contact is None),
        )

    def _elsewhere(self) -> Iterator[tuple[Literal["model", "embedder"], str, AuditKind]]:
        """Yield the model and the embedder that are served on other machines."""
        settings = self.settings
        if settings.model.startswith("http") and not is_local(settings.model):
            yield "model", _host_of(settings.model), AuditKind.MODEL_CHANGED
        if settings.embedder.startswith("http") and not is_local(settings.embedder):
            yield "embedder", _host_of(settings.embedder), AuditKind.EMBEDDER_CHANGED

    def link_beside(self) -> str:
        """Make a link that opens the sample life once. Raises ``ConflictError`` while it does not
        run.
        """
        where = self.beside.address()
        if where is None:
            raise ConflictError("The sample life is not running.", "Open her home first.")
        with Node(self.beside.home) as sample:
            return f"{where}/login?code={new_login_code(sample.access, sample.clock)}"

    def examine(self) -> Iterator[doctor.Check]:
        """Run the doctor's checks."""
        runs = dict(running(self.home))
        model, embedder = self.model_state(), self.embedder_state()
        if self.settings_problem:
            yield doctor.Check(
                "settings", "broken", self.settings_problem, f"Mend {self.home.settings_file}"
            )
        # here, so that a node that speaks to nobody does not load the protocol
        from lpm_kernel.usecases.share.keys import protection

        yield from doctor.examine(
            self.settings,
            self.home,
            self.documents,
            self.index,
            self.left(),
            model,
            embedder,
            runs=runs,
            front_end=FRONT_END,
            peer_keys=protection(self.home.keys),
            reached=reach(self.home, self.settings),
        )
        yield from doctor.kept(self.backups, self.files, self.audit, self.documents)
        self.keep_step()
        yield from (
            doctor.Check(
                "workspace",
                "look",
                f"A file of the workspace is left alone. {trouble}",
                "lpm recover" if "`lpm recover`" in trouble else f"Look into {self.home.workspace}",
            )
            for trouble in self.workspace_troubles
        )
        yield from (
            doctor.Check(
                "statements",
                "look",
                f"A line of the workspace is no statement. {where}",
                f"Mend it in {self.home.workspace}",
            )
            for where in self.workspace_unread
        )
        yield from (
            doctor.Check("plug_ins", "fine", sentence) for sentence in self.reader.plug_ins()
        )


def _host_of(url: str) -> str:
    """Return where an endpoint is, without the name and password that its address may hold."""
    return urlsplit(url).netloc.rpartition("@")[2]
