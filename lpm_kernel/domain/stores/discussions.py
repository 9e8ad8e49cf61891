"""Tables at which several talk, and what was said there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
    TableContact,
    TableContactState,
)


class Discussions(Protocol):
    """Keeps the records of tables. Entries are added and never changed; their words can go."""

    def add(
        self, discussion: Discussion, opening: SaidEntry, there: Sequence[TableContact] = ()
    ) -> None:
        """Keep a new table with its opening, and the contacts who are asked to it; at a contact's,
        this person.
        """
        ...

    def bring_in(self, discussion: Discussion, said: Sequence[SaidEntry]) -> bool:
        """Keep a table from an archive with its record. No where it is known, or was deleted."""
        ...

    def get(self, discussion: DiscussionId) -> Discussion:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Discussion], str | None]:
        """Return the newest first."""
        ...

    def going_on(self) -> list[DiscussionId]:
        """Name the tables that are open, those that waited longest first."""
        ...

    def entries(self, discussion: DiscussionId, after: int = -1) -> list[SaidEntry]:
        """Return what was said there, in its order, after a number."""
        ...

    def append(
        self,
        discussion: DiscussionId,
        entry: SaidEntry,
        state: DiscussionState,
        gone: Collection[int] = (),
    ) -> bool:
        """Add the next entry with what the table is then, and drop the words of those that are
        ``gone``: a backup does not bring them back, a job takes out their traces, and no message
        about the table holds them any more. No if its
        number is taken, or if a document that it was made from was erased, made private or put
        away. Raises ``NotFoundError``.
        """
        ...

    def put_words(self, discussion: DiscussionId, words: Mapping[int, str]) -> None:
        """Add words that came later than their entries."""
        ...

    def drop_words(self, discussion: DiscussionId, gone: Collection[int], at: datetime) -> None:
        """Drop the words of entries, as :meth:`append` does."""
        ...

    def keep(self, discussion: DiscussionId, n: int, document: str | None) -> None:
        """Note which document the person made of an entry, or that it is none any more."""
        ...

    def delete(self, discussion: DiscussionId, at: datetime) -> None:
        """Delete a table with all that was said; a backup does not bring it back, and a job takes
        out its traces. Raises ``NotFoundError``.
        """
        ...

    def was_deleted(self, discussion: DiscussionId) -> bool:
        """Tell whether a table of this id was deleted here."""
        ...

    # --- contacts at tables ----------------------------------------------------------------------

    def contacts_at(self, discussion: DiscussionId) -> list[TableContact]:
        """Return the contacts at a table; of one of a contact's, the host alone."""
        ...

    def invitations(self, contact: str | None = None) -> list[DiscussionId]:
        """Name the tables of a contact, or of all, to which this person is asked and has said
        nothing, and of which the invitation was not taken back.
        """
        ...

    def wordless(self) -> list[DiscussionId]:
        """Name the tables of contacts at which this node has something to say, or waits to be let
        sit down.
        """
        ...

    def restored(self, since: datetime) -> None:
        """Note that this node may have lost entries of its tables that contacts have; those at
        tables that go on, or ended after ``since``, are asked for them
        (:attr:`TableContact.is_ahead`). What waited to be asked is forgotten.
        """
        ...

    def gone(self, discussion: DiscussionId) -> set[int]:
        """Return the numbers of the entries whose words were erased or struck here for good, also
        in a state of this home that was not restored.
        """
        ...

    def hosted(self) -> list[DiscussionId]:
        """Name the tables of this node at which there are contacts; of closed ones those where a
        contact is to be asked or handed something now.
        """
        ...

    def shared(self) -> int:
        """Count the tables that go on between this node and contacts: its own at which one was
        asked or sits, and those of contacts at which this person sits.
        """
        ...

    def move_contact(
        self,
        discussion: DiscussionId,
        contact: str,
        before: Collection[TableContactState] = (),
        *,
        read: TableContact | None = None,
        **values: object,
    ) -> bool:
        """Change fields of a contact at a table (``state grant revoked_at have asked``). What is
        ``revoked_at`` is so in a backup, too. ``False``, and nothing changes: they are not there,
        in none of the states before, or were asked something since they were ``read``.
        """
        ...

    def raise_hand(self, discussion: DiscussionId, contact: str, hand: Mapping[str, str]) -> None:
        """Note once that a contact wants the word."""
        ...

    def lower_hand(self, discussion: DiscussionId, contact: str, hand: Mapping[str, str]) -> None:
        """Note that they had it."""
        ...

    def put_own(
        self,
        discussion: DiscussionId,
        contact: str,
        said: Mapping[str, Any],
        turns: int | None = None,
    ) -> bool:
        """Keep what this node says at a contact's table, in place of what has the same ``id``; with
        ``turns`` as one turn of at most so many. ``False``, and nothing changes: they are used up,
        this person does not sit there any more, or something that it was made from is not open any
        more. Who left can still say that, and strike.
        """
        ...

    def drop_own(self, discussion: DiscussionId, contact: str, ids: Collection[str]) -> None:
        """Forget what stands in the record by now, or was not wanted any more."""
        ...
