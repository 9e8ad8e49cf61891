"""The node's own books, killed between any two calls: what was written down is there, with the
message, and nothing was spent twice.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from lpm_kernel.backends.store import sqlite
from lpm_kernel.backends.store.commits import flush
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.node.audit import AuditStore
from lpm_kernel.domain.share.network import DAY, InboxState
from lpm_kernel.peer.deciding import RequestTurn, work
from lpm_kernel.peer.speaker import ReplayClaims
from protocol.events import Answered
from protocol.grants import Cost
from protocol.messages import read_message
from protocol.ports import Claim
from protocol.session import Asking
from protocol.shape import read_json
from tests.peers import REPLY, Peer, fixed, meet, until
from tests.protocol.own import OwnBooks, books_over
from tests.protocol.twins import NOW, acquainted

PROGRAM = """
import sys
from pathlib import Path
from protocol.grants import Cost
from tests.protocol.own import OwnBooks
from tests.protocol.twins import NOW, acquainted

asako, bram = acquainted()
books = OwnBooks(Path(sys.argv[1]))
grant = sys.argv[2]
for turn in range(10_000):
    message = bram.message(asako.did, grant=grant)
    print(message.id, books.claim(message, message.id.encode(), NOW + 3600), flush=True)
    print("spent", books.spend(grant, Cost(1, 7, 3), NOW), flush=True)
"""


@pytest.mark.parametrize("lines", [1, 2, 5, 12, 31])
def test_what_was_claimed_and_spent_before_a_kill_is_there_afterwards(
    tmp_path: Path, lines: int
) -> None:
    asako, bram = acquainted()
    grant = asako.gives(bram)
    with closing(OwnBooks(tmp_path / "node.db")) as before:
        before.put_grant(grant, asako, bram)
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tmp_path / "node.db", grant.id],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    said += child.stdout.read().splitlines(keepends=True)
    child.wait()
    child.stdout.close()
    whole = [line.split() for line in said if line.endswith("\n")]
    claimed = [words[0] for words in whole if words[0] != "spent"]
    spent = sum(words == ["spent", "True"] for words in whole)
    with closing(NodeDatabase(tmp_path / "node.db")) as database:
        books = books_over(database)
        for identifier in claimed:
            row = database.post.arrived(bram.did, identifier)
            assert row is not None
            fields = read_json(row.json.encode())
            assert isinstance(fields, dict)
            message = read_message(fields, NOW, answer=False)
            assert (message.id, message.body["question"], row.state) == (
                identifier,
                "Where did we walk?",
                InboxState.ASKED,
            )
            assert books.claim(message, identifier.encode(), NOW + 3600) is Claim.SAME
            assert books.claim(message, b"other", NOW + 3600) is Claim.OTHER
        held = database.permissions.held(grant.id, NOW // DAY)
        assert held is not None
        assert spent <= held.spent.calls <= spent + 1
        assert (held.spent.bytes, held.spent.tokens) == (7 * held.spent.calls, 3 * held.spent.calls)
        assert database.complaints() == []
        assert books.spend(grant.id, Cost(1), NOW)


def test_when_an_answer_leaves_all_that_it_rests_on_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()

    def kept(log: Path) -> None:
        """Flush, and keep what a power cut would leave."""
        flush(log)
        if log.parent.name == "asako":
            for each in log.parent.glob("node.db*"):
                if not each.name.endswith("-shm"):
                    shutil.copy(each, disk / each.name)

    with (
        Peer(tmp_path / "asako", "Asako", fixed) as asako,
        Peer(tmp_path / "bram", "Bram") as bram,
    ):
        meet(asako, bram)
        grant = asako.gives(bram)
        until(bram.node.ports.permissions.received)
        asako.stop()  # so that nothing else brings anything to disk
        asked = bram.question(asako, grant.id)
        books = bram.speaker.node(ReplayClaims(bram.speaker))
        asking = Asking(books, asako.keystore.card("Asako"), asked)
        asking.ask()
        turn = RequestTurn(asako.speaker, bram.host.wire.peer, False, lambda: b"")
        audit = asako.node.ports.audit
        assert isinstance(audit, AuditStore)
        with audit.noting_apart(60):
            monkeypatch.setattr(sqlite, "flush", kept)
            work(turn, asking.take(), stranger=False)
            monkeypatch.undo()
        [answered] = asking.feed(turn.out, asako.speaker.now)
        assert isinstance(answered, Answered)
    with closing(NodeDatabase(disk / "node.db")) as database:
        row = database.post.arrived(asked.iss, asked.id)
        assert row is not None
        assert (row.state, row.answer) == (InboxState.ANSWERED, REPLY)
        held = database.permissions.held(grant.id, asked.ts // DAY)
        assert held is not None
        assert (held.spent.calls, held.spent.tokens) == (1, REPLY["tokens"])
        assert any(asked.id in entry.facts for entry in database.audit.all())
        assert [each for each in database.post.all_left() if each.category == "answers"]
