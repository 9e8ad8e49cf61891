"""Choosing what turns texts into vectors, and embedding everything anew before the choice counts.

Vectors of two embedders lie side by side in the index, each under its embedder's name, and are
never mixed. The one before serves until every passage has a vector of the new one; then the setting
changes, and the old vectors go.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from lpm_kernel.config import HOST_SERVES, Settings
from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import Embedder, PassageIndex, TokenEmbedder
from lpm_kernel.errors import ConsentNeededError, EmbedderUnavailableError
from lpm_kernel.usecases.library.ingestion import EMBEDDED
from lpm_kernel.usecases.models.choice import address, gguf_file
from lpm_kernel.usecases.models.egress import may_embed

BATCH = 32
"""Passages that are embedded, and then kept, together. Erasing waits for one batch at most."""
TRIES = 5
NAMES = {"bundled": "all-MiniLM-L6-v2", "hashing": "Hashing twin", "none": "Words alone"}
SIGNS = ("embed", "bge-", "e5-", "gte-", "minilm", "arctic")
"""What stands in the names of files that embed."""

Kind = Literal["bundled", "hashing", "none", "file", "endpoint"]


@dataclass(frozen=True)
class EmbedderChoice:
    """An embedder that a person chose."""

    kind: Kind
    path: str | None = None
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    model: str | None = None

    def as_setting(self) -> str:
        """Return the value of the setting ``embedder``. Raises ``InvalidInputError``."""
        match self.kind:
            case "bundled" | "hashing" | "none":
                return self.kind
            case "file":
                return gguf_file(self.path)
            case "endpoint":
                return address(self.url)


@dataclass(frozen=True)
class EmbedderProbe:
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    id: str = ""
    dimension: int = 0
    sentences_per_second: float | None = None
    model: str = ""
    elsewhere: bool = False
    """Texts would leave this machine."""


@dataclass(frozen=True)
class EmbedderSpec:
    """An embedder that was tried and is to serve: what a job carries, and what the settings say
    afterwards.
    """

    embedder: str
    model: str = ""
    id: str = ""
    dimension: int = 0

    @classmethod
    def of(cls, settings: Settings) -> EmbedderSpec:
        """Return the one that serves now."""
        return cls(
            settings.embedder,
            settings.embedder_model,
            settings.embedder_id,
            settings.embedder_dimension,
        )

    @property
    def kind(self) -> Kind:
        """Tell what kind of thing it is."""
        if self.embedder in HOST_SERVES:
            return "bundled" if self.embedder == "bundled" else "hashing"
        if self.embedder.startswith(("http://", "https://")):
            return "endpoint"
        return "file" if self.embedder.lower().endswith(".gguf") else "none"

    @property
    def name(self) -> str:
        """Name it for a person."""
        return (
            NAMES.get(self.embedder)
            or self.model
            or (Path(self.embedder).stem if self.kind == "file" else self.embedder)
        )

    def as_settings(self) -> dict[str, object]:
        """Return the settings that make it serve."""
        return {
            "embedder": self.embedder,
            "embedder_model": self.model,
            "embedder_id": self.id,
            "embedder_dimension": self.dimension,
        }


@dataclass(frozen=True)
class EmbedderOption:
    """An embedder as the list shows it."""

    id: str
    kind: Kind
    name: str
    active: bool
    detail: str
    passages: int
    """How many passages have a vector of it."""


def choices(
    settings: Settings, folder: Path, serves: str | None, generations: dict[str, int]
) -> list[EmbedderOption]:
    """List what can be chosen: the bundled one, files beside the models, words alone, and what is
    in use.
    """
    active = EmbedderSpec.of(settings)
    offered = [
        EmbedderSpec("bundled"),
        *(
            EmbedderSpec(str(file))
            for file in sorted(folder.glob("*.gguf"))
            if any(sign in file.name.lower() for sign in SIGNS)
        ),
        EmbedderSpec("none"),
    ]
    if active.embedder not in {spec.embedder for spec in offered}:
        offered.append(active)
    return [
        EmbedderOption(
            spec.embedder,
            spec.kind,
            (active if spec.embedder == active.embedder else spec).name,
            spec.embedder == active.embedder,
            _detail(spec),
            have,
        )
        for spec in offered
        for have in [generations.get(serves or "", 0) if spec.embedder == active.embedder else 0]
    ]


def _detail(wanted: EmbedderSpec) -> str:
    match wanted.kind:
        case "bundled":
            return (
                "384 numbers a text, on this machine; reads English, and Japanese by a dictionary"
            )
        case "hashing":
            return "Knows no meaning; for demonstrations and tests"
        case "none":
            return "No vectors: passages are found by their words, names and dates"
        case "file":
            return wanted.embedder
        case "endpoint":
            return wanted.embedder


def ask_consent(address: str, *, consent: bool) -> None:
    """Hold back what would send texts elsewhere until the person has said yes. Raises
    ``ConsentNeededError``.
    """
    if consent:
        return
    host = urlsplit(address).netloc.rpartition("@")[2]
    clear = " The way there is not encrypted." if address.startswith("http://") else ""
    raise ConsentNeededError(
        "With this embedder, the text of every document that is not private, and every question"
        f" you ask, goes to {host}.{clear} Nothing was sent or changed."
    )


def embed_anew(
    index: PassageIndex,
    embedder: Embedder,
    reading: Callable[[], AbstractContextManager[None]],
    wait: Callable[[float], None],
    progress: Progress,
) -> None:
    """Give every passage a vector of this embedder. What has one is left as it is, so a killed or
    cancelled run goes on where it stood.

    ``reading`` is held while a batch is read, embedded and kept, so that nothing is kept of what is
    erased meanwhile; ``wait`` is called before each batch and may hold it back.
    """
    private = may_embed(embedder, private=True)
    patiently = Retrying(
        retry=retry_if_exception_type(EmbedderUnavailableError),
        stop=stop_after_attempt(TRIES),
        wait=wait_exponential(multiplier=0.5, max=10),
        sleep=wait,
        reraise=True,
    )

    def batch(after: int) -> list[tuple[int, Chunk]]:
        with reading():
            lacking = index.lacking(embedder.id, private=private, after=after, limit=BATCH)
            _keep(
                index,
                embedder,
                {text_hash(chunk.content): chunk.content[:EMBEDDED] for _, chunk in lacking},
            )
        return lacking

    done = index.generations().get(embedder.id, 0)
    after = 0
    while True:
        wait(0.0)
        lacking = patiently(batch, after)
        if not lacking and not after:
            return
        after = lacking[-1][0] if lacking else 0
        done += len(lacking)
        total = max(index.counts().chunks, done)
        progress(0.95 * done / max(total, 1), "embed", f"{done} of {total} passages")


def _keep(index: PassageIndex, embedder: Embedder, texts: dict[str, str]) -> None:
    if not texts:
        return
    asked = list(texts.values())
    made = (
        embedder.embed_tokens(asked)
        if isinstance(embedder, TokenEmbedder)
        else Embedded(embedder.id, embedder.embed(asked))
    )
    index.cache_vectors(list(texts), made)
