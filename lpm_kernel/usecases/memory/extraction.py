"""Asking a language model about every passage, in the background; and what then proposes, from what
it answered.

Each passage is asked about once: its answer is kept with it, under the name of who was asked and
how. Until there is one, and where there is none that can be read, the rules propose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, JobState, Lane, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.domain.memory.proposals import Extractor, Replies
from lpm_kernel.domain.ports import Clock, LanguageModel
from lpm_kernel.domain.stores import Jobs
from lpm_kernel.errors import InvalidInputError, PromptTooLongError
from lpm_kernel.L1.statements.extraction_model import READING, ModelExtractor, question
from lpm_kernel.usecases.memory.proposals import LOOKED_AT

BATCH = 50
KIND = "extract"


def extractors(
    replies: Replies, asker: str, documents: Sequence[DocumentId]
) -> Mapping[DocumentId, Extractor]:
    """Return what reads those of these documents about which the model answered. Nothing is
    asked.
    """

    def answers(chunks: Sequence[Chunk]) -> dict[str, str]:
        return replies.known([text_hash(chunk.content) for chunk in chunks], asker)

    return {
        document: ModelExtractor(answers, f"{READING} {asker} {number}")
        for document, number in replies.newest(documents, asker).items()
    }


def is_lacking(replies: Replies, asker: str) -> bool:
    """Tell whether there are passages without an answer."""
    return bool(replies.lacking(asker, LOOKED_AT, limit=1))


def ask(replies: Replies, model: LanguageModel, asker: str, progress: Progress) -> int:
    """Ask about every passage that has no answer, keep each answer at once, and return how many
    there were. Raises ``ModelUnavailableError``.

    Done twice, the second time asks nothing; killed, it goes on where it stood.
    """
    replies.drop(asker)
    total = sum(1 for _ in _open(replies, asker))
    asked = 0
    for chunk in _open(replies, asker):
        still = partial(
            progress, min(1.0, asked / max(1, total)), "ask", f"{asked} of {total} passages"
        )
        still()
        replies.keep(text_hash(chunk.content), asker, _answer(model, chunk, still))
        asked += 1
    return asked


def _open(replies: Replies, asker: str) -> Iterator[Chunk]:
    after = 0
    while found := replies.lacking(asker, LOOKED_AT, after=after, limit=BATCH):
        after = found[-1][0]
        yield from (chunk for _, chunk in found)


def _answer(model: LanguageModel, chunk: Chunk, still: Callable[[], None]) -> str:
    """Return what the model says of a passage; nothing where it cannot be asked about that.
    ``still`` raises when the job is not ours any more.
    """
    asked = question(chunk)
    if asked is None:
        return ""
    words = []
    try:
        with closing(model.stream(*asked)) as told:  # type: ignore[type-var]  # every backend's iterator is a generator
            for delta in told:
                words.append(delta.text)
                still()
    except (PromptTooLongError, InvalidInputError):
        return ""
    return "".join(words)


def under_way(jobs: Jobs) -> bool:
    """Tell whether the model is being asked, or waits for it."""
    return bool(jobs.page(limit=1, kind=KIND, states=UNDER_WAY)[0])


def broke_down(jobs: Jobs) -> bool:
    """Tell whether the last job that asked failed."""
    return [job.state for job in jobs.page(limit=1, kind=KIND)[0]] == [JobState.FAILED]


def queue(jobs: Jobs, clock: Clock) -> Job:
    """Queue the job that asks; one that is waiting already will do."""
    waiting = jobs.page(limit=1, kind=KIND, states=[JobState.QUEUED])[0]
    return waiting[0] if waiting else jobs.add(KIND, Lane.MODELS, None, clock.now(), {})
