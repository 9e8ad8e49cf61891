"""A real node beside a program that is not ours: ``python -m tests.beside FOLDER``. Orders come as
lines of JSON, each is answered by one. With ``--tables`` it is one that opens tables, and answers
nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from lpm_kernel.backends.store.node import peer_tables
from lpm_kernel.backends.store.sqlite import writing
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.share.network import Amount
from lpm_kernel.peer.speaker import Composed
from lpm_kernel.usecases.share import grants, outgoing
from lpm_kernel.usecases.share.tables import NewSeat, NewTable
from protocol import limits
from protocol.encoding import to_b64u
from protocol.events import Asked
from protocol.messages import Verb
from tests.company import AIM, SEA, someone
from tests.peers import QUESTION, REPLY, Peer, until

FOUND = {
    "item": to_b64u(bytes(16)),
    "layer": "L1",
    "kind": "world",
    "at": None,
    "form": "answer",
    "text": "… canal …",
}
ALL_DAY = Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)


def answer(asked: Asked, _now: int) -> Composed:
    return Composed({"items": [FOUND]} if asked.message.verb is Verb.RECALL else REPLY)


def say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Beside:
    """What can be ordered, by name; each takes the fields of its order."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer

    def invite(self) -> str:
        return self.peer.invite()

    def accept(self, link: str) -> dict[str, Any]:
        row = self.peer.outcome(self.peer.accept(link))
        return {"state": row.state, "words": self.contact().words}

    def contact(self) -> Any:  # noqa: ANN401  the one that there is
        return until(lambda: next(iter(self.peer.node.ports.contacts.all()), None))

    def words(self) -> list[str]:
        return list(self.contact().words)

    def addresses(self) -> list[str]:
        contacts = self.peer.node.ports.contacts
        return until(lambda: list(contacts.addresses(self.contact().id)))

    def give(self, purpose: str, verbs: list[str], consent: str = "auto") -> str:
        node = self.peer.node
        form = grants.GrantForm(
            "answers", purpose, consent=consent, verbs=tuple(verbs), daily=ALL_DAY
        )
        signing = outgoing.Signing(node.ports.post, self.peer.keystore, node.ports.clock)
        return grants.give(
            node.ports.permissions, node.ports.contacts, signing, self.contact().id, form
        )[0].id

    def revoke(self, grant: str) -> None:
        node = self.peer.node
        signing = outgoing.Signing(node.ports.post, self.peer.keystore, node.ports.clock)
        grants.revoke(node.ports.permissions, node.ports.contacts, signing, grant)

    def received(self) -> list[str]:
        return until(lambda: [each.id for each in self.peer.node.ports.permissions.received()])

    def ask(self, grant: str, purpose: str) -> dict[str, Any]:
        signing = outgoing.Signing(
            self.peer.node.ports.post, self.peer.keystore, self.peer.node.ports.clock
        )
        body = {**QUESTION, "purpose": purpose}
        row = outgoing.queue(signing, self.contact(), Verb.ASK, body, grant)
        outcome = self.peer.outcome(row)
        return {"state": outcome.state, "code": outcome.code, "answer": outcome.receipt}

    def table(self, rounds: int) -> str:
        contact = self.contact().id
        seats = (NewSeat("twin"), NewSeat("twin", contact=contact))
        wanted = NewTable(aim=AIM, seats=seats, rounds=rounds, tags=("travel",))
        return str(self.peer.node.discussing.open(wanted).discussion.id)

    def strike(self, table: str, n: int) -> None:
        self.peer.node.discussing.strike(DiscussionId(table), n)

    def loses(self, table: str, n: int) -> None:
        """Go back to so many entries, as by a restore."""
        entry, here = peer_tables.discussion_entry, self.peer.node.ports
        with writing(here.discussions._engine) as connection:  # type: ignore[attr-defined]
            connection.execute(delete(entry).where(entry.c.discussion == table, entry.c.n >= n))
        here.discussions.restored(here.clock.now())

    def goes_on(self, table: str) -> dict[str, Any]:
        self.peer.node.discussing.go_on()
        known = self.peer.node.discussing.get(DiscussionId(table)).table
        return {
            "present": sorted(known.present),
            "closed": known.closed,
            "said": [[each.step, each.hash, each.n in known.words] for each in known.entries],
        }


def main(folder: Path, *, tables: bool = False) -> None:
    """Answer orders until standard input ends."""
    with someone(folder, "Asako", SEA) if tables else Peer(folder, "Asako", answer) as peer:
        beside = Beside(peer)
        say({"address": peer.address})
        for line in sys.stdin:
            order = json.loads(line)
            do: Callable[..., Any] = getattr(beside, order.pop("do"))
            try:
                said = {"done": do(**order)}
            except Exception as error:  # noqa: BLE001  said to who ordered it
                said = {"failed": f"{type(error).__name__}: {error}"}
            say(said)


if __name__ == "__main__":
    main(Path(sys.argv[1]), tables="--tables" in sys.argv)
