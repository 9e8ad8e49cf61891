"""The closed list of refusals, and what each of them means to who refuses and to who is refused.

A :class:`Refusal` says that *they* broke a rule, or may not; it is the only exception that bytes
from outside can cause. A :class:`LocalProtocolError` says that *we* did: it is a fault in the
program that uses this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Why something was not done: protocol/spec/envelope.md."""

    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    UNSUPPORTED_VERSION = "unsupported_version"
    UNKNOWN_KEY = "unknown_key"
    DECRYPT_FAILED = "decrypt_failed"
    BAD_SIGNATURE = "bad_signature"
    SENDER_MISMATCH = "sender_mismatch"
    WRONG_AUDIENCE = "wrong_audience"
    EXPIRED = "expired"
    FROM_FUTURE = "from_future"
    REPLAY = "replay"
    NO_GRANT = "no_grant"
    GRANT_EXPIRED = "grant_expired"
    REVOKED = "revoked"
    OUT_OF_SCOPE = "out_of_scope"
    ESCALATION = "escalation"
    OVER_BUDGET = "over_budget"
    CONSENT_REQUIRED = "consent_required"
    BUSY = "busy"


class Again(StrEnum):
    """What who was refused may do."""

    NEVER = "never"
    SAME = "same"
    """Send the same message later, until its ``exp``."""
    NEW = "new"
    """Write another message, after mending what the code names."""


@dataclass(frozen=True)
class Meaning:
    """One row of the table of codes."""

    says: str
    again: Again


MEANINGS: dict[Code, Meaning] = {
    Code.TOO_LARGE: Meaning("more bytes than allowed", Again.NEVER),
    Code.MALFORMED: Meaning("not what the specification describes", Again.NEVER),
    Code.UNSUPPORTED_VERSION: Meaning(
        "a suite, version or verb that is not spoken here", Again.NEVER
    ),
    Code.UNKNOWN_KEY: Meaning("sealed to a key that is not held", Again.SAME),
    Code.DECRYPT_FAILED: Meaning("does not open", Again.NEVER),
    Code.BAD_SIGNATURE: Meaning("signature or proof does not fit", Again.NEVER),
    Code.SENDER_MISMATCH: Meaning("not from whom the connection or the question says", Again.NEVER),
    Code.WRONG_AUDIENCE: Meaning("meant for somebody else", Again.NEVER),
    Code.EXPIRED: Meaning("its time is over", Again.NEW),
    Code.FROM_FUTURE: Meaning("its time has not come: a clock is wrong", Again.NEW),
    Code.REPLAY: Meaning("an old thing shown again", Again.NEVER),
    Code.NO_GRANT: Meaning("there is no grant for this", Again.NEW),
    Code.GRANT_EXPIRED: Meaning("now is outside the grant's time", Again.NEW),
    Code.REVOKED: Meaning("the owner took the grant back", Again.NEW),
    Code.OUT_OF_SCOPE: Meaning("the grant does not go that far", Again.NEW),
    Code.ESCALATION: Meaning("a passed-on grant is wider than its parent", Again.NEVER),
    Code.OVER_BUDGET: Meaning("the day's budget is spent", Again.NEW),
    Code.CONSENT_REQUIRED: Meaning("the person has to say yes first", Again.SAME),
    Code.BUSY: Meaning("too much at once", Again.SAME),
}


class Refusal(Exception):  # noqa: N818 - a refusal is an answer of the protocol, not an error of the program
    """What came in is refused.

    ``where`` names a field of ours or is empty; it never holds anything that came in. ``re`` is the
    id of the message, once who sent it is known: a refusal without it is never put into words
    (protocol/spec/envelope.md, Order of checks).
    """

    def __init__(self, code: Code, where: str = "", re: str | None = None) -> None:
        super().__init__(f"{code}: {where}" if where else str(code))
        self.code = code
        self.where = where
        self.re = re


class LocalProtocolError(Exception):
    """This package was used against its rules: a second answer, an answer of the wrong shape, a key
    that is none.
    """
