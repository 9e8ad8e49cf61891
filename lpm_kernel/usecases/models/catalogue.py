"""Choosing the model: what there is, and what a choice means in settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal
from urllib.parse import urlsplit

from lpm_kernel.config import Settings
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.models.choice import address, gguf_file

BUNDLED_NAME = "SmolLM2-135M-Instruct"


@dataclass(frozen=True)
class ModelChoice:
    """A model that a person chose."""

    kind: Literal["bundled", "file", "endpoint"]
    path: str | None = None
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    model: str | None = None

    def as_setting(self) -> str:
        """Return the value of the setting ``model``. Raises ``InvalidInputError``."""
        match self.kind:
            case "bundled":
                return "bundled"
            case "file":
                return gguf_file(self.path)
            case "endpoint":
                return address(self.url)


def kind_of(setting: str) -> str:
    """Say what kind of model a value of the setting ``model`` names.

    >>> (kind_of("bundled"), kind_of("https://models.example.org/v1"),
    ...  kind_of("scripted:twin.json"), kind_of("/models/a.gguf"))
    ('bundled', 'endpoint', 'scripted', 'file')
    """
    if setting.startswith("http"):
        return "endpoint"
    return next((kind for kind in ("bundled", "scripted") if setting.startswith(kind)), "file")


@dataclass(frozen=True)
class ModelProbe:
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    context_window: int | None = None
    words_per_second: float | None = None


@dataclass(frozen=True)
class CatalogueEntry:
    """A model that the catalogue knows."""

    id: str
    name: str
    purpose: Literal["chat", "embedding"]
    about_bytes: int
    memory_bytes: int
    """About how much memory it wants to itself while it runs."""
    languages: tuple[str, ...]
    """Those that it writes well, by their codes."""
    licence: str
    url: str
    sha256: str | None
    about: str


CATALOGUE = Path(__file__).resolve().parents[2] / "backends" / "llm" / "catalogue.json"
OWN = "url"
"""Stands for the catalogue's id where the person gives an address of their own."""


def catalogue(path: Path = CATALOGUE) -> list[CatalogueEntry]:
    """Return the models that can be fetched by name."""
    return [
        CatalogueEntry(**{**load, "languages": tuple(load["languages"])})
        for load in json.loads(path.read_text("utf-8"))["models"]
    ]


def found(entries: Sequence[CatalogueEntry], identifier: str) -> CatalogueEntry:
    """Return one of them. Raises ``NotFoundError``."""
    for entry in entries:
        if entry.id == identifier:
            return entry
    raise NotFoundError("model", identifier)


@dataclass(frozen=True)
class ModelOption:
    """A model as the list shows it."""

    id: str
    kind: Literal["bundled", "file", "endpoint", "scripted", "catalogue"]
    name: str
    active: bool
    detail: str
    purpose: Literal["chat", "embedding"] = "chat"
    licence: str = ""
    url: str = ""
    bytes: int = 0
    """Of a file: its size; of the catalogue: about how much is to be fetched."""
    fetched: int = 0
    """How much of it lies there from a download that is not finished."""
    job: str | None = None
    """The download under way, or the last one that did not end well."""
    languages: tuple[str, ...] = ()
    """Of the catalogue: those that it writes well."""
    fits: bool = False
    """Of the catalogue: the memory that is free now is enough to run it."""


def choices(
    settings: Settings,
    folder: Path,
    entries: Sequence[CatalogueEntry] = (),
    jobs: Sequence[Job] = (),
    free: int = 0,
) -> list[ModelOption]:
    """List the bundled model, the GGUF files in the home, whatever else is in use, and what can be
    fetched. ``free`` is how many bytes of memory are free.
    """
    files = sorted(folder.glob("*.gguf"))
    offered = [_bundled(settings), *(_in_the_home(settings, file, entries) for file in files)]
    if not any(option.active for option in offered):
        offered.append(_in_use(settings))
    here = {file.name for file in files}
    latest: dict[str, Job] = {}
    for job in jobs:  # newest first
        latest.setdefault(str(job.request.get("url", "")), job)
    return offered + [
        _to_fetch(entry, folder, latest.get(entry.url), free)
        for entry in entries
        if _file_name(entry) not in here
    ]


def _file_name(entry: CatalogueEntry) -> str:
    return PurePath(urlsplit(entry.url).path).name


def _bundled(settings: Settings) -> ModelOption:
    return ModelOption(
        "bundled",
        "bundled",
        BUNDLED_NAME,
        settings.model == "bundled",
        "135 million parameters; answers at once, and often wrong: its evidence is quoted"
        " beside it",
    )


def _in_the_home(settings: Settings, file: Path, entries: Sequence[CatalogueEntry]) -> ModelOption:
    known = next(
        (
            catalogue_entry
            for catalogue_entry in entries
            if _file_name(catalogue_entry) == file.name
        ),
        None,
    )
    size = file.stat().st_size
    return ModelOption(
        str(file),
        "file",
        known.name if known else file.stem,
        settings.model == str(file),
        f"{size / 1e9:.1f} GB",
        purpose=known.purpose if known else "chat",
        licence=known.licence if known else "",
        bytes=size,
    )


def _in_use(settings: Settings) -> ModelOption:
    """Describe a model that is neither bundled nor in the home."""
    if settings.model.startswith("http"):
        return ModelOption(
            settings.model,
            "endpoint",
            settings.model_name or settings.model,
            active=True,
            detail=settings.model,
        )
    if settings.model.startswith("scripted"):
        return ModelOption(
            "scripted",
            "scripted",
            "Scripted twin",
            active=True,
            detail="Says what its script says; for demonstrations and tests",
        )
    return ModelOption(
        settings.model,
        "file",
        Path(settings.model).stem,
        active=True,
        detail=settings.model,
    )


def _to_fetch(entry: CatalogueEntry, folder: Path, last: Job | None, free: int) -> ModelOption:
    part = folder / f"{_file_name(entry)}.part"
    return ModelOption(
        entry.id,
        "catalogue",
        entry.name,
        active=False,
        detail=entry.about,
        purpose=entry.purpose,
        licence=entry.licence,
        url=entry.url,
        bytes=entry.about_bytes,
        fetched=part.stat().st_size if part.exists() else 0,
        job=last.id if last is not None and last.state is not JobState.SUCCEEDED else None,
        languages=entry.languages,
        fits=entry.memory_bytes <= free,
    )
