"""Put somebody into the contacts of a home, or a question of theirs into its inbox: ``python
tests/e2e/befriend.py HOME [GRANT]``.

Until two nodes speak to each other in a browser test, this stands for the other one.
"""

from __future__ import annotations

import secrets
import sys
from datetime import UTC, datetime

from lpm_kernel.domain.share.network import DAY, Arrived
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import decisions
from lpm_kernel.usecases.share.grants import held
from lpm_kernel.usecases.share.outgoing import new_id
from lpm_kernel.usecases.share.people import card_row
from protocol.card import Card
from protocol.contact import spell
from protocol.identity import Identity, peer_of, public_of
from protocol.messages import Message, Verb

MAI = Identity(b"m" * 32)
NOW = int(datetime.now(UTC).timestamp())


def meet(node: Node) -> str:
    """Make Mai a contact, with six words."""
    card = Card.write(
        MAI,
        peer=peer_of(public_of(Identity(b"p" * 32).did)),
        box=b"b" * 32,
        name="Mai Kurose",
        verbs=("ask",),
        seq=NOW,
        exp=NOW + 20 * DAY,
    )
    return node.ports.contacts.keep(
        card_row(card), node.ports.clock.now(), spell(bytes(range(12)))
    ).id


def ask(node: Node, grant: str) -> str:
    """Have Mai ask something that waits for the person."""
    known = held(node.ports.permissions, grant, NOW // DAY)
    if known is None:
        raise SystemExit("There is no such grant.")
    question = "Was the south ridge icy when you last walked it?"
    body = {
        "question": question,
        "purpose": known.grant.scope.purpose,
        "bytes": 20_000,
        "tokens": 200,
    }
    message = Message(new_id(), MAI.did, known.grant.iss, NOW, NOW + DAY, Verb.ASK, body, grant)
    node.ports.post.claim(
        Arrived(
            MAI.did,
            message.id,
            secrets.token_bytes(32),
            NOW + DAY,
            "ask",
            message.json().decode(),
            grant,
        ),
        node.ports.clock.now(),
    )
    decisions.wait(node.ports.post, node.ports.audit, node.ports.clock, MAI.did, message.id)
    return message.id


if __name__ == "__main__":
    with Node.open(sys.argv[1]) as opened:
        sys.stdout.write(ask(opened, sys.argv[2]) if len(sys.argv) > 2 else meet(opened))
