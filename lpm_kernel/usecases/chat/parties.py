"""Whom and what place the newest documents tell of, as questions: who Conor is, and what is known
of Risør.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document
from lpm_kernel.domain.memory.entities import (
    Entity,
    EntityDecision,
    EntityKind,
    PassageStanding,
    Read,
)
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.glosses import meanings, ordinary
from lpm_kernel.L0.language.identification import Language, is_clear, language_of
from lpm_kernel.L0.language.stopwords import LANGUAGES
from lpm_kernel.L1.answering.questions import QuestionKind, SpanQuestion, asked_of_name
from lpm_kernel.L1.entities.duplicates import places
from lpm_kernel.L1.entities.mentions import survey
from lpm_kernel.L1.entities.relations import Fact, FactKind, facts, has_namesakes, relations
from lpm_kernel.L1.entities.resolution import entities
from lpm_kernel.L1.statements.authorship import authorship_of
from lpm_kernel.L1.statements.introductions import PassageVoices

OFTEN: Final = 2
"""Documents that name somebody or a place, from which they are asked about."""
FEW: Final = 20
"""Up to so many documents, somebody whom one of them names is asked about too."""
LOOKED_BACK: Final = 40
"""Characters before a word that say whether it is a name."""
_LED: Final = re.compile(
    r"\b(?:the|an?|my|our|your|his|her|its|their|this|that|these|those|each|every|any|no)"
    r"(?: [a-z-]+)? $|\d $",
    re.IGNORECASE,
)
"""Before what is one of its sort and no name: the Institute, 40 Crescent."""
_NUMBERED: Final = re.compile(r"[- ](?:\d|[A-Z]\b|no\.)")
"""Behind it: Reviewer 2."""
_OPENS: Final = ' \t"“‘(—–-*#>'
"""Signs before the first word of a sentence or a line."""
_ENDS: Final = frozenset(("", *".!?:;…\n"))
_KATAKANA: Final = re.compile(r"[\u30a1-\u30faー・]+")
_POLITE: Final = ("さん", "先生", "ちゃん", "くん", "君", "氏", "博士", "おじさん", "おばさん")


@dataclass(frozen=True)
class ReadDocument:
    """A document with its text and its passages."""

    document: Document
    text: str = field(repr=False)
    passages: Sequence[Chunk] = field(repr=False)


class Parties:
    """Whom and what place some documents name."""

    def __init__(
        self,
        known: Sequence[ReadDocument],
        decisions: Sequence[EntityDecision],
        own: frozenset[str],
    ) -> None:
        """``own`` is how the person is called (`own_keys`)."""
        self._known = known
        self._decisions = decisions
        self._own, self._voices = own, PassageVoices(own)
        self._chunks = dict(enumerate(chunk for each in known for chunk in each.passages))
        self._texts = {each.document.id: each.text for each in known}

    def questions(self) -> Iterator[SpanQuestion]:
        """Yield one question of each, the best that there is, whoever is named most first."""
        named = sorted(self._named, key=lambda each: (-len(self._documents(each)), each.slug))
        for entity in named:
            if question := self._asked(entity):
                yield question

    @cached_property
    def _named(self) -> list[Entity]:
        chunks = self._chunks
        standings = {
            row: PassageStanding(
                row,
                chunk.document,
                (row, 0),
                chunk.said_at.timestamp() if chunk.said_at else None,
                private=False,
                statement=False,
            )
            for row, chunk in chunks.items()
        }
        mentions = survey([Read(row, chunk) for row, chunk in chunks.items()])
        found = entities(mentions, standings, self._decisions)
        known = {key for each in found.by_slug.values() for key in each.keys}
        return [
            each
            for each in found.by_slug.values()
            if not each.hidden
            and not (each.keys & self.own)
            and self._is_name(each)
            and not is_of_another(each.name.casefold(), known)
        ]

    def _is_name(self, entity: Entity) -> bool:
        """Tell whether it can be asked about by this name, and the texts have it as one."""
        if not _names_somebody(entity):
            return False
        speaks = bool(self._speakers.keys() & entity.keys)
        if entity.name.isascii():
            return speaks or " " in entity.name or self._is_kept_large(entity.name)
        if not _is_common_noun(entity.name) or self._title(entity) is not None:
            return True
        # somebody may be called アロハ, but a chairman who speaks is none of that name
        return speaks and _KATAKANA.fullmatch(entity.name) is not None

    def _is_kept_large(self, name: str) -> bool:
        """Tell whether a word of the language is a name here: it stands free and with a capital
        inside of sentences more often than with an article, with a number, or small.
        """
        if not ordinary(name.casefold()):
            return True
        uses: Counter[bool] = Counter()
        word = re.compile(rf"(?<![\w@]){re.escape(name)}(?!\w)", re.IGNORECASE)
        for text in self._texts.values():
            for match in word.finditer(text):
                before = text[max(0, match.start() - LOOKED_BACK) : match.start()]
                common = match[0] != name or _LED.search(before)
                if common or _NUMBERED.match(text, match.end()):
                    uses[False] += 1
                elif before.rstrip(_OPENS)[-1:] not in _ENDS:
                    uses[True] += 1
        return uses[True] > uses[False]

    @cached_property
    def _speakers(self) -> Counter[str]:
        """In how many documents each speaks."""
        return Counter(
            who
            for each in self._known
            for who in {
                line[2] for line in authorship_of(each.text, self._own, each.document.title).lines
            }
        )

    @cached_property
    def own(self) -> frozenset[str]:
        """How the person is called; while they did not say so, who speaks in more talks than
        anybody is taken for them.
        """
        most = self._speakers.most_common(2)
        if self._own or not most or most[0][1] < OFTEN:
            return self._own
        return frozenset({who for who, count in most if count == most[0][1]})

    def _documents(self, entity: Entity) -> set[DocumentId]:
        return {self._chunks[row].document for row in entity.rows}

    def _asked(self, entity: Entity) -> SpanQuestion | None:
        newest = max(
            (self._chunks[row] for row in entity.rows),
            key=lambda chunk: (chunk.said_at.timestamp() if chunk.said_at else 0.0, chunk.id),
        )
        language = _language(newest.text)
        kind = self._kind(entity, language)
        if kind is None:
            return None
        return asked_of_name(kind, entity.name, language, self._called(entity, language))

    def _kind(self, entity: Entity, language: Language) -> QuestionKind | None:
        """Choose what is asked of somebody or of a place."""
        told = list(self._facts(entity))
        if any(fact.kind is FactKind.RELATION for fact in told) and not self._are_two(entity):
            return QuestionKind.PERSON
        if any(fact.kind is FactKind.MET for fact in told) and language != "zh":
            return QuestionKind.MEETING
        often = len(self._documents(entity)) >= OFTEN
        if (often or len(self._known) <= FEW) and self._is_person(entity):
            return QuestionKind.NAME
        return QuestionKind.TOPIC if often and entity.kind is EntityKind.PLACE else None

    def _facts(self, entity: Entity) -> Iterator[Fact]:
        for row in entity.rows:
            chunk = self._chunks[row]
            where = places(chunk.text, (entity.name, *entity.aliases))
            text = self._texts[chunk.document]
            yield from facts(chunk.text, where, self._voices.of(chunk, text))

    def _are_two(self, entity: Entity) -> bool:
        texts = (self._chunks[row].text for row in entity.rows)
        return any(has_namesakes(text, places(text, (entity.name,))) for text in texts)

    def _is_person(self, entity: Entity) -> bool:
        speaks = bool(self._speakers.keys() & entity.keys)
        return entity.kind is EntityKind.PERSON or speaks or self._title(entity) is not None

    def _title(self, entity: Entity) -> str | None:
        texts = [self._chunks[row].text for row in entity.rows]
        return next(
            (title for title in _POLITE if any(f"{entity.name}{title}" in text for text in texts)),
            None,
        )

    def _called(self, entity: Entity, language: Language) -> str:
        """Return how a question calls somebody: as the texts do."""
        return entity.name + ((self._title(entity) or "") if language == "ja" else "")


def _is_common_noun(name: str) -> bool:
    """Tell whether a Japanese word of several signs is one that a dictionary explains, and is
    listed as nobody's name.

    >>> [_is_common_noun(name) for name in ("メーカー", "両手", "金沢", "カヤ", "林")]
    [True, True, False, False, False]
    """
    nouns = japanese.nouns(name)
    return len(name) > 1 and bool(meanings(name)) and not any(noun.sort for noun in nouns)


def is_of_another(name: str, known: Collection[str]) -> bool:
    """Tell whether it is another name with the sign of what is theirs, written without the mark.

    >>> is_of_another("jakes", {"jake", "jakes"}), is_of_another("jones", {"jones"})
    (True, False)
    """
    return name.endswith("s") and name[:-1] in known


def _names_somebody(entity: Entity) -> bool:
    """Tell whether it can be asked about by this name: "Mother" is none, nor a sender's handle."""
    plain = entity.name.casefold()
    called = {
        word
        for relation in relations().values()
        for word in (*relation.english, *relation.japanese)
    }
    return plain not in called | LANGUAGES and not entity.name.islower()


def _language(text: str) -> Language:
    language = language_of(text)
    return "ja" if language == "zh" and not is_clear(text, "zh") else language
