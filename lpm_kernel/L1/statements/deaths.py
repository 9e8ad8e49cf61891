"""Who died, where a sentence says so of somebody of its writer's or of whom it is written to.

By rule, and only in so many words: what is dreamt, feared, supposed or told again says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.L0.language import irrealis
from lpm_kernel.L1.entities.relations import Relation, relations

KINSHIP: Final = {
    word: relation
    for relation in relations().values()
    if relation.group == "kin"
    for word in (*relation.english, *relation.japanese)
}
"""Words for kin."""
_OF_DEATH: Final = (
    r"(?:(?:has )?died(?! (?:laughing|of (?:laughter|shame|boredom|embarrassment)|inside|a little))"
    r"|passed away|is dead(?=[,.;!]|$| and| now))"
)
_WHO_DIED: Final = r"(?P<name>[A-ZÀ-Þ][\w'’-]{1,20}(?: [A-ZÀ-Þ][\w'’-]{1,20}){0,2})"
_DIED: Final = re.compile(
    r"\b(?:[Mm]y|[Oo]ur) (?:(?P<which>[a-z-]{1,12}) )?(?P<relation>[a-z]{2,12})"
    rf"(?:,? {_WHO_DIED},?)? {_OF_DEATH}"
)
_NAME_DIED: Final = re.compile(
    rf"(?:^|\b(?:[Ww]hen|[Ss]ince|[Aa]fter|[Bb]efore) ){_WHO_DIED} {_OF_DEATH}"
)
_DIED_JA: Final = re.compile(
    r"(?:^|。)(?:[^、。]{0,12}[年月日に朝夜春夏秋冬]、)?(?P<name>[^\s、。はが]{1,10})(?:が|は)"
    r"(?:死んだ|死んでしまった|亡くなった|亡くなりました|亡くなって|逝った|逝って|他界した)(?!よう|みたい|ふり)"
)
_UNREAL: Final = (
    irrealis.CONDITION,
    irrealis.CONDITIONAL_FORM,
    irrealis.IMAGINATION,
    irrealis.DREAM,
    irrealis.GUESS,
    irrealis.HEARSAY,
    irrealis.POSSIBILITY,
    irrealis.MAY,
    irrealis.WOULD,
    irrealis.SHOULD,
    irrealis.WISH,
    irrealis.HOPE,
    irrealis.FEAR,
    irrealis.MISTAKE,
    irrealis.BELIEF,
    irrealis.NEARLY,
    irrealis.REPORT,
    irrealis.DENIAL,
)
_NO_DEATH: Final = re.compile(
    r"[\"“”«»‘「」『』]|たって|だって"
    rf"|{irrealis.english(*_UNREAL)}|{irrealis.japanese(*_UNREAL)}",
    re.IGNORECASE,
)
"""It is supposed, feared or dreamt, or another says it, of their own."""
_YOURS_DIED: Final = re.compile(
    r"\b[Yy]our (?P<relation>\w{2,12}(?:-in-law)?)(?:,? (?P<name>[A-ZÀ-Þ][^,.;]{1,40}?),?)?"
    rf" {_OF_DEATH}"
)


@dataclass(frozen=True)
class Death:
    """Somebody who died, as a sentence says it."""

    relation: Relation | None
    """What they were; ``None`` where only the name is said."""
    name: str = field(repr=False)
    which: str = ""
    """A word before the relation: the first husband."""


def own_deaths(text: str) -> Iterator[Death]:
    """Yield who died by a sentence of the person's own.

    >>> [death.name for death in own_deaths("My brother Ian died in 2019.")]
    ['Ian']
    >>> list(own_deaths("I dreamt that my brother Ian died."))
    []
    """
    if _NO_DEATH.search(text):
        return
    for match in _DIED.finditer(text):
        if (relation := KINSHIP.get(match["relation"])) is not None:
            yield Death(relation, match["name"] or "", match["which"] or "")
    for match in (*_NAME_DIED.finditer(text), *_DIED_JA.finditer(text)):
        whose, of, name = match["name"].rpartition("の")
        relation = KINSHIP.get((whose if of else name).casefold())
        if relation is not None:
            yield Death(relation, name if of else "")
        elif not of:
            yield Death(None, name)


def their_deaths(text: str) -> Iterator[Death]:
    """Yield whom a person lost by a sentence that is written to them."""
    if _NO_DEATH.search(text):
        return
    for match in _YOURS_DIED.finditer(text):
        if (relation := KINSHIP.get(match["relation"])) is not None:
            yield Death(relation, match["name"] or "")
