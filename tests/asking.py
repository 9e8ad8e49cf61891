"""Somebody who asks a node, without a wire: a grant that they were given, and requests as the
process that listens writes them down.
"""

from __future__ import annotations

from lpm_kernel.domain.share.network import Amount, Arrived, ContactId, GrantRow
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import new_id
from lpm_kernel.usecases.share.people import card_row
from protocol.card import Card
from protocol.grants import Consent, Cost, Grant
from protocol.identity import Identity, peer_of, public_of
from protocol.messages import Message, Verb
from protocol.scope import Scope

OWNER, ASKER = (Identity(bytes([seed]) * 32) for seed in (7, 8))
DAILY = Amount(999, 10**8, 10**6)


def befriended(node: Node) -> ContactId:
    """Have who asks as a contact."""
    known, now = node.ports.contacts.by_did(ASKER.did), int(node.ports.clock.now().timestamp())
    peer = peer_of(public_of(ASKER.did))
    card = Card.write(
        ASKER, peer=peer, box=b"b" * 32, name="Mai", verbs=("ask",), seq=now, exp=now + 86_400
    )
    return (known or node.ports.contacts.keep(card_row(card), node.ports.clock.now())).id


def given(node: Node, scope: Scope, consent: Consent = Consent.AUTO) -> Grant:
    """Give a grant to who asks."""
    now, moment = int(node.ports.clock.now().timestamp()), node.ports.clock.now()
    daily = Cost(DAILY.calls, DAILY.bytes, DAILY.tokens)
    grant = Grant(
        new_id(),
        OWNER.did,
        ASKER.did,
        now,
        now + 86_400,
        frozenset({Verb.ASK, Verb.RECALL}),
        scope,
        daily,
        consent,
    )
    node.ports.permissions.give(
        GrantRow(grant.id, befriended(node), grant.write(OWNER), DAILY, grant.exp, moment)
    )
    return grant


def asked(node: Node, verb: Verb, body: dict[str, object], under: Grant) -> PeerReply:
    """Write a request into the inbox, and have it answered."""
    now, moment = int(node.ports.clock.now().timestamp()), node.ports.clock.now()
    message = Message(new_id(), ASKER.did, OWNER.did, now, now + 3_600, verb, body, under.id)
    node.ports.post.claim(
        Arrived(
            ASKER.did, message.id, b"d" * 32, now + 3_600, verb, message.json().decode(), under.id
        ),
        moment,
    )
    return node.replying.reply(ASKER.did, message.id)
