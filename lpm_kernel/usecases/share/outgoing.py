"""Messages of the person's own: signed once, kept in the outbox, and sealed anew at each try by whoever sends them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from lpm_kernel.domain.network import Contact, OutboxRow
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Post
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.share.keys import Keystore
from protocol import limits
from protocol.encoding import to_b64u
from protocol.envelope import Signed, sign
from protocol.identity import Did
from protocol.messages import REQUESTS, Message, Verb, as_fields, read_message
from protocol.refusals import Refusal
from protocol.shape import read_json


def new_id() -> str:
    """Make an id that nobody can guess."""
    return to_b64u(secrets.token_bytes(16))


def queue(
    post: Post, keystore: Keystore, clock: Clock, to: Contact, verb: Verb, body: Mapping[str, Any], grant: str | None = None, life: int = limits.MESSAGE_LIFE
) -> OutboxRow:
    """Sign a message and put it into the outbox. Raises ``InvalidInputError`` for a body that is none, ``ConflictError`` for a contact who is not active."""
    now = clock.now()
    seconds = int(now.timestamp())
    keys = keystore.keys
    try:
        REQUESTS[verb].check(dict(body), "body")
    except Refusal as refusal:
        raise InvalidInputError(f"The message cannot be sent like this: {refusal.where} does not fit.", "Make it shorter, or leave it out.") from refusal
    message = Message(new_id(), keys.identity.did, Did(to.did), seconds, seconds + life, verb, body, grant)
    signed = sign(message, keys.identity)
    row = OutboxRow(message.id, to.id, verb.value, signed.signature + signed.json, now, seconds, message.exp)
    post.send(row)
    return row


def message_of(row: OutboxRow) -> Message:
    """Read a message of the outbox as it was signed; whoever sends it signs the same bytes again."""
    signed = Signed(row.signed[limits.SIGNATURE :], row.signed[: limits.SIGNATURE])
    return read_message(as_fields(read_json(signed.json)), int(row.made_at.timestamp()), answer=False)
