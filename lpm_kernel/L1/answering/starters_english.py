"""Questions that English sentences lead to; see ``starters``."""

from __future__ import annotations

import re
from typing import Final

from lpm_kernel.L0.language import irrealis
from lpm_kernel.L1.answering.questions import Found, QuestionKind, is_somebody, present_of

MOST_WORDS: Final = 7
"""Words behind the verb."""

_EVENT: Final = (
    "bought|sold|moved|started|stopped|decided|joined|married|finished|visited|planted|built"
    "|signed|quit|adopted|opened|closed|ordered|hired|rented|promised|retired|graduated|travelled"
    "|traveled|sailed|cycled|flew|drove|learned|learnt|won|lost|found|fixed|mended|repaired"
    "|replaced|painted|booked|cancelled|agreed|met|gave up|put in|took over|handed in|moved into"
    "|passed|failed|applied|enrolled|borrowed|sewed|baked|dug|harvested|climbed"
)
"""What people ask the day of afterwards."""
_DID: Final = re.compile(
    rf"(?:(?:^(?:\w+:? )?|[.;,:] |\b(?:and|but|so|then|today|yesterday) )"
    rf"(?P<who>I|[Ww]e)(?: finally| also| just|['’]ve| have)? (?P<did>{_EVENT})\b"
    rf"|^(?P<bare>{_EVENT.title()})\b)"
    r" (?P<what>[^.;:!?,()“”\"–—]{3,70}?)(?P<why> because [^.;:!?]{4,120})?(?=[.;!–—]|, | – |$)"
)
_MADE: Final = (
    "built|found|brought|sent|bought|sold|made|wrote|lent|cooked|painted|planted|promised|offered"
    "|ordered|chose|designed|invented|lost|broke|won|showed|taught|sang|played|dug|drew|baked"
    "|sewed|knitted|carved|fixed|mended|repaired|gave|stole|borrowed|grew"
    "|photographed|signed|cancelled|received|discovered|collected|translated|published|recorded"
)
_IRREALIS: Final = (
    irrealis.CONDITION,
    irrealis.QUESTION,
    irrealis.IMAGINATION,
    irrealis.DREAM,
    irrealis.GUESS,
    irrealis.POSSIBILITY,
    irrealis.WOULD,
    irrealis.WISH,
    irrealis.HOPE,
    irrealis.MISTAKE,
)
_UNREAL: Final = re.compile(
    rf"^(?:had|should|were)\b|\b(?:when|whenever|until|once)\b|{irrealis.english(*_IRREALIS)}",
    re.IGNORECASE,
)
"""Before what did not happen, or not on a day of its own: nobody asks for its day."""
_OTHER_DID: Final = re.compile(
    r"(?:^|[.;:,] |\band )(?P<who>(?:(?:Mrs?|Ms|Dr|Aunt|Uncle|Old)\.? )?[A-ZÀ-Þ][a-zß-ÿ]{2,}"
    r"(?: [A-ZÀ-Þ][a-zß-ÿ]{2,})?)(?: has| had| also| then| just)?"
    rf" (?P<did>{_MADE})(?: (?P<whom>me|us))? (?P<what>(?:the|a|an|my|our|his|her|their|two|three"
    r"|four|five|six|seven|eight|nine|ten|\d+|some|more|[a-z]{4,})\b[^.;:!?]{2,})"
)
"""What somebody did, with what they did it to."""
_UNCHANGED: Final = frozenset({"quit", "put"})
_LEANS: Final = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|here"
    r"|you|your|one|ones|other|another|such|same|so|then|now|today|yesterday|tomorrow|tonight"
    r"|ago|last|next|which|who|what|when|where|if|as|some|something|someone|and I|and we|i)\b",
    re.IGNORECASE,
)
"""Words that say nothing without what stood before them."""
_DANGLES: Final = re.compile(
    r"\b(?:a|an|the|my|our|of|in|on|at|to|for|with|by|from|and|or|but|not|up|out|after|before"
    r"|\d+|was|is|are|were)$",
    re.IGNORECASE,
)
_OBJECT: Final = re.compile(
    r"(?:(?:to|with|in|into|from|for|up|out|off|at|on) )?(?:the|my|our|a|an|two|three|four|five"
    r"|[A-Z][\w’'-]+|to [a-z]+)\b|smoking\b|drinking\b"
)
_THINKS: Final = re.compile(
    r"\bI (?:really |still |do |don['’]t |never |always ){0,2}(?:like|liked|love|hate|dislike"
    r"|prefer|enjoy|miss|trust|distrust|can['’]t stand|can['’]t bear)"
    r" (?P<what>(?:the |my |our )?(?:[a-z]{3,}(?:-[a-z]+)? )?[a-z]{3,}|[A-Z][a-z]{2,})"
    r"(?=[.;!,]| but\b| because\b| in\b| more\b| to\b| than\b|$)"
)


def made(text: str, *, own: bool) -> Found:
    """Yield what an English sentence leads to; see ``starters``."""
    if own:
        yield from _of_the_person(text)
    other = _OTHER_DID.search(text)
    if other is None or not is_somebody(other["who"]) or (other["whom"] and not own):
        return
    led_to = other["whom"] and other["did"] == "made" and not _OBJECT.match(other["what"])
    base = present_of(other["did"])
    if base and not led_to:
        whom = f" {other['whom']}" if other["whom"] else ""
        yield QuestionKind.DEED, f"What did {other['who']} {base}{whom}?", other["what"]


def _of_the_person(text: str) -> Found:
    did = _DID.search(text)
    happened = did and not _UNREAL.search(text[: did.end("did") if did["who"] else 0])
    if did and happened and _stands_alone(what := did["what"].strip()):
        first, space, rest = (did["did"] or did["bare"]).casefold().partition(" ")
        base = first if first in _UNCHANGED else present_of(first)
        deed = f"did {'we' if did['who'] in {'We', 'we'} else 'I'} {base}{space}{rest} {what}"
        if base and did["why"]:
            yield QuestionKind.WHY, f"Why {deed}?", did["why"]
        elif base:
            yield QuestionKind.WHEN, f"When {deed}?", what
    if (thinks := _THINKS.search(text)) and not _LEANS.search(thinks["what"]):
        yield QuestionKind.VIEW, f"What do I think of {thinks['what']}?", thinks["what"]


def _stands_alone(what: str) -> bool:
    return (
        len(what.split()) <= MOST_WORDS
        and bool(_OBJECT.match(what))
        and not _LEANS.search(what)
        and not _DANGLES.search(what)
    )
