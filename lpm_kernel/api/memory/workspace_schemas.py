"""The files of the workspace, what they said before, and the core that every prompt holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import JobOut, Sent

FilePath = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        description="Within the workspace, as `memory.md` or `bank/world.md`.",
    ),
]

MOST_TEXT = 200_000


class CoreOut(BaseModel):
    """What of `memory.md` stands in every prompt."""

    lines: list[str]
    tokens: int
    most: int = Field(description="Tokens that it may have.")
    left_out: int = Field(
        description="Lines of the file that did not fit; they are found like any other note."
    )


class WorkspaceFile(BaseModel):
    """One file, as it was read last."""

    path: str
    document: str
    bytes: int
    read_at: datetime
    private: bool
    versions: int


class WorkspaceOut(BaseModel):
    """The folder as a whole."""

    folder: str
    files: list[WorkspaceFile]
    core: CoreOut
    troubles: list[str] = Field(description="Files that are left alone, each with the reason.")
    unread: list[str] = Field(
        description="Lines under `## Retain` that are no statements: where, and why."
    )


class FileQuery(Sent):
    """Which file."""

    path: FilePath


class AppendIn(Sent):
    """Text for the end of a file, which is made where there is none."""

    path: FilePath
    text: str = Field(min_length=1, max_length=MOST_TEXT)


class ReplaceIn(Sent):
    """Words that stand once in a file, and those that shall stand there."""

    path: FilePath
    old: str = Field(min_length=1, max_length=MOST_TEXT)
    new: str = Field(max_length=MOST_TEXT)


class InsertIn(Sent):
    """Text for below a line."""

    path: FilePath
    line: int = Field(ge=0, le=1_000_000, description="The line above; 0 is the top.")
    text: str = Field(min_length=1, max_length=MOST_TEXT)


class Written(BaseModel):
    """The version that came of it, and the job that reads it; none where nothing changed."""

    path: str
    document: str | None
    job: JobOut | None


class DiffQuery(Sent):
    """Between which two versions."""

    path: FilePath
    before: str = Field(max_length=100, description="The older one, by its document.")
    after: str = Field(max_length=100)


class RestoreIn(Sent):
    """Which version a file shall read as."""

    path: FilePath
    version: str = Field(max_length=100)
