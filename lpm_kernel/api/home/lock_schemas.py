"""What is asked and told about the lock of the home."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent
from lpm_kernel.usecases.home.locking import LEAST, MOST

_LINE = r"^[^\r\n]+$"


class HomeUnlockIn(Sent):
    """What opens the home."""

    passphrase: str = Field(min_length=1, max_length=MOST, pattern=_LINE, repr=False)


class HomeUnlocked(BaseModel):
    """The home is open, and the node starts."""

    link: str = Field(
        description="Signs this browser in once the node answers; works once, for 15 minutes.",
        repr=False,
    )


class LockIn(Sent):
    """A passphrase for the home. There is no way back without it."""

    passphrase: str = Field(min_length=LEAST, max_length=MOST, pattern=_LINE, repr=False)
    before: str | None = Field(
        default=None, max_length=MOST, repr=False, description="The present one, where there is."
    )
    understood: Literal[True] = Field(
        description="That nobody can open the home for a person who has forgotten it."
    )


class PlainOut(BaseModel):
    """Something that can be read without the passphrase as things stand."""

    code: Literal["home", "workspace", "models", "run", "backups_elsewhere", "strays"] = Field(
        description=(
            "`home`: everything, while the home is open; `strays`: files that another program put"
            " into the locked home."
        )
    )
    place: str
    files: int


class LockOut(BaseModel):
    """How the home is locked."""

    state: Literal["off", "open", "locked"] = Field(
        description="`off`: it has no passphrase; `open`: it is locked when the node ends."
    )
    plain: list[PlainOut]
    trouble: str = Field(description="Why it could not be locked when that was last tried.")
