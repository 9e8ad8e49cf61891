"""Choosing the model: what there is, and what a choice means in settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lpm_kernel.config import Settings
from lpm_kernel.errors import InvalidInputError

BUNDLED_NAME = "SmolLM2-135M-Instruct"


@dataclass(frozen=True)
class Choice:
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
                path = Path(self.path or "").expanduser()
                if not self.path or not path.is_absolute() or path.suffix.lower() != ".gguf" or not path.is_file():
                    raise InvalidInputError("There is no GGUF file there.", "Give the whole path of a file that ends in .gguf.")
                return str(path)
            case "endpoint":
                if not (self.url or "").startswith(("http://", "https://")):
                    raise InvalidInputError("The address of an endpoint begins with http:// or https://.", "For example http://127.0.0.1:11434/v1.")
                return (self.url or "").rstrip("/")


@dataclass(frozen=True)
class Tried:
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    context_window: int | None = None
    words_per_second: float | None = None


@dataclass(frozen=True)
class Offered:
    """A model as the list shows it."""

    id: str
    kind: Literal["bundled", "file", "endpoint", "scripted"]
    name: str
    active: bool
    detail: str


def choices(settings: Settings, folder: Path) -> list[Offered]:
    """List the bundled model, the GGUF files in the home, and whatever else is in use."""
    offered = [
        Offered(
            "bundled",
            "bundled",
            BUNDLED_NAME,
            settings.model == "bundled",
            "135 million parameters; answers at once, and often wrong: its evidence is quoted beside it",
        )
    ]
    offered += [
        Offered(str(file), "file", file.stem, settings.model == str(file), f"{file.stat().st_size / 1e9:.1f} GB") for file in sorted(folder.glob("*.gguf"))
    ]
    if not any(each.active for each in offered):
        if settings.model.startswith("http"):
            offered.append(Offered(settings.model, "endpoint", settings.model_name or settings.model, active=True, detail=settings.model))
        elif settings.model.startswith("scripted"):
            offered.append(Offered("scripted", "scripted", "Scripted twin", active=True, detail="Says what its script says; for demonstrations and tests"))
        else:
            offered.append(Offered(settings.model, "file", Path(settings.model).stem, active=True, detail=settings.model))
    return offered
