"""One question outside of any chat: from memory, cited, kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.chat.conversations import AnswerPart, Identity, Turn
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ports import ChatMessage, Delta, ModelCard, Sampling
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import (
    AnswerEvent,
    AnswerRequest,
    Draft,
    Read,
    answer,
    leaning,
    recalled_for,
)
from lpm_kernel.usecases.chat.turns import TurnSpeaker


@dataclass(frozen=True)
class SingleQuestion:
    """What is asked outside of any chat."""

    text: str = field(repr=False)
    history: Sequence[Turn] = field(default=(), repr=False)
    """What the caller says was said before."""
    told: str = field(default="", repr=False)
    """What a calling program wants besides."""


def ask(
    by: TurnSpeaker,
    identity: Identity,
    asked: SingleQuestion,
    *,
    sampling: Sampling | None = None,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer from memory, as whoever speaks (``by``). Raises ``ModelUnavailableError``."""
    question = Question(asked.text)
    sought = leaning(question, asked.history)
    found = recalled_for(sought, by.recall)
    request = AnswerRequest(
        question,
        sought,
        found,
        by.read(sought, found),
        identity,
        asked.history,
        by.core,
        asked.told,
        by.whose,
        by.own_style,
    )
    yield from by.tell(request, by.model, Draft(), sampling=sampling, gone=gone)


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
    found = recalled_for(asked, recall)
    request = AnswerRequest(asked, asked, found, read(asked, found), identity)
    for _ in answer(request, Wordless(), draft):
        pass
    return tuple(draft.parts)
