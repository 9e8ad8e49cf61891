"""What part of a memory may be reached: the vocabulary that grants, requests and the owner's index
share.

**Private is never in a scope.** There is no field that could name it, so no grant can be written
that reaches it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from protocol.refusals import Code, Refusal
from protocol.shape import SECONDS, Choice, Line, ListOf, Record


class Layer(StrEnum):
    """Where a row comes from."""

    SAID = "L0"
    """What was said and written."""
    WORDS = "L1"
    """Statements made from it."""
    WEIGHTS = "L2"
    """An adapter trained on them."""


class RowKind(StrEnum):
    """What a row is: a passage of a document, or what a statement tells of."""

    PASSAGE = "passage"
    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"


class Form(StrEnum):
    """How literally something may leave."""

    ANSWER = "answer"
    """In the second self's own words."""
    SUMMARY = "summary"
    EXCERPT = "excerpt"
    VERBATIM = "verbatim"

    @property
    def rank(self) -> int:
        """Count from the least literal."""
        return list(Form).index(self)


EVERY_TAG: Final = frozenset({"*"})
"""Also rows without a tag. It stands alone."""
PURPOSE: Final = Line(80)
TAGS: Final = ListOf(Line(64), 1, 64, distinct=True)
KINDS: Final = ListOf(Choice(frozenset(RowKind)), 1, len(RowKind), distinct=True)
LAYERS: Final = ListOf(Choice(frozenset(Layer)), 1, len(Layer), distinct=True)
FORM: Final = Choice(frozenset(Form))
WISH: Final = Record(
    optional={
        "tags": TAGS,
        "kinds": KINDS,
        "layers": LAYERS,
        "since": SECONDS,
        "until": SECONDS,
        "form": FORM,
    }
)


@dataclass(frozen=True)
class Wish:
    """What a request names of a scope; ``None`` is "as far as the grant goes"."""

    tags: frozenset[str] | None = field(default=None, repr=False)
    kinds: frozenset[RowKind] | None = None
    layers: frozenset[Layer] | None = None
    since: int | None = None
    until: int | None = None
    form: Form | None = None

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Wish:
        """Take it from JSON whose shape was checked."""
        return cls(
            tags=frozenset(tags_of(fields["tags"])) if "tags" in fields else None,
            kinds=frozenset(map(RowKind, fields["kinds"])) if "kinds" in fields else None,
            layers=frozenset(map(Layer, fields["layers"])) if "layers" in fields else None,
            since=fields.get("since"),
            until=fields.get("until"),
            form=Form(fields["form"]) if "form" in fields else None,
        )


@dataclass(frozen=True)
class Row:
    """What of a memory decides whether it is inside a scope; ``at`` in seconds, ``None`` where
    nobody knows.
    """

    layer: Layer
    kind: RowKind
    tags: frozenset[str] = field(repr=False)
    at: int | None
    private: bool


@dataclass(frozen=True)
class Scope:
    """Part of a memory, how literally it may leave, and what for. ``since`` is inside, ``until`` is
    not.
    """

    tags: frozenset[str] = field(repr=False)
    kinds: frozenset[RowKind]
    layers: frozenset[Layer]
    since: int | None
    until: int | None
    form: Form
    purpose: str = field(repr=False)

    def holds(self, row: Row) -> bool:
        """Say whether a row is inside. The owner's index is built of these rows and of no
        others.
        """
        dated = (self.since is None and self.until is None) or (
            row.at is not None
            and (self.since is None or self.since <= row.at)
            and (self.until is None or row.at < self.until)
        )
        tagged = self.tags == EVERY_TAG or bool(self.tags & row.tags)
        return (
            not row.private
            and row.layer in self.layers
            and row.kind in self.kinds
            and tagged
            and dated
        )

    def narrowed(self, wish: Wish) -> Scope:
        """Give what is wished for, which has to lie inside; refuses ``out_of_scope`` with the field
        that does not.
        """
        if wish.layers is not None and not wish.layers <= self.layers:
            raise Refusal(Code.OUT_OF_SCOPE, "layers")
        if wish.kinds is not None and not wish.kinds <= self.kinds:
            raise Refusal(Code.OUT_OF_SCOPE, "kinds")
        if wish.tags is not None and not _tags_within(wish.tags, self.tags):
            raise Refusal(Code.OUT_OF_SCOPE, "tags")
        since = self.since if wish.since is None else wish.since
        until = self.until if wish.until is None else wish.until
        if not _not_before(since, self.since):
            raise Refusal(Code.OUT_OF_SCOPE, "since")
        if not _not_after(until, self.until) or (
            since is not None and until is not None and since >= until
        ):
            raise Refusal(Code.OUT_OF_SCOPE, "until")
        if wish.form is not None and wish.form.rank > self.form.rank:
            raise Refusal(Code.OUT_OF_SCOPE, "form")
        narrow = replace(
            self,
            tags=self.tags if wish.tags is None else wish.tags,
            kinds=self.kinds if wish.kinds is None else wish.kinds,
        )
        return replace(
            narrow,
            layers=self.layers if wish.layers is None else wish.layers,
            since=since,
            until=until,
            form=wish.form or self.form,
        )

    def within(self, outer: Scope) -> bool:
        """Say whether everything inside is inside the other, too, in a form that is no more
        literal, for the same purpose.
        """
        return (
            _tags_within(self.tags, outer.tags)
            and self.kinds <= outer.kinds
            and self.layers <= outer.layers
            and _not_before(self.since, outer.since)
            and _not_after(self.until, outer.until)
            and self.form.rank <= outer.form.rank
            and self.purpose == outer.purpose
        )


def tags_of(tags: Iterable[str]) -> frozenset[str]:
    """Take tags from JSON. Refuses ``malformed`` where ``*`` has company."""
    found = frozenset(tags)
    if len(found) > 1 and found & EVERY_TAG:
        raise Refusal(Code.MALFORMED, "tags")
    return found


def _tags_within(inner: frozenset[str], outer: frozenset[str]) -> bool:
    return outer == EVERY_TAG or (inner != EVERY_TAG and inner <= outer)


def _not_before(inner: int | None, outer: int | None) -> bool:
    return outer is None or (inner is not None and inner >= outer)


def _not_after(inner: int | None, outer: int | None) -> bool:
    return outer is None or (inner is not None and inner <= outer)
