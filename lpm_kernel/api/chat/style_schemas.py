"""How the person writes, as it is shown."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent

OwnVoice = Literal["auto", "on", "off"]


class OwnVoiceIn(Sent):
    """Whether answers take on how the person writes."""

    own_voice: OwnVoice = Field(
        description="`auto`: where the model is large enough that its own words are let through."
    )


class StyleFigureOut(BaseModel):
    """One thing that was measured, beside the same in general text."""

    name: str = Field(
        description=(
            "`length`: words of a sentence (of Japanese characters); `variety`: how much that"
            " varies, the standard deviation over the mean; everything else is a share of"
            " sentences, but `contracted` and `polite` of those that could be either."
        )
    )
    own: float
    general: float


class CharacteristicWordOut(BaseModel):
    """A word that the person uses more than others do."""

    word: str
    own: float = Field(description="Uses in a thousand words.")
    general: float = Field(description="The same in general text.")
    z: float = Field(description="Log-odds in standard errors.")


class LanguageStyleOut(BaseModel):
    """How the person writes one language."""

    language: Literal["en", "ja"]
    texts: int
    sentences: int
    characters: int = Field(description="Without spaces.")
    tells_apart: bool = Field(
        description="Whether their texts are alike enough that a distance from them says something."
    )
    figures: list[StyleFigureOut]
    words: list[CharacteristicWordOut]
    told: str = Field(description="What a model is told of it; empty where it says nothing.")


class LanguageShareOut(BaseModel):
    """How much of what the person wrote is in a language."""

    language: Literal["en", "ja", "other"]
    share: float
    characters: int = Field(description="How much of it was measured, without spaces.")
    needed: int | None = Field(description="From how many on it is measured; `null`: never.")


class StyleOut(BaseModel):
    """How the person writes, in how much it was measured, and whether answers take it on."""

    own_voice: OwnVoice
    taken_on: bool = Field(description="Whether the model that is there now takes it on.")
    documents: int
    turns: int
    languages: list[LanguageShareOut]
    styles: list[LanguageStyleOut]
