"""A statement that is not so: the same words with a name, a number or a date that stands elsewhere
in memory.

What is invented so reads like what is true and speaks of the same life; only who knows it can tell
them apart. A name gives way to one of the same kind, a number to one of the same unit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from lpm_kernel.domain.memory.entities import EntityKind
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import MONTHS
from lpm_kernel.L2.topics import proper_names

_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_COUNTED = (
    "three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    "|sixty|seventy|eighty|ninety"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTH = re.compile(rf"(?<!\b(?:29|30|31) )\b(?:{MONTHS})\b(?! (?:29|30|31)\b)")
_DAY = re.compile(rf"\b(?:{_DAYS})\b")
_NUMBER_WORD = re.compile(rf"\b(?:{_COUNTED})\b(?!-)")
_NUMBER = re.compile(
    r"(?<![\d.,:/-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
    r"(?:[ -]?([A-Za-z%]+)|([月日時分人挺本円年歳件台枚回]))"
)
_AFTER_PLACE = re.compile(r"\b(?:in|at|near|into|outside|moved to|went to|move to)\s+(\w+)")
_AFTER_PERSON = re.compile(r"\b(?:with|by|and|told|asked|met|thank|dear|for)\s+(\w+)")
_PERSON_DOES = re.compile(
    r"\b(\w{1,30})(?:['\u2019]s\b|\s(?:said|says|asked|wrote|writes|rang|calls|called|came|lent|told"
    r"|thinks|has|did|plays|played|makes|made)\b)"
)
_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Prof)\b")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Replaceable:
    """A name, a number or a date of a statement, which another one of its class can replace."""

    surface: str = field(repr=False)
    kind: str
    """What may replace it: something of the same kind."""
    start: int
    end: int


class Distractors:
    """Statements with something of another statement in them. All of it comes from the statements
    that are given here, and none is what one of those or of others says.
    """

    def __init__(
        self,
        told: Sequence[Taught],
        kinds: Mapping[str, EntityKind] | None = None,
        called: Mapping[str, Sequence[str]] | None = None,
        also_told: Sequence[Taught] = (),
    ) -> None:
        """``kinds`` says what a name is the name of, ``called`` what else its bearer is called,
        ``also_told`` what is so besides.
        """
        self._kinds = kinds or {}
        self._bearer = {
            other: name for name, others in (called or {}).items() for other in (name, *others)
        }
        every = "\n".join(taught.text for taught in told)
        self._places = Counter(_AFTER_PLACE.findall(every))
        self._people = Counter(_AFTER_PERSON.findall(every))
        self._doing = Counter(_PERSON_DOES.findall(every))
        self._said = {_folded(taught.text) for taught in (*told, *also_told)}
        self._by_kind: dict[str, list[tuple[str, MemoryId]]] = defaultdict(list)
        for taught in told:
            for slot in self.slots(taught):
                self._by_kind[slot.kind].append((slot.surface, taught.memory))

    def distort(self, taught: Taught, question: str, random: Random) -> tuple[str, MemoryId] | None:
        """Return a statement with one thing exchanged that its question does not name, and the
        statement that this is from; ``None`` where nothing fits, or all that comes of it was told
        as well.
        """
        slots = [slot for slot in self.slots(taught) if slot.surface not in question]
        for slot in random.sample(slots, len(slots)):
            others = [
                (surface, memory)
                for surface, memory in self._by_kind[slot.kind]
                if memory != taught.memory and self._differs(surface, slot, taught.text)
            ]
            random.shuffle(others)
            if slot.kind == "year":
                others.sort(key=lambda other: abs(int(other[0]) - int(slot.surface)))
            for surface, memory in others[:3]:
                made = _replaced(taught.text, slot, surface)
                if _folded(made) not in self._said:
                    return made, memory
        return None

    def slots(self, taught: Taught) -> Iterator[Replaceable]:
        """Yield what can be exchanged in a statement."""
        text = taught.text
        for pattern, kind in (
            (_YEAR, "year"),
            (_MONTH, "month"),
            (_DAY, "day"),
            (_NUMBER_WORD, "word"),
        ):
            for match in pattern.finditer(text):
                yield Replaceable(match[0], kind, *match.span())
        for match in _NUMBER.finditer(text):
            unit = (match[2] or match[3]).lower().rstrip("s")
            if not _YEAR.fullmatch(match[1]) and unit not in {"st", "nd", "rd", "th"}:
                yield Replaceable(match[1], f"number {unit}", *match.span(1))
        for name in dict.fromkeys((*taught.entities, *proper_names(text))):
            start = text.find(name)
            bearer = self._kind(name)
            if start >= 0 and bearer is not None:
                yield Replaceable(name, f"{bearer} {unspaced(name)}", start, start + len(name))

    def _kind(self, name: str) -> EntityKind | None:
        known = self._kinds.get(self._bearer.get(name, name)) or self._kinds.get(name)
        if known is not None and known not in (EntityKind.UNKNOWN, EntityKind.IDEA):
            return known
        if _TITLE.match(name):
            return EntityKind.PERSON
        words = _WORD.findall(name) or [name]
        places = self._places[words[0]]
        people = self._people[words[0]] + self._doing[words[-1]]
        if places == people:
            return None
        return EntityKind.PLACE if places > people else EntityKind.PERSON

    def _differs(self, surface: str, slot: Replaceable, text: str) -> bool:
        """Tell whether this says something else in the place of a slot: no other name of the same
        bearer, and nothing that stands in the statement already.
        """
        mine, theirs = set(_WORD.findall(slot.surface)), set(_WORD.findall(surface))
        same = self._bearer.get(surface, surface) == self._bearer.get(slot.surface, slot.surface)
        return not same and not mine & theirs and surface not in text


def _replaced(text: str, slot: Replaceable, surface: str) -> str:
    """Put something into the place of a slot; of a name everywhere that it stands as a word."""
    if slot.kind.split()[0] in {"year", "month", "day", "word", "number"}:
        return text[: slot.start] + surface + text[slot.end :]
    if unspaced(slot.surface):
        return text.replace(slot.surface, surface)
    return re.sub(rf"(?<!\w){re.escape(slot.surface)}(?!\w)", lambda _: surface, text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
