"""Who somebody is, said from the sentences that carry it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import chunk_id, text_hash
from lpm_kernel.domain.memory.entities import Read
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.persons import AskedPerson, asked_person
from lpm_kernel.L1.answering.reader import TableAnswer
from lpm_kernel.L1.answering.sentences import overlaps
from lpm_kernel.L1.entities.duplicates import places
from lpm_kernel.L1.entities.mentions import survey
from lpm_kernel.L1.entities.relations import OWN, FactKind, facts, has_namesakes, relations
from lpm_kernel.L1.entities.resolution import key_of
from lpm_kernel.L1.statements.introductions import PassageVoices, ToldFact, introduce
from lpm_kernel.usecases.memory.letters import signed_facts

PASSAGES = 50
"""Passages that are read for who somebody is."""


def told(
    question: Question,
    recall: Callable[[Question, int], Sequence[Recalled]],
    text_of: Callable[[DocumentId], str],
    own: frozenset[str],
) -> TableAnswer | None:
    """Answer who somebody is; ``None`` where nothing else is asked for, or nothing carries it.

    ``own`` is how the person is called (`own_keys`).
    """
    asked = asked_person(question)
    if asked is None:
        return None
    about = Question(asked.name or asked.called)
    items = list(recall(about, PASSAGES))
    reads = _Reads(items, text_of, own)
    if asked.relation is None:
        return reads.introduced(asked.name, question.language)
    return reads.named(asked, question.language)


class _Reads:
    """Passages that are read for who somebody is."""

    def __init__(
        self,
        items: Sequence[Recalled],
        text_of: Callable[[DocumentId], str],
        own: frozenset[str],
    ) -> None:
        self._items = items
        self._text_of = text_of
        self._own = own

    def introduced(self, asked: str, language: Language) -> TableAnswer | None:
        """Say who somebody of a name is."""
        name = self._as_written(asked)
        if name is None or key_of(name) in self._own or self._two_of(name):
            return None
        # when one met is not who somebody is
        known = [each for each in self._told_of(name) if each.fact.kind is not FactKind.MET]
        made = introduce(name, known, language)
        if not made:
            return None
        cited = [
            self._citation(n, each.rests_on.row, each.rests_on.start, each.rests_on.end)
            for n, each in enumerate(made, start=1)
        ]
        return TableAnswer(" ".join(each.text for each in made), tuple(cited))

    def named(self, asked: AskedPerson, language: Language) -> TableAnswer | None:
        """Say who is something to the person; nothing where it may be several."""
        if asked.relation is None:
            return None
        found: dict[str, tuple[str, ToldFact]] = {}
        for name in self._names():
            for each in self._told_of(name):
                if (
                    each.fact.kind is FactKind.RELATION
                    and each.fact.whose == OWN
                    and relations()[each.fact.value].plain == asked.relation.plain
                ):
                    found.setdefault(key_of(name), (name, each))
        if len(found) != 1:
            return None
        [(name, fact)] = found.values()
        said = {
            "ja": f"{asked.relation.polite}は、{name}です。",
            "zh": f"你的{asked.called}是{name}。",
        }.get(language, f"Your {asked.called} is {name}.")
        return TableAnswer(said, (self._citation(1, fact.row, fact.fact.start, fact.fact.end),))

    def _as_written(self, asked: str) -> str | None:
        """Return a name as the passages write it."""
        if any(places(item.chunk.text, (asked,)) for item in self._items):
            return asked if asked[:1].isupper() or not asked.isascii() else None
        wanted = key_of(asked)
        return next((name for name in self._names() if key_of(name) == wanted), None)

    def _names(self) -> list[str]:
        """Return who and what the passages name."""
        mentions = survey([Read(row, item.chunk) for row, item in enumerate(self._items)])
        return list(dict.fromkeys(mention.surface for mention in mentions))

    def _two_of(self, name: str) -> bool:
        texts = (item.chunk.text for item in self._items)
        return any(has_namesakes(text, places(text, (name,))) for text in texts)

    def _told_of(self, name: str) -> Iterator[ToldFact]:
        voices = PassageVoices(self._own)
        for row, item in enumerate(self._items):
            chunk = item.chunk
            text = self._text_of(chunk.document)
            where = places(chunk.text, (name,))
            voice = voices.of(chunk, text)
            moment = chunk.said_at.timestamp() if chunk.said_at else None
            for fact in (
                *facts(chunk.text, where, voice),
                *signed_facts(chunk, text, frozenset({key_of(name)}), self._own),
            ):
                hidden = (*item.struck, *item.lapsed)
                if not overlaps(hidden, fact.start, fact.end):
                    yield ToldFact(fact, row, moment)

    def _citation(self, n: int, row: int, start: int, end: int) -> Citation:
        chunk = self._items[row].chunk
        first, last = chunk.start + start, chunk.start + end
        return Citation(
            n,
            chunk_id(chunk.document, chunk.text_version, first, last),
            chunk.document,
            chunk.text_version,
            first,
            last,
            text_hash(chunk.text[start:end]),
        )
