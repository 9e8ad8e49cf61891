"""The first clause of an English sentence, as it is said to the person: who does something, the
verb, and what is said of it, cut into stretches that say what, where, when or how.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from lpm_kernel.L0.language.english import TITLES, tagged
from lpm_kernel.L0.language.stopwords import DAYS, MONTHS
from lpm_kernel.L1.statements.extraction_english import KIN
from lpm_kernel.L2.said_words import SaidWord, cleaned, joined, said_to_you
from lpm_kernel.L2.topics import TIMES

_RELATIVE = frozenset({"CJT", "DTQ", "PNQ"})
"""Tags of that, which and who, behind which a clause of its own begins."""
_ENDS_CLAUSE = _RELATIVE | {"AVQ", "CJS"}
"""Tags of words behind which something else is said."""
_SAYS = frozenset(
    "say think know believe hope guess suppose reckon claim insist promise swear wish".split()  # noqa: SIM905  a list this long reads better as prose
)
_PEOPLE = frozenset(
    """
    man woman boy girl lady guy gentleman kid person people child baby stranger teacher nurse driver
    waiter waitress passenger pupil student professor priest vicar officer soldier farmer baker
    butcher plumber builder painter carpenter lawyer judge tenant lodger owner buyer
    customer client patient guest host visitor singer player writer artist therapist physio vet
    manager secretary assistant apprentice crew
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
_PERSON = ("man", "woman", "person")
"""How other words for people end: fisherman, salesperson."""
_JOINTS = frozenset({"PRF", "PRP"})
"""Tags of words at which a sentence may be cut."""
PLACES = frozenset({"in", "on", "at", "near", "under", "above", "behind", "beside", "into"})
_WAYS = frozenset({"from", "to", "through", "across", "over", "along", "towards", "around"})
_AT_HOURS = frozenset({"at", "by", "before", "after", "until", "till", "since", "from", "around"})
DATE = re.compile(
    rf"\b(?:19|20)\d\d\b|\b(?:{MONTHS}|(?:{DAYS})s?)\b|\b(?:spring|summer|autumn|winter)\b|年|月"
)
_SINCE = re.compile(rf"\b[Ss]ince (?:\d|last |the |{MONTHS}|spring|summer|autumn|winter)")
REASON = re.compile(
    rf"\b(?:because|so that|until|therefore|it makes)\b(?! (?:\d|{MONTHS}))"
    r"|\bsince (?:I|we|you|he|she|it|they)\b"
)
_EVER_SINCE = re.compile(r"\bsince (?:I|we|you|he|she|it|they)\b")
"""Behind "have done" it says when, behind another verb why."""
YEAR = re.compile(r"(?:19|20)\d\d")
_ASIDE = re.compile(r"^([^,]{2,40}), (?!and\b|but\b|or\b)[^,]{3,60}, (?=[a-z])")
"""Who or what is meant, between two commas behind a subject."""
_AND_THEN = re.compile(
    r",? (?:and|but|so|yet|though|although) (?=(?:I|we|you|he|she|it|they|nobody|everybody)\b)"
    r"|, so (?!that\b|far\b|much\b|many\b)"
)
"""Where another sentence begins."""
_JOINED = re.compile(r"^(?:And|But|So|Or|Because),? (?=\S)")
"""What joins a sentence to the one before it."""
_BECAUSE = re.compile(r",? \b(?:because|so that|therefore)\b")
_ENDS = re.compile("".join(rf"(?<!\b{each})" for each in sorted(TITLES)) + r"[;:.!?](?:\s|$)")
"""Where a sentence ends, not behind a title."""
_TIME_FIRST = re.compile(
    rf"^(?:In|On|Since|By|At|Until|From) (?=\d|{MONTHS})(?:\d{{1,2}} )?(?:(?:{MONTHS}) )?"
    r"(?:\d{4}),? (?=\S)"
)
_IF_FIRST = re.compile(r"^(?:If|When|While|Although|Though|As|Unless|Once)\b[^,]{3,80}, (?=\S)")
FEWEST_WORDS, MOST_BEFORE = 3, 6
WHERE_FROM = "Where … from"
"""Its second word stands at the end of a question."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: who or what does something, the verb, and what is said of it."""

    subject: Sequence[SaidWord]
    verb: SaidWord
    rest: Sequence[SaidWord]
    asked: Sequence[str] = ()
    """When, why: what the sentence answers besides."""
    quoted: bool = False
    """It goes on with what is said or thought: "says that it rains", "thinks it rains"."""
    cut: bool = False
    """It ends before what tells which one is meant: "the day", of "the day that she was born"."""

    @property
    def who(self) -> str:
        """The subject, inside a sentence: its first word small where it is no name."""
        first, *others = self.subject
        if not _named(self.subject):
            own = "your " if first.lemma in KIN and first.tag == "NN1" else ""  # Dad
            first = replace(first, text=f"{own}{first.text.lower()}")
        return joined([first, *others])

    @property
    def of_you(self) -> bool:
        """Whether the person does it."""
        first, *others = self.subject
        return first.text == "you" and all(word.tag == "AV0" for word in others)

    @property
    def of_unnamed(self) -> bool:
        """Whether it does not say who or what does it: "she", "they"."""
        return len(self.subject) == 1 and self.subject[0].tag == "PNP" and not self.of_you

    @property
    def whom(self) -> str:
        """Who, of a name, somebody's relative or another person; what, of anything else."""
        head = _head(self.subject)
        last = head[-1]
        whole = _named(head) and all(word.text[:1].isupper() for word in head)
        person = last.lemma in KIN or last.lemma in _PEOPLE or last.lemma.endswith(_PERSON)
        return "Who" if person or last.tag == "NP0" or whole else "What"

    @property
    def of_one(self) -> bool:
        """Whether one person or thing does it, neither "I" nor "they"."""
        head = _head(self.subject)
        whole = head[-1].tag in {"NN1", "NP0"} or _named(head)
        return whole and not any(word.tag == "CJC" for word in head)

    @property
    def helped(self) -> bool:
        """Whether the verb is a helper before another one: "has been", and not "has a roof"."""
        behind = next((word for word in self.rest if word.tag not in {"AV0", "XX0"}), None)
        helps = behind is not None and behind.tag.startswith("V")
        return self.verb.tag == "VM0" or (self.verb.helper and helps)


def clause_of(text: str, known: Collection[str] = ()) -> Clause | None:
    """Read the first clause of a sentence; ``None`` where it has no verb. ``known`` are names."""
    sentence = _ENDS.split(text.strip())[0].rstrip(" .")
    clause = _AND_THEN.split(_IF_FIRST.sub("", _JOINED.sub("", sentence)))[0].rstrip(",")
    clause = _ASIDE.sub(r"\1 ", clause)
    every = said_to_you(
        tagged(_BECAUSE.split(_TIME_FIRST.sub("", clause))[0].rstrip(",")),
        {word for name in known for word in name.split()},
    )
    words = _from_subject(every)
    found = _clause(words) if len(words) >= FEWEST_WORDS else None
    if found is None:
        return None
    dated = _TIME_FIRST.match(clause) or DATE.search(joined(every[: len(every) - len(words)]))
    ever_since = found.verb.lemma == "have" and bool(_EVER_SINCE.search(sentence))
    when = "Since when" if ever_since or _SINCE.search(clause) else "When"
    stretches = _stretches(found.rest)
    wanted = {
        when: dated or ever_since or any(map(_tells_when, stretches)),
        "How long": any(map(_tells_how_long, stretches)),
        "Why": REASON.search(_EVER_SINCE.sub("", sentence) if ever_since else sentence),
    }
    return replace(found, asked=[which for which, fits in wanted.items() if fits])


def _from_subject(words: Sequence[SaidWord]) -> Sequence[SaidWord]:
    """Leave out what stands before who does it: "On Sundays I call"."""
    if not words or words[0].tag != "PRP":
        return words
    subject = next((at for at, word in enumerate(words[:MOST_BEFORE]) if word.tag == "PNP"), 0)
    return words[subject:]


def _clause(words: Sequence[SaidWord]) -> Clause | None:
    """Find the verb of a sentence, past those of clauses within its subject, and what belongs to
    it: nothing behind "which" or "and went".
    """
    pending = 0
    for place, word in enumerate(words):
        if not place:
            continue
        if word.tag == "CJS" and not pending:
            return None
        if word.tag in _RELATIVE:
            pending += 1
        elif word.finite and pending:
            pending -= 1
        elif word.finite:
            return _around(words, place)
    return None


def _around(words: Sequence[SaidWord], place: int) -> Clause:
    """Give the clause of the verb at a place."""
    verb, rest = words[place], words[place + 1 :]
    ends = next((at for at in range(len(rest)) if _begins_another(rest, at)), len(rest))
    quoted = bool(rest) and rest[0].tag == "CJT"
    quoted = quoted or (verb.lemma in _SAYS and any(each.finite for each in rest[:ends]))
    cut = ends < len(rest) and rest[ends].tag in _RELATIVE and _points(rest[:ends])
    return Clause(words[:place], verb, cleaned(rest[:ends]), quoted=quoted, cut=cut)


def _points(words: Sequence[SaidWord]) -> bool:
    """Tell whether words end with one of many that is yet to be told: "the day", "one"."""
    if words and words[-1].text in {"one", "ones"}:
        return True
    article = next((at for at in reversed(range(len(words))) if words[at].tag == "AT0"), None)
    if article is None or words[-1].text.endswith(","):
        return False
    return words[article].lemma == "the" and words[-1].tag in {"NN1", "NN2"}


def _begins_another(rest: Sequence[SaidWord], at: int) -> bool:
    word = rest[at]
    if word.text == "as" and at + 1 < len(rest) and rest[at + 1].tag in {"AT0", "DPS"}:
        near = takewhile(lambda each: each.tag != "CJC", rest[at + 1 :])
        return any(each.finite for each in near)  # as a nurse; as the rain fell
    if word.tag in _ENDS_CLAUSE or (word.tag == "TO0" and at and rest[at - 1].tag[0] != "V"):
        return True
    behind = rest[at + 1 :]
    done = bool(behind) and behind[0].tag == "VVN"
    return word.tag == "CJC" and (done or any(each.finite for each in behind))


def _head(subject: Sequence[SaidWord]) -> Sequence[SaidWord]:
    """Give a subject up to what is said of it: your rent, of "your rent in Teramachi"."""
    return list(takewhile(lambda word: word.tag not in _JOINTS | _RELATIVE, subject)) or subject


def _named(words: Sequence[SaidWord]) -> bool:
    """Tell whether words begin with a name."""
    first, behind = words[0], words[1].text if len(words) > 1 else ""
    return first.tag == "NP0" or (
        first.tag not in {"AT0", "DPS", "DT0"} and first.text[:1].isupper() and behind[:1].isupper()
    )


def has_object(behind: Sequence[SaidWord]) -> bool:
    """Tell whether something is done to what stands behind a verb: not in "moved out", "go
    swimming", "live in Bergen", "work nights".
    """
    first = behind[0] if behind else None
    if first is None or first.tag in {"PNQ", "PRP", "PRF", "AVP", "TO0"} or first.tag[0] == "V":
        return False
    what = [word for word in _stretches(behind)[0] if word.tag[:2] in {"NN", "NP", "PN", "IT"}]
    telling = [word for word in what if not DATE.search(word.text) and word.lemma not in TIMES]
    return bool(telling) or (bool(what) and first.tag == "CRD")


def where_or_how(rest: Sequence[SaidWord], *, being: bool) -> list[str]:
    """Give what a sentence answers of where and how."""
    first = rest[0] if rest else None
    if being and first and first.tag not in {"VVN", "VVG"} and first.text not in PLACES:
        return []
    stretches = [stretch for stretch in _stretches(rest) if len(stretch) > 1]
    return [*_where(stretches, rest), *(["How"] if any(map(_tells_how, stretches)) else [])]


def _where(stretches: Sequence[Sequence[SaidWord]], rest: Sequence[SaidWord]) -> list[str]:
    places = PLACES if has_object(rest) else PLACES | _WAYS
    told = [each for each in stretches if _opens(each, places) and not _tells_when(each)]
    only_from = all(each[0].lemma == "from" and each[1].text[:1].isupper() for each in told)
    return [WHERE_FROM if only_from else "Where"] if told else []


def _opens(stretch: Sequence[SaidWord], told: Collection[str]) -> bool:
    counted = len(stretch) > 1 and stretch[1].tag == "CRD"  # to 23 kilos, to five
    return stretch[0].tag == "PRP" and stretch[0].text.lower() in told and not counted


def _tells_how(stretch: Sequence[SaidWord]) -> bool:
    """Tell whether words say by what means: "by bus", "by knocking", and not "by the door"."""
    return (
        _opens(stretch, {"by"})
        and len(stretch) > 1
        and stretch[1].tag in {"NN1", "VVG"}
        and stretch[1].lemma not in TIMES
    )


def _tells_how_long(stretch: Sequence[SaidWord]) -> bool:
    """Tell whether words say how long: "for thirty years", and not "for the first time"."""
    return (
        len(stretch) > 2  # noqa: PLR2004 - for, how many, of what
        and stretch[0].lemma == "for"
        and stretch[-2].tag in {"CRD", "AT0"}
        and stretch[-1].lemma in TIMES
    )


def _tells_when(stretch: Sequence[SaidWord]) -> bool:
    """Tell whether words say when: "in May", "at ten", "last summer"; not "the summer course"."""
    first, last = stretch[0], stretch[-1]
    if _tells_how_long(stretch):
        return False
    if first.tag == "PRP":
        counted = len(stretch) == 2 and last.tag == "CRD"  # noqa: PLR2004 - at ten
        counted = counted and first.lemma in _AT_HOURS  # 41 to 12
        return counted or bool(DATE.search(joined(stretch))) or last.lemma in TIMES
    return _undated(stretch) != list(stretch)


def _stretches(words: Sequence[SaidWord]) -> list[list[SaidWord]]:
    """Cut a sentence before its prepositions and behind its commas."""
    if not words:
        return []
    turns = [0, *(at for at in range(1, len(words)) if _turns(words, at)), len(words)]
    return [list(words[start:end]) for start, end in pairwise(turns)]


def _turns(words: Sequence[SaidWord], at: int) -> bool:
    word, before = words[at], words[at - 1]
    if word.tag == "CJC":
        return at + 1 < len(words) and words[at + 1].tag in _JOINTS
    return before.text.endswith(",") or (word.tag in _JOINTS and before.tag not in {"CJC", "PRP"})


def without(which: str, words: Sequence[SaidWord]) -> list[str]:
    """Shorten a sentence so that it does not say what is asked for."""
    if not words:
        return [""]
    first, *others = _stretches(words)
    if first[0].tag == "PRP" and _answers(which, first):
        first = []
    if first and which in {"When", "Since when"}:
        first = _undated(first)
    kept = [each for each in others if each[0].tag in _JOINTS and not _answers(which, each)]
    return shortened([*first, *(word for each in kept for word in each)])


def _answers(which: str, stretch: Sequence[SaidWord]) -> bool:
    if which in {"Where", WHERE_FROM}:
        return _opens(stretch, PLACES | _WAYS) and not _tells_when(stretch)
    if which == "How long":
        return _tells_how_long(stretch)
    if which == "How":
        return _tells_how(stretch)
    return which in {"When", "Since when"} and _tells_when(stretch)


def _undated(words: Sequence[SaidWord]) -> list[SaidWord]:
    """Leave out "last summer", "2019" and what stands behind them, but not "the summer course"."""
    for at, word in enumerate(words):
        said = words[at - 1].tag in {"CRD", "DT0", "ORD"} and not YEAR.fullmatch(words[at - 1].text)
        if at and DATE.search(word.text) and (word.tag in {"CRD", "NP0"} or said):
            return list(words[: at - 1 if said else at])
    return list(words)


def behind_object(words: Sequence[SaidWord]) -> list[str]:
    """Give what stands behind the object of a verb, stretch by stretch: of "four hives from
    Anselmo for 95 euros" nothing, " from Anselmo" and " for 95 euros".
    """
    fits = [
        each
        for each in _stretches(words)[1:]
        if len(each) > 1 and each[0].tag == "PRP" and each[0].lemma != "since"
    ]
    return ["", *(f" {joined(each)}" for each in fits)]


def shortened(words: Sequence[SaidWord]) -> list[str]:
    """Give a sentence up to its first, its second and so on turn, and with one stretch between
    left out; all of it where there is no turn.
    """
    if not words:
        return [""]
    opening, *others = _stretches(words)
    stretches = [opening, *takewhile(lambda stretch: stretch[0].tag in _JOINTS, others)]
    found = [
        [word for stretch in stretches[:count] for word in stretch]
        for count in range(1, min(len(stretches), 4))
    ]
    if len(stretches) > 2:  # noqa: PLR2004 - a share, or a few
        found += [
            [*stretches[0], *other]
            for other in (stretches[-1], stretches[1 + len(stretches) // 3])
            if other[0].tag == "PRP" and len(other) > 1
        ]
    return list(dict.fromkeys(map(joined, found or [list(words)])))
