"""Every size and time of the protocol, in one place. The specification says why each is what it
is.
"""

from __future__ import annotations

from typing import Final

MINUTE: Final = 60
DAY: Final = 86_400

# --- bytes (protocol/spec/envelope.md) -----------------------------------------------------------

REQUEST: Final = 262_144
"""The longest envelope of a request, in bytes."""
ANSWER: Final = 1_048_576
"""The longest envelope of an answer, in bytes."""
HEADER: Final = 68
TAG: Final = 16
SIGNATURE: Final = 64
BLOCK: Final = 256
"""What is sealed is padded to a multiple of this."""
VARINT: Final = 3
"""The longest length before a frame, in bytes."""

CARD_TEXT: Final = 4_096
ROTATION_TEXT: Final = 1_024
GRANT_TEXT: Final = 16_384
LINK_TEXT: Final = 2_048

ENTRY_TEXT: Final = 16_384
"""A signed entry of a table, in characters."""
WORDS: Final = 65_536
"""The words of one entry of a table, in bytes of JSON."""

BODY: Final = 1_000_000
"""The longest body of an answer that a request can ask for, in bytes of JSON."""
DEPTH: Final = 8
"""Objects and lists inside each other."""
WHOLE: Final = 2**53 - 1
"""The largest number that every JSON reader keeps exactly."""

# --- seconds -------------------------------------------------------------------------------------

SKEW: Final = 2 * MINUTE
"""How far two honest clocks may be apart."""
MESSAGE_LIFE: Final = 7 * DAY
CARD_LIFE: Final = 30 * DAY
GRANT_LIFE: Final = 366 * DAY
INVITE_LIFE: Final = DAY
OFFER_LIFE: Final = 30 * DAY
ROTATION_LIFE: Final = 30 * DAY
TABLE_LIFE: Final = 30 * DAY
BOX_TURN: Final = 7 * DAY
"""A box key is turned when it is this old."""
BOX_KEPT: Final = 30 * DAY
"""A retired box key opens envelopes for this long."""

# --- counts --------------------------------------------------------------------------------------

STRANGERS: Final = 4
"""Strangers admitted at a time while an invite is open."""
HELLO_SECONDS: Final = 5
"""From the opening of a stranger's connection to a valid hello."""
CALLS_A_DAY: Final = 10_000
BYTES_A_DAY: Final = 2**30
TOKENS_A_DAY: Final = 10_000_000
ITEM: Final = 2**30
"""The largest item that can be offered and fetched, in bytes."""
MEMBERS: Final = 16
"""At one table, those included who left."""
ROUNDS: Final = 100
TURNS: Final = 200
"""Of one member at one table."""
TURNS_IN_ALL: Final = 1_000
ENTRIES: Final = 4_096
"""Of one table."""
AHEAD: Final = 64
"""Entries that are kept while those before them are on their way."""
HANDED: Final = 64
"""Entries that one message hands to a member."""
HANDED_BYTES: Final = 180_000
"""Of JSON that these take; a single one may take more."""
