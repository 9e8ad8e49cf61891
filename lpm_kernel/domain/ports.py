"""The doors to the outside, as the thinking part sees them. Each has a real backend and a shipped
twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Batch, Counts, Embedded, Indexed, Labels, Passage
from lpm_kernel.domain.models.reading import TextReading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Shape (n, dimension), each row of unit length."""


class Clock(Protocol):
    """Tells the time. The twin stands still."""

    def now(self) -> datetime:
        """Return the present moment, aware, in the person's own time zone."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. The twin hashes words."""

    @property
    def id(self) -> str:
        """Name of model and version: stands in every vector row, two are never mixed in one
        scan.
        """
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself: order and company do not matter. Raises
        ``EmbedderUnavailableError``.
        """
        ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also says what every single token means where it stands, for late
    interaction.
    """

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        """Embed each text as ``embed`` does, and give its tokens too. Raises
        ``EmbedderUnavailableError``.
        """
        ...


class ReadingModel(Protocol):
    """Reads texts with a question in mind. The twin goes by the words that they share."""

    @property
    def id(self) -> str:
        """Name of model and version."""
        ...

    def read(self, question: str, texts: Sequence[str]) -> Sequence[TextReading]:
        """Say of each text, by itself, whether and where it answers. Raises
        ``ReaderUnavailableError``.
        """
        ...


@dataclass(frozen=True)
class ChatMessage:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str = field(repr=False)


@dataclass(frozen=True)
class Adapter:
    """Weights that were learned, put onto the base while it answers."""

    id: str
    """The training's."""
    path: Path
    """A GGUF file on this machine."""
    scale: float = 1.0
    """How much of it counts: 0 is the base."""


@dataclass(frozen=True)
class Sampling:
    """How words are drawn. ``None`` leaves it to the backend's default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    response_format: dict[str, Any] | None = None
    """As in the OpenAI API: ``{"type": "json_object" | "json_schema", ...}``."""
    adapter: Adapter | None = None
    """Who answers, where it is not the base. A server elsewhere refuses."""


@dataclass(frozen=True)
class Delta:
    """A piece of an answer. The last one carries why it ended and what it cost."""

    text: str = field(repr=False)
    finish_reason: Literal["stop", "length"] | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    thought: str = field(default="", repr=False)
    """What the model thinks before it answers: no part of the answer."""


@dataclass(frozen=True)
class ModelCard:
    """What a probe learned about a model, for showing it in words."""

    id: str
    context_window: int
    local: bool
    description: str = ""
    parameters: int | None = None
    """How large it is, where that is known: a small model misreads what it is given."""


@dataclass(frozen=True)
class Endpoint:
    """Where an OpenAI-compatible server answers."""

    url: str
    """Up to and without `/chat/completions`, as a rule ending in `/v1`."""
    key: str = field(default="", repr=False)
    model: str = ""
    """Empty takes the first that the server lists."""
    host: bool = False
    """The node's own model host, which has more than the OpenAI API: adapters, and how likely a
    text is.
    """


class LanguageModel(Protocol):
    """Writes text. The twin says what its script says."""

    def card(self) -> ModelCard:
        """Describe the model. Raises ``ModelUnavailableError``."""
        ...

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling = ...) -> Iterator[Delta]:
        """Write an answer piece by piece; closing the iterator stops the model.

        Raises ``ModelUnavailableError`` before the first piece or between two.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Count tokens as this model does, or estimate them on the high side."""
        ...


@runtime_checkable
class Scorer(Protocol):
    """A language model that says how likely words are, with an adapter or without. Servers
    elsewhere seldom do.
    """

    def score(
        self, messages: Sequence[ChatMessage], continuation: str, adapter: Adapter | None = ...
    ) -> Sequence[tuple[str, float]]:
        """Return each token of ``continuation`` with its natural log-probability after
        ``messages``.

        Raises ``ModelUnavailableError``, also where what serves cannot score, and
        ``PromptTooLongError``.
        """
        ...


class PassageIndex(Protocol):
    """Keeps passages where recall can find them. Derived and disposable: it can be made again from
    the documents.

    Safe to use from several threads and several processes. A document's rows are replaced in one
    short transaction.
    """

    @property
    def fresh(self) -> bool:
        """True when opening found no usable index, so that every document has to be put again."""
        ...

    def put(
        self,
        document: DocumentId,
        passages: Sequence[Passage],
        *,
        private: bool = False,
        tags: Sequence[str] = (),
        created_at: datetime | None = None,
        embedded: Embedded | None = None,
    ) -> None:
        """Make these the document's passages, in place of what was there. ``embedded`` has a row
        for each passage.

        ``created_at`` dates those passages that do not say when they were said. Without
        ``embedded``, vectors that ``cache_vectors`` kept for the same text still count. Doing it
        twice is doing it once.
        """
        ...

    def remove(self, document: DocumentId) -> bool:
        """Forget a document's passages and the vectors that no other passage has. False: there was
        none.
        """
        ...

    def put_away(self, documents: Sequence[DocumentId]) -> int:
        """Forget the passages of several documents in one transaction and keep their vectors, so
        that they can come back soon. Returns how many there were.
        """
        ...

    def drop_unused(self, hashes: Sequence[str]) -> None:
        """Forget the vectors of these texts (``text_hash`` of a chunk's content), where no passage
        has them.
        """
        ...

    def remove_all(self, documents: Sequence[DocumentId]) -> int:
        """Forget several documents in one transaction and return how many there were."""
        ...

    def set_labels(self, document: DocumentId, *, private: bool, tags: Sequence[str]) -> None:
        """Change what the person set on the document; its passages stay. Does nothing for a
        document that is not there.
        """
        ...

    def set_all_labels(self, labels: Mapping[DocumentId, tuple[bool, Sequence[str]]]) -> None:
        """Change it for several documents in one transaction: whether each is private, and its
        tags.
        """
        ...

    def cached_vectors(
        self, hashes: Sequence[str], embedder: str
    ) -> dict[str, NDArray[np.float32]]:
        """Give the vectors that are known already, by ``text_hash`` of the chunk's content, as the
        index keeps them.
        """
        ...

    def cache_vectors(self, hashes: Sequence[str], embedded: Embedded) -> None:
        """Keep vectors before their passages are put, so that a killed ingest does not embed
        twice.
        """
        ...

    def lacking(
        self, embedder: str, *, private: bool = True, after: int = 0, limit: int = 100
    ) -> list[tuple[int, Chunk]]:
        """Give passages beyond row ``after``, each with its row, whose text has no vector of this
        embedder; without ``private``, only others.
        """
        ...

    def generations(self) -> dict[str, int]:
        """Say how many passages have a vector of each embedder."""
        ...

    def drop_vectors(self, keep: str | None) -> None:
        """Forget the vectors and tokens of every embedder but this; ``None``: of every one."""
        ...

    def indexed(self) -> dict[DocumentId, Indexed]:
        """Say of every document what is there."""
        ...

    def counts(self) -> Counts:
        """Say how much there is."""
        ...

    def passage_counts(self, documents: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Say how many passages each of these has; those that are not there are missing."""
        ...

    def chunk(self, identifier: ChunkId) -> Chunk:
        """Give one chunk. Raises ``NotFoundError``."""
        ...

    def chunks_of(
        self, document: DocumentId, after: ChunkId | None = None, limit: int = 100
    ) -> list[Chunk]:
        """Give a document's chunks in the order of the text, those that stand after ``after``."""
        ...

    def find_documents(self, terms: Sequence[str], limit: int = 100) -> list[DocumentId]:
        """Name the documents in which all of these terms stand, best first."""
        ...

    def compact(self) -> None:
        """Leave no trace of what was removed: vectors without a passage, full text, free pages,
        write-ahead log.

        Vectors of an ingest that is under way go too and are made again; call it when there is
        none.
        """
        ...

    def revision(self) -> int:
        """Give a number that grows with every change. Costs less than a millisecond."""
        ...

    def labels(self) -> list[Labels]:
        """Give the documents that have rows, in the order of their ordinals."""
        ...

    def batch(self, after: int = 0, *, embedder: str | None = None, limit: int = 10_000) -> Batch:
        """Read rows beyond ``after``, with the vectors of this embedder."""
        ...

    def tokens(self, rows: Sequence[int], embedder: str) -> dict[int, NDArray[np.int8]]:
        """Give the tokens of these rows as ``Embedded.tokens`` had them; rows without are
        missing.
        """
        ...

    def chunks(self, rows: Sequence[int]) -> dict[int, Chunk]:
        """Give the chunks of these rows; rows that went away meanwhile are missing."""
        ...
