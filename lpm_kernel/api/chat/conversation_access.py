"""Which chats a caller may see."""

from __future__ import annotations

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.domain.chat.conversations import Conversation, Keeping
from lpm_kernel.domain.ids import ConversationId
from lpm_kernel.errors import InvalidInputError, NotFoundError


def is_listed(conversation: Conversation) -> bool:
    """Tell whether the caller is told of a chat; of one that keeps nothing its owner alone is."""
    return is_owner() or conversation.keeping is not Keeping.NONE


def check_there(identifier: str) -> None:
    """Raise ``NotFoundError`` where a chat is not there for the caller: one that keeps nothing, in
    which the owner spoke.
    """
    known = node().ports.conversations.get(ConversationId(identifier), put_away=True)
    if is_listed(known):
        return
    said = node().ports.conversations.turns(known.id)
    # what a program began it may go on with, as the settings may have it keep nothing
    if any(turn.role == "user" and turn.by_owner is not False for turn in said):
        raise NotFoundError("conversation", identifier)


def kept_at_first(wanted: str | None) -> Keeping:
    """Return what a new chat keeps. Raises ``InvalidInputError`` for a program that wants one that
    keeps nothing where the settings do not say so.
    """
    standard = node().ports.settings.keeping
    keeping = Keeping(wanted or standard)
    if keeping is Keeping.NONE and keeping.value != standard and not is_owner():
        raise InvalidInputError(
            "Only the owner begins a chat of which nothing is kept.", "Leave `keeping` out."
        )
    return keeping
