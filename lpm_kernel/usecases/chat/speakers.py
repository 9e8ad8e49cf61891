"""Who speaks in a chat: the second self, or a role; each with what it may see and the model that
words it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from lpm_kernel.domain.chat.conversations import AnswerPart, Conversation, PartKind, Turn
from lpm_kernel.domain.chat.profile import LineInMind
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId, is_thread
from lpm_kernel.domain.library.documents import Attribution, Chunk
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.domain.ports import LanguageModel, PassageIndex
from lpm_kernel.domain.stores import Conversations, Documents, Roles
from lpm_kernel.errors import ConflictError, InvalidInputError, ModelUnavailableError, NotFoundError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import answer, likelihood, reads_well
from lpm_kernel.L1.answering.core import Core
from lpm_kernel.L1.answering.leads import WordsOf, nobody_known, undated
from lpm_kernel.L1.answering.reader import NOTHING, ReadingResult, TableAnswer
from lpm_kernel.L1.answering.role_play import Company, Part, play
from lpm_kernel.L1.answering.talk_questions import noted
from lpm_kernel.L1.answering.voice import OwnStyle, Voice, untold
from lpm_kernel.L1.tiers.assertions import only_asserts, told_in
from lpm_kernel.L1.tiers.profile import ToldLine
from lpm_kernel.usecases.chat.casting import next_to_speak
from lpm_kernel.usecases.chat.provenance import Provenance
from lpm_kernel.usecases.chat.recall import ScopedMemory
from lpm_kernel.usecases.chat.redaction import LEFT_OUT, without
from lpm_kernel.usecases.chat.scopes import MemoryScopes
from lpm_kernel.usecases.chat.style import takes_on
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.library.authors import Authors

LATE_TOKENS = 100
"""Tokens of the evidence that are left for each thing that was told lately."""


class Voices(Protocol):
    """The models that word answers."""

    @property
    def model_is_here(self) -> bool:
        """Tell whether the model runs on this machine."""
        ...

    @property
    def model(self) -> LanguageModel:
        """The model, without any training."""
        ...

    def speaker(self, *, owner: bool) -> LanguageModel:
        """Return the model with the training that may speak to the owner, or to others."""
        ...


@dataclass(frozen=True)
class ChatPorts:
    """What is kept of chats and roles, and what they are made from."""

    conversations: Conversations
    roles: Roles
    documents: Documents
    index: PassageIndex
    authors: Authors
    chat_title: Callable[[DocumentId], str]
    """Gives the title of the chat that a thread is of."""
    talked: Callable[[Question, datetime | None], TableAnswer | None]
    """Answers what was talked of in chats, where that is asked."""
    recent: Callable[[ConversationId], Sequence[Recalled]]
    """Gives what was told lately in other chats than this one."""
    profile: Callable[[], Sequence[ToldLine]]
    """Gives in a few lines what the person speaks of in their chats."""
    own_style: Callable[[Voice, bool], str]
    """Says how the person writes, with what is private or without."""
    own_voice: str
    """Whether answers take that on: ``auto``, ``on`` or ``off``."""


class Speakers:
    """The second self and the roles that it plays."""

    def __init__(
        self,
        ports: Callable[[], ChatPorts],
        scopes: MemoryScopes,
        voices: Voices,
        core: Callable[..., Core],
    ) -> None:
        """``core`` gives what of ``memory.md`` is always in mind (``private``)."""
        self._ports = ports
        self._scopes = scopes
        self._voices = voices
        self._core = core

    def speaks(
        self,
        role: Role | None,
        *,
        owner: bool,
        beside: Sequence[Role] = (),
        cue: bool = False,
        now: datetime | None = None,
        trained: bool = True,
    ) -> TurnSpeaker:
        """Return who answers; nobody's role: the second self.

        ``beside`` are the other roles of a chat. What one says there all of them hear, so that each
        sees only what every one of them may see. ``cue``: it has the word though the person said
        nothing. ``now`` is when it is asked, if not at this moment. Not ``trained``: the model
        answers without the training in use, from the same memory.
        """
        if role is None:
            return self._second_self(owner=owner, now=now, trained=trained)
        cast = (role, *beside)
        memory = self._scopes.within(*(each.sees for each in cast), owner=owner).at(now)
        # What was learned in a training cannot be scoped: only a role that sees everything open
        # speaks with one, and then with one for everybody.
        is_open = all(each.sees.is_open for each in cast)
        voices, ports = self._voices, self._ports()
        model = voices.speaker(owner=False) if is_open and trained else voices.model
        provenance = Provenance(memory, ports.index, ports.conversations.turn, learned=is_open)
        about = memory.short_biography()
        rests_on = [claim for line in about for claim in line.evidence]
        core = memory.core().lines
        company = Company({each.id: each.name for each in beside}, cue)
        return TurnSpeaker(
            memory.recall,
            model,
            memory.read,
            memory.read_rest,
            provenance.history,
            (*core, *(line.text for line in about)),
            (*self._core_documents, *dict.fromkeys(claim.document for claim in rests_on)),
            (*core, *dict.fromkeys(claim.text for claim in rests_on)),
            partial(play, Part(role, company)),
            learned=model is not voices.model,
        )

    def at_table(self, role: Role | None, sees: Sequence[Sees], company: Company) -> TurnSpeaker:
        """Return who speaks at a table; nobody's role: the second self. Nothing private is said
        there, and all hear each other, so each sees what lies inside every one of ``sees``. No
        training speaks: what its words come from could not be told, or erased.
        """
        memory = self._scopes.within(*sees, owner=False)
        core, about = memory.core().lines, memory.short_biography()
        rests_on = [claim for line in about for claim in line.evidence]
        return TurnSpeaker(
            memory.recall,
            self._voices.model,
            memory.read,
            memory.read_rest,
            list,
            (*core, *(line.text for line in about)),
            (
                *(self._core_documents if core else ()),
                *dict.fromkeys(claim.document for claim in rests_on),
            ),
            tell=answer if role is None else partial(play, Part(role, company)),
        )

    def _second_self(
        self,
        *,
        owner: bool,
        now: datetime | None,
        trained: bool,
        chat: Conversation | None = None,
    ) -> TurnSpeaker:
        """Return the second self. ``chat``: the one in which the person speaks to it."""
        memory = self._scopes.memory_for(owner=owner).at(now)
        model = self._voices.speaker(owner=owner) if trained else self._voices.model
        private = owner and self._voices.model_is_here
        core = self._core(private=private).lines
        large = reads_well_if_there(model)
        along = chat.id if chat and private and now is None and large else None
        profile = () if along is None else self._ports().profile()
        speaks_of = _texts(profile)
        noting = None if chat is None or large is not False else partial(noted, chat.keeping)
        return TurnSpeaker(
            partial(self._with_threads, memory, along) if private else memory.recall,
            model,
            partial(self._read, memory, now, noting) if private else memory.read,
            memory.read_rest,
            list if private else self._without_private,
            (*core, *speaks_of),
            self._core_documents if core else (),
            (*core, *speaks_of),
            whose=self._whose if owner else nobody_known,
            learned=model is not self._voices.model,
            profile=_names(profile),
            own_style=self._own_style(owner=owner, private=private, large=large),
        )

    def _own_style(self, *, owner: bool, private: bool, large: bool | None) -> OwnStyle:
        """Return what tells how the person writes; to anybody but them nothing of it goes."""
        ports = self._ports()
        if not owner or not takes_on(ports.own_voice, reads_well=large):
            return untold
        return lambda voice: ports.own_style(voice, private)

    def _with_threads(
        self, memory: ScopedMemory, chat: ConversationId | None, query: RecallQuery
    ) -> Recollection:
        """Find what answers a question, in what the person told in chats too; behind it what they
        told lately in other chats than this one, for a model that chooses well.
        """
        recent = () if chat is None else self._ports().recent(chat)
        budget = query.token_budget and query.token_budget - LATE_TOKENS * len(recent)
        found = memory.recall(
            replace(query, token_budget=budget, scope=replace(query.scope, threads=True))
        )
        there = {item.chunk.id for item in found.items}
        late = [replace(each, lately=True) for each in recent if each.chunk.id not in there]
        return replace(found, items=(*found.items[: query.k - len(late)], *late))

    def _read(
        self,
        memory: ScopedMemory,
        now: datetime | None,
        noting: Callable[[Language], str] | None,
        question: Question,
        found: Recollection,
    ) -> ReadingResult:
        """Choose what answers a question, out of what was talked of too. Where memory has nothing,
        and nothing was asked, a small model says what becomes of it (``noting``).
        """
        asked = Question(question.itself)
        talked = self._ports().talked(asked, now)
        if talked is not None:
            return ReadingResult((), 1.0, talked)
        read = memory.read(question, found)
        nothing = read.told is None and likelihood(question, found, read) < NOTHING
        told = only_asserts(asked.text) and bool(told_in(asked.text))
        if nothing and noting is not None and told:
            return ReadingResult((), 1.0, TableAnswer(noting(asked.language), ()))
        return read

    def _whose(self, chunk: Chunk, start: int) -> WordsOf | None:
        ports = self._ports()
        try:
            document = ports.documents.get(chunk.document)
        except NotFoundError:  # deleted a moment ago
            return None
        if is_thread(document.id):
            return WordsOf(Attribution(own=True), ports.chat_title(document.id), in_chat=True)
        author = ports.authors.at(document, chunk.text_version, chunk.start + start)
        return WordsOf(author, undated(document.title))

    def _without_private(self, turns: Sequence[Turn]) -> list[Turn]:
        """Return earlier turns without what rests on something private, or on something that is not
        there any more and may have been.
        """
        cited = {citation.document for turn in turns for citation in turn.citations}
        open_ones = {
            document.id
            for document in self._ports().documents.many(list(cited))
            if not document.private
        }
        told = self.closed(turns)
        return [without(turn, cited - open_ones, instead=LEFT_OUT, told=told) for turn in turns]

    @property
    def _core_documents(self) -> tuple[DocumentId, ...]:
        document = self._ports().documents.by_origin(CORE)
        return () if document is None else (document.id,)

    def speaks_in(
        self,
        conversation: Conversation,
        speaker: str = "",
        *,
        owner: bool,
        cue: bool = False,
        now: datetime | None = None,
        trained: bool = True,
    ) -> TurnSpeaker:
        """Return who answers in a chat; among several roles the one that is asked. Raises
        ``ConflictError`` where it is not there any more.
        """
        if not conversation.cast:
            chat = conversation if owner else None
            return self._second_self(owner=owner, now=now, trained=trained, chat=chat)
        cast = self.cast(conversation)
        asked = next((role for role in cast if role.id == (speaker or conversation.cast[0])), None)
        if asked is None:
            raise _gone()
        beside = [role for role in cast if role is not asked]
        return self.speaks(asked, owner=owner, beside=beside, cue=cue, now=now, trained=trained)

    def cast(self, conversation: Conversation) -> list[Role]:
        """Return the roles of a chat that are there, in their order."""
        roles = []
        for identifier in conversation.cast:
            with suppress(NotFoundError):
                roles.append(self._ports().roles.get(RoleId(identifier)))
        return roles

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
        return next_to_speak(cast, self._ports().conversations.spoken(conversation.id), text).id

    def closed(self, turns: Sequence[Turn]) -> set[TurnId]:
        """Name those of these answers that may tell in words that cite nothing, a role's or the
        model's own, what nobody but the owner may see.
        """
        uncited = [turn for turn in turns if any(map(_is_uncited, turn.parts))]
        if not uncited:
            return set()
        ports, memory = self._ports(), self._scopes.within(Sees(), owner=False)
        return Provenance(memory, ports.index, ports.conversations.turn, learned=True).outside(
            uncited
        )


def _texts(profile: Sequence[ToldLine]) -> list[str]:
    return [line.text for line in profile]


def _names(profile: Sequence[ToldLine]) -> list[LineInMind]:
    return [name for line in profile for name in line.names]


def reads_well_if_there(model: LanguageModel) -> bool | None:
    """Tell whether a model is large enough to choose among the evidence; ``None``: it is not there,
    and the answer says so.
    """
    try:
        return reads_well(model)
    except ModelUnavailableError:
        return None


def _is_uncited(part: AnswerPart) -> bool:
    """Tell whether a part is worded by a model and cites nothing, or tells again what may be so."""
    return part.kind in {PartKind.ROLE, PartKind.RETOLD} or (
        part.kind is PartKind.STATEMENT and not part.citations
    )


def _gone() -> ConflictError:
    return ConflictError(
        "The role that spoke in this chat was deleted.",
        "Bring the role back, or begin another chat.",
    )
