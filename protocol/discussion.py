"""What is said at a table: entries, each signed by its author over its exact bytes and naming the
hash of the one before.

protocol/spec/discussion.md has the fields. An entry holds no words but a hash that commits to them,
so that words can be erased and the chain still be checked. Which entry may follow which is decided
in ``tables``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, cast

from nacl.utils import random as random_bytes

from protocol import limits
from protocol.encoding import from_b64u, to_b64u
from protocol.identity import (
    DID,
    Did,
    Identity,
    Kind,
    Random,
    split_statement,
    verify,
    write_statement,
)
from protocol.messages import CITE, MEMBER_ID
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.shape import (
    HASH,
    ID,
    SECONDS,
    VERSION,
    Choice,
    Flag,
    Line,
    ListOf,
    Number,
    OneOf,
    OrNull,
    Record,
    Shape,
    Text,
    misshapen,
    read_json,
    write_json,
)


class Speaker(StrEnum):
    """What kind of voice a member is."""

    TWIN = "twin"
    """A second self."""
    ROLE = "role"
    """A role that a second self plays."""
    PERSON = "person"
    """Somebody who types."""


class Strategy(StrEnum):
    """Whose turn it is."""

    ROUND_ROBIN = "round_robin"
    MODERATED = "moderated"
    DEBATE = "debate"
    FREE = "free"


class Stop(StrEnum):
    """What ends a table."""

    ROUNDS = "rounds"
    AGREEMENT = "agreement"
    NO_NEW_EVIDENCE = "no_new_evidence"
    TIME = "time"
    PERSON = "person"
    ALONE = "alone"
    """Nobody is left who could speak. This one and ``person`` hold at every table."""


class Stance(StrEnum):
    """What a turn makes of another one."""

    AGREES = "agrees"
    DISAGREES = "disagrees"


class Says(StrEnum):
    """What a summary may say of a turn."""

    SAID = "said"
    AGREED = "agreed"
    DISAGREED = "disagreed"
    ABSTAINED = "abstained"


class Step(StrEnum):
    """What an entry is."""

    OPENING = "opening"
    INVITED = "invited"
    JOINED = "joined"
    LEFT = "left"
    CALLED = "called"
    TURN = "turn"
    FAILED = "failed"
    PAUSED = "paused"
    RESUMED = "resumed"
    STRUCK = "struck"
    SUMMARY = "summary"
    CLOSED = "closed"


_PLACE: Final = Number(0, limits.ENTRIES)
_QUOTES: Final = ListOf(_PLACE, 0, 64, distinct=True)
_MEMBER: Final = Record(
    {"id": MEMBER_ID, "did": DID, "kind": Choice(frozenset(Speaker)), "name": Line(80)}
)
_HEAD: Final[dict[str, Shape]] = {
    "v": VERSION,
    "table": ID,
    "n": _PLACE,
    "prev": OrNull(HASH),
    "iss": DID,
    "ts": SECONDS,
    "step": Choice(frozenset(Step)),
}
_BY: Final[dict[str, Shape]] = {"by": MEMBER_ID}
_BODIES: Final[dict[Step, dict[str, Shape]]] = {
    Step.OPENING: {
        "members": ListOf(_MEMBER, 1, limits.MEMBERS),
        "strategy": Choice(frozenset(Strategy)),
        "rounds": Number(1, limits.ROUNDS),
        "stop": ListOf(Choice(frozenset(Stop)), 0, len(Stop), distinct=True),
        "turns": Number(1, limits.TURNS),
        "total": Number(1, limits.TURNS_IN_ALL),
        "bytes": Number(256, limits.WORDS),
        "tokens": Number(1, 8_192),
        "exp": SECONDS,
        "words": HASH,
    },
    Step.INVITED: {"member": _MEMBER},
    Step.JOINED: {**_BY, "grant": OrNull(ID)},
    Step.LEFT: _BY,
    Step.CALLED: _BY,
    Step.TURN: {
        **_BY,
        "round": Number(1, limits.ROUNDS),
        "abstained": Flag(),
        "on": OrNull(_PLACE),
        "stance": OrNull(Choice(frozenset(Stance))),
        "quotes": _QUOTES,
        "words": HASH,
    },
    Step.FAILED: {**_BY, "code": Choice(frozenset(Code))},
    Step.PAUSED: {},
    Step.RESUMED: {},
    Step.STRUCK: {"entry": _PLACE},
    Step.SUMMARY: {
        "points": ListOf(
            Record({**_BY, "turn": _PLACE, "says": Choice(frozenset(Says))}), 0, limits.MEMBERS * 4
        ),
        "quotes": _QUOTES,
        "words": HASH,
    },
    Step.CLOSED: {"why": Choice(frozenset(Stop))},
}
_ENTRIES: Final = {step: Record({**_HEAD, **body}) for step, body in _BODIES.items()}
_QUOTED: Final = Record({"turn": _PLACE}, {"quote": Text(1, 2_000)})
_WORDS: Final = Record(
    {"salt": ID, "text": Text(0, 16_000), "cites": ListOf(OneOf((CITE, _QUOTED)), 0, 64)}
)


@dataclass(frozen=True)
class Member:
    """Somebody at a table. ``did`` signs what they say; ``name`` is only shown."""

    id: str
    did: Did
    kind: Speaker
    name: str = field(repr=False)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Member:
        """Take it from JSON whose shape was checked."""
        return cls(fields["id"], fields["did"], Speaker(fields["kind"]), fields["name"])

    def as_fields(self) -> dict[str, str]:
        """Give it as JSON."""
        return {"id": self.id, "did": self.did, "kind": self.kind, "name": self.name}


@dataclass(frozen=True)
class Words:
    """What was said, in the exact bytes that an entry commits to."""

    json: str = field(repr=False)
    text: str = field(repr=False)
    cites: tuple[Mapping[str, Any], ...] = field(repr=False)

    @classmethod
    def write(
        cls,
        text: str,
        cites: tuple[Mapping[str, Any], ...] = (),
        random: Random = random_bytes,
    ) -> Words:
        """Write words down with salt of their own; ``LocalProtocolError`` if they do not fit."""
        fields = {"salt": to_b64u(random(16)), "text": text, "cites": list(cites)}
        try:
            return cls.read(write_json(fields).decode())
        except Refusal as refusal:
            raise LocalProtocolError(f"These are no words: {refusal}") from refusal

    @classmethod
    def read(cls, json: str) -> Words:
        """Read words. Refuses ``too_large`` and ``malformed``."""
        data = json.encode("utf-8", "surrogatepass")
        if len(data) > limits.WORDS:
            raise Refusal(Code.TOO_LARGE, "words")
        value = read_json(data)
        _WORDS.check(value, "words")
        fields = cast("dict[str, Any]", value)
        return cls(json, fields["text"], tuple(fields["cites"]))

    @property
    def hash(self) -> str:
        """Commit to the words: BLAKE2b-32 of their bytes, in b64u. The salt in them keeps what was
        erased from being guessed.
        """
        data = self.json.encode()
        return to_b64u(hashlib.blake2b(data, digest_size=32, person=b"smp/1 said").digest())

    @property
    def quotes(self) -> dict[int, list[str]]:
        """Give what they quote of other turns, by the number of the turn."""
        found: dict[int, list[str]] = {}
        for cite in self.cites:
            if "turn" in cite:
                found.setdefault(cite["turn"], []).append(cite.get("quote", ""))
        return found


@dataclass(frozen=True)
class Entry:
    """One signed entry. ``text`` is how it travels, ``n`` its number from 0 on, ``prev`` the hash
    of the one before, ``ts`` in seconds.
    """

    text: str = field(repr=False)
    table: str
    n: int
    prev: str | None
    iss: Did
    ts: int
    step: Step
    fields: Mapping[str, Any] = field(repr=False)

    @classmethod
    def write(
        cls,
        by: Identity,
        table: str,
        after: tuple[int, str] | None,
        ts: int,
        step: Step,
        /,
        **body: object,
    ) -> Entry:
        """Sign an entry that comes after another (its number and its hash; ``None`` for an
        opening). ``LocalProtocolError`` if a field does not fit.
        """
        number, prev = (0, None) if after is None else (after[0] + 1, after[1])
        head = {"v": 1, "table": table, "n": number, "prev": prev, "iss": by.did, "ts": ts}
        text = write_statement(Kind.TURN, {**head, "step": step, **body}, by)
        try:
            return cls.read(text)
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no entry: {refusal}") from refusal

    @classmethod
    def read(cls, text: str) -> Entry:
        """Read and verify one entry by itself. Refuses ``malformed``, ``bad_signature``,
        ``unsupported_version``; whether it may stand where it does, ``tables`` says.
        """
        (signature,), data = split_statement(text, limits.ENTRY_TEXT)
        value = read_json(data)
        if not isinstance(value, dict):
            misshapen("entry")
        DID.check(value.get("iss"), "entry.iss")
        if not verify(str(value["iss"]), Kind.TURN, data, signature):
            raise Refusal(Code.BAD_SIGNATURE, "entry")
        if type(value.get("v")) is not int or value["v"] != 1:
            raise Refusal(Code.UNSUPPORTED_VERSION, "entry.v")
        _HEAD["step"].check(value.get("step"), "entry.step")
        step = Step(value["step"])
        _ENTRIES[step].check(value, "entry")
        if (step is Step.OPENING) != (value["n"] == 0) or (value["n"] == 0) != (
            value["prev"] is None
        ):
            misshapen("entry.n")
        names = ("table", "n", "prev", "iss", "ts")
        return cls(text, **{name: value[name] for name in names}, step=step, fields=value)

    @cached_property
    def hash(self) -> str:
        """Name it: BLAKE2b-32 of the bytes that travel, signature and json, in b64u."""
        data = from_b64u(self.text)
        return to_b64u(hashlib.blake2b(data, digest_size=32, person=b"smp/1 entry").digest())

    @property
    def place(self) -> tuple[int, str]:
        """Give its number and its hash: what the next one comes after."""
        return self.n, self.hash

    def shows(self, numbers: AbstractSet[int]) -> bool:
        """Tell whether words of one of these entries can be read here: its own, or quoted ones."""
        return not numbers.isdisjoint((self.n, *self.fields.get("quotes", ())))

    def check_words(self, words: Words, most: int) -> None:
        """Hold words against what the entry commits to. Refuses ``bad_signature`` for others,
        ``over_budget`` for more than ``most`` bytes, ``malformed`` for such as this entry has not.
        """
        if "words" not in self.fields:
            misshapen("words")
        if words.hash != self.fields["words"]:
            raise Refusal(Code.BAD_SIGNATURE, "words")
        if len(words.json.encode()) > most:
            raise Refusal(Code.OVER_BUDGET, "words")
        if words.quotes.keys() != set(self.fields.get("quotes", ())):
            misshapen("words.cites")
        if self.step is Step.SUMMARY and words.text:
            misshapen("words.text")
        if self.step is Step.TURN and self.fields["abstained"] and words.cites:
            misshapen("words.cites")
        if self.step in {Step.OPENING, Step.TURN} and not words.text.strip():
            misshapen("words.text")
