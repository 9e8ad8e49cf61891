"""Who speaks in a chat, and what they see."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from lpm_kernel.domain.chat.conversations import Conversation, Keeping, Turn
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.chat.roles import Role, Sees
from lpm_kernel.domain.chat.threads import SaidIn, Thread
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.ports import Embedder, LanguageModel
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.answering.role_play import Company
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.L1.tiers.profile import ToldLine
from lpm_kernel.L1.tiers.weighing import Standing, standings
from lpm_kernel.node.library import Library
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.speaking import Speaking
from lpm_kernel.usecases.chat import (
    keeping,
    thread_division,
    thread_revision,
    threads,
    tiers,
    turns,
)
from lpm_kernel.usecases.chat.recall import ScopedMemory
from lpm_kernel.usecases.chat.scopes import Sight
from lpm_kernel.usecases.chat.speakers import ChatPorts, Speakers
from lpm_kernel.usecases.chat.threads import ThreadPorts
from lpm_kernel.usecases.chat.tiers import Moved, TierPorts
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.models.egress import may_embed
from lpm_kernel.usecases.processes import reading_documents

log = logging.getLogger(__name__)


class _Voices:
    """The models that word answers, as the node has them."""

    def __init__(self, models: Models, speaking: Speaking) -> None:
        self._models = models
        self._speaking = speaking

    @property
    def model_is_here(self) -> bool:
        """Tell whether the model runs on this machine."""
        return self._models.model_is_here

    @property
    def model(self) -> LanguageModel:
        """The model, without any training."""
        return self._models.model

    def speaker(self, *, owner: bool) -> LanguageModel:
        """Return the model with the training that may speak to the owner, or to others."""
        return self._speaking.speaker(owner=owner)


class Chat:
    """The second self and the roles that it plays."""

    def __init__(
        self, ports: Ports, models: Models, library: Library, memory: Memory, speaking: Speaking
    ) -> None:
        self.profile_lines: Callable[[], Sequence[ToldLine]]
        """Gives in a few lines what the person speaks of in their chats."""
        self.own_style: Callable[[Voice, bool], str]
        """Says how the person writes, with what is private or without."""
        self.people: Callable[[], Mapping[str, str]]
        """Gives who is known to be a person, by each of their names in small letters."""
        self._ports = ports
        self._models = models
        self._library = library
        self._memory = memory
        self._speakers = Speakers(
            self._chat_ports, memory.scopes, _Voices(models, speaking), memory.core
        )

    def _chat_ports(self) -> ChatPorts:
        ports = self._ports
        return ChatPorts(
            ports.conversations,
            ports.roles,
            ports.documents,
            ports.index,
            ports.authors,
            self._chat_title,
            lambda question, now: threads.talked(
                self._thread_ports, question, now or ports.clock.now()
            ),
            self._recent,
            self.profile_lines,
            self.own_style,
            ports.settings.own_voice,
        )

    def _recent(self, beside: ConversationId) -> list[Recalled]:
        """Return what was told lately in other chats than this one, of each thread the passage
        that matters most.
        """
        told = []
        for thread in tiers.recent_sessions(self._tier_ports, beside):
            passages = self._memory.whole_recall.passages_of(thread)
            told += tiers.weightiest(passages)
        return self._memory.as_recalled(told)

    def _chat_title(self, thread: DocumentId) -> str:
        said = self.said_in(thread, None)
        return "" if said is None else said.title

    @property
    def _thread_ports(self) -> ThreadPorts:
        ports = self._ports
        return ThreadPorts(
            ports.conversations,
            ports.threads,
            self._library.library_ports,
            self._embedder_of_told,
            self._memory.whole_recall.vector_of,
            partial(reading_documents, ports.home, wait=False),
            ports.erasures,
        )

    def _embedder_of_told(self) -> Embedder | None:
        """Return what embeds what was told: from memory, where it was asked a moment ago."""
        embedder = self._models.embedder
        if embedder is None or not may_embed(embedder, private=True):
            return embedder
        return self._memory.whole_recall.embedder_of_told()

    @property
    def _tier_ports(self) -> TierPorts:
        ports = self._ports
        return TierPorts(
            ports.tiers,
            ports.clock,
            self._told,
            self._standings,
        )

    def _told(self, thread: DocumentId) -> str:
        return "\n\n".join(chunk.text for chunk in self._memory.whole_recall.passages_of(thread))

    def _standings(self, told: Sequence[DocumentId]) -> Mapping[DocumentId, Standing]:
        embedder = self._models.embedder
        name = None if embedder is None else embedder.id
        columns = self._memory.whole_recall.columns()
        return dict(standings(columns, told, name, self.people()))

    def flush(self, beside: ConversationId | None = None) -> int:
        """End the threads that have ended, and remember what was told in them; ``beside``: the
        person goes on in this chat. Returns how many ended.
        """
        ended = threads.flush(self._thread_ports, beside=beside)
        keeping.throw_away(self._thread_ports)
        return ended

    def flush_beside(self, conversation: ConversationId) -> None:
        """End the threads that end as the person goes on in this chat. Nothing is lost where that
        fails: the worker finds them again.
        """
        try:
            self.flush(conversation)
        except Exception as error:  # noqa: BLE001  a locked database, a full disk: the answer goes on
            log.warning("What was said cannot be remembered now: %s", type(error).__name__)

    def keep_threads(self) -> int:
        """Bring what is remembered of chats up to the chats. Returns how much changed."""
        keeping.throw_away(self._thread_ports)
        return threads.keep_step(self._thread_ports)

    def move_tiers(self) -> Moved:
        """Move the threads that are due into the archive and on into long-term memory."""
        return tiers.move_step(self._tier_ports)

    def join_threads(self, conversation: ConversationId, first: TurnId) -> list[Thread]:
        """Make one thread of the one that begins with a turn and the one before it."""
        return thread_division.join(self._thread_ports, conversation, first)

    def part_thread(self, conversation: ConversationId, turn: TurnId) -> list[Thread]:
        """Have a thread begin with a turn."""
        return thread_division.part(self._thread_ports, conversation, turn)

    def gist(self, thread: DocumentId) -> str:
        """Return the sentence of a thread that matters most; nothing where it is not read yet."""
        return tiers.gist(self._told(thread))

    def title_of(self, thread: Thread) -> str:
        """Return the title of the chat that a thread is of; nothing where it is gone."""
        try:
            return self._ports.conversations.get(thread.conversation).title
        except NotFoundError:
            return ""

    def read_threads(self) -> int:
        """Make anew what is remembered of threads whose words changed. Returns how many."""
        return thread_revision.read_anew(self._thread_ports)

    def threads_of(self, conversations: Sequence[ConversationId]) -> list[DocumentId]:
        """End the threads of these chats, and return the documents that hold what was told."""
        return threads.told_documents(self._thread_ports, conversations)

    def keep_so(self, conversation: ConversationId, what: Keeping) -> Conversation:
        """Have a chat keep this from now on; what it keeps no more goes. Raises
        ``NotFoundError``.
        """
        return keeping.keep_so(self._thread_ports, conversation, what)

    def kept_memories(self, of: Sequence[Thread]) -> Mapping[DocumentId, keeping.KeptMemories]:
        """Count the memories that the person kept of what was told in threads."""
        return keeping.kept_memories(self._thread_ports, of)

    def leave(self, conversation: ConversationId) -> None:
        """Erase a chat that keeps nothing. Raises ``NotFoundError`` and ``ConflictError``."""
        keeping.leave(self._thread_ports, conversation)

    def leave_idle(self) -> int:
        """Erase the chats that keep nothing and in which nobody spoke for ten minutes. Returns how
        many.
        """
        return keeping.leave_idle(self._thread_ports)

    def put_away(self, conversation: ConversationId) -> None:
        """Put a chat away, with what was told in it; one that keeps nothing is erased, of one that
        keeps summaries alone nothing else stays. Raises ``NotFoundError``.
        """
        known = self._ports.conversations.get(conversation)
        if known.keeping is Keeping.NONE:
            self.leave(conversation)
            return
        if known.keeping is Keeping.SUMMARY:
            threads.end_threads(self._thread_ports, known, unanswered=True)
            keeping.throw_away(self._thread_ports)
        turns.put_away(self._ports.conversations, self._ports.clock, conversation)
        threads.put_away(self._thread_ports, conversation)

    def bring_back(self, conversation: ConversationId) -> Conversation:
        """Bring back a chat that was put away. Raises ``NotFoundError``."""
        ports = self._ports
        known = ports.conversations.bring_back(conversation, ports.clock.now())
        threads.bring_back(self._thread_ports, conversation)
        return known

    def said_in(self, document: DocumentId, label: str | None) -> SaidIn | None:
        """Return where it was said what stands in the document of a thread; ``None`` for what is
        none, or where the chat is gone.
        """
        return threads.said_in(self._thread_ports, document, label)

    def speaks(
        self,
        role: Role | None,
        *,
        owner: bool,
        beside: Sequence[Role] = (),
        now: datetime | None = None,
    ) -> TurnSpeaker:
        """Return who answers; nobody's role: the second self."""
        return self._speakers.speaks(role, owner=owner, beside=beside, now=now)

    def at_table(self, role: Role | None, sees: Sequence[Sees], company: Company) -> TurnSpeaker:
        """Return who speaks at a table; nobody's role: the second self."""
        return self._speakers.at_table(role, sees, company)

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
        """Return who answers in a chat, with the training in use or without. Raises
        ``ConflictError`` where they are not there any more.
        """
        return self._speakers.speaks_in(
            conversation, speaker, owner=owner, cue=cue, now=now, trained=trained
        )

    def cast(self, conversation: Conversation) -> list[Role]:
        """Return the roles of a chat that are there, in their order."""
        return self._speakers.cast(conversation)

    def asked(self, conversation: Conversation, text: str, to: str = "") -> str:
        """Return which role of a chat answers what the person says. Raises ``ConflictError`` and
        ``InvalidInputError``.
        """
        return self._speakers.asked(conversation, text, to)

    def within(self, *sees: Sees, owner: bool) -> ScopedMemory:
        """Return what lies inside a scope, or inside every one of several."""
        return self._memory.scopes.within(*sees, owner=owner)

    def closed(self, answers: Sequence[Turn]) -> set[TurnId]:
        """Name those of these answers of roles that may tell what nobody but the owner may see."""
        return self._speakers.closed(answers)

    def sight(self, *sees: Sees, most: int, owner: bool) -> Sight:
        """Count what a scope lets in, or every one of several, and return the first of it."""
        return self._memory.scopes.sight(*sees, most=most, owner=owner)
