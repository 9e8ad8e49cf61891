"""One question outside of any chat: from memory, cited, kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from lpm_kernel.domain.chat.conversations import AnswerPart, Identity, Turn
from lpm_kernel.domain.chat.recall import RecallQuery, Recollection
from lpm_kernel.domain.ports import ChatMessage, Delta, LanguageModel, ModelCard, Sampling
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import (
    EVIDENCE_ITEMS,
    EVIDENCE_TOKENS,
    AnswerEvent,
    Draft,
    Read,
    Tell,
    answer,
    leaning,
)


def ask(
    recall: Callable[[RecallQuery], Recollection],
    model: LanguageModel,
    identity: Identity,
    question: str,
    history: Sequence[Turn] = (),
    *,
    read: Read = reader.read,
    sampling: Sampling | None = None,
    told: str = "",
    core: Sequence[str] = (),
    gone: Callable[[], bool] = lambda: False,
    tell: Tell = answer,
) -> Generator[AnswerEvent]:
    """Answer from memory, as the second self or as ``tell`` tells it. Raises
    ``ModelUnavailableError``.
    """
    found = recall(
        RecallQuery(
            leaning(question, history),
            k=EVIDENCE_ITEMS,
            token_budget=EVIDENCE_TOKENS,
            explain=False,
        )
    )
    yield from tell(
        question,
        found,
        history,
        identity,
        model,
        Draft(),
        read=read,
        sampling=sampling,
        told=told,
        core=core,
        gone=gone,
    )


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
    draft = Draft()
    found = recall(
        RecallQuery(question, k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS, explain=False)
    )
    for _ in answer(question, found, (), identity, Wordless(), draft, read=read):
        pass
    return tuple(draft.parts)
