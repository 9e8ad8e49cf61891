"""Whether what a sentence says of an offer or an office may be told of the day of its document."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.L0.language import irrealis

_REFUSED: Final = re.compile(
    r"\b(?:not|unable|unfortunately|regret|cannot|if|would have|declin\w*|withdraw\w*|no longer)\b",
    re.IGNORECASE,
)
_UNREAL: Final = (
    irrealis.GUESS,
    irrealis.HOPE,
    irrealis.MAY,
    irrealis.NEARLY,
    irrealis.POSSIBILITY,
    irrealis.QUESTION,
)
_SUPPOSED: Final = re.compile(
    r"\b(?:(?:would|should)(?! like to (?:offer|confirm|appoint|invite))|had"
    r"|(?:was|were) going to|plan\w*|consider\w*|intend\w*|unless|until|instead of|rather than"
    r"|end(?:s|ed|ing)|expir\w*|terminat\w*|cancel\w*|resign\w*|revok\w*)\b"
    rf"|n['’]t\b|[\"“”«»]|{irrealis.english(*_UNREAL)}",
    re.IGNORECASE,
)
"""It is not so, may never be, is over, or another says it."""
_PAST: Final = re.compile(
    r"\b(?:ago|formerly|previously|once|back (?:in|then)|at the time|used to|since"
    r"|last (?:year|month|week|spring|summer|autumn|winter)|in (?:the )?(?-i:Jan|Feb|Mar|Apr|May"
    r"|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*)\b",
    re.IGNORECASE,
)
"""It was so at another time than that of the document."""
_UNREAL_JA: Final = (
    irrealis.CONDITION,
    irrealis.CONDITIONAL_FORM,
    irrealis.DENIAL,
    irrealis.GUESS,
)
_NOT_HELD: Final = re.compile(
    r"\b(?:former|late|ex|outgoing|retire[ds]|previous|past|then|one-time|candidates?|nomin\w+"
    r"|appl(?:y|ie)\w*|applicants?|aspiring|elect|never|why|how)\b|[?？]"
    r"|候補|推薦|前任|元の|案|以前|かつて|当時|昨年|去年"
    rf"|{irrealis.japanese(*_UNREAL_JA)}",
    re.IGNORECASE,
)
"""An office that somebody had, wants, or may get."""
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def is_refused(text: str) -> bool:
    """Tell whether a sentence to somebody refuses something, or makes a condition."""
    return _REFUSED.search(text) is not None


def is_unsure(text: str) -> bool:
    """Tell whether what it says may never be, or was at another time.

    >>> [is_unsure(text) for text in ("We might offer you the post.", "We offer you the post.")]
    [True, False]
    """
    return any(pattern.search(text) for pattern in (_SUPPOSED, _PAST))


def is_not_held(text: str) -> bool:
    """Tell whether an office in a sentence may not be held by whom it names.

    >>> [is_not_held(text) for text in ("So says former chair Ada Moe.", "So says chair Ada Moe.")]
    [True, False]
    """
    return is_refused(text) or is_unsure(text) or _NOT_HELD.search(text) is not None


def is_of_its_day(claim: Claim) -> bool:
    """Tell whether what a claim says may be told with its month: it names no other year."""
    if claim.moment is None:
        return False
    year = str(datetime.fromtimestamp(claim.moment).astimezone().year)
    return set(_YEAR.findall(claim.text)) <= {year}
