"""Answering a contact: the scope is decided again from the rows of the owner, and the answer is
made from what lies inside it.

Nothing of what they ask is kept here: their words go to recall and, as a question, to the model; no
chat, no memory and no count of what was used learns of them. What leaves has the form of the grant
and is masked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import Identity, Length, Outcome, PartKind
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.domain.ports import ChatMessage, Clock, Delta, LanguageModel, ModelCard, Sampling
from lpm_kernel.domain.share.network import DAY, InboxRow, InboxState
from lpm_kernel.domain.stores import Permissions, Post
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import (
    ANSWER_TOKENS,
    LONG_ANSWER_TOKENS,
    AnswerRequest,
    Draft,
    Ended,
    answer,
    recalled_for,
)
from lpm_kernel.L1.answering.voice import has_nothing, voice_of
from lpm_kernel.usecases.share import forms, offers
from lpm_kernel.usecases.share.grants import allowed, held
from lpm_kernel.usecases.share.inside import Inside
from lpm_kernel.usecases.share.view import Covered
from protocol.encoding import to_b64u
from protocol.grants import Cost, Request, allows
from protocol.messages import Message, Verb, as_fields, read_message
from protocol.refusals import Code, Refusal
from protocol.scope import Form, Scope
from protocol.shape import read_json

LENGTHS: Final[Mapping[Form, Length]] = {
    Form.ANSWER: Length.NORMAL,
    Form.SUMMARY: Length.FULL,
    Form.EXCERPT: Length.NORMAL,
    Form.VERBATIM: Length.FULL,
}


@dataclass(frozen=True)
class Answerer:
    """What an answer is made with."""

    inside: Callable[..., Inside]
    """What a scope covers now, with what was allowed of that which looks like a secret."""
    model: Callable[[Inside], LanguageModel]
    """What may word an answer from that: the base, or a training that learned from nothing
    outside.
    """
    identity: Identity
    """The person: their name, which contacts know, and the languages that say how their telephone
    numbers are written. Nothing else is used.
    """
    key: str = field(repr=False)
    """A secret of the home, by which rows get names for one contact alone."""
    held_back: Callable[[str, Scope, frozenset[str]], Sequence[tuple[ChunkId, str]]] = lambda *_: ()
    """What belongs to a question and stays here, with the reason: for the person alone."""


@dataclass(frozen=True)
class PeerReply:
    """An answer in the shape of its verb with the documents that it was made from, or the code of a
    refusal.
    """

    body: Mapping[str, Any] | None = field(default=None, repr=False)
    documents: tuple[str, ...] = ()
    code: str = ""
    rows: tuple[ChunkId, ...] = ()
    """What it was made from, row by row."""
    cited: tuple[ChunkId, ...] = ()
    """Those of the rows that its words rest on; the others were read for it."""


BUSY: Final = PeerReply(code=Code.BUSY.value)
NOT_SPOKEN: Final = PeerReply(code=Code.UNSUPPORTED_VERSION.value)
"""The node does not know the verb, or has it switched off."""


def reply(
    post: Post,
    permissions: Permissions,
    clock: Clock,
    answerer: Answerer,
    issuer: str,
    message: str,
) -> PeerReply:
    """Answer a message that came in and was written down. Whoever calls has set its cost aside;
    everything else is decided here once more.
    """
    try:
        asked, scope = decided(post, permissions, clock, issuer, message)
        return composed(
            answerer, asked, scope, answerer.inside(scope, allowed(permissions, asked.grant or ""))
        )
    except Refusal as refusal:
        return PeerReply(code=refusal.code.value)


def decided(
    post: Post,
    permissions: Permissions,
    clock: Clock,
    issuer: str,
    message: str,
    *,
    asking: bool = False,
) -> tuple[Message, Scope]:
    """Read a message from the inbox and say from which scope it may be answered now; ``asking``:
    once the person says yes. A piece that was given once may be given again. Raises ``Refusal``.
    """
    row = post.arrived(issuer, message)
    ready = {InboxState.ASKED, InboxState.DECIDED, *([InboxState.WAITING] if asking else [])}
    if row is None or not row.json or not (row.state in ready or _was_given(row)):
        raise Refusal(Code.REPLAY, "message")
    asked = read_request(row)
    if asked.grant is None:
        raise Refusal(Code.NO_GRANT, "grant")
    now = int(clock.now().timestamp())
    known = held(permissions, asked.grant, now // DAY)
    if known is None:
        raise Refusal(Code.NO_GRANT, "grant")
    consented = asking or row.state is InboxState.DECIDED or row.decided_at is not None
    request = replace(Request.of(asked, consented=consented), cost=Cost())
    scope = allows(known, request, now)
    if isinstance(scope, Refusal):
        raise scope
    return asked, scope


def _was_given(row: InboxRow) -> bool:
    """Tell whether it is a piece of an item that was given: no byte of it is kept."""
    answered = row.state is InboxState.ANSWERED and row.answer is not None
    return row.verb == Verb.FETCH.value and answered


def read_request(row: InboxRow) -> Message:
    """Read what was asked."""
    return read_message(
        as_fields(read_json(row.json.encode())), int(row.came_at.timestamp()), answer=False
    )


def composed(answerer: Answerer, asked: Message, scope: Scope, inside: Inside) -> PeerReply:
    """Make the answer to a request from what lies inside. Raises ``Refusal``."""
    match asked.verb:
        case Verb.ASK:
            return _ask(answerer, asked, scope, inside)
        case Verb.RECALL:
            return _recall(answerer, asked, scope, inside)
        case Verb.FETCH:
            return _fetch(answerer, asked, scope, inside)
        case _:
            raise Refusal(Code.BUSY, "verb")


def _ask(answerer: Answerer, asked: Message, scope: Scope, inside: Inside) -> PeerReply:
    """Answer as the second self does in a chat, for somebody else: greedily, with no chat before
    it, and of the person with the name alone.
    """
    question = Question(str(asked.body["question"]))
    me = Identity(answerer.identity.name, languages=_languages(asked), length=LENGTHS[scope.form])
    leaving = _leaving(answerer, asked, scope, question)
    model, draft = CountedModel(answerer.model(inside)), Draft()
    core = (*inside.core(), *inside.short_biography())
    found = recalled_for(question, inside.recall)
    most = min(
        LONG_ANSWER_TOKENS if me.length is Length.FULL else ANSWER_TOKENS, int(asked.body["tokens"])
    )
    greedy = Sampling(temperature=0.0, max_tokens=most)
    request = AnswerRequest(question, question, found, inside.read(question, found), me, core=core)
    ended = [
        each for each in answer(request, model, draft, sampling=greedy) if isinstance(each, Ended)
    ]
    end = ended[-1]
    tokens = min(model.tokens, int(asked.body["tokens"]))
    told_again = {item.chunk.id: item for item in found.items}
    cited = {
        citation.n: (citation, _as_found(row, told_again.get(row.chunk.id)))
        for citation in end.citations
        if (row := inside.row_of(citation)) is not None
    }
    rows = [inside.rows[item.chunk.id] for item in found.items]
    used = (*rows, *(row for _, row in cited.values()), *_in_mind(inside, core))
    made_from = {row.document.id: None for row in used}
    sources = [*(row.text for row in rows), *(row.text for _, row in cited.values()), *core]
    speaks = voice_of(question, me)
    parts = end.parts
    if not leaving.quotes and end.outcome is Outcome.CLOSEST:
        # a doubt is about a quotation, and none leaves
        parts = tuple(part for part in parts if part.kind is PartKind.STATEMENT)
    if end.abstained or not parts:
        return PeerReply(forms.nothing(leaving, has_nothing(speaks), tokens))
    body = forms.asked(leaving, parts, cited, sources, tokens)
    rests_on = tuple({row.chunk.id: None for _, row in cited.values()})
    return PeerReply(
        body, tuple(made_from), rows=tuple({row.chunk.id: None for row in used}), cited=rests_on
    )


def _in_mind(inside: Inside, core: Sequence[str]) -> Sequence[Covered]:
    """Return the rows that the lines stand in or rest on that are always in mind."""
    return (*inside.core_rows(), *inside.short_biography_rows()) if core else ()


def _as_found(row: Covered, item: Recalled | None) -> Covered:
    """Return a row without what recall struck of it besides: words that are put right where
    somebody else said them.
    """
    return (
        row
        if item is None
        else replace(row, text=item.text, struck=tuple(sorted({*row.struck, *item.struck})))
    )


def _recall(answerer: Answerer, asked: Message, scope: Scope, inside: Inside) -> PeerReply:
    question = Question(str(asked.body["query"]))
    found = inside.recall(RecallQuery(question, k=int(asked.body["most"])))
    rows = [(item, inside.rows[item.chunk.id]) for item in found.items]
    body = forms.recalled(_leaving(answerer, asked, scope, question), question, rows)
    used = [row for _, row in rows[: len(body["items"])]]
    documents = tuple({row.document.id: None for row in used})
    names = tuple(row.chunk.id for row in used)
    return PeerReply(body, documents, rows=names, cited=names)


def _fetch(answerer: Answerer, asked: Message, scope: Scope, inside: Inside) -> PeerReply:
    """Give a piece of the text that an item lies in: the passages of its document that lie inside,
    in their order, and not a byte besides. Refuses what does not lie inside like what is not there.
    """
    leaving = _leaving(answerer, asked, scope, Question(""))
    named = [
        row
        for row in inside.rows.values()
        if forms.item_of(leaving, row.chunk.id) == asked.body["item"]
    ]
    if not named:
        raise Refusal(Code.OUT_OF_SCOPE, "item")
    document = named[0].document.id
    rows = sorted(
        (row for row in inside.rows.values() if row.document.id == document),
        key=lambda row: (row.chunk.start, row.chunk.end),
    )
    data = "\n\n".join(leaving.mask(row.text) for row in rows).encode()
    body = offers.cut(data, to_b64u(hashlib.sha256(data).digest()), asked)
    names = tuple(row.chunk.id for row in rows)
    return PeerReply(body, (document,), rows=names, cited=names)


def _leaving(answerer: Answerer, asked: Message, scope: Scope, question: Question) -> forms.Leaving:
    speaks = voice_of(question, Identity(answerer.identity.name, languages=_languages(asked)))

    def mask(text: str) -> str:
        return forms.masked(text, answerer.identity.languages)

    return forms.Leaving(
        scope.form, str(asked.iss), answerer.key, mask, int(asked.body["bytes"]), speaks.language
    )


def _languages(asked: Message) -> tuple[str, ...]:
    return (str(asked.body["language"]),) if "language" in asked.body else ()


class CountedModel:
    """A language model, and how much it wrote: who stops it early has to pay for it all the
    same.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._written: list[str] = []

    @property
    def tokens(self) -> int:
        """Tokens that it wrote."""
        return self._model.count_tokens("".join(self._written)) if self._written else 0

    def card(self) -> ModelCard:
        """Describe the model. Raises ``ModelUnavailableError``."""
        return self._model.card()

    def stream(
        self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()
    ) -> Iterator[Delta]:
        """Write, and count. Raises ``ModelUnavailableError``."""
        for delta in self._model.stream(messages, sampling):
            self._written.append(delta.text)
            yield delta

    def count_tokens(self, text: str) -> int:
        """Count tokens as the model does."""
        return self._model.count_tokens(text)
