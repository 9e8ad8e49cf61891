"""The ports of the protocol over the stores of the node: what is written down here stands in
``node.db`` before a session goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share import network
from lpm_kernel.domain.share.network import DAY, Amount, Arrived
from lpm_kernel.domain.stores import Contacts, Permissions, Post
from lpm_kernel.peer.pace import Buckets
from lpm_kernel.usecases.share import grants
from lpm_kernel.usecases.share.people import card_row
from protocol.card import Card
from protocol.contact import Contact, ContactState, Invite
from protocol.grants import Cost, Held
from protocol.identity import Did, PeerId
from protocol.messages import Message, Verb
from protocol.ports import Claim


@dataclass(frozen=True)
class PeerStores:
    """Every port at once. Safe to use from several threads and several processes; the pace alone is
    this process's own.
    """

    contacts: Contacts
    permissions: Permissions
    post: Post
    clock: Clock
    pace: Buckets = field(default_factory=Buckets)
    _parents: dict[str, str | None] = field(default_factory=dict)
    """Of grants that were asked about; a grant keeps its parent."""

    def claim(self, message: Message, digest: bytes, until: int) -> Claim:
        """Look the message up, and write it down if it is new."""
        arrived = Arrived(
            message.iss,
            message.id,
            digest,
            until,
            message.verb,
            message.json().decode(),
            message.grant or "",
        )
        return Claim(self.post.claim(arrived, self.clock.now()).value)

    def find(self, invite: str) -> Invite | None:
        """Give the open invite of this id."""
        row = self.contacts.open_invite(invite)
        return None if row is None else Invite.read(row.link)

    def use(self, invite: str, card: Card) -> bool:
        """Use the invite up and write the contact down, or say no."""
        return self.contacts.use(invite, card_row(card), self.clock.now()) is not None

    def held(self, grant: str, now: int) -> Held | None:
        """Give a grant as it stands. One of a contact who is not active counts as revoked, so a
        person who blocks is obeyed in the middle of an answer.
        """
        return grants.held(self.permissions, grant, now // DAY)

    def spend(self, grant: str, cost: Cost, now: int) -> bool:
        """Spend on the grant and on its parent, or on neither."""
        return self.permissions.spend(
            self._line(grant), Amount(cost.calls, cost.bytes, cost.tokens), now // DAY
        )

    def give_back(self, grant: str, cost: Cost, now: int) -> None:
        """Give back what was set aside at ``now`` and not used, on both."""
        self.permissions.give_back(
            self._line(grant), Amount(cost.calls, cost.bytes, cost.tokens), now // DAY
        )

    def _line(self, grant: str) -> list[str]:
        if grant not in self._parents:
            row = self.permissions.held(grant, 0)
            if row is None:
                return [grant]
            self._parents[grant] = row.parent
        parent = self._parents[grant]
        return [grant] if parent is None else [grant, parent]

    def stands(self, offer: str, item: str, to: Did, now: int) -> bool:
        """Say whether this item was offered to them by that message, and still is."""
        return self.permissions.stands(offer, item, to, now)

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        """Count a request and say whether it may go on."""
        return self.pace.admits(by, verb, now)

    def contact(self, peer: PeerId) -> Contact | None:
        """Give who has this peer id, for the gate: read as it was verified when it was kept,
        however old the card is by now.
        """
        row = self.contacts.by_peer(peer)
        return None if row is None else known(row)


def known(row: network.Contact) -> Contact:
    """Give a contact as the protocol has it. A card that ran out says still who it is; that nothing
    is sealed to it is the sender's business.
    """
    return Contact(kept_card(row.card), ContactState(row.state.value))


@lru_cache(maxsize=256)
def kept_card(text: str) -> Card:
    """Read a card that was verified when it was kept; the same text says the same each time."""
    return Card.read_kept(text)
