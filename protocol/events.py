"""What a session tells its node. Everything in it has passed every check; what has not passed is a
:class:`Refused`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol.card import Card, Rotation
from protocol.contact import Invite, Met
from protocol.grants import Grant
from protocol.messages import Message
from protocol.refusals import Code
from protocol.scope import Scope

# --- to who answers ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """Answer this. ``scope`` is all that it may be answered from.

    Without one it is an offer, a fetch of an offered item, goodbye, or word that a grant ended
    (which counts only for a grant that this contact gave).
    """

    message: Message
    scope: Scope | None = None


@dataclass(frozen=True)
class Waiting:
    """The person has to say yes first; who asked was told so and comes again.

    After the yes: ``allows`` with ``consented``, work, then spend and keep the answer in one step;
    it leaves when the same message comes again.
    """

    message: Message


@dataclass(frozen=True)
class Repeated:
    """Asked before. Send the kept answer, or refuse; there is nothing to be done again, so there is
    nothing here to do it from.
    """

    issuer: str
    message_id: str


@dataclass(frozen=True)
class Greeted:
    """Somebody who was invited is a contact now. Keep ``answer``, then send it."""

    message: Message
    invite: Invite
    met: Met
    answer: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True)
class Introduced:
    """A contact has this card now, and perhaps another identity, which the person has to accept.
    Keep it, then answer with one's own.
    """

    message: Message
    card: Card
    rotation: Rotation | None = None


@dataclass(frozen=True)
class Given:
    """A contact sent a signed grant: theirs to us, or, ``lodged``, one of ours that somebody passed
    on to them. ``text`` is the signed form.
    """

    message: Message
    grant: Grant
    text: str = field(repr=False)
    lodged: bool


@dataclass(frozen=True)
class Refused:
    """Something was refused, for the audit; ``in_words`` if the other side was told. ``where``
    names a field and holds nothing that came in.
    """

    code: Code
    where: str
    in_words: bool
    message_id: str | None = None


# --- to who asks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answered:
    """The answer, in the shape of the verb. It is a stranger's text: data, never instructions."""

    body: Mapping[str, Any] = field(repr=False)
    message: Message


@dataclass(frozen=True)
class Declined:
    """They refused, in words. ``after``: seconds to wait before the same message may come again."""

    code: Code
    after: int | None = None


@dataclass(frozen=True)
class Noticed:
    """Their box key turned: keep this card and send the same message again."""

    card: Card


@dataclass(frozen=True)
class Failed:
    """What came back is no answer, or nothing came. The same message may be sent again."""

    code: Code | None
    where: str = ""


Event = (
    Asked
    | Waiting
    | Repeated
    | Greeted
    | Introduced
    | Given
    | Refused
    | Answered
    | Declined
    | Noticed
    | Failed
)
