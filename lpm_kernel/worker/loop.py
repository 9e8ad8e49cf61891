"""The worker's loop: look for work, do it, now and then hold the index against the documents.

What is about the home as a whole (erasing, backups, archives) is done by a second thread, so that a
long reading does not keep it waiting, and what is about models (downloads, embedding anew, asking
one about passages) by a third; what is said at tables by a fourth.
"""

from __future__ import annotations

import logging
import threading
import time

from watchfiles import watch

from lpm_kernel.domain.chat.conversations import Keeping
from lpm_kernel.domain.home.jobs import UNDER_WAY, Lane
from lpm_kernel.errors import NodeError
from lpm_kernel.node import Node
from lpm_kernel.usecases.processes import running_since

log = logging.getLogger(__name__)

IDLE_SECONDS = 0.3
SETTLED_MS = 200
"""How long a file has to rest before it is read: editors write in several steps."""
LOOK_EVERY_MS = 5_000
"""Between two looks at the workspace when nothing was reported."""
RECONCILE_EVERY = 60.0
RECOVER_EVERY = 2.0
FLUSH_EVERY = 5.0
"""Between two looks for threads of chats that have ended."""
CLAIMS_EVERY = 5.0
"""Between two looks for documents that were not looked through for statements."""
BACKUP_LOOK_EVERY = 60.0
NIGHT_LOOK_EVERY = 60.0
MOVE_EVERY = 3_600.0
"""Between two looks for threads of chats that are due in another tier."""
QUIET_SECONDS = 5.0
"""How long nothing may have been read before the map is drawn anew."""
REDRAW_EVERY = 300.0
"""Between two maps that nobody asked for: finding the groups takes a process of its own, some
seconds and half a gigabyte.
"""
TABLES_EVERY = 1.0
"""Between two looks for tables that are open."""
LOOK_EVERY = 2.0
"""Between two looks at whether the model is to be asked about passages."""
ASK_AGAIN_AFTER = 300.0
"""After it broke down."""
READING = (Lane.INTERACTIVE, Lane.INGEST)
HOUSEKEEPING = (Lane.ERASE, Lane.HEAVY)
MODELS = (Lane.MODELS,)


def work(node: Node, stop: threading.Event) -> None:
    """Work until told to stop; then hand back what is held."""
    node.ports.files.sweep()
    leave_private(node, at_start=True)
    others = [
        threading.Thread(target=each, args=(node, stop), name=each.__name__)
        for each in (keep_house, see_to_models, see_to_tables, watch_workspace)
    ]
    for thread in others:
        thread.start()
    recovered = reconciled = looked = flushed = float("-inf")
    while not stop.is_set():
        now = time.monotonic()
        if now - recovered > RECOVER_EVERY:
            node.recover_jobs()
            recovered = now
        if now - reconciled > RECONCILE_EVERY and not node.ports.jobs.active():
            node.reconcile()
            reconciled = now
        if now - flushed > FLUSH_EVERY:
            flushed = now
            flush(node)
            leave_private(node)
        if not node.do_one_job(READING):
            if now - looked > CLAIMS_EVERY:
                looked = time.monotonic() if not look_through(node) else looked
            stop.wait(IDLE_SECONDS)
    for thread in others:
        thread.join()
    node.ports.jobs.release(node.ports.worker, node.ports.clock.now())


def flush(node: Node) -> None:
    """Remember what was told in threads that have ended. Nothing is lost where that fails: the next
    look finds them again.
    """
    try:
        node.chat.flush()
    except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
        log.warning("What was said in chats cannot be remembered now: %s", type(error).__name__)


def leave_private(node: Node, *, at_start: bool = False) -> None:
    """Erase the chats of which nothing is kept and that are idle; ``at_start`` of the worker also
    those of before the node's start: where the worker alone was started again, somebody may still
    be in one.
    """
    try:
        if at_start:
            since = running_since(node.ports.home)
            for chat in node.ports.conversations.keeping(Keeping.NONE):
                if since is None or chat.updated_at < since:
                    node.chat.leave(chat.id)
        node.chat.leave_idle()
    except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
        log.warning("A private chat cannot be erased now: %s", type(error).__name__)


def look_through(node: Node) -> int:
    """Look through some of what was read for what it states. Nothing is lost where that fails: it
    is looked through again.
    """
    try:
        return node.reflection.read_claims()
    except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
        log.warning(
            "What was read cannot be looked through for statements: %s", type(error).__name__
        )
        return 0


def move_tiers(node: Node) -> None:
    """Move the threads of chats that are due into the archive and on. Nothing is lost where that
    fails: the next look finds them again.
    """
    try:
        node.chat.move_tiers()
    except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
        log.warning("Threads of chats cannot be moved now: %s", type(error).__name__)


def look_for_growth(node: Node) -> None:
    """Have the week's training learned where it is due. Nothing is lost where that fails: the next
    look finds it again.
    """
    try:
        node.training.look_for_growth()
    except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
        log.warning("Whether to learn what is new cannot be told: %s", type(error).__name__)


def keep_house(node: Node, stop: threading.Event) -> None:
    """Erase, back up, export, import and verify until told to stop."""
    changes = Changes()
    # what was missed while the machine was off is caught up with after a minute, not at once
    looked = nights = time.monotonic()
    moved = float("-inf")
    while not stop.is_set():
        if time.monotonic() - looked > BACKUP_LOOK_EVERY:
            looked = time.monotonic()
            schedule_backup(node)
        if time.monotonic() - moved > MOVE_EVERY:
            moved = time.monotonic()
            move_tiers(node)
        if changes.are_over(node):
            node.graph.queue_graph()
        if time.monotonic() - nights > NIGHT_LOOK_EVERY:
            nights = time.monotonic()
            if not node.graph.is_reading() and node.reflection.reflection_is_due():
                node.reflection.queue_reflection()
            look_for_growth(node)
        if not node.do_one_job(HOUSEKEEPING):
            stop.wait(IDLE_SECONDS)


class Changes:
    """Watches the index and what the person decided about entities, and tells once when neither has
    moved for a while and the map is older than they are.
    """

    def __init__(self, quiet: float = QUIET_SECONDS, again: float = REDRAW_EVERY) -> None:
        self._quiet, self._again = quiet, again
        self._drawn = float("-inf")
        self._seen: tuple[object, ...] | None = None
        self._since = 0.0
        self._told = False
        self._looked = float("-inf")

    def are_over(self, node: Node) -> bool:
        """Look, at most once a second."""
        now = time.monotonic()
        if now - self._looked < min(1.0, self._quiet):
            return False
        self._looked, seen = now, node.graph.graph_stamp()
        if seen != self._seen:
            self._seen, self._since, self._told = seen, now, False
        if (
            self._told
            or now - self._since < self._quiet
            or now - self._drawn < self._again
            or node.graph.is_reading()
        ):
            return False
        self._told = True
        if not node.graph.graph_is_due():
            return False
        self._drawn = now
        return True


class Questions:
    """Tells once after every change of the index, or of who is asked, that there are passages to
    ask the model about.

    Where the model broke down, it tells so again after a while; where the person stopped it, it
    does not.
    """

    def __init__(self, every: float = LOOK_EVERY, again: float = ASK_AGAIN_AFTER) -> None:
        self._every, self._again = every, again
        self._seen: tuple[object, ...] = ()
        self._looked = self._asked = float("-inf")

    def are_open(self, node: Node) -> bool:
        """Look, now and then, while nothing is being read and the model is up."""
        now = time.monotonic()
        if now - self._looked < self._every or node.graph.is_reading():
            return False
        self._looked, seen = now, node.findings.extraction_stamp()
        if seen == self._seen and not (
            now - self._asked > self._again and node.findings.extraction_broke_down()
        ):
            return False
        due = node.findings.extraction_is_due()
        if due and node.models.model_state().state != "ready":
            return False
        self._seen, self._asked = seen, now
        return due


def see_to_models(node: Node, stop: threading.Event) -> None:
    """Fetch models, embed anew and ask about passages until told to stop; what is under way then is
    taken up again at the next start.
    """
    questions = Questions()
    while not stop.is_set():
        if questions.are_open(node):
            node.findings.queue_extraction()
        if not node.do_one_job(MODELS, stop.is_set):
            stop.wait(IDLE_SECONDS)


def see_to_tables(node: Node, stop: threading.Event) -> None:
    """Have those at open tables speak, one turn at each, until told to stop. What a table comes to
    is in its record, so that nothing has to be handed back.
    """
    while not stop.is_set():
        try:
            here = node.ports.discussions
            there_are = here.going_on() or here.hosted() or here.wordless()
            went = bool(there_are) and node.discussing.go_on()
        except Exception as error:  # noqa: BLE001  a locked database, a full disk: the next look tries again
            log.warning("The tables cannot go on now: %s", type(error).__name__)
            went = False
        if not went:
            stop.wait(TABLES_EVERY)


def watch_workspace(node: Node, stop: threading.Event) -> None:
    """Read what is written to the workspace, soon after it is written; what the system does not
    report is seen at the next look.
    """
    while not stop.is_set():
        try:
            node.workspace.keep_step()
            changes = watch(
                node.ports.home.workspace,
                stop_event=stop,
                debounce=SETTLED_MS,
                step=SETTLED_MS // 4,
                rust_timeout=LOOK_EVERY_MS,
                yield_on_timeout=True,
            )
            for _ in changes:
                node.workspace.keep_step()
                if not node.ports.home.workspace.exists():
                    break
        except Exception as error:  # noqa: BLE001  a full disk, too many watches, a locked database: look by ourselves until that is over
            log.warning("The workspace cannot be watched: %s", type(error).__name__)
            stop.wait(LOOK_EVERY_MS / 1000)


def schedule_backup(node: Node) -> None:
    """Queue a backup when one is due and none is waiting."""
    under_way, _ = node.ports.jobs.page(limit=1, states=UNDER_WAY, kind="backup")
    try:
        if not under_way and node.home.backup_is_due():
            node.ports.jobs.add(
                "backup", Lane.HEAVY, None, node.ports.clock.now(), {"label": "scheduled"}
            )
    # the folder is out of reach: the doctor says so, and the next look tries again
    except (NodeError, OSError):
        return
