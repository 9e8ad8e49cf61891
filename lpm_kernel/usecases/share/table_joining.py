"""What the person does at the table of a contact: sits down under a grant for this table, or does
not; types, strikes what their side said, and leaves.

What they say waits until the host asks for it; the host is told that there is something, again and
again until it has asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lpm_kernel.domain.share.discussions import DiscussionId, TableContact, TableContactState
from lpm_kernel.domain.share.network import Contact, ContactId, OutboxRow, OutboxState
from lpm_kernel.domain.stores import Contacts
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share.outgoing import Signing, new_id, queue
from lpm_kernel.usecases.share.table_guests import Own, own_of, strike_of
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
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.scope import EVERY_TAG, TAGS, Form, Layer, RowKind, Scope
from protocol.table_grants import TableGrant
from protocol.tables import Table

TURNS: Final = 30
HOUR: Final = 3_600
HAND_EVERY: Final = 600
"""Seconds after which a host who has not asked is told again that somebody wants to say something.
"""
DAY: Final = 86_400
"""Likewise where the host knows of no such table."""
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
        _tell(ports, signing, host, replace(there, grant=text))


def _tell(ports: TablePorts, signing: Signing, host: Contact, there: TableContact) -> None:
    """Have the host told that this person sits down, and remember by which message."""
    body = {"accept": {"table": there.discussion, "grant": there.grant}}
    life = _end(load(ports.discussions, there.discussion).table) - _seconds(ports)
    row = queue(signing, host, Verb.DISCUSS, body, life=max(60, min(limits.MESSAGE_LIFE, life)))
    asked = {**(there.asked or {}), "accept": row.id}
    ports.discussions.move_contact(there.discussion, there.contact, read=there, asked=asked)


def settle_seat(
    ports: TablePorts, contacts: Contacts, signing: Signing, discussion: DiscussionId
) -> bool:
    """Take in what the host answered to this person sitting down. Where the invitation was taken
    back meanwhile, or the host was not reached until the end of the table, the grant is taken back,
    too: ``True``. A message that ran out before that is sent anew. Raises ``NotFoundError``, and
    ``ConflictError`` for a host who is no contact any more.
    """
    there = _there(ports, discussion)
    message = (there.asked or {}).get("accept")
    if message is None:
        return False
    table = load(ports.discussions, discussion).table
    row, is_late = signing.post.outgoing(message), _seconds(ports) >= _end(table)
    sits = bool(table.present & set(there.members))
    why = "" if sits else _refusal(row, is_late=is_late)
    if why is None:
        if row is None or row.state is OutboxState.EXPIRED:
            with signing.post.together():
                _tell(ports, signing, contacts.get(ContactId(there.contact)), there)
        return False
    asked = {name: each for name, each in (there.asked or {}).items() if name != "accept"}
    with signing.post.together():
        signing.post.settle(message, OutboxState.WITHDRAWN)  # if it waits still
        taken = ports.discussions.move_contact(
            discussion, there.contact, read=there, asked=asked or None
        )
        return bool(taken and why) and _turned_away(ports, there, {**asked, "over": why})


def _end(table: Table) -> int:
    return int(table.opening.fields["exp"])


def _seconds(ports: TablePorts) -> int:
    return int(ports.clock.now().timestamp())


def _refusal(row: OutboxRow | None, *, is_late: bool) -> str | None:
    """Say why the host did not let this person sit down; empty: it did. ``None``: nobody knows."""
    if row is not None and row.state is OutboxState.ANSWERED:
        return ""
    if row is not None and row.state in {OutboxState.REFUSED, OutboxState.WITHDRAWN}:
        return row.code or Code.NO_GRANT.value
    return Code.EXPIRED.value if is_late else None


def _turned_away(ports: TablePorts, there: TableContact, asked: Mapping[str, Any]) -> bool:
    """Take the grant back for a table at which nobody will ask for anything."""
    unsaid = [each["id"] for each in there.own if each["step"] != Step.STRUCK]
    ports.discussions.drop_own(there.discussion, there.contact, unsaid)
    return ports.discussions.move_contact(
        there.discussion,
        there.contact,
        [TableContactState.ACCEPTED],
        state=TableContactState.LEFT.value,
        revoked_at=ports.clock.now(),
        asked=asked,
    )


def standing(there: TableContact, until: int, now: int) -> str:
    """Say how this person stands at a contact's table: its state, or that the invitation was
    ``withdrawn``, or ``expired`` before they sat down.
    """
    over = (there.asked or {}).get("over")
    if there.state is TableContactState.INVITED and until <= now:
        over = Code.EXPIRED.value
    if over is None:
        return there.state.value
    in_time = over not in {Code.EXPIRED, Code.GRANT_EXPIRED}
    return "withdrawn" if in_time else "expired"


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


def leave(
    ports: TablePorts, contacts: Contacts, signing: Signing, discussion: DiscussionId
) -> None:
    """Take the grant back now; the members of this person go once the host has asked. A host who
    was not told yet that they sit there is told that they do not. Raises ``NotFoundError`` and
    ``ConflictError``.
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
    untold = signing.post.outgoing(str((there.asked or {}).get("accept")))
    if untold is not None and untold.state is OutboxState.WAITING:
        with signing.post.together():
            signing.post.settle(untold.id, OutboxState.WITHDRAWN)
            signing.post.forget_sent(untold.id)
            host = contacts.get(ContactId(there.contact))
            queue(signing, host, Verb.DISCUSS, {"decline": {"table": discussion}})
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
    _fits(sitting.table, made)
    if not ports.discussions.put_own(discussion, there.contact, own_of(made, mine[0])):
        raise _not_there()


def _fits(table: Table, made: NextEntry) -> None:
    """Refuse what the record would not take: it would keep back everything that is typed after it.
    Raises ``InvalidInputError``.
    """
    on: Any = made.body["on"]
    most = int(table.opening.fields["bytes"])
    answered = table.entries[on] if on is not None and 0 <= on < len(table.entries) else None
    theirs = answered is not None and answered.fields.get("by") != made.body["by"]
    if on is not None and not (theirs and answered is not None and answered.step is Step.TURN):
        raise InvalidInputError("This cannot be said here.", "Answer a turn of somebody else.")
    if made.words is not None and len(made.words.json.encode()) > most:
        raise InvalidInputError(
            "This is too long for this table.", f"Say it in less than {most:,} bytes."
        )


def unsaid(there: TableContact) -> list[str]:
    """Give what the person typed that is not in the record here yet."""
    typed = (own for own in there.own if own["step"] == Step.TURN and not own["round"])
    return [Words.read(own["words"]).text for own in typed if own["words"] is not None]


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
    gone = {each.n for each in entries if each.shows({number})}
    ports.discussions.drop_words(discussion, gone, ports.clock.now())


def raise_hands(
    ports: TablePorts, contacts: Contacts, signing: Signing, discussion: DiscussionId
) -> bool:
    """Tell the host of what waits to be said: once something comes or goes, and every ten minutes
    while the host has not asked for all of it. Returns whether it was told. Raises
    ``ConflictError`` for a host who is no contact any more.
    """
    there, now = _there(ports, discussion), int(ports.clock.now().timestamp())
    told, mine = there.asked or {}, _typed(there.own)
    known = [each["id"] for each in mine]
    asks = [each for each in mine if each["entry"] is None]
    if not asks or (told.get("told") == known and now < told.get("again", 0)):
        return False
    host, asks = contacts.get(ContactId(there.contact)), _in_time(ports, there, asks, now)
    steps = {each["step"]: str(each["by"]) for each in reversed(asks)}
    with signing.post.together():
        if not ports.discussions.move_contact(discussion, there.contact, read=there, asked=None):
            return False  # another thread told it
        hands, knows = _raised(signing, host, discussion, steps, told.get("hands", {}))
        again = now + (HAND_EVERY if knows else DAY)
        asked = {**told, "told": known, "again": again, "hands": hands}
        ports.discussions.move_contact(discussion, there.contact, asked=asked)
    return True


def _typed(own: Sequence[Own]) -> list[Own]:
    """Give what the person wants said, who typed it, strikes or leaves."""
    return [each for each in own if not each["round"] and each["step"] != Step.JOINED]


def _in_time(ports: TablePorts, there: TableContact, asks: list[Own], now: int) -> list[Own]:
    """Give what can be said still; the rest is forgotten once the time of the table is over."""
    if now < load(ports.discussions, there.discussion).table.opening.fields["exp"] + limits.SKEW:
        return asks
    late = [each["id"] for each in asks if each["step"] != Step.STRUCK]
    ports.discussions.drop_own(there.discussion, there.contact, late)
    return [each for each in asks if each["id"] not in late]


def _raised(
    signing: Signing,
    host: Contact,
    discussion: DiscussionId,
    steps: Mapping[str, str],
    before: Mapping[str, str],
) -> tuple[dict[str, str], bool]:
    """Have a hand in the outbox for each step; one that waits there is sent now. Returns their
    messages, and whether the host knows of the table.
    """
    rows = {step: signing.post.outgoing(message) for step, message in before.items()}
    waits = {step for step, row in rows.items() if row and row.state is OutboxState.WAITING}
    hands = {step: before[step] for step in waits}
    for step, row in rows.items():
        if row is not None and step not in waits:
            signing.post.forget_sent(row.id)
    for step in steps.keys() - waits:
        hand = {"table": discussion, "by": steps[step], "step": step}
        hands[step] = queue(signing, host, Verb.DISCUSS, {"hand": hand}).id
    signing.post.hurry(host.id, int(signing.clock.now().timestamp()))
    return hands, not any(row and row.code == Code.NO_GRANT for row in rows.values())


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
            "Say what your second self may use at this table.",
            "Choose 1 to 64 tags.",
        ) from None
    if EVERY_TAG & set(form.tags) or how not in _FORMS:
        raise InvalidInputError(
            "At a table your second self uses only what has a tag, and never whole texts.",
            "Choose tags, and `answer`, `summary` or `excerpt`.",
        )
    end = min(int(rules["exp"]) + HOUR, now + limits.TABLE_LIFE)
    if int(rules["exp"]) <= now or sitting.table.closed is not None:
        raise ConflictError("This table is over.", "Ask them to open another one.")
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
    return ConflictError("You have decided this already.", "Look at the table again.")
