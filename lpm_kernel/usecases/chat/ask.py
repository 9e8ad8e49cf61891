"""One question outside of any chat: from memory, cited, kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from lpm_kernel.domain.chat.conversations import AnswerPart, Identity, Turn
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ports import ChatMessage, Delta, ModelCard, Sampling
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import (
    EVIDENCE_ITEMS,
    EVIDENCE_TOKENS,
    AnswerEvent,
    AnswerRequest,
    Draft,
    Read,
    answer,
    leaning,
)
from lpm_kernel.usecases.chat.turns import TurnSpeaker


def ask(
    by: TurnSpeaker,
    identity: Identity,
    question: str,
    history: Sequence[Turn] = (),
    *,
    told: str = "",
    sampling: Sampling | None = None,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer from memory, as whoever speaks (``by``). ``told`` is what a calling program wants
    besides. Raises ``ModelUnavailableError``.
    """
    asked = Question(question)
    sought = leaning(asked, history)
    found = by.recall(RecallQuery(sought, k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS))
    request = AnswerRequest(asked, sought, found, identity, history, by.core, told)
    yield from by.tell(request, by.model, Draft(), read=by.read, sampling=sampling, gone=gone)


class Wordless:
    """A small model that has nothing to say: what is left is what the node says by itself."""

    def card(self) -> ModelCard:
        """Describe it."""
        return ModelCard("wordless", 8192, local=True, parameters=1)

    def count_tokens(self, text: str) -> int:
        """Count words."""
        return len(text.split())

    def stream(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002  the port's
        sampling: Sampling = Sampling(),  # noqa: ARG002  the port's
    ) -> Iterator[Delta]:
        """Say nothing."""
        yield from ()


def preview(
    recall: Callable[[RecallQuery], Recollection],
    identity: Identity,
    question: str,
    read: Read = reader.read,
) -> tuple[AnswerPart, ...]:
    """Answer as the node would speak to this person. No model is asked, and nothing leaves or is
    kept.
    """
    draft, asked = Draft(), Question(question)
    found = recall(RecallQuery(asked, k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS))
    for _ in answer(AnswerRequest(asked, asked, found, identity), Wordless(), draft, read=read):
        pass
    return tuple(draft.parts)
