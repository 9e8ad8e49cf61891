"""What every request and every answer may be made of, and the job that long work is answered
with.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from lpm_kernel.api.problems import ABOUT_BLANK, TYPES

Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Stretch = Annotated[list[int], Field(min_length=2, max_length=2)]
"""Where something begins and ends in a text, in code points, end exclusive."""
MemoryKind = Literal["world", "experience", "opinion", "observation", "passage", "turn"]
KeepingName = Literal["full", "summary", "none"]
"""What a chat keeps of what is said in it."""
ScopeKind = Literal["world", "experience", "opinion", "observation", "passage"]
"""What a statement tells of; a passage is none."""


class Sent(BaseModel):
    """Something that a client sends."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_written_in_whole_characters(cls, body: object) -> object:
        """Refuse half of a surrogate pair, which JSON can carry and no database can keep."""
        try:
            json.dumps(body, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError as error:
            message = "There is half a character in it."
            raise ValueError(message) from error
        return body


class Page(Sent):
    """Which page of a list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, max_length=400)


class ById(BaseModel):
    """The id in the path."""

    id: str = Field(max_length=100)


class ProblemOut(BaseModel):
    """What went wrong, what is safe, what you can do."""

    title: str
    detail: str
    hint: str = ""


class _Json:
    """Says of a field that it is sent as a text which holds JSON."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": handler(schema),
        }


In = TypeVar("In")
InJson = Annotated[In, _Json()]
"""What the `data:` line of an event holds."""


class Event(BaseModel):
    """One event of a stream: its `event:` line and its `data:` line."""

    event: str
    data: BaseModel


class HttpProblem(ProblemOut):
    """An error as `application/problem+json`."""

    type: str = Field(
        default=ABOUT_BLANK,
        description="Which problem it is, for a program; a later release may know more of them.",
        json_schema_extra={"enum": list(TYPES)},
    )
    status: int


class JobOut(BaseModel):
    """Background work."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    progress: float
    step: str
    message: str
    error: ProblemOut | None
    created_at: datetime
    ended_at: datetime | None
    document: str | None
    result: dict[str, Any] | None = Field(
        default=None,
        description=(
            "What came of it in figures, where a sentence does not say it all; only for the owner."
        ),
    )


class JobStarted(BaseModel):
    """Background work that was begun."""

    job: JobOut


class Queued(BaseModel):
    """Work that was queued."""

    job: JobOut
