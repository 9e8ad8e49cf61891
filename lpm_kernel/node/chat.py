"""Who speaks in a chat: the second self, or a role; each with what it may see and the model that
words it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce

from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.domain.chat.conversations import Conversation, PartKind, Turn
from lpm_kernel.domain.chat.recall import Recalled, Scope
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import DocumentId, TurnId
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.L1.answering.role_play import Company, play
from lpm_kernel.L1.recall import Recall
from lpm_kernel.L1.statements.changes import FactChange, change_of
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.speaking import Speaking
from lpm_kernel.usecases.chat.casting import next_to_speak
from lpm_kernel.usecases.chat.scoped_recall import Seen, Tools
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.memory.mended import Mended, corrections

SCOPES = threading.Lock()
"""Held while the scopes in memory are looked through: many threads ask."""
AT_ONCE = 8
"""Scopes whose rows are kept in memory: those that were used last."""


@dataclass(frozen=True)
class Sight:
    """What a scope lets in at this moment."""

    passages: int
    documents: int
    of: int
    """Passages of everything, for the owner with what is private."""
    first: tuple[Recalled, ...]
    """The newest of it, without what is struck."""
    without_private: bool
    """It asks for what is private and is opened without."""


class Chat:
    """The second self and the roles that it plays."""

    _scopes: OrderedDict[tuple[Scope, ...], tuple[Recall, Mended, Recall]] | None = None
    """What recalls inside a scope, after the recall and the corrections that it was made from."""

    def __init__(self, ports: Ports, models: Models, memory: Memory, speaking: Speaking) -> None:
        self._ports = ports
        self._models = models
        self._memory = memory
        self._speaking = speaking

    def speaks(
        self, role: Role | None, *, owner: bool, beside: Sequence[Role] = (), cue: bool = False
    ) -> TurnSpeaker:
        """Return who answers; nobody's role: the second self.

        ``beside`` are the other roles of a chat. What one says there all of them hear, so that each
        sees only what every one of them may see. ``cue``: it has the word though the person said
        nothing.
        """
        if role is None:
            model = self._speaking.speaker(owner=owner)
            recall, core = (
                self._memory.recall_for(owner=owner),
                self._memory.core_for(owner=owner).lines,
            )
            return TurnSpeaker(
                recall,
                model,
                self._memory.read,
                self._memory.read_rest,
                partial(self._memory.may_go, owner=owner),
                core,
                self._core_document,
                learned=model is not self._models.model,
            )
        cast = (role, *beside)
        seen = self.seen(*(each.sees for each in cast), owner=owner)
        # What was learned in a training cannot be scoped: only a role that sees everything open
        # speaks with one, and then with one for everybody.
        is_open = all(each.sees.is_open for each in cast)
        model = self._speaking.speaker(owner=False) if is_open else self._models.model
        tell = partial(play, role, company=Company({each.id: each.name for each in beside}, cue))

        def may_go(turns: Sequence[Turn]) -> Sequence[Turn]:
            return seen.history(turns, self._ports.conversations.turn, learned=is_open)

        return TurnSpeaker(
            seen.recall,
            model,
            seen.read,
            seen.read_rest,
            may_go,
            seen.core().lines,
            self._core_document,
            tell,
            learned=model is not self._models.model,
        )

    @property
    def _core_document(self) -> DocumentId | None:
        known = self._ports.documents.by_origin(CORE)
        return None if known is None else known.id

    def speaks_in(
        self, conversation: Conversation, speaker: str = "", *, owner: bool, cue: bool = False
    ) -> TurnSpeaker:
        """Return who answers in a chat; among several roles the one that is asked. Raises
        ``ConflictError`` where it is not there any more.
        """
        if not conversation.cast:
            return self.speaks(None, owner=owner)
        cast = self.cast(conversation)
        asked = next((each for each in cast if each.id == (speaker or conversation.cast[0])), None)
        if asked is None:
            raise _gone()
        return self.speaks(
            asked, owner=owner, beside=[each for each in cast if each is not asked], cue=cue
        )

    def cast(self, conversation: Conversation) -> list[Role]:
        """Return the roles of a chat that are there, in their order."""
        found = []
        for each in conversation.cast:
            with suppress(NotFoundError):
                found.append(self._ports.roles.get(RoleId(each)))
        return found

    def asked(self, conversation: Conversation, text: str, to: str = "") -> str:
        """Return which role of a chat answers what the person says, where they did not say it
        (``to``). Raises ``ConflictError`` and ``InvalidInputError``.
        """
        if to and to not in conversation.cast:
            raise InvalidInputError(
                f"“{to[:40]}” does not speak in this chat.",
                "Ask one of its roles, or leave `to` out.",
            )
        if to or not conversation.cast:
            return to
        cast = self.cast(conversation)
        if not cast:
            raise _gone()
        return next_to_speak(cast, self._ports.conversations.spoken(conversation.id), text).id

    def seen(self, *sees: Sees, owner: bool) -> Seen:
        """Return what lies inside a scope, or inside every one of several, for the owner or for
        somebody whom the owner let in.
        """
        scopes = [self._scope(each, owner=owner) for each in sees]
        return Seen(
            self._within(scopes, sees),
            self.tools(),
            whole=all(each.since is None and each.until is None for each in scopes),
        )

    def _within(self, scopes: Sequence[Scope], sees: Sequence[Sees]) -> Recall:
        """Return what recalls inside every one of these scopes, kept as long as nothing changes of
        what corrections put right.
        """
        mended = (
            {}
            if all(replace(each, private=False).is_open for each in sees)
            else corrections(self._ports.decisions, self._ports.documents)
        )
        scope = tuple(scopes)
        with SCOPES:
            return self._kept(scope, mended)

    def _kept(self, scope: tuple[Scope, ...], mended: Mended) -> Recall:
        known = self._scopes if self._scopes is not None else OrderedDict()
        self._scopes = known
        made = known.get(scope)
        if made is None or made[0] is not self._memory.whole_recall or made[1] != mended:
            made = known[scope] = (
                self._memory.whole_recall,
                mended,
                reduce(
                    lambda recall, each: recall.within(each, mended),
                    scope,
                    self._memory.whole_recall,
                ),
            )
        known.move_to_end(scope)
        while len(known) > AT_ONCE:
            known.popitem(last=False)
        return made[2]

    def tools(self) -> Tools:
        """Return what a part of the memory is seen with."""
        return Tools(
            self._ports.index,
            self._ports.documents,
            self._ports.decisions,
            self._ports.validities,
            self._ports.memories,
            self._ports.files,
            self._ports.clock,
            self._models.embedder,
            estimate_tokens,
            self._change,
        )

    def closed(self, turns: Sequence[Turn]) -> set[TurnId]:
        """Name those of these answers of roles that may tell in the role's own words, which cite
        nothing, what nobody but the owner may see.
        """
        played = [turn for turn in turns if any(part.kind is PartKind.ROLE for part in turn.parts)]
        return (
            self.seen(Sees(), owner=False).outside(
                played, self._ports.conversations.turn, learned=True
            )
            if played
            else set()
        )

    def sight(self, *sees: Sees, most: int, owner: bool) -> Sight:
        """Count what a scope lets in, or every one of several, and return the first of it."""
        scopes = [self._scope(each, owner=owner) for each in sees]
        count, chunks, documents = self._within(scopes, sees).latest(Scope(), most)
        every, _, _ = self._memory.whole_recall.latest(Scope(include_private=owner), 0)
        return Sight(
            count,
            len(documents),
            every,
            tuple(self._memory.as_recalled(chunks)),
            any(
                each.private and not scope.include_private
                for each, scope in zip(sees, scopes, strict=True)
            ),
        )

    def _scope(self, sees: Sees, *, owner: bool) -> Scope:
        """Give a scope in the terms of recall.

        What is private is the owner's, and goes to no model elsewhere. A page that the node wrote
        sums up more than a scope may hold, so it is seen only by a role that sees everything open.
        """
        sees = replace(sees, private=sees.private and owner and self._models.model_is_here)
        documents = (
            tuple(
                sorted(
                    self._ports.documents.ids(DocumentFilter(kinds=sees.kinds, folder=sees.folder))
                )
            )
            if sees.kinds or sees.folder
            else None
        )
        written = () if replace(sees, private=False).is_open else self._ports.pages()
        return sees.scope(documents, tuple(sorted(written)))

    def _change(self, decision: Decision) -> FactChange | None:
        known = self._memory.known_changes
        return (
            known[decision]
            if decision in known
            else change_of(decision, self._memory.correction(decision) or "")
        )


def _gone() -> ConflictError:
    return ConflictError(
        "The role that spoke in this chat was deleted.",
        "Bring the role back, or begin another chat.",
    )
