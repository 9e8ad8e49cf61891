"""From when until when sentences are so: kept where the person says it or settles it, and brought
to what recall finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection, Signals
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document, chunk_id, text_hash
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import stretches
from lpm_kernel.domain.memory.memories import Belief, Memories
from lpm_kernel.domain.memory.retain import statement
from lpm_kernel.domain.memory.validity import Dated, Dates, Validities, Validity, together
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.statements import Statement
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import matched, terms
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.chunks import Span
from lpm_kernel.L1.answering.reader import TableAnswer
from lpm_kernel.L1.statements.validity import (
    asked_about,
    asks_what_was_so,
    asks_when_it_changed,
    told,
)
from lpm_kernel.usecases.memory.findings import finding_id
from lpm_kernel.usecases.memory.workspace import one_line

MOST = 10
"""Sentences that "what was true then?" adds."""
_CHANGED: dict[Language, str] = {
    "en": "That changed on {day}: before it, “{older}”; since then, “{newer}”.",
    "ja": "{day}に変わりました。それまでは「{older}」、それからは「{newer}」です。",
    "zh": "那是在{day}改变的：在那之前是“{older}”，从那以后是“{newer}”。",
}

Words = Callable[[Dated], "tuple[str, int, int] | None"]
"""Gives the words of a dated sentence and where they stand; nothing where they are not to be
shown.
"""


def date_claim(
    validities: Validities,
    memories: Memories,
    claim: Claim,
    validity: Validity,
    ruling: str,
    now: datetime,
) -> None:
    """Keep from when until when a claim is so, as it was settled."""
    stated = (
        belief
        for belief in memories.believed(claim.document)
        if claim.kept
        and belief.document == claim.document
        and belief.start <= claim.start < belief.end
    )
    memory = next(stated, None)
    identifier = memory.memory if memory else finding_id(claim.document, claim.start, claim.end)
    validities.put(
        Dated(
            identifier,
            claim.document,
            claim.text,
            claim.text_version,
            claim.start,
            claim.end,
            validity,
            now,
            ruling,
        )
    )


def date_memory(
    validities: Validities,
    clock: Clock,
    belief: Belief,
    document: Document,
    validity: Validity,
    text: str | None = None,
) -> None:
    """Keep from when until when a memory is so, as the person says; ``text`` is its wording from
    now on. Raises ``InvalidInputError``.
    """
    words = belief.statement.text if text is None else text
    start = belief.end - len(belief.statement.text)
    validities.put(
        Dated(
            belief.memory,
            document.id,
            words,
            document.text_version or "",
            start,
            start + len(words),
            checked(validity),
            clock.now(),
        )
    )


def date_line(
    validities: Validities,
    clock: Clock,
    memory: str,
    document: DocumentId,
    line: str,
    validity: Validity,
) -> None:
    """Keep from when until when a statement is so that was just written to a file and is not read
    yet.
    """
    said = statement(one_line(line).removeprefix("- "))
    if isinstance(said, Statement):
        validities.put(Dated(memory, document, said.text, "", 0, 0, checked(validity), clock.now()))


def checked(validity: Validity) -> Validity:
    """Return it, where its end lies after its beginning. Raises ``InvalidInputError``."""
    if validity.start is not None and validity.end is not None and validity.start >= validity.end:
        raise InvalidInputError(
            "It would end before it begins.",
            "Give an end after the beginning, or leave one of them out.",
        )
    return validity


def of_memories(validities: Validities, known: Sequence[tuple[Belief, Document]]) -> list[Validity]:
    """Return from when until when memories are so, in their order: what the person said or settled
    of these words, and what they say themselves.
    """
    said = validities.about([], [belief.memory for belief, _ in known])
    return [
        together(
            [
                *(
                    each.validity
                    for each in said
                    if each.id == belief.memory and _same(each.quote, belief.statement.text)
                ),
                told(belief.statement.text, document.created_at or belief.believed_from),
            ]
        )
        for belief, document in known
    ]


def given(validities: Validities, belief: Belief) -> Validity:
    """Return what the person themselves said of a memory, whatever it is worded like now."""
    return together(
        each.validity
        for each in validities.about([], [belief.memory])
        if each.id == belief.memory and not each.ruling
    )


def dated(
    validities: Dates, memories: Memories, chunks: Sequence[Chunk], as_of: datetime | None = None
) -> Callable[[Chunk], list[tuple[Span, Validity]]]:
    """Return what gives the stretches of these passages that are dated; with ``as_of``, only what
    was said of them until then.
    """
    owners = {
        (chunk.document, belief.start): belief.memory
        for chunk in {chunk.document: chunk for chunk in chunks if chunk.kind}.values()
        for belief in memories.believed(chunk.document)
    }
    mine = {chunk.id: owners.get((chunk.document, chunk.start)) for chunk in chunks if chunk.kind}
    known = [
        each
        for each in validities.about(
            {chunk.document for chunk in chunks}, [each for each in mine.values() if each]
        )
        if as_of is None or each.at <= as_of
    ]

    def of(chunk: Chunk) -> list[tuple[Span, Validity]]:
        found = []
        for each in known:
            if each.document == chunk.document:
                found += [(span, each.validity) for span in stretches(each, chunk)]
            elif each.id == mine.get(chunk.id) and _same(
                each.quote, chunk.text[-len(each.quote) :]
            ):
                found.append(((0, len(chunk.text)), each.validity))
        return found

    return of


def with_what_was_so(
    query: RecallQuery,
    found: Recollection,
    validities: Dates,
    passages: Callable[[DocumentId], Sequence[Chunk]],
    now: datetime,
) -> Recollection:
    """Put what is dated and was so then before the rest, where a question asks what was true at a
    time. ``passages`` gives those that may be seen.
    """
    asked = asks_what_was_so(query.question)
    period = asked_about(query.question, now) if asked is not None else None
    if asked is None or period is None:
        return found
    there = {item.chunk.id: item for item in found.items}
    best = max((item.score for item in found.items), default=1.0)
    more: dict[str, Recalled] = {}
    for each in validities.during(*period, limit=MOST * MOST):
        chunk = next((chunk for chunk in passages(each.document) if stretches(each, chunk)), None)
        words = () if chunk is None else matched(asked, terms(chunk.content))
        if (
            chunk is None
            or (asked and not words)
            or len(more) == MOST
            or (chunk.id in there and there[chunk.id].struck)
        ):
            continue
        known = there.get(chunk.id) or Recalled(
            chunk, best, Signals(), words, chunk.about, validity=each.validity
        )
        if not known.lapsed:
            more.setdefault(chunk.id, replace(known, score=max(best, known.score)))
    return (
        replace(
            found,
            items=(*more.values(), *(item for item in found.items if item.chunk.id not in more))[
                : query.k
            ],
        )
        if more
        else found
    )


def told_of_change(
    question: Question, found: Recollection, validities: Dates, words: Words
) -> TableAnswer | None:
    """Tell when something changed, with both sides, where the person settled that it did."""
    if not asks_when_it_changed(question):
        return None
    for item in found.items:
        for each in validities.about([item.chunk.document]):
            if each.ruling and stretches(each, item.chunk):
                sides = sorted(
                    validities.ruled([each.ruling]),
                    key=lambda side: side.validity.start is not None,
                )
                shown = [words(side) for side in sides]
                if len(sides) == 2 and sides[1].validity.start is not None and all(shown):  # noqa: PLR2004  the older and the newer
                    return _told_of(question, sides[0], sides[1])
    return None


def _told_of(question: Question, older: Dated, newer: Dated) -> TableAnswer:
    language = question.language
    day = day_in_words((newer.validity.start or newer.at).astimezone(), language)
    strip = " .。．"
    sentence = _CHANGED[language].format(
        day=day,
        older=" ".join(older.quote.split()).rstrip(strip),
        newer=" ".join(newer.quote.split()).rstrip(strip),
    )
    cited = tuple(
        Citation(
            n,
            chunk_id(each.document, each.text_version, each.start, each.end),
            each.document,
            each.text_version,
            each.start,
            each.end,
            text_hash(each.quote),
        )
        for n, each in enumerate((older, newer), start=1)
    )
    return TableAnswer(sentence, cited)


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()) == " ".join(other.split())
