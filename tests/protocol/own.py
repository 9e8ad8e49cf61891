"""The node's own books as the suite of the ports asks for them: over a database, which is opened
once, or anew before each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.share.network import Amount, GrantRow
from lpm_kernel.domain.share.network import Invite as InviteRow
from lpm_kernel.peer.books import PeerStores, known
from lpm_kernel.usecases.share.people import card_row
from protocol.card import Card
from protocol.contact import Contact, Invite
from protocol.grants import Cost, Grant, Held
from protocol.identity import Did, PeerId
from protocol.messages import Message, Verb
from protocol.ports import Claim
from tests.protocol.twins import NOW, Person


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def books_over(database: NodeDatabase, now: int = NOW) -> PeerStores:
    return PeerStores(
        database.contacts, database.permissions, database.post, FrozenClock(moment(now))
    )


class OwnBooks:
    """Every port at once, over ``node.db``."""

    def __init__(self, path: Path, *, anew: bool = False) -> None:
        self.path = path
        self._held = NodeDatabase(path)
        self._anew = anew

    @contextmanager
    def _open(self) -> Iterator[NodeDatabase]:
        if not self._anew:
            yield self._held
            return
        database = NodeDatabase(self.path)
        try:
            yield database
        finally:
            database.close()

    def close(self) -> None:
        self._held.close()

    @property
    def contacts(self) -> dict[PeerId, Contact]:
        with self._open() as database:
            return {PeerId(row.peer): known(row) for row in database.contacts.all()}

    def put_invite(self, invite: Invite) -> None:
        with self._open() as database:
            database.contacts.invite(InviteRow(invite.id, invite.link, moment(NOW), invite.exp))

    def put_grant(self, grant: Grant, by: Person, to: Person) -> None:
        with self._open() as database:
            contact = database.contacts.by_did(to.did) or database.contacts.keep(
                card_row(to.card), moment(NOW)
            )
            daily = Amount(grant.daily.calls, grant.daily.bytes, grant.daily.tokens)
            row = GrantRow(
                grant.id,
                contact.id,
                grant.write(by.keys.identity),
                daily,
                grant.exp,
                moment(NOW),
                grant.parent,
            )
            database.permissions.give(row)

    def claim(self, message: Message, digest: bytes, until: int) -> Claim:
        with self._open() as database:
            return books_over(database).claim(message, digest, until)

    def find(self, invite: str) -> Invite | None:
        with self._open() as database:
            return books_over(database).find(invite)

    def use(self, invite: str, card: Card) -> bool:
        with self._open() as database:
            return books_over(database).use(invite, card)

    def held(self, grant: str, now: int) -> Held | None:
        with self._open() as database:
            return books_over(database).held(grant, now)

    def spend(self, grant: str, cost: Cost, now: int) -> bool:
        with self._open() as database:
            return books_over(database).spend(grant, cost, now)

    def give_back(self, grant: str, cost: Cost, now: int) -> None:
        with self._open() as database:
            books_over(database).give_back(grant, cost, now)

    def stands(self, offer: str, item: str, to: Did, now: int) -> bool:
        with self._open() as database:
            return books_over(database).stands(offer, item, to, now)

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        with self._open() as database:
            return books_over(database).admits(by, verb, now)
