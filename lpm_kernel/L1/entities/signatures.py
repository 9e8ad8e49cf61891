"""What the signature of a letter says of who wrote it: "Your brother Conor", "love, Mum", 母より.

Only kin: "your friend" signs letters of strangers. Whose letter it is, and whether it is the
person's, is for the caller to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from lpm_kernel.L1.entities.relations import OWN, Fact, FactKind, Relation, relations
from lpm_kernel.L1.entities.resolution import key_of

ENDING: Final = 80
"""Characters of a text's end in which it is signed."""
BEGINNING: Final = 120
"""Characters of its beginning in which somebody is greeted."""

_GREETED: Final = re.compile(
    r"^\W{0,3}(?i:(?:my )?(?:dear|dearest|darling)|hi|hello|hey) (?P<who>[A-ZÀ-Þ][\w'’-]{1,20})"
    r"|^(?P<ja>[^\s、。]{1,10}?)(?:さん|ちゃん|くん|君|様|へ)(?:へ)?[、\s]",
    re.MULTILINE,
)
_NAME: Final = r"(?P<name>[A-ZÀ-Þ][\w'’-]{1,20}(?: [A-ZÀ-Þ][\w'’-]{1,20}){0,2})"
_LOVING: Final = r"(?:(?:loving|ever-loving|big|little|old|own|favourite|only) ){0,2}"
_KISSES: Final = r"(?: ?[xX]{1,5})?\.?$"


@dataclass(frozen=True)
class Signature:
    """Who signed a letter, and what they are to whoever it is written to."""

    name: str = field(repr=False)
    """Nothing, where it says only "Mum"."""
    relation: Relation
    start: int
    end: int

    @property
    def fact(self) -> Fact:
        """What it says of its writer, where the letter is written to the person."""
        return Fact(FactKind.RELATION, self.relation.name, OWN, self.start, self.end)


def signature(text: str, own: frozenset[str]) -> Signature | None:
    r"""Return how a letter to the person is signed, where it says who they are to each other;
    ``own`` is how the person is called, and ``None`` is returned where another one is greeted.

    >>> signed = signature("Dear Tom,\nThe boat is in.\nYour brother Conor", frozenset({"tom"}))
    >>> signed.name, signed.relation.name
    ('Conor', 'brother')
    >>> signature("Dear Ann,\nThe boat is in.\nYour brother Conor", frozenset({"tom"})) is None
    True
    >>> signature("雪が降りました。\n母より", frozenset({"直樹"})).relation.name
    'mother'
    """
    greeted = _GREETED.search(text[:BEGINNING])
    called = key_of(greeted["who"] or greeted["ja"]) if greeted else ""
    if called and called not in own and called not in _words():
        return None
    ends = len(text.rstrip())
    first = max(0, ends - ENDING)
    for pattern in _patterns():
        if (match := pattern.search(text[first:ends])) is not None:
            name = match.groupdict().get("name") or ""
            word = _words()[match["relation"].casefold()]
            return Signature(name, word, first + match.start("signed"), ends)
    return None


@lru_cache(maxsize=1)
def _words() -> dict[str, Relation]:
    return {
        word.casefold(): relation
        for relation in relations().values()
        if relation.group == "kin"
        for word in (*relation.english, *relation.japanese)
    }


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    kin = "|".join(sorted(map(re.escape, _words()), key=lambda word: (-len(word), word)))
    one = f"(?P<relation>{kin})"
    return (
        re.compile(rf"(?:^|[\n.!?,] ?)(?P<signed>[Yy]our {_LOVING}(?i:{one}),? {_NAME}){_KISSES}"),
        re.compile(rf"(?:^|[\n.!?,] ?)(?P<signed>{_NAME}, your {_LOVING}(?i:{one})){_KISSES}"),
        re.compile(
            r"\b(?P<signed>(?i:love|yours|hugs|kisses|xx?|lots of love|all my love|take care)"
            rf"[,.!]?\s{{1,3}}(?:[Yy]our {_LOVING})?(?i:{one})){_KISSES}"
        ),
        re.compile(
            rf"(?:^|[\n。、\s])(?P<signed>{one}(?:の|・|[ 　])(?P<name>[\u3041-\u30ff\u4e00-\u9fff]"
            r"{1,6}?)(?:より|から)?)$"
        ),
        re.compile(rf"(?:^|[\n。、\s])(?P<signed>{one}より)$"),
    )
