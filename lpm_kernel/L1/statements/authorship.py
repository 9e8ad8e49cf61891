"""Whose words a sentence of a document is, as far as the document shows it: a line of a talk says
who speaks, and a letter to the person was written by somebody else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L1.entities.resolution import key_of

BEGINNING: Final = 400
"""Characters within which a letter says to whom it is written."""
LEAST_LINES: Final = 2
"""Lines with a speaker that make a talk."""

_SPEAKS: Final = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?(?:\d{1,2}[:.]\d\d[ \t]+)?"
    r"(?P<who>[^\s:：\[\]#>*|-][^:：\n|]{0,23}?)[ \t]*[:：](?!//)[ \t]*(?=\S)",
    re.MULTILINE,
)
_GREETED: Final = re.compile(
    r"^[ \t>]*(?:(?:dear|hi|hello|hey|hallo|liebe[rs]?) |(?:to|for|attn|patient)[ \t]?[:：])"
    r"(?P<who>[^\n.!?:;]{1,60})",
    re.IGNORECASE | re.MULTILINE,
)
_GREETED_JA: Final = re.compile(
    r"^[ \t\u3000]*(?P<who>[^\s、。:：\u3000]{1,12}(?:[ \u3000][^\s、。:：\u3000]{1,12})?)"
    r"[ \u3000]?"
    r"(?:様|さま|殿|(?:さん|先生)?へ)[ \t\u3000]*(?=$|[、。,])",
    re.MULTILINE,
)
_SEVERAL: Final = re.compile(r",|、|・|&|\band\b|\bund\b|\bor\b")
_SELF: Final = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Oo]urs?)\b"
    r"|私|僕|俺|わたし|ぼく|うち[のはがで]"
)


@dataclass(frozen=True)
class Authorship:
    """What a document shows of who wrote it."""

    own: frozenset[str] = field(repr=False)
    """How the person is called, as `key_of` writes it."""
    addressed: bool
    """It is written to the person."""
    lines: tuple[tuple[int, int, str], ...] = field(repr=False)
    """In a talk: where each line begins, where its words begin, and the key of who speaks."""
    speaks_of_self: bool
    """It says "I" somewhere, or is in a language that leaves it out."""

    def speaker_at(self, place: int) -> tuple[str, int] | None:
        """Return who speaks at a place of a talk, and where their words begin."""
        line = next((each for each in reversed(self.lines) if each[0] <= place), None)
        return None if line is None else (line[2], line[1])

    def may_be_own(self, place: int) -> bool:
        """Tell whether the words at a place may be the person's: nothing shows that they are
        somebody else's.
        """
        said = self.speaker_at(place)
        return said[0] in self.own if said else not self.addressed


def authorship_of(text: str, own: frozenset[str]) -> Authorship:
    r"""Read it off a document.

    >>> letter = authorship_of("Dear Aisling,\nI moved to Kildare.", frozenset({"aisling"}))
    >>> talk = authorship_of("Mam: I moved.\nAisling: I did not.", frozenset({"aisling"}))
    >>> letter.may_be_own(20), talk.may_be_own(6), talk.may_be_own(24)
    (False, False, True)
    """
    lines = [(each.start(), each.end(), key_of(each["who"])) for each in _SPEAKS.finditer(text)]
    names = {who for _, _, who in lines}
    # "Time: three. Place: Kyoto." is a list: nobody in it speaks twice, and the person never
    talk = len(lines) >= LEAST_LINES and (len(names) < len(lines) or bool(names & own))
    beginning = text[:BEGINNING]
    greeted = [*_GREETED.finditer(beginning), *_GREETED_JA.finditer(beginning)]
    called = {key_of(name) for each in greeted for name in _SEVERAL.split(each["who"])}
    given = {key_of(word) for each in greeted for word in each["who"].split()[:2]}
    return Authorship(
        own,
        bool(own & (called | given)),
        tuple(lines) if talk else (),
        unspaced(text) or bool(_SELF.search(text)),
    )
