"""Models that write, how one is, and their downloads."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent


class PartState(BaseModel):
    """How a part of the node is."""

    id: str
    state: Literal["ready", "starting", "down"]
    sentence: str


class ModelOut(BaseModel):
    """A model that can be chosen, or fetched."""

    id: str
    kind: Literal["bundled", "file", "endpoint", "scripted", "catalogue"]
    name: str
    active: bool
    detail: str
    purpose: Literal["chat", "embedding"] = "chat"
    licence: str = ""
    url: str = Field(default="", description="Where it would be fetched from.")
    bytes: int = Field(
        default=0,
        description="Of a file its size; of the catalogue about how much is to be fetched.",
    )
    fetched: int = Field(
        default=0, description="How much lies there from a download that is not finished."
    )
    job: str | None = Field(
        default=None, description="The download that is under way, or that did not end well."
    )
    languages: list[str] = Field(
        default=[], description="Of the catalogue: the languages that it writes well, by code."
    )
    fits: bool = Field(
        default=False, description="Of the catalogue: this machine has the memory free to run it."
    )


class ModelList(BaseModel):
    """Models that can be chosen."""

    items: list[ModelOut]
    next_cursor: str | None = None


class ModelChoice(Sent):
    """A model: the bundled one, a GGUF file, or an OpenAI-compatible endpoint."""

    kind: Literal["bundled", "file", "endpoint"]
    path: str | None = Field(default=None, max_length=4000)
    url: str | None = Field(default=None, max_length=2000)
    key: str | None = Field(default=None, max_length=1000)
    model: str | None = Field(default=None, max_length=300)


class ThinkingChoice(Sent):
    """A model that thinks, or `none`."""

    kind: Literal["none", "bundled", "file", "endpoint"]
    path: str | None = Field(default=None, max_length=4000)
    url: str | None = Field(default=None, max_length=2000)
    key: str | None = Field(default=None, max_length=1000)
    model: str | None = Field(default=None, max_length=300)


class ThinkingOut(BaseModel):
    """What thinks now. A key is never shown, only whether there is one."""

    kind: Literal["none", "bundled", "file", "endpoint", "scripted"]
    name: str = Field(description="Of a file its name, of an endpoint its address.")
    model: str = Field(description="Which model of an endpoint.")
    here: bool = Field(description="On this machine: nothing leaves it.")
    keyed: bool


class ProbeOut(BaseModel):
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    context_window: int | None
    words_per_second: float | None


class DownloadIn(Sent):
    """Where to fetch a model from, when it is not in the catalogue."""

    url: str | None = Field(default=None, max_length=2000)
    consent: bool = Field(
        default=False, description="The person knows that it is a stranger's work."
    )
