"""Tables for tests: Asako is the host, with her second self, a role and herself; Bram's second self
is a guest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.discussion import Entry, Member, Speaker, Step, Words
from protocol.encoding import to_b64u
from protocol.grants import Consent
from protocol.ledger import Said, verify
from protocol.scope import Form, Layer, RowKind, Scope
from protocol.table_grants import TableGrant
from protocol.tables import Table
from tests.protocol.twins import DAY, NOW, Person, dice

ASAKO, BRAM, MALLORY = Person("asako"), Person("bram"), Person("mallory")
TABLE = to_b64u(dice("table")(16))
SEATS = (
    Member("asako", ASAKO.did, Speaker.TWIN, "Asako"),
    Member("bram", BRAM.did, Speaker.TWIN, "Bram"),
    Member("cook", ASAKO.did, Speaker.ROLE, "The cook"),
    Member("me", ASAKO.did, Speaker.PERSON, "Asako"),
)
RULES: Mapping[str, object] = {
    "members": [each.as_fields() for each in SEATS],
    "strategy": "round_robin",
    "rounds": 3,
    "stop": ["rounds", "agreement"],
    "turns": 5,
    "total": 12,
    "bytes": 2_000,
    "tokens": 200,
    "exp": NOW + DAY,
}
SIGNERS = {"asako": ASAKO, "bram": BRAM, "cook": ASAKO, "me": ASAKO}


@dataclass
class Sitting:
    """A record that grows by what is right."""

    table: str = TABLE
    rules: Mapping[str, object] = field(default_factory=lambda: RULES)
    said: list[Said] = field(default_factory=list)

    def write(self, by: Person, step: Step, words: Words | None = None, /, **body: object) -> Said:
        """Sign what would come next, right or wrong."""
        after = self.said[-1][0].place if self.said else None
        body |= {} if words is None else {"words": words.hash}
        entry = Entry.write(by.keys.identity, self.table, after, NOW + len(self.said), step, **body)
        return entry, words

    def then(self, by: Person, step: Step, words: Words | None = None, /, **body: object) -> Entry:
        """Add the next entry."""
        self.said.append(self.write(by, step, words, **body))
        return self.said[-1][0]

    def open(self) -> Entry:
        """Open the table, and have Bram's second self come to it."""
        aim = Words.write("Where do we go in May?", random=dice("aim"))
        self.then(ASAKO, Step.OPENING, aim, **self.rules)
        return self.then(BRAM, Step.JOINED, by="bram", grant=None)

    def turn(
        self,
        who: str,
        text: str,
        number: int = 1,
        by: Person | None = None,
        **changed: object,
    ) -> Said:
        """Sign a turn, by the member or by somebody else."""
        cites = changed.pop("cites", ())
        assert isinstance(cites, Sequence)
        words = Words.write(text, tuple(cites), dice(f"{len(self.said)} {text}"))
        body: dict[str, object] = {"by": who, "round": number, "abstained": False, "on": None}
        body |= {"stance": None, "quotes": sorted(words.quotes), **changed}
        return self.write(by or SIGNERS[who], Step.TURN, words, **body)

    def speak(self, who: str, text: str, number: int = 1, **changed: object) -> Entry:
        """Add a turn."""
        self.said.append(self.turn(who, text, number, **changed))  # type: ignore[arg-type]
        return self.said[-1][0]

    @property
    def now(self) -> Table:
        """Give the table as its record makes it."""
        return verify(self.said)


def sitting(**rules: object) -> Sitting:
    """Begin a table with Bram at it."""
    begun = Sitting(rules={**RULES, **rules})
    begun.open()
    return begun


def told(*, agree: bool = True) -> list[Said]:
    """Give a record of one round; ``agree``: all of them to the first turn."""
    begun = sitting()
    begun.speak("asako", "To the sea.")
    says: dict[str, Any] = {"on": 2, "stance": "agrees"} if agree else {}
    begun.speak("bram", "Yes, the sea.", **says)
    return begun.said


def table_grant(owner: Person, host: Person, **changed: object) -> TableGrant:
    """Grant a host 30 turns at the table, of what is tagged "travel"."""
    scope = Scope(
        frozenset({"travel"}),
        frozenset(RowKind),
        frozenset(Layer),
        None,
        None,
        Form.EXCERPT,
        "planning",
    )
    ids = to_b64u(dice("table grant")(16))
    plain = TableGrant(
        ids, owner.did, host.did, TABLE, NOW, NOW + DAY, scope, 30, 2_000, 200, Consent.AUTO
    )
    return replace(plain, **changed)  # type: ignore[arg-type]
