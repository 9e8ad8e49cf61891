"""What a sentence that was made for a biography says, whatever its month, tense or company: struck
once, it stays out in other words too.

"In May 2020 I was editor." and "In June 2023 I was appointed editor." say the same of a life, and
so do "My brother is called Colm." and "My brother was called Colm Byrne."
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from lpm_kernel.domain.memory.reflection import WrittenLine
from lpm_kernel.L1.entities.relations import relations
from lpm_kernel.L1.entities.resolution import key_of

_MONTH: Final = r"In [A-Z][a-z]{2,8} \d{4} "
_MONTH_JA: Final = r"\d{4}年\d{1,2}月、"
_WHO: Final = (
    re.compile(r"My (?P<relation>[\w -]{2,30}) (?:is|was) called (?P<name>[^.]{1,60})\."),
    re.compile(rf"{_MONTH}(?P<name>\S[^,]{{1,60}}) was my (?P<relation>[\w -]{{2,30}})\."),
    re.compile(r"(?P<relation>[^。の]{1,10})の名は(?P<name>[^。]{1,30}?)(?:だった|だ)。"),
    re.compile(rf"{_MONTH_JA}(?P<relation>[^。は]{{1,10}})は(?P<name>[^。]{{1,30}}?)さんだった。"),
)
_OFFICE: Final = (
    re.compile(
        rf"{_MONTH}I was (?:offered work as |promoted to |appointed |confirmed as )?"
        r"(?:an? |the )?(?P<office>[^.]{1,100})\."
    ),
    re.compile(rf"{_MONTH_JA}(?P<office>[^。]{{1,60}})を務めていた。"),
)
_IN_TOUCH: Final = re.compile(
    r"I have been in touch with [^.]{1,200}\.|[^。]{1,200}と連絡を取り合ってきた。"
)
_TITLE: Final = re.compile(r"(?:Dr|Prof|Mr|Mrs|Ms|Miss)\.? ")


def fact_key(text: str) -> str | None:
    """Return what a made sentence says, as it is compared; ``None`` for any other sentence. Of
    whom one has been in touch with, any sentence says the same.

    >>> fact_key("My older brother was called Colm Byrne."), fact_key("兄の名はColmだ。")
    ('who:brother:colm', 'who:brother:colm')
    >>> fact_key("In May 2020 I was editor."), fact_key("I was born in Cork.")
    ('office:editor', None)
    """
    plain = " ".join(text.split())
    for pattern in _WHO:
        if found := pattern.fullmatch(plain):
            name = _TITLE.sub("", found["name"], count=1)
            return f"who:{_plain(found['relation'])}:{key_of(name.split()[0])}"
    for pattern in _OFFICE:
        if found := pattern.fullmatch(plain):
            return f"office:{found['office'].casefold()}"
    return "in touch" if _IN_TOUCH.fullmatch(plain) else None


def fact_keys(lines: Iterable[WrittenLine]) -> frozenset[str]:
    """Return what these lines say, as far as they were made."""
    return frozenset(key for line in lines if (key := fact_key(line.text)) is not None)


def _plain(word: str) -> str:
    """Return a relation without who is the older, whatever its language."""
    relation = next(
        (known for known in relations().values() if word in (known.name, *known.japanese)), None
    )
    return word if relation is None else relation.plain
