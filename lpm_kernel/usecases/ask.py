"""One question outside of any chat: from memory, cited, kept nowhere."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from lpm_kernel.domain.conversations import Identity, Turn
from lpm_kernel.domain.ports import LanguageModel, Sampling
from lpm_kernel.domain.recall import RecallQuery, Recollection
from lpm_kernel.L1.answer import EVIDENCE_ITEMS, EVIDENCE_TOKENS, AnswerEvent, Draft, answer, leaning


def ask(
    recall: Callable[[RecallQuery], Recollection],
    model: LanguageModel,
    identity: Identity,
    question: str,
    history: Sequence[Turn] = (),
    *,
    sampling: Sampling | None = None,
    told: str = "",
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer from memory. Raises ``ModelUnavailableError``."""
    found = recall(RecallQuery(leaning(question, history), k=EVIDENCE_ITEMS, token_budget=EVIDENCE_TOKENS, explain=False))
    yield from answer(question, found, history, identity, model, Draft(), sampling=sampling, told=told, gone=gone)
