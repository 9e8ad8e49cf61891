"""Who the node is the second self of, and what one could ask it first."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.chat.turn_schemas import PartOut
from lpm_kernel.api.schemas import Sent, Text


class IdentityIO(Sent):
    """Who the node is the second self of."""

    name: Text = Field(min_length=1, max_length=200)
    introduction: str = Field(default="", max_length=4000)
    style: str = Field(default="", max_length=4000)
    languages: list[str] = Field(
        default=[],
        max_length=20,
        description=(
            "Codes such as `en` and `ja`; the first is spoken where a question shows no language."
        ),
    )
    values: str = Field(default="", max_length=4000, description="What matters to the person.")
    length: Literal["short", "normal", "full"] = Field(
        default="normal", description="How long answers are; `normal` leaves it to `style`."
    )
    manner: Literal["usual", "plain", "warm", "formal"] = Field(
        default="usual", description="How the node speaks; `usual` leaves it to `style`."
    )


class IdentityOut(BaseModel):
    """Who the node is the second self of; the name is empty until somebody gave one."""

    name: str
    introduction: str
    style: str
    languages: list[str]
    values: str
    length: Literal["short", "normal", "full"]
    manner: Literal["usual", "plain", "warm", "formal"]


class PreviewIn(Sent):
    """A question, and the person to whom it would be answered."""

    identity: IdentityIO
    question: Text = Field(min_length=1, max_length=2000)


class PreviewOut(BaseModel):
    """How the node would say it."""

    parts: list[PartOut]


class QuestionsQuery(Sent):
    """How many questions."""

    limit: int = Field(default=3, ge=1, le=12)


class QuestionOut(BaseModel):
    """A question that has an answer here, and where that stands."""

    question: str
    document: str
    title: str
    start: int
    end: int


class QuestionList(BaseModel):
    """Questions to begin with."""

    items: list[QuestionOut]
    next_cursor: str | None = None
