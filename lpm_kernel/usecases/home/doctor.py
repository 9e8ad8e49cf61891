"""The doctor: each check is a sentence with a mark, and a broken one has its command."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Literal, Protocol

import psutil

from lpm_kernel.config import Home, Settings, in_container, is_encrypted
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.domain.library.listing import Author
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import (
    Audit,
    Backups,
    Departures,
    Discussions,
    Documents,
    Files,
    Post,
)
from lpm_kernel.usecases.share.reach import HostState, Reach
from lpm_kernel.usecases.share.sockets import family

LOW_DISK = 2_000_000_000
"""Bytes free under which the doctor says so."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    id: str
    state: Literal["fine", "look", "broken"]
    sentence: str
    command: str = ""


@dataclass(frozen=True)
class HealthState:
    """How a part of the node is."""

    id: str
    state: Literal["ready", "starting", "down"]
    sentence: str


@dataclass(frozen=True)
class EgressSummary:
    """What left this machine since the home was made."""

    bytes: int
    sentence: str
    answers: int = 0
    """That contacts got."""
    last_at: datetime | None = None
    """When something was last sent to a model elsewhere or answered to a contact."""


@dataclass(frozen=True)
class WaitingSummary:
    """How much waits for the person's word, by the place where it is shown."""

    people: int = 0
    """Questions of contacts that are answered after a yes."""
    table: int = 0
    """Invitations to tables."""


def left(departures: Departures, post: Post) -> EgressSummary:
    """Say what left, with what contacts were told; the seal line shows it."""
    size, hosts = departures.total()
    told = post.exchanges()
    answers = sum(exchange.answers for exchange in told)
    times = [departed.last_at for departed in departures.by_host()] + [
        exchange.last_answer_at for exchange in told if exchange.last_answer_at is not None
    ]
    if size == 0 and answers == 0:
        return EgressSummary(0, "Nothing sent out")
    return EgressSummary(
        size,
        f"{size / 1000:.1f} kB sent out, with {counted(answers, 'answer')} to contacts. It went to"
        f" {', '.join(hosts)}",
        answers,
        max(times, default=None),
    )


class PluggedReader(Protocol):
    """Reads files, with what was installed for it."""

    def plug_ins(self) -> Sequence[str]:
        """Say what was installed."""
        ...


@dataclass(frozen=True)
class ExaminedNode:
    """What the checks look at."""

    settings: Settings
    home: Home
    documents: Documents
    index: PassageIndex
    gone: EgressSummary
    """What left this machine."""
    model: HealthState
    embedder: HealthState
    runs: Mapping[str, int]
    """The processes of this home that run, with their ids."""
    front_end: Path
    peer_keys: Literal["none", "passphrase", "key file"] = "none"
    """What opens the keys for other nodes."""
    reached: Reach | None = None
    """Whether other nodes reach this one."""
    reader: HealthState | None = None
    """What reads passages before an answer, where something is to."""


def examine(node: ExaminedNode) -> Iterator[Check]:
    """Run every check. Nothing is changed."""
    runs, stopped = node.runs, not node.runs
    yield _listening(node.settings, node.reached)
    yield _part("model_on_disk", node.model, "lpm models use bundled", stopped=stopped)
    yield _part("embedder", node.embedder, "make setup", stopped=stopped)
    if node.reader is not None:
        yield _part("reader", node.reader, "make setup", stopped=stopped)
    yield _outward(node.gone)
    yield _talking(runs.values())
    yield _folder(node.home)
    yield from _peer_keys(node.peer_keys)
    if node.reached is not None:
        yield _reached(node.reached)
    yield _index(node.documents, node.index)
    yield (
        Check("worker", "fine", "The worker is running.")
        if "work" in runs
        else Check("worker", "look", "No worker is running, so nothing new is read.", "lpm start")
    )
    yield _disk(node.home)
    yield (
        Check("front_end", "fine", "The screens are built.")
        if (node.front_end / "index.html").exists()
        else Check("front_end", "broken", "The screens are not built; the API works.", "make setup")
    )


def _listening(settings: Settings, reached: Reach | None) -> Check:
    """Say where the screens and the API listen, and whether what listens for contacts is open to
    more than that.
    """
    contacts = ""
    if reached is not None and reached.state is HostState.LISTENING and reached.everywhere:
        contacts = (
            f" Contacts reach the node from other machines, at {', '.join(reached.addresses)}."
        )
    try:
        local = settings.host == "localhost" or ip_address(settings.host).is_loopback
    except ValueError:
        local = False
    if local:
        return Check(
            "listens_only_here",
            "fine",
            f"The screens and the API listen on {settings.host} only.{contacts}",
        )
    if in_container():  # which ports lead into it is known outside alone
        return Check(
            "listens_only_here",
            "look",
            f"The screens and the API listen on {settings.host} in a container: whoever reaches its"
            f" published port reaches them. Publish it on 127.0.0.1 only.{contacts}",
        )
    return Check(
        "listens_only_here",
        "look",
        f"The screens and the API listen on {settings.host}: other machines can reach them"
        f"{_way(settings)}.{contacts}",
        "Set host to 127.0.0.1 in settings.toml",
    )


def _way(settings: Settings) -> str:
    """Say how what other machines send comes here."""
    return " over HTTPS" if is_encrypted(settings) else ", and the way is not encrypted by the node"


def _part(name: str, part: HealthState, command: str, *, stopped: bool) -> Check:
    if part.state == "ready":
        return Check(name, "fine", part.sentence)
    if stopped:
        return Check(name, "look", f"{part.id} is loaded when the node starts.", "lpm start")
    return Check(
        name,
        "look" if part.state == "starting" else "broken",
        part.sentence,
        "" if part.state == "starting" else command,
    )


def _outward(gone: EgressSummary) -> Check:
    nothing = gone.bytes == 0 and gone.answers == 0
    return Check("connections_outward", "fine" if nothing else "look", f"{gone.sentence}.")


def _talking(processes: Iterable[int]) -> Check:
    """Look at the open connections of every process of the node, its children among them, as the
    system knows them.
    """
    others: set[str] = set()
    looked_at = 0
    for process in family(processes).values():
        try:
            open_now = process.net_connections("inet")
        except psutil.Error:  # it ended meanwhile, or the system does not show it
            continue
        looked_at += 1
        others |= {
            address for each in open_now for address in each.raddr[:1] if not is_here(str(address))
        }
    if others:
        return Check(
            "connections_now", "look", f"Connected right now to {', '.join(sorted(others))}."
        )
    if not looked_at:
        return Check(
            "connections_now", "look", "The system does not show which connections are open."
        )
    return Check(
        "connections_now",
        "fine",
        f"None of the node's {looked_at} processes is connected to another machine.",
    )


def is_here(address: str) -> bool:
    """Tell whether an address is this machine itself."""
    known = ip_address(address.partition("%")[0])
    mapped = known.ipv4_mapped if isinstance(known, IPv6Address) else None
    return (mapped or known).is_loopback


def _folder(home: Home) -> Check:
    mode = stat.S_IMODE(home.root.stat().st_mode)
    if mode & 0o077:
        return Check(
            "folder_private",
            "broken",
            "Others on this machine can open the home.",
            f"chmod 700 {home.root}",
        )
    return Check("folder_private", "fine", "Only you can open the home.")


def _peer_keys(opened_by: Literal["none", "passphrase", "key file"]) -> Iterator[Check]:
    """Look at the keys for other nodes, once there are any."""
    if opened_by == "passphrase":
        yield Check("peer_keys", "fine", "A passphrase protects your keys for other nodes.")
    elif opened_by == "key file":
        yield Check(
            "peer_keys",
            "look",
            "No passphrase protects your keys for other nodes: whoever copies the folder keys/ of"
            " the home can speak as you.",
        )


def _reached(reached: Reach) -> Check:
    places = ", ".join(reached.addresses)
    match reached.state:
        case HostState.OFF:
            return Check("other_nodes", "fine", "The node is not listening for other nodes.")
        case HostState.LISTENING:
            return Check(
                "other_nodes",
                "fine",
                "Contacts reach this node at"
                f" {places}{'' if reached.everywhere else ', from this machine only'}.",
            )
        case HostState.STARTING:
            return Check(
                "other_nodes",
                "look",
                "The node is starting to listen for contacts; logs/peer.log says how it is going.",
                "lpm doctor",
            )
        case HostState.STOPPED:
            return Check(
                "other_nodes",
                "look",
                "Contacts cannot reach this node while it is not started.",
                "lpm start",
            )
        case HostState.LOCKED:
            return Check(
                "other_nodes",
                "look",
                "Contacts cannot reach this node: its keys are locked by your passphrase.",
                "lpm peer run",
            )
        case HostState.MISSING:
            return Check(
                "other_nodes",
                "broken",
                "The part that talks to other nodes is not installed.",
                "make setup",
            )


def kept(backups: Backups, files: Files, audit: Audit, documents: Documents) -> Iterator[Check]:
    """Look at what keeps the home from losing something: its originals, its backups, what was put
    aside, the note of the newest entry.
    """
    yield from _originals(files, documents)
    known = backups.all()
    if known and known[-1].lost:
        whole = next((backup for backup in reversed(known) if not backup.lost), None)
        yield Check(
            "backups",
            "broken",
            f"The newest backup has {counted(known[-1].lost, 'document')} fewer than the one"
            " before, and nobody deleted them.",
            f"lpm restore {whole.id if whole else 'newest'}, or lpm backup --accept-loss",
        )
    if (broken := backups.damaged()) is not None:
        yield Check("backups", "broken", f"The newest backup ({broken}) is damaged.", "lpm backup")
    if aside := files.aside():
        yield Check(
            "aside",
            "look",
            f"{counted(len(aside), 'original')} of no document set aside; deleted after a month.",
            "lpm recover",
        )
    noted, newest = audit.noted(), audit.newest()
    if noted is None and newest is not None and newest.number > 1:
        yield Check(
            "audit_note",
            "look",
            "The note of the newest audit entry (audit.json) is missing.",
            "lpm recover",
        )
    elif noted is not None and not noted.hash:
        yield Check(
            "audit_note",
            "look",
            "The note of the newest audit entry (audit.json) is damaged.",
            "lpm recover",
        )


def _originals(files: Files, documents: Documents) -> Iterator[Check]:
    """Look whether the originals are there in their sizes; `lpm verify` reads them."""
    there = files.listing()
    wrong = {
        document.sha256
        for document in documents.everything()
        if not _is_there(there.get(document.sha256, {}).get(""), document.bytes)
    }
    if wrong:
        yield Check(
            "originals",
            "broken",
            f"{len(wrong)} original{'s are' if len(wrong) > 1 else ' is'} missing or damaged.",
            "lpm verify --repair",
        )


def _is_there(path: Path | None, size: int) -> bool:
    try:
        return path is not None and path.is_file() and path.stat().st_size == size
    except OSError:
        return False


def _index(documents: Documents, index: PassageIndex) -> Check:
    ready = {document.id for document in documents.all() if document.state is DocumentState.READY}
    missing = ready - set(index.indexed())
    if missing:
        return Check(
            "index",
            "look",
            f"{len(missing)} of {counted(len(ready), 'document')} not in the index.",
            "lpm reindex",
        )
    return Check(
        "index",
        "fine",
        f"{counted(documents.count(Author.PERSON), 'document')},"
        f" {counted(index.counts().chunks, 'passage')}, all in the index.",
    )


def _disk(home: Home) -> Check:
    free = shutil.disk_usage(home.root).free
    if free < LOW_DISK:
        return Check("disk", "look", f"Only {free / 1e9:.1f} GB are free on the disk of the home.")
    return Check("disk", "fine", f"{free / 1e9:.0f} GB are free.")


def settings_file(problem: str, home: Home) -> Iterator[Check]:
    """Say what is wrong with settings.toml as it stands."""
    if problem:
        yield Check("settings", "broken", problem, f"Mend {home.settings_file}")


def workspace(home: Home, troubles: Sequence[str], unread: Sequence[str]) -> Iterator[Check]:
    """Name the files of the workspace that are left alone, and its lines that are no statements."""
    for trouble in troubles:
        yield Check(
            "workspace",
            "look",
            f"A file of the workspace is not read. {trouble}",
            "lpm recover" if "`lpm recover`" in trouble else f"Look in {home.workspace}",
        )
    for where in unread:
        yield Check(
            "statements",
            "look",
            f"A line of the workspace cannot be read as a memory. {where}",
            f"Correct it in {home.workspace}",
        )


def tables(settings: Settings, discussions: Discussions) -> Iterator[Check]:
    """Say how many tables wait because those with contacts are off."""
    stopped = 0 if settings.tables_with_contacts else discussions.shared()
    if stopped:
        yield Check(
            "tables",
            "look",
            f"Tables with contacts are off: {counted(stopped, 'open table')} paused, and the others"
            " there wait for you.",
            "Set tables_with_contacts = true in settings.toml",
        )


def plug_ins(reader: PluggedReader) -> Iterator[Check]:
    """Say what reads besides what came with the node."""
    for sentence in reader.plug_ins():
        yield Check("plug_ins", "fine", sentence)
