"""Threads that have ended become memory: what the person told in them is kept as a document, so
that it is found, cited, backed up and erased as everything else. It is private, and lies in no
scope that does not name it.

A thread is recorded first, its document is made from it: whoever is killed in between is taken up
again, and nothing is made twice.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.conversations import (
    AnswerVerdict,
    Citation,
    Conversation,
    Keeping,
    PartKind,
    Turn,
)
from lpm_kernel.domain.chat.threads import (
    IDLE,
    MOST_TURNS,
    OWN,
    OpenChat,
    SaidIn,
    Thread,
    ThreadEnd,
    Threads,
    ThreadSentence,
)
from lpm_kernel.domain.ids import THREAD, ConversationId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import (
    Chunk,
    Document,
    DocumentKind,
    DocumentState,
    ParsedText,
    Segment,
    text_hash,
)
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.domain.stores import Conversations, Erasures
from lpm_kernel.errors import NodeError, NotFoundError
from lpm_kernel.L0.language.analysis import passages as analyse
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.L0.text.digest import digest
from lpm_kernel.L1.answering.reader import TableAnswer
from lpm_kernel.L1.answering.talk_questions import (
    MOST_ANSWERS,
    MOST_SAID,
    MOST_TALKS,
    Talk,
    said_asked,
    said_of,
    talk_asked,
    talked_of,
)
from lpm_kernel.L1.tiers.assertions import told_in
from lpm_kernel.L1.tiers.summary import PERSON, summarise
from lpm_kernel.L1.tiers.threads import UNLIKE, Breaks, Stretch, divide
from lpm_kernel.usecases.library import documents as library_documents
from lpm_kernel.usecases.library.ingestion import ingest
from lpm_kernel.usecases.library.ports import LibraryPorts
from lpm_kernel.usecases.models.egress import may_embed

NAME: Final = "chat.jsonl"
SESSION: Final = "chat"
MOST_BESIDE: Final = 4
"""Other chats, the latest, of which the threads are ended before a question is answered; the worker
sees to the rest.
"""
LAST_TALKS: Final = 3
"""Threads that are told of where no time is named."""
MOST_AT_ONCE: Final = 20
"""Chats of which the worker ends the threads at once."""
SEVERAL: Final = 3
"""Words of which one may be left out where an answer is looked for."""
LOOKED_AT: Final = 8
"""Answers among which those are looked for that did not tell earlier ones again."""
FIRST_LOOK: Final = 32
"""Turns at the end of a chat that are looked at first."""


@dataclass(frozen=True)
class ThreadPorts:
    """What threads are read from, and where they are kept."""

    conversations: Conversations
    threads: Threads
    library: LibraryPorts
    embedder: Callable[[], Embedder | None]
    vector_of: Callable[[str], NDArray[np.float32] | None]
    """Gives the vector of a question, from memory where it was asked lately."""
    reading: Callable[[], AbstractContextManager[None]]
    """Held while a document is read. Raises ``BlockingIOError`` where none may be."""
    erasures: Erasures


def flush(ports: ThreadPorts, *, beside: ConversationId | None = None) -> int:
    """End the threads that have ended, and remember what was told in them. ``beside``: the person
    goes on in this chat, so that those of all others end. Returns how many ended.
    """
    now = ports.library.clock.now()
    waiting = ports.threads.open_chats()
    if beside is None:
        # while somebody speaks in it, a chat is looked at when they go on there or elsewhere
        idle = [chat for chat in waiting if now - chat.latest >= IDLE]
        return sum(len(_flushed(ports, chat, now, None)) for chat in idle[:MOST_AT_ONCE])
    ended = 0
    for chat in waiting[-MOST_BESIDE:]:
        here = chat.conversation == beside
        if not here or _is_long(ports, beside):
            ended += len(_flushed(ports, chat, now, None if here else now, goes_on=here))
    return ended


def end_threads(ports: ThreadPorts, conversation: Conversation, *, unanswered: bool = False) -> int:
    """End every thread of a chat now, ``unanswered``: also one of which the last question may be
    being answered. Returns how many ended.
    """
    chat = OpenChat(conversation.id, conversation.updated_at)
    now = ports.library.clock.now()
    return len(_flushed(ports, chat, now, now, unanswered=unanswered))


def _is_long(ports: ThreadPorts, conversation: ConversationId) -> bool:
    """Tell whether more was said in a chat since its last thread ended than a thread holds."""
    known = ports.threads.of(conversation)
    said = ports.conversations.get(conversation).turns
    return said - (known[-1].last_number if known else 0) >= MOST_TURNS


def keep_step(ports: ThreadPorts) -> int:
    """Bring the documents of threads up to the threads: those that are missing are made, those of
    chats that were put away or are gone go with them. Returns how many changed.
    """
    documents, clock = ports.library.documents, ports.library.clock
    here, away = ports.threads.ids(), ports.threads.ids(put_away=True)
    known = documents.threads()
    gone = sorted(set(known) - here - away)
    for identifier in gone:
        forget_document(ports, identifier)
    changed = 0
    for thread in ports.threads.many(sorted(here - set(known))).values():
        if thread.told:
            with suppress(NotFoundError):  # its chat went a moment ago
                changed += keep(ports, thread)
    put_away = [each for each in away if each in known and not known[each].put_away]
    back = [each for each in here if each in known and known[each].put_away]
    if put_away:
        library_documents.put_away(documents, ports.library.index, clock, put_away)
    if back:
        library_documents.restore(ports.library.files, documents, clock, back)
    return changed + len(put_away) + len(back) + len(gone)


def said_in(ports: ThreadPorts, document: DocumentId, label: str | None) -> SaidIn | None:
    """Return where in which chat it was said what stands in the document of a thread; ``label`` is
    the turn's name there. ``None``: the chat is gone.
    """
    thread = ports.threads.many([document]).get(document)
    if thread is None:
        return None
    try:
        conversation = ports.conversations.get(thread.conversation)
    except NotFoundError:
        return None
    number = int(label[1:]) if label and label[1:].isdecimal() else thread.number
    turn = ports.conversations.question_at(conversation.id, number)
    return SaidIn(conversation.id, conversation.title, number, None if turn is None else turn.id)


def _answered(ports: ThreadPorts, about: str, language: Language) -> TableAnswer | None:
    """Tell what the second self said of something, resting on what it rested on then; ``None``
    where nothing is found.
    """
    words = Question(about).search_terms
    found = _said_with(ports, words)
    if not found and len(words) >= SEVERAL:  # one of them may be put otherwise
        others = (words[:at] + words[at + 1 :] for at in range(len(words)))
        found = next(filter(None, (_said_with(ports, each) for each in others)), [])
    if not found:
        return None
    said = [Talk(turn.created_at, (_own_words(turn),)) for turn in found]
    rests_on = [citation for turn in found for citation in turn.citations]
    return TableAnswer(
        said_of(said, language),
        tuple(replace(citation, n=n) for n, citation in enumerate(rests_on, start=1)),
        retold=tuple(turn.id for turn in found),
    )


def _own_words(turn: Turn) -> str:
    """Return what an answer said in its own words: nothing that it quoted."""
    return " ".join(part.text for part in turn.parts if part.kind is PartKind.STATEMENT)


def _said_with(ports: ThreadPorts, words: Sequence[str]) -> list[Turn]:
    """Return the last answers that hold, with their question, all of these words."""
    if not words:
        return []
    found: dict[str, Turn] = {}
    for turn in ports.conversations.answered(words, LOOKED_AT):
        asked = None if turn.answers is None else ports.conversations.turn(turn.answers)
        told = _own_words(turn)
        wrong = turn.verdict is not None and turn.verdict.judged is AnswerVerdict.WRONG
        if asked is None or not asked.by_owner or not told or wrong:
            continue
        if set(words) <= set(terms(f"{asked.text}\n{turn.text}")):
            found.setdefault(told, turn)
    return list(found.values())[:MOST_ANSWERS]


def talked(ports: ThreadPorts, question: Question, now: datetime) -> TableAnswer | None:
    """Answer what was talked of in chats, or what the second self said of something; ``None`` where
    nothing of that kind is asked.
    """
    about = said_asked(question, now)
    if about is not None:
        return _answered(ports, about, question.language)
    spans = talk_asked(question, now)
    if spans is None:
        return None
    span = next(iter(spans), None)
    found: list[Thread] = []
    for each in spans:
        if found := ports.threads.between(each.start, each.end, MOST_TALKS):
            span = each
            break
    if not spans:
        found = ports.threads.latest(LAST_TALKS)
    talks: list[Talk] = []
    cited: list[Chunk] = []
    for thread in found:
        if ports.conversations.get(thread.conversation).cast:
            continue  # what is said to a role is said to somebody who is played
        told = _turn_by_turn(ports, thread) if thread.told else []
        shown = told[:MOST_SAID]
        said = tuple(chunk.text for chunk in shown)
        talks.append(Talk(thread.started_at, said, len(told) - len(shown)))
        cited += shown
    return TableAnswer(talked_of(talks, span, question.language), tuple(_cited(cited)))


def _turn_by_turn(ports: ThreadPorts, thread: Thread) -> list[Chunk]:
    """Return what was told in a thread, each turn for itself; nothing where it is not read yet."""
    library = ports.library
    passages = library.index.chunks_of(thread.id, None, MOST_TURNS)
    document = next(iter(library.documents.many([thread.id])), None)
    if not passages or document is None:
        return []
    parsed = library.files.text(document.sha256, passages[0].text_version)
    turns = [(turn.start, turn.end) for turn in parsed.segments] if parsed else []
    return [
        replace(
            passage,
            start=max(start, passage.start),
            end=min(end, passage.end),
            text=passage.text[max(start - passage.start, 0) : end - passage.start],
        )
        for passage in passages
        for start, end in turns
        if start < passage.end and passage.start < end
    ]


def _cited(told: Sequence[Chunk]) -> Iterator[Citation]:
    for n, chunk in enumerate(told, start=1):
        yield Citation(
            n,
            chunk.id,
            chunk.document,
            chunk.text_version,
            chunk.start,
            chunk.end,
            text_hash(chunk.text),
        )


def put_away(ports: ThreadPorts, conversation: ConversationId) -> None:
    """Let nothing be found any more of what was told in a chat that was put away."""
    library = ports.library
    told = [thread.id for thread in ports.threads.of(conversation) if thread.told]
    if told:
        library_documents.put_away(library.documents, library.index, library.clock, told)


def bring_back(ports: ThreadPorts, conversation: ConversationId) -> None:
    """Let it be found again, once it was read."""
    told = [thread.id for thread in ports.threads.of(conversation) if thread.told]
    library = ports.library
    if told:
        library_documents.restore(library.files, library.documents, library.clock, told)


def told_documents(ports: ThreadPorts, conversations: Sequence[ConversationId]) -> list[DocumentId]:
    """End the threads of these chats, and return the documents that hold what was told in them."""
    now = ports.library.clock.now()
    for chat in ports.threads.open_chats():
        if chat.conversation in conversations:
            _flushed(ports, chat, now, now)
    told = [
        thread.id
        for conversation in conversations
        for thread in ports.threads.of(conversation)
        if thread.told
    ]
    documents = ports.library.documents
    return [each.id for each in (*documents.many(told), *documents.many(told, away=True))]


def forget_document(ports: ThreadPorts, identifier: DocumentId) -> None:
    """Delete the document of a thread, where there is one."""
    library = ports.library
    if library.documents.many([identifier]) or library.documents.many([identifier], away=True):
        library_documents.delete(library.files, library.documents, library.index, identifier)


def _flushed(
    ports: ThreadPorts,
    chat: OpenChat,
    now: datetime,
    elsewhere: datetime | None,
    *,
    goes_on: bool = False,
    unanswered: bool = False,
) -> list[Thread]:
    try:
        conversation = ports.conversations.get(chat.conversation)
    except NotFoundError:  # put away a moment ago
        return []
    turns = _open_turns(ports, conversation)
    differs = _differs(ports)
    stretches = divide(turns, now, differs, elsewhere=elsewhere, goes_on=goes_on)
    ended: dict[TurnId, tuple[Thread, list[Turn]]] = {}
    for stretch in takewhile(lambda each: unanswered or not _awaits_answer(each, now), stretches):
        if stretch.reason is not None:
            told = _told(conversation, stretch.turns)
            thread = thread_from(conversation, stretch, stretch.reason, told)
            ended[stretch.turns[0].id] = thread, told
    added = ports.threads.add(named_anew(ports, [thread for thread, _ in ended.values()]))
    for thread in added:
        # a document of what a chat does not keep is made when its words are gone
        if thread.told and conversation.keeping is Keeping.FULL:
            _keep(ports, thread, ended[thread.first][1])
    known = ports.threads.of(conversation.id)
    if not turns or (known and known[-1].last_number >= turns[-1].number):
        ports.threads.settle(conversation.id, chat.latest)
    return added


def _awaits_answer(stretch: Stretch, now: datetime) -> bool:
    """Tell whether what was asked last may be being answered just now."""
    last = stretch.turns[-1]
    return last.role == "user" and now - last.created_at < IDLE


def _open_turns(ports: ThreadPorts, conversation: Conversation) -> list[Turn]:
    """Return the turns that belong to no thread yet, oldest first."""
    known = ports.threads.of(conversation.id)
    after = known[-1].last_number if known else 0
    limit = FIRST_LOOK
    while True:
        turns = ports.conversations.turns(conversation.id, limit=limit)
        if len(turns) < limit or turns[0].number <= after:
            break
        limit *= 4
    return [turn for turn in turns if turn.number > after and not turn.is_discarded]


def _differs(ports: ThreadPorts) -> Breaks:
    """Return what tells by meaning that a question is about something else."""
    embedder = ports.embedder()
    least = None if embedder is None else UNLIKE.get(embedder.id)
    if embedder is None or least is None or not may_embed(embedder, private=True):
        return lambda _before, _said: False

    def differs(before: Sequence[str], said: str) -> bool:
        now = ports.vector_of(said)
        earlier = [each for text in before if (each := ports.vector_of(text)) is not None]
        if now is None or len(earlier) < len(before):
            return False
        mean = np.mean(earlier, axis=0)
        length = float(np.linalg.norm(mean))
        return length > 0 and float(mean @ now) / length < least

    return differs


def thread_from(
    conversation: Conversation,
    stretch: Stretch,
    reason: ThreadEnd,
    told: Sequence[Turn] | None = None,
) -> Thread:
    """Return the thread that a stretch of a chat is. ``told`` is what was told in it, where that is
    known.
    """
    turns = stretch.turns
    summary = summarise(turns)
    whole = conversation.keeping is Keeping.FULL
    if told is None or not whole:
        told = _told(conversation, turns if whole else _saying(turns, summary))
    said = [turn.text for turn in turns if turn.role == "user"] if whole else _words_of(summary)
    spoken = Counter(PERSON if turn.role == "user" else turn.speaker for turn in turns)
    return Thread(
        _name(conversation.id, turns[0].id, told),
        conversation.id,
        turns[0].id,
        turns[-1].id,
        turns[0].number,
        turns[-1].number,
        turns[0].created_at,
        turns[-1].created_at,
        reason,
        _keywords(said),
        dict(spoken),
        bool(told),
        summary=summary,
    )


def _name(conversation: ConversationId, first: TurnId, told: Sequence[Turn]) -> DocumentId:
    told_hash = hashlib.sha256(_lines(told)).hexdigest() if told else ""
    name = hashlib.sha256(f"{conversation}|{first}|{told_hash}".encode()).hexdigest()
    return DocumentId(THREAD + name[:24])


def named_anew(ports: ThreadPorts, threads: Sequence[Thread]) -> list[Thread]:
    """Return threads with ids that nothing had that was erased: a chat that was private for a while
    is told anew, and whatever has an id that was erased is taken out wherever it is met.
    """
    gone = ports.erasures.tombstones() if threads else {}
    return [replace(thread, id=_unlike(thread.id, gone)) for thread in threads]


def _unlike(name: DocumentId, gone: Collection[str]) -> DocumentId:
    while name in gone:
        name = DocumentId(THREAD + hashlib.sha256(name.encode()).hexdigest()[:24])
    return name


def as_told_in(
    thread: Thread, conversation: Conversation, turns: Sequence[Turn], gone: Collection[str]
) -> Thread:
    """Return a thread that came from elsewhere with the id that its words have here, its ``turns``;
    none of those that are ``gone``.
    """
    told = _told(conversation, turns)
    name = _unlike(_name(conversation.id, turns[0].id, told), gone)
    return replace(thread, id=name, told=bool(told))


def as_told_now(ports: ThreadPorts, thread: Thread, sha256: str) -> Thread | None:
    """Return a thread as it is with the words that are there now; nothing where they are those of
    this hash.
    """
    told = _told_of(ports, thread)
    if hashlib.sha256(_lines(told)).hexdigest() == sha256:
        return None
    words = [turn.text for turn in told]
    now = replace(
        thread,
        id=_name(thread.conversation, thread.first, told),
        told=bool(told),
        keywords=_keywords(words) if told else (),
    )
    return named_anew(ports, [now])[0]


def reduced(ports: ThreadPorts, thread: Thread) -> Thread:
    """Return a thread as it is when only its summary is left."""
    conversation = ports.conversations.get(thread.conversation, put_away=True)
    stretch = Stretch(tuple(turns_of(ports, thread)), thread.reason)
    kept = replace(conversation, keeping=Keeping.SUMMARY)
    (named,) = named_anew(ports, [thread_from(kept, stretch, thread.reason)])
    return replace(
        named,
        reduced=True,
        tier=thread.tier,
        moved_at=thread.moved_at,
        salience=thread.salience,
        consolidated=thread.consolidated,
        wanted=thread.wanted,
    )


def _words_of(summary: Sequence[ThreadSentence]) -> list[str]:
    return [each.text for each in summary if each.speaker == PERSON]


def told_in_summary(thread: Thread) -> list[str]:
    """Return what the person told of what stands in a thread's summary, turn by turn."""
    return list(_own_by_turn(thread.summary).values())


def _own_by_turn(summary: Sequence[ThreadSentence]) -> dict[TurnId, str]:
    kept: dict[TurnId, list[str]] = {}
    for each in summary:
        if each.speaker == PERSON and each.kind in OWN:
            kept.setdefault(each.turn, []).append(each.text)
    return {turn: " ".join(texts) for turn, texts in kept.items()}


def _saying(turns: Sequence[Turn], summary: Sequence[ThreadSentence]) -> list[Turn]:
    """Return turns that say what of them stands in the summary, as far as the person told it."""
    kept = _own_by_turn(summary)
    return [replace(turn, text=kept[turn.id]) for turn in turns if turn.id in kept]


def turns_of(ports: ThreadPorts, thread: Thread) -> list[Turn]:
    """Return the turns of a thread, oldest first."""
    return ports.conversations.turns_between(thread.conversation, thread.number, thread.last_number)


def _told(conversation: Conversation, turns: Sequence[Turn]) -> list[Turn]:
    """Return what the person told. What is said to a role is said to somebody who is played, and
    what a program said is not the person's.
    """
    if conversation.cast:
        return []
    own = (turn for turn in turns if turn.role == "user" and turn.by_owner)
    return [replace(turn, text=told) for turn in own if (told := told_in(turn.text))]


def _told_of(ports: ThreadPorts, thread: Thread) -> list[Turn]:
    conversation = ports.conversations.get(thread.conversation, put_away=True)
    turns = turns_of(ports, thread)
    if thread.reduced or conversation.keeping is not Keeping.FULL:
        turns = _saying(turns, thread.summary)
    return _told(conversation, turns)


def _lines(told: Sequence[Turn]) -> bytes:
    """Write turns as a transcript, a JSON object a line: all of it the person's, as a note is."""
    return "".join(
        json.dumps(
            {
                "id": f"T{turn.number}",
                "text": turn.text,
                "session": SESSION,
                "timestamp": turn.created_at.isoformat(),
            },
            ensure_ascii=False,
        )
        + "\n"
        for turn in told
    ).encode("utf-8", "replace")


def _keywords(said: Sequence[str]) -> tuple[str, ...]:
    text = "\n\n".join(said)
    parsed = ParsedText(text, (Segment(0, len(text)),))
    return digest(analyse(cut(DocumentId(""), "", parsed, None), "")).keywords


def keep(ports: ThreadPorts, thread: Thread) -> bool:
    """Make the document of a thread that is recorded. ``False``: nothing is told in it any more."""
    return _keep(ports, thread, _told_of(ports, thread))


def _keep(ports: ThreadPorts, thread: Thread, told: Sequence[Turn]) -> bool:
    """Make the document of a thread, and put it where recall finds it. ``False``: what was told is
    not there any more.
    """
    library = ports.library
    if not told:
        return False
    data = _lines(told)
    with library.files.locked():
        document = Document(
            id=thread.id,
            title="",
            kind=DocumentKind.TRANSCRIPT,
            sha256=library.files.keep(data),
            bytes=len(data),
            state=DocumentState.RECEIVED,
            added_at=library.clock.now(),
            created_at=told[0].created_at,
            name=NAME,
            private=True,
        )
        library.documents.add(document)
    # otherwise it waits, and is read when the home is held together
    with suppress(NodeError, BlockingIOError), ports.reading():
        ingest(library, ports.embedder(), thread.id, lambda *_: None)
    return True
