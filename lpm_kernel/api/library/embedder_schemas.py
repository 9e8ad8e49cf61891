"""What turns texts into vectors."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import JobOut, JobStarted, Sent


class EmbedderChoice(Sent):
    """What turns texts into vectors: the bundled model, a GGUF file, an OpenAI-compatible endpoint,
    or nothing.
    """

    kind: Literal["bundled", "hashing", "none", "file", "endpoint"]
    path: str | None = Field(default=None, max_length=4000)
    url: str | None = Field(default=None, max_length=2000)
    key: str | None = Field(default=None, max_length=1000)
    model: str | None = Field(default=None, max_length=300)
    consent: bool = Field(
        default=False,
        description="The person knows that texts and questions go to another machine.",
    )


class EmbedderTried(BaseModel):
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    id: str
    dimension: int
    sentences_per_second: float | None
    model: str
    elsewhere: bool = Field(description="Texts would leave this machine.")


class EmbedderOut(BaseModel):
    """An embedder that can be chosen."""

    id: str
    kind: Literal["bundled", "hashing", "none", "file", "endpoint"]
    name: str
    active: bool
    detail: str
    passages: int = Field(description="How many passages have a vector of it.")


class EmbedderList(BaseModel):
    """Embedders that can be chosen, and the one that is being brought in."""

    items: list[EmbedderOut]
    next_cursor: str | None = None
    passages: int = Field(description="How many passages there are.")
    wanted: str | None = Field(
        description="The name of the embedder that everything is being embedded with, or was to be."
    )
    job: JobOut | None


class EmbedderStarted(JobStarted):
    """What the probe said, and the work that embeds everything anew."""

    tried: EmbedderTried
