"""A table of three nodes, each in a network of its own: one in Python, one behind a NAT who is
reached through a relay, one in JavaScript that is killed and comes back. All have the same record,
and nothing that was not allowed is in it, or on the wire.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.share.network import Contact
from lpm_kernel.peer.wire import Wire
from lpm_kernel.usecases.share import reach
from lpm_kernel.usecases.share.tables import NewSeat, NewTable
from protocol.discussion import Entry, Step
from tests import namespaces
from tests.company import AIM, FORM, HUT, SEA, at_table, goes_on
from tests.namespaces import IP, ROOT, SNIFF, Network, living, program
from tests.peers import Peer, until
from tests.relays import SEED
from tests.scale import only_in_full

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(namespaces.missing()), reason=namespaces.missing() or "networks can be made"
    ),
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no `node` here"),
]
RELAY_AT, RELAY_PORT = "203.0.113.5", 4002
RELAY = f"/ip4/{RELAY_AT}/tcp/{RELAY_PORT}/p2p/{Wire(SEED).peer}"
WATCHED = """
import sys
from pathlib import Path
from tests.relays import watched
watched("0.0.0.0", int(sys.argv[1]), Path(sys.argv[2]))
"""
ROUNDS = 4
PATIENCE = 240.0
SPOKEN = "The boat for six is free in May."


class Street:
    """A network, and who lives in it, until the block ends."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.network = stack.enter_context(Network())

    def household(self, here: str, name: str, text: str, relays: tuple[str, ...] = ()) -> Peer:
        person = Peer(self.folder / name, name, model=ScriptedModel([]))
        self._stack.callback(person.node.close)
        person.node.ports.change_settings(relays=relays, tables_with_contacts=True)
        person.node.ports.conversations.set_identity(Identity(name))
        person.node.library.add_text(text, title=name, tags=["travel"])
        person.node.library.add_text(
            f"Canary of {name}: May was a secret sea in a hut.", title="Diary", tags=["diary"]
        )
        person.node.run_jobs()
        self.runs(here, "-m", "tests.tabled", str(person.node.ports.home.root))
        return person

    def runs(self, here: str, *command: str) -> str:
        """Have a program run; gives the first line that it says."""
        process = self._stack.enter_context(living(here, *command))
        assert process.stdout is not None
        return process.stdout.readline()


@contextmanager
def in_javascript(here: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Have the example of protocol/js run in a namespace, until it is ready and the block ends."""
    with subprocess.Popen(
        [IP, "netns", "exec", here, "node", "example-table.js", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT / "protocol" / "js",
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        while (line := process.stdout.readline()) != "ready\n":
            assert line, "the example ended"
        try:
            yield process
        finally:
            process.kill()


def met(inviting: Peer, invited: Peer, address: str) -> None:
    """Let two become contacts by an invite that leads there."""
    outcome = invited.outcome(invited.accept(inviting.invite(address)), PATIENCE)
    assert outcome.code == "", outcome.code
    until(lambda: inviting.node.ports.contacts.addresses(inviting.knows(invited).id), PATIENCE)


@only_in_full
def test_three_in_their_own_networks_have_the_same_record(tmp_path: Path) -> None:
    wire = tmp_path / "wire"
    with ExitStack() as stack:
        street = Street(tmp_path, stack)
        relay = street.network.at("relay", RELAY_AT)
        at_asako = street.network.at("a", "203.0.113.11")
        at_bram = street.network.at("b", "203.0.113.12")
        at_chika = street.network.behind_nat("c", "203.0.113.13")
        assert street.runs(relay, *program(SNIFF, wire)) == "ready\n"
        street.runs(relay, *program(WATCHED, RELAY_PORT, tmp_path / "seen.json"))
        asako = street.household(at_asako, "Asako", SEA)
        chika = street.household(at_chika, "Chika", HUT, (RELAY,))
        met(chika, asako, until(lambda: _through(chika), PATIENCE))
        [address] = until(lambda: reach.listening(asako.node.ports.home), PATIENCE)
        file, link = tmp_path / "bram.json", asako.invite(address)
        how = (str(file), link, "/ip4/203.0.113.12/tcp/4001", "travel", SPOKEN)
        with in_javascript(at_bram, *how):
            bram = until(lambda: _another(asako, chika), PATIENCE)
            table = _opened(asako, asako.knows(chika), bram)
            _goes_on_until(lambda: at_table(chika, table) is not None, asako)
            chika.node.discussing.company.accept(table, FORM)
            _goes_on_until(lambda: SPOKEN in _said(asako, table), asako, chika)
        # it was killed; the table goes on to ask for what it has not said
        for _ in range(3):
            asako.node.discussing.go_on()
        with in_javascript(at_bram, *how):
            _goes_on_until(lambda: _whole(asako, chika, file, table), asako, chika)
        ended = asako.node.discussing.get(table).table
        steps = Counter(each.step for each in ended.entries)
        assert (steps[Step.TURN], steps[Step.FAILED]) == (3 * ROUNDS, 0)
        said = _said(asako, table)
        assert "Canary" not in said
        assert said.count(SPOKEN) == ROUNDS
        passed = wire.read_bytes()
        for secret in ("Canary", "Risør", "Kongsberg", SPOKEN, AIM):
            assert secret.encode() not in passed, secret


def _opened(host: Peer, *guests: Contact) -> DiscussionId:
    seats = tuple(NewSeat("twin", contact=each) for each in ("", *(each.id for each in guests)))
    wanted = NewTable(aim=AIM, seats=seats, rounds=ROUNDS, tags=("travel",))
    return host.node.discussing.open(wanted).discussion.id


def _goes_on_until(holds: Callable[[], bool], *peers: Peer) -> None:
    for _ in goes_on(*peers, patience=PATIENCE):
        if holds():
            return


def _said(peer: Peer, table: DiscussionId) -> str:
    """Give everything that was said after the opening."""
    words = peer.node.discussing.get(table).table.words
    return "\n".join(each.text for n, each in words.items() if n > 0)


def _whole(asako: Peer, chika: Peer, file: Path, table: DiscussionId) -> bool:
    """Say whether all three have the same record, to its end."""
    mine, theirs = asako.node.discussing.get(table).table, at_table(chika, table)
    [kept] = json.loads(file.read_text("utf-8"))["memory"]["tables"]
    last = Entry.read(kept["said"][-1][0])
    same = theirs is not None and mine.head.hash == theirs.table.head.hash == last.hash
    return same and mine.closed is not None


def _through(peer: Peer) -> str | None:
    here = reach.listening(peer.node.ports.home)
    return next((each for each in here if "p2p-circuit" in each), None)


def _another(peer: Peer, known: Peer) -> Contact | None:
    did = known.keystore.keys.identity.did
    return next((each for each in peer.node.ports.contacts.all() if each.did != did), None)
