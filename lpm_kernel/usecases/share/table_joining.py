"""What the person does at the table of a contact: sits down under a grant for this table, or does
not; types, strikes what their side said, and leaves.

What they say waits until the host asks for it; the host is told that there is something.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.domain.share.discussions import DiscussionId, TableContact, TableContactState
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.domain.stores import Contacts
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share.outgoing import Signing, new_id, queue
from lpm_kernel.usecases.share.table_guests import own_of, strike_of
from lpm_kernel.usecases.share.tables import (
    NextEntry,
    Sitting,
    TablePorts,
    Typed,
    checked_text,
    load,
    stance_named,
)
from protocol import limits
from protocol.discussion import Speaker, Step, Words
from protocol.grants import Consent
from protocol.identity import Did
from protocol.messages import Verb
from protocol.refusals import LocalProtocolError, Refusal
from protocol.scope import EVERY_TAG, TAGS, Form, Layer, RowKind, Scope
from protocol.table_grants import TableGrant

TURNS: Final = 30
HOUR: Final = 3_600
_FORMS: Final = {Form.ANSWER, Form.SUMMARY, Form.EXCERPT}


@dataclass(frozen=True)
class TableForm:
    """What the person fills in to sit down at a contact's table: what their second self may use
    there, how literally, and how often it speaks.
    """

    tags: tuple[str, ...] = field(repr=False)
    form: str = Form.EXCERPT.value
    turns: int = TURNS
    kinds: tuple[str, ...] = ()
    """None: all kinds."""


def accept(
    ports: TablePorts,
    contacts: Contacts,
    signing: Signing,
    discussion: DiscussionId,
    form: TableForm,
) -> None:
    """Give the grant for this table, and tell its host. Raises ``NotFoundError``,
    ``InvalidInputError``, and ``ConflictError`` where nobody is asked to it any more.
    """
    there = _there(ports, discussion)
    host = contacts.get(ContactId(there.contact))
    grant = _grant(ports, Did(host.did), load(ports.discussions, discussion), form)
    try:
        text = grant.write(ports.keystore.keys.identity)
    except LocalProtocolError as misfit:
        raise InvalidInputError(
            "You cannot sit down with these limits.", "Choose between 1 and 200 turns."
        ) from misfit
    with signing.post.together():
        moved = ports.discussions.move_contact(
            discussion,
            there.contact,
            [TableContactState.INVITED],
            state=TableContactState.ACCEPTED.value,
            grant=text,
        )
        if not moved:
            raise _decided()
        queue(signing, host, Verb.DISCUSS, {"accept": {"table": discussion, "grant": text}})


def decline(
    ports: TablePorts, contacts: Contacts, signing: Signing, discussion: DiscussionId
) -> None:
    """Say no to an invitation. Raises ``NotFoundError`` and ``ConflictError``."""
    there = _there(ports, discussion)
    with signing.post.together():
        moved = ports.discussions.move_contact(
            discussion,
            there.contact,
            [TableContactState.INVITED],
            state=TableContactState.DECLINED.value,
        )
        if not moved:
            raise _decided()
        host = contacts.get(ContactId(there.contact))
        queue(signing, host, Verb.DISCUSS, {"decline": {"table": discussion}})


def leave(ports: TablePorts, discussion: DiscussionId) -> None:
    """Take the grant back now; the members of this person go once the host has asked. Raises
    ``NotFoundError`` and ``ConflictError``.
    """
    there, table = _there(ports, discussion), load(ports.discussions, discussion).table
    moved = ports.discussions.move_contact(
        discussion,
        there.contact,
        [TableContactState.ACCEPTED],
        state=TableContactState.LEFT.value,
        revoked_at=ports.clock.now(),
    )
    if not moved:
        raise _decided()
    # what was signed may come back in the record, and what is struck stays so
    unsaid = [each for each in there.own if each["entry"] is None and each["step"] != Step.STRUCK]
    ports.discussions.drop_own(discussion, there.contact, [each["id"] for each in unsaid])
    # also for one that sat down without this node having seen it in the record
    for member in () if table.closed is not None else there.members:
        gone = own_of(NextEntry(Step.LEFT, {"by": member}), member)
        ports.discussions.put_own(discussion, there.contact, gone)


def say(ports: TablePorts, discussion: DiscussionId, typed: Typed) -> None:
    """Keep what the person types until the host asks for it. Raises ``NotFoundError``,
    ``InvalidInputError``, and ``ConflictError`` where they do not sit there.
    """
    text = checked_text(typed.text)
    there, sitting = _there(ports, discussion), load(ports.discussions, discussion)
    members = sitting.table.members
    mine = [each for each in there.members if members[each].kind is Speaker.PERSON]
    if there.state is not TableContactState.ACCEPTED or sitting.table.closed is not None:
        raise _not_there()
    if not mine:
        raise ConflictError("You do not type at this table.", "Your second self speaks there.")
    stance = None if typed.stance is None else stance_named(typed.stance)
    body = {"by": mine[0], "round": 1, "abstained": False, "on": typed.on, "stance": stance}
    made = NextEntry(Step.TURN, {**body, "quotes": []}, Words.write(text))
    if not ports.discussions.put_own(discussion, there.contact, own_of(made, mine[0])):
        raise _not_there()


def strike(ports: TablePorts, discussion: DiscussionId, number: int) -> None:
    """Erase words that this person's side said: here now, and everywhere once the host has asked.
    Raises ``NotFoundError``, and ``ConflictError`` for what others said.
    """
    there, sitting = _there(ports, discussion), load(ports.discussions, discussion)
    entries = sitting.table.entries
    if not 0 <= number < len(entries) or "words" not in entries[number].fields:
        raise NotFoundError("turn", str(number))
    if entries[number].iss != ports.keystore.keys.identity.did:
        raise ConflictError(
            "What others said is struck by them, or by the host.", "You can delete the table here."
        )
    struck = strike_of(there, number)
    if number in sitting.table.struck or any(each["id"] == struck["id"] for each in there.own):
        return
    ports.discussions.put_own(discussion, there.contact, struck)
    quoting = {each.n for each in entries if number in each.fields.get("quotes", ())}
    ports.discussions.drop_words(discussion, {number, *quoting}, ports.clock.now())


def raise_hands(
    ports: TablePorts, contacts: Contacts, signing: Signing, discussion: DiscussionId
) -> bool:
    """Tell the host of everything that waits to be said and was not told yet. Returns whether
    there was any. Raises ``ConflictError`` for a host who is no contact any more.
    """
    there = _there(ports, discussion)
    told = set((there.asked or {}).get("told", ()))
    asks = [
        each
        for each in there.own
        if each["id"] not in told and each["entry"] is None and each["step"] != Step.JOINED
    ]
    if not asks:
        return False
    host = contacts.get(ContactId(there.contact))
    with signing.post.together():
        steps = {each["step"]: each["by"] for each in reversed(asks)}
        for step, by in steps.items():
            hand = {"table": discussion, "by": by, "step": step}
            queue(signing, host, Verb.DISCUSS, {"hand": hand})
        known = [each["id"] for each in there.own]
        ports.discussions.move_contact(discussion, there.contact, asked={"told": known})
    return True


def grant_of(there: TableContact) -> TableGrant:
    """Return the grant under which this person, or a contact, sits at a table."""
    return TableGrant.read(there.grant)


def _there(ports: TablePorts, discussion: DiscussionId) -> TableContact:
    known = ports.discussions.get(discussion)
    there = ports.discussions.contacts_at(discussion)
    if not known.host or not there:
        raise ConflictError("This table is your own.", "Open it to see what you can do there.")
    return there[0]


def _grant(ports: TablePorts, host: Did, sitting: Sitting, form: TableForm) -> TableGrant:
    rules, now = sitting.table.opening.fields, int(ports.clock.now().timestamp())
    try:
        TAGS.check(list(form.tags), "tags")
        how, kinds = Form(form.form), frozenset(map(RowKind, form.kinds)) or frozenset(RowKind)
    except (Refusal, ValueError):
        raise InvalidInputError(
            "What your second self may use at this table has to be named.",
            "Choose 1 to 64 tags.",
        ) from None
    if EVERY_TAG & set(form.tags) or how not in _FORMS:
        raise InvalidInputError(
            "At a table nothing leaves without a tag, or as a whole text.",
            "Choose tags, and `answer`, `summary` or `excerpt`.",
        )
    end = min(int(rules["exp"]) + HOUR, now + limits.TABLE_LIFE)
    if int(rules["exp"]) <= now or sitting.table.closed is not None:
        raise ConflictError("This table is over.", "Ask for another one.")
    layers = frozenset({Layer.SAID, Layer.WORDS})
    scope = Scope(frozenset(form.tags), kinds, layers, None, None, how, "a table")
    return TableGrant(
        new_id(),
        ports.keystore.keys.identity.did,
        host,
        sitting.discussion.id,
        now,
        end,
        scope,
        form.turns,
        int(rules["bytes"]),
        int(rules["tokens"]),
        Consent.AUTO,
    )


def _not_there() -> ConflictError:
    return ConflictError(
        "Nothing can be said at this table now.", "It is closed, or you do not sit there."
    )


def _decided() -> ConflictError:
    return ConflictError("This was decided already.", "Look at the table again.")
