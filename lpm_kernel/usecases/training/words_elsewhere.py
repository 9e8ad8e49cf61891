"""Having an endpoint that the person names word the questions of a training: what leaves for it,
that the person said yes to that, and what came of it.

One sentence leaves at a time, without the name of the person. Nothing leaves that is private,
unless the endpoint is on this machine, and nothing to which nobody said yes: what is kept or
corrected after the training was prepared stays here. What cannot be asked is worded by rule.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.errors import ConsentNeededError, InvalidInputError
from lpm_kernel.L2.told import LONGEST, spoken
from lpm_kernel.usecases.models.choice import address, host_of
from lpm_kernel.usecases.training.rows import write_whole

BY_ENDPOINT = "endpoint"
"""The setting ``wording`` where an endpoint words."""
CONSENTED = "consented.json"
"""In the folder of a training: the statements that may be sent, by their ids and by a mark of how
they read.
"""
WORDED = "worded.json"
"""In the folder of a training: what came of wording by an endpoint."""


@dataclass(frozen=True)
class WordsEndpoint:
    """An endpoint that words questions."""

    url: str
    model: str = ""
    """Which one at the endpoint; empty for the first that it lists."""

    @property
    def host(self) -> str:
        """Where it is."""
        return host_of(self.url)

    @property
    def id(self) -> str:
        """Name it in the record of a training, and beside its answers."""
        return f"{self.host}/{self.model}" if self.model else self.host

    @property
    def key_name(self) -> str:
        """Name the secret of the endpoint."""
        return "words-key-" + hashlib.sha256(self.url.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class WordsPorts:
    """How such an endpoint is reached."""

    model: Callable[[WordsEndpoint], LanguageModel]
    """Gives what answers there; what it is sent is recorded before it leaves this machine."""
    is_here: Callable[[WordsEndpoint], bool]
    """Whether it is on this machine."""


@dataclass(frozen=True)
class WordsLeaving:
    """What would leave for an endpoint."""

    host: str
    here: bool
    """It is on this machine, so nothing leaves it."""
    encrypted: bool
    sentences: int
    kept_here: int
    """Sentences that are not sent because they are private."""

    def sentence(self) -> str:
        """Say it."""
        many = f"{self.sentences:,} sentence{'' if self.sentences == 1 else 's'}"
        private = (
            f" {self.kept_here:,} private one{' stays' if self.kept_here == 1 else 's stay'} here."
            if self.kept_here
            else ""
        )
        if self.here:
            return f"{many} would be read by {self.host}, on this machine; nothing leaves it."
        clear = "" if self.encrypted else " The way there is not encrypted."
        return (
            f"To have the questions worded, {many} that you kept or wrote would go to {self.host},"
            f" one at a time and without your name.{private}{clear}"
        )


@dataclass(frozen=True)
class WordedElsewhere:
    """What came of it."""

    host: str
    here: bool
    statements: int
    """That were to be asked about."""
    sent: int
    worded: int
    """About which it worded a question; the others have theirs by rule."""
    kept_here: int = 0
    """Not sent: private, or kept or corrected since the person said yes."""
    problem: str = ""
    """Why it was asked no more."""

    def sentence(self) -> str:
        """Say it.

        >>> WordedElsewhere("x.example", False, 5, 5, 5).sentence()
        'x.example worded questions about 5 of 5 statements (5 sent).'
        """
        kept = f", {self.kept_here:,} kept here" if self.kept_here else ""
        problem = f" {self.problem}" if self.problem else ""
        rest = " The others are worded by rule." if self.worded < self.statements else ""
        return (
            f"{self.host} worded questions about {self.worded:,} of {self.statements:,} statements"
            f" ({self.sent:,} sent{kept}).{problem}{rest}"
        )


def words_endpoint(settings: Mapping[str, Any]) -> WordsEndpoint | None:
    """Return the endpoint that words the questions of a training; ``None`` where none does."""
    if settings.get("wording") != BY_ENDPOINT:
        return None
    return WordsEndpoint(str(settings.get("words_at", "")), str(settings.get("words_model", "")))


def check_endpoint(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the address of the endpoint as it is used. Raises ``InvalidInputError``
    where it is none, or holds a password: that would stand in the record of the training.
    """
    if settings.get("wording") != BY_ENDPOINT:
        return {**settings, "words_at": "", "words_model": ""}
    url = address(str(settings.get("words_at", "")))
    if "@" in urlsplit(url).netloc:
        raise InvalidInputError(
            "The address of the endpoint holds a name or a password.",
            "Leave it out of the address, and give the key apart.",
        )
    return {**settings, "words_at": url}


def leaving(place: WordsEndpoint, taught: Iterable[Taught], *, here: bool) -> WordsLeaving:
    """Say what would leave for an endpoint if it worded the questions about these."""
    short = [each for each in map(spoken, taught) if len(each.text) <= LONGEST]
    may = [each for each in short if here or not each.private]
    return WordsLeaving(
        place.host,
        here,
        place.url.startswith("https://"),
        len({each.text for each in may}),
        len({each.text for each in short if each not in may}),
    )


def check_consent(what: WordsLeaving, *, consent: bool) -> None:
    """Hold back what would leave until the person has said yes. Raises ``ConsentNeededError``."""
    if what.sentences and not (what.here or consent):
        raise ConsentNeededError(f"{what.sentence()} Nothing was sent or prepared.")


def note_consent(place: Path, taught: Iterable[Taught]) -> None:
    """Note beside a training what may be sent: these statements, as they read now."""
    marks = {each.memory: _mark(each) for each in map(spoken, taught)}
    write_whole(place / CONSENTED, json.dumps(marks))


def consented_in(place: Path) -> Mapping[MemoryId, str]:
    """Return what may be sent: marks of how statements read, by their ids."""
    file = place / CONSENTED
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def may_leave(taught: Taught, consented: Mapping[MemoryId, str], *, here: bool) -> bool:
    """Tell whether a statement may be sent: the person said yes to it as it reads, and it is not
    private, unless the endpoint is on this machine.
    """
    return here or (not taught.private and consented.get(taught.memory) == _mark(taught))


def _mark(taught: Taught) -> str:
    return hashlib.sha256(taught.text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def forget_consent(place: Path, gone: Collection[str]) -> None:
    """Take out of what is noted beside a training the statements that are gone: a short text can be
    guessed from its hash.
    """
    marks = consented_in(place)
    if not set(gone).isdisjoint(marks):
        left = {memory: mark for memory, mark in marks.items() if memory not in gone}
        write_whole(place / CONSENTED, json.dumps(left))


def note_worded(place: Path, worded: WordedElsewhere) -> None:
    """Note beside a training what came of it."""
    write_whole(place / WORDED, json.dumps(asdict(worded), ensure_ascii=False))


def worded_in(place: Path) -> WordedElsewhere | None:
    """Return what came of it; ``None`` where no endpoint was asked."""
    file = place / WORDED
    if not file.exists():
        return None
    known = json.loads(file.read_text("utf-8"))
    return WordedElsewhere(**{field.name: known[field.name] for field in fields(WordedElsewhere)})
