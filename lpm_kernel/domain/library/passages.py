"""A chunk as the index keeps it: with its words taken apart, and what the ranker may know of its
form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.statements import StatementKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANALYSIS = "words-4"
"""Version of the analysis that makes ``Passage.terms``. Another one makes the index anew."""


TOKEN_WIDTH = 64
"""Numbers that a token's vector is kept in: about 2 kB a passage."""

TOKEN_ONE = 127
"""What stands for 1 in a token's vector."""


class Trait(IntFlag):
    """What the form of a text says about the questions that it may answer."""

    QUESTION = 1
    """It asks something."""
    TIME = 2
    """It places something in time: "yesterday", "last May", 先週."""
    NUMBER = 4
    """It counts something."""
    FIRST_PERSON = 8
    """The speaker speaks of himself or herself."""
    WORLD = 16
    EXPERIENCE = 32
    OPINION = 64
    OBSERVATION = 128
    """It is a statement of this kind (``StatementKind``)."""


NO_TRAIT = Trait(0)
STATEMENTS = {kind: Trait[kind.name] for kind in StatementKind}
"""The kind of a statement among the traits."""


@dataclass(frozen=True)
class Passage:
    """A chunk and its analysis. Equal text gives an equal analysis, so the index can be made
    again.
    """

    chunk: Chunk
    terms: tuple[str, ...] = field(repr=False)
    """Stems and dictionary forms in the order of the text, repeated as often as they stand
    there.
    """
    names: tuple[str, ...] = field(repr=False)
    """People, places and things named, as they are written, each once; the speaker is not among
    them.
    """
    traits: Trait = NO_TRAIT


@dataclass(frozen=True)
class Embedded:
    """Vectors of one embedder, in the order of the passages or hashes that they belong to."""

    embedder: str
    vectors: NDArray[np.float32] = field(repr=False)
    """Shape (n, dimension), rows of unit length."""
    tokens: Sequence[NDArray[np.int8]] | None = field(default=None, repr=False)
    """Where the embedder gives them: for each text its tokens in context, shape (tokens,
    ``TOKEN_WIDTH``), unit vectors times ``TOKEN_ONE``.
    """


@dataclass(frozen=True)
class Labels:
    """What the person set on a document, as recall needs it to know which rows may take part."""

    ordinal: int
    """Grows with every ``put``; never used twice."""
    document: DocumentId
    private: bool
    tags: frozenset[str]


@dataclass(frozen=True)
class Indexed:
    """What the index holds of a document, to be held against what it should hold."""

    text_version: str
    chunks: int
    vectors: dict[str, int]
    """How many of the chunks have a vector, by embedder."""


@dataclass(frozen=True)
class Counts:
    """How much the index holds."""

    documents: int
    chunks: int
    vectors: int


@dataclass(frozen=True)
class Batch:
    """Rows of the index in row order, column by column; n rows."""

    rows: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    """The document of each row (``Labels.ordinal``)."""
    groups: NDArray[np.int64]
    """The session within the document; rows of one session stand side by side."""
    moments: NDArray[np.float64]
    """When it was said, in POSIX seconds; NaN where nobody knows."""
    traits: NDArray[np.int16]
    terms: Sequence[str] = field(repr=False)
    """The terms, joined by spaces."""
    names: Sequence[str] = field(repr=False)
    """The names, joined by newlines."""
    speakers: Sequence[str | None] = field(repr=False)
    codes: NDArray[np.int8] | None = field(repr=False)
    """Vectors as whole numbers, shape (n, dimension); ``None`` without a vector in the batch. A row
    of zeros has none.
    """
    scales: NDArray[np.float32] | None
    """A code times its scale is the vector; 0 where there is none."""
