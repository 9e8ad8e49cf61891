"""Questions in the words of an English sentence: "I moved to Teramachi in May" gives "When did you
move to Teramachi?". By rule, from the parts of speech of its first clause.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile, zip_longest

from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.english import TITLES, Token, tagged
from lpm_kernel.L0.language.stopwords import DAYS, MONTHS
from lpm_kernel.L1.statements.extraction_english import KIN
from lpm_kernel.L2.topics import TIMES

_SECOND = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "am": "are",
}
_RELATIVE = frozenset({"CJT", "DTQ", "PNQ"})
"""Tags of that, which and who, behind which a clause of its own begins."""
_ENDS_CLAUSE = _RELATIVE | {"AVQ", "CJS"}
"""Tags of words behind which something else is said."""
_JOINTS = frozenset({"PRF", "PRP"})
"""Tags of words at which a sentence may be cut."""
_PLACES = frozenset({"in", "on", "at", "near", "under", "above", "behind", "beside", "into"})
_WAYS = frozenset({"from", "to", "through", "across", "over", "along", "towards", "around"})
_NEARLY = frozenset({"about", "around", "over", "under", "nearly", "almost"})
"""What stands before a number and is no preposition there."""
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
_YEAR = re.compile(r"(?:19|20)\d\d")
_ASIDE = re.compile(r"^([^,]{2,40}), (?!and\b|but\b|or\b)[^,]{3,60}, (?=[a-z])")
"""Who or what is meant, between two commas behind a subject."""
_AND_THEN = re.compile(
    r",? (?:and|but|so|yet|though|although) (?=(?:I|we|you|he|she|it|they|nobody|everybody)\b)"
)
"""Where another sentence begins."""
_BECAUSE = re.compile(r",? \b(?:because|so that|therefore)\b")
_ENDS = re.compile("".join(rf"(?<!\b{each})" for each in sorted(TITLES)) + r"[;.!?](?:\s|$)")
"""Where a sentence ends, not behind a title."""
_TIME_FIRST = re.compile(
    rf"^(?:In|On|Since|By|At|Until|From) (?=\d|{MONTHS})(?:\d{{1,2}} )?(?:(?:{MONTHS}) )?"
    r"(?:\d{4}),? (?=\S)"
)
_IF_FIRST = re.compile(r"^(?:If|When|While|Although|Though|As|Unless|Once)\b[^,]{3,80}, (?=\S)")
FEWEST_WORDS, MOST_BEFORE = 3, 6


@dataclass(frozen=True, slots=True)
class _Word:
    """A word as it is said to the person, with the signs that stand behind it."""

    text: str = field(repr=False)
    lemma: str = field(repr=False)
    tag: str

    @property
    def helper(self) -> bool:
        return self.tag == "VM0" or self.tag[:2] in {"VB", "VD", "VH"}

    @property
    def finite(self) -> bool:
        return self.tag == "VM0" or (self.tag.startswith("V") and self.tag[-1] in "BDZ")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause: who or what does something, the verb, and what is said of it."""

    subject: Sequence[_Word]
    verb: _Word
    rest: Sequence[_Word]
    asked: Sequence[str]
    """When, why: what the sentence answers besides."""
    quoted: bool
    """It goes on with what is said or thought: "says that"."""

    @property
    def who(self) -> str:
        """The subject, inside a sentence: its first word small where it is no name."""
        first, *others = self.subject
        if not _named(self.subject):
            own = "your " if first.lemma in KIN and first.tag == "NN1" else ""  # Dad
            first = replace(first, text=f"{own}{first.text.lower()}")
        return _joined([first, *others])

    @property
    def of_you(self) -> bool:
        first, *others = self.subject
        return first.text == "you" and all(word.tag == "AV0" for word in others)


def formed(text: str) -> Iterator[str]:
    """Yield questions about an English sentence; of another language none.

    >>> list(formed("My rent has been 748 euros since May."))[:2]
    ['What has your rent been?', 'Since when has your rent been 748 euros?']
    >>> next(formed("Celestino, the porter, bought my first jar."))
    'What did Celestino buy?'
    """
    if unspaced(text):
        return
    sentence = _ENDS.split(text.strip())[0].rstrip(" .")
    clause = _AND_THEN.split(_IF_FIRST.sub("", sentence))[0].rstrip(",")
    clause = _ASIDE.sub(r"\1 ", clause)
    every = _said_to_you(tagged(_BECAUSE.split(_TIME_FIRST.sub("", clause))[0].rstrip(",")))
    words = _from_subject(every)
    found = _clause(words) if len(words) >= FEWEST_WORDS else None
    if found is None:
        return
    dated = _TIME_FIRST.match(clause) or DATE.search(_joined(every[: len(every) - len(words)]))
    ever_since = found.verb.lemma == "have" and bool(_EVER_SINCE.search(sentence))
    when = "Since when" if ever_since or _SINCE.search(clause) else "When"
    told = dated or ever_since or any(map(_tells_when, _stretches(found.rest)))
    wanted = {
        when: told,
        "Why": REASON.search(_EVER_SINCE.sub("", sentence) if ever_since else sentence),
    }
    found = replace(found, asked=[which for which, fits in wanted.items() if fits])
    yield from _asked(found)
    yield from _how_many(words)


def _asked(found: _Clause) -> Iterator[str]:
    if found.verb.tag.startswith("VB"):
        yield from _of_being(found)
    elif _helps(found):
        yield from _with_helper(found)
    else:
        yield from _of_doing(found)


_PARTS = {"'m": "are", "'re": "are", "'ve": "have", "'ll": "will", "n't": "not"}
_CUT_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}


def _said_to_you(tokens: Sequence[Token]) -> list[_Word]:
    """Speak to the person, in whole words: "I've" is you have, "my" your."""
    words: list[_Word] = []
    for token, behind in zip_longest(tokens, tokens[1:]):
        plain = token.text.replace("’", "'")
        small = plain.lower()
        if token.tag in {"PUN", "PUQ", "PUL", "PUR", "POS"} and words:
            words[-1] = replace(words[-1], text=words[-1].text + plain)
        elif small in {"'d", "'s"} and token.tag.startswith("V"):
            whole = {"VHD": "had", "VM0": "would", "VHZ": "has"}.get(token.tag, "is")
            words.append(_Word(whole, token.lemma, token.tag))
        elif small == "out" and behind is not None and behind.text == "of":
            words.append(_Word(plain, token.lemma, "PRP"))
        elif small in _NEARLY and behind is not None and behind.tag == "CRD":
            words.append(_Word(plain, token.lemma, "AV0"))
        else:
            whole = _PARTS.get(small) or _CUT_SHORT.get(small) or _SECOND.get(small) or plain
            words.append(_Word(whole, token.lemma, token.tag))
    return words


def _from_subject(words: Sequence[_Word]) -> Sequence[_Word]:
    """Leave out what stands before who does it: "On Sundays I call"."""
    if not words or words[0].tag != "PRP":
        return words
    subject = next((at for at, word in enumerate(words[:MOST_BEFORE]) if word.tag == "PNP"), 0)
    return words[subject:]


def _clause(words: Sequence[_Word]) -> _Clause | None:
    """Find the verb of a sentence, past those of clauses within its subject, and what belongs to
    it: nothing behind "which" or "and went".
    """
    pending = 0
    for place, word in enumerate(words):
        if not place:
            continue
        if word.tag in _RELATIVE:
            pending += 1
        elif word.finite and pending:
            pending -= 1
        elif word.finite:
            rest = words[place + 1 :]
            ends = next((at for at in range(len(rest)) if _begins_another(rest, at)), len(rest))
            quoted = bool(rest) and rest[0].tag == "CJT"
            return _Clause(words[:place], word, _clean(rest[:ends]), (), quoted)
    return None


def _begins_another(rest: Sequence[_Word], at: int) -> bool:
    word = rest[at]
    if word.tag in _ENDS_CLAUSE or (word.tag == "TO0" and at and rest[at - 1].tag[0] != "V"):
        return True
    behind = rest[at + 1 :]
    done = bool(behind) and behind[0].tag == "VVN"
    return word.tag == "CJC" and (done or any(each.finite for each in behind))


def _helps(clause: _Clause) -> bool:
    """Tell whether a helper stands before another verb: "has been", and not "has a roof"."""
    behind = next((word for word in clause.rest if word.tag not in {"AV0", "XX0"}), None)
    helped = behind is not None and behind.tag.startswith("V")
    return clause.verb.tag == "VM0" or (clause.verb.helper and helped)


def _of_being(clause: _Clause) -> Iterator[str]:
    be, who, rest = _be(clause), clause.who, clause.rest
    if rest and rest[0].tag in {"VVN", "VVG"}:
        yield from _what_is_done(f"{be} {who}", rest)
        whole = True
    else:
        whole = clause.of_you
        if not whole and (_somebody(clause.subject) or _has_object(rest)):
            yield f"{'Who' if _somebody(clause.subject) else 'What'} {be} {who}?"
    for which in (*clause.asked, *_where_or_how(rest, being=True)):
        for part in _without(which, rest) if whole or _fits_being(which, rest) else ():
            yield f"{which} {be} {who} {part}".rstrip() + "?"
    yield f"{be.capitalize()} {who} {_joined(rest)}?"
    if not whole and rest and (rest[0].tag == "DPS" or rest[0].text == "the"):
        yield f"Who or what {be} {_shortened(rest)[0]}?"


def _what_is_done(opening: str, rest: Sequence[_Word]) -> Iterator[str]:
    """Ask what somebody is called, what is being rehearsed, what is taken for a bear."""
    done, behind = _plain(rest[0]), rest[1] if len(rest) > 1 else None
    if _has_object(rest[1:]) and behind is not None and behind.tag != "CRD":
        yield f"What {opening} {done}?"
    elif behind is not None and behind.tag == "PRP" and behind.text not in _PLACES:
        yield f"What {opening} {done} {behind.text}?"


def _fits_being(which: str, rest: Sequence[_Word]) -> bool:
    """Tell whether one asks when, where or why something is: of "is a nurse" only why."""
    return which == "Why" or (bool(rest) and rest[0].tag == "PRP")


def _be(clause: _Clause) -> str:
    be = clause.verb.text.lower()
    return "were" if clause.of_you and be == "was" else be


def _with_helper(clause: _Clause) -> Iterator[str]:
    """Ask about "my rent has been 748 euros since May": what has it been, and since when."""
    helper, who, rest = clause.verb.text.lower(), clause.who, clause.rest
    if not rest:
        return
    at = next((at for at, word in enumerate(rest) if word.tag not in {"AV0", "XX0"}), 0)
    if _has_object(rest[at + 1 :]):
        yield f"What {helper} {who} {_joined(rest[: at + 1])}?"
    for which in (*clause.asked, *(_where_or_how(rest, being=False) if clause.of_you else ())):
        parts = _without(which, rest)
        for part in parts if clause.of_you else parts[:1]:
            if part != "been":
                yield f"{which} {helper} {who} {part}?"
    if not clause.of_you and (rest[at].lemma != "be" or _has_object(rest[at + 1 :])):
        yield from _who_does(clause, helper, rest)
    yield f"{helper.capitalize()} {who} {_joined(rest)}?"


def _who_does(clause: _Clause, opening: str, words: Sequence[_Word]) -> Iterator[str]:
    """Ask who, or what, it is that does something."""
    asked = f"{'Who' if _somebody(clause.subject) else 'What'} {opening}".rstrip()
    for part in _shortened(words):
        if " " in part:
            yield f"{asked} {part}?"


def _of_doing(clause: _Clause) -> Iterator[str]:
    """Ask about what somebody did, or does."""
    verb, who, rest = clause.verb, clause.who, clause.rest
    helper = {"D": "did", "Z": "does"}.get(verb.tag[-1], "do")
    if helper == "do" and _one(clause.subject):  # he let me the room
        helper = "did"
    whole = [replace(verb, text=verb.lemma), *rest]
    if clause.quoted:
        yield f"What {helper} {who} {verb.lemma}?"
        return
    if _has_object(rest):
        for more in _stretches_behind(rest):
            yield f"What {helper} {who} {verb.lemma}{more}?"
    wanted = dict.fromkeys((*clause.asked, *_where_or_how(rest, being=False)))
    for which in wanted if rest else ():
        parts = _without(which, whole)
        for part in parts if clause.of_you else parts[:1]:
            yield f"{which} {helper} {who} {part}?"
    if not clause.of_you and helper != "do":
        yield from _who_does(clause, "", [verb, *rest])
    yield f"{helper.capitalize()} {who} {_joined(whole)}?"


def _head(subject: Sequence[_Word]) -> Sequence[_Word]:
    """Give a subject up to what is said of it: your rent, of "your rent in Teramachi"."""
    return list(takewhile(lambda word: word.tag not in _JOINTS | _RELATIVE, subject)) or subject


def _named(words: Sequence[_Word]) -> bool:
    """Tell whether words begin with a name."""
    first, behind = words[0], words[1].text if len(words) > 1 else ""
    return first.tag == "NP0" or (
        first.tag not in {"AT0", "DPS", "DT0"} and first.text[:1].isupper() and behind[:1].isupper()
    )


def _somebody(subject: Sequence[_Word]) -> bool:
    """Tell whether a subject is a name, or says whose relative it is."""
    head = _head(subject)
    last = head[-1]
    whole = _named(head) and all(word.text[:1].isupper() for word in head)
    return last.lemma in KIN or last.tag == "NP0" or whole


def _one(subject: Sequence[_Word]) -> bool:
    """Tell whether a subject is one person or thing, neither "I" nor "they"."""
    head = _head(subject)
    whole = head[-1].tag in {"NN1", "NP0"} or _named(head)
    return whole and not any(word.tag == "CJC" for word in head)


def _has_object(behind: Sequence[_Word]) -> bool:
    """Tell whether something is done to what stands behind a verb: not in "moved out", "go
    swimming", "live in Bergen", "work nights".
    """
    first = behind[0] if behind else None
    if first is None or first.tag in {"PNQ", "PRP", "PRF", "AVP", "TO0"} or first.tag[0] == "V":
        return False
    what = [word for word in _stretches(behind)[0] if word.tag[:2] in {"NN", "NP", "PN", "IT"}]
    telling = [word for word in what if not DATE.search(word.text) and word.lemma not in TIMES]
    return bool(telling) or (bool(what) and first.tag == "CRD")


def _where_or_how(rest: Sequence[_Word], *, being: bool) -> list[str]:
    """Give what a sentence answers of where and how."""
    first = rest[0] if rest else None
    if being and first and first.tag not in {"VVN", "VVG"} and first.text not in _PLACES:
        return []
    where = _PLACES if _has_object(rest) else _PLACES | _WAYS
    stretches = [stretch for stretch in _stretches(rest) if len(stretch) > 1]
    told = any(_opens(stretch, where) and not _tells_when(stretch) for stretch in stretches)
    return [*(["Where"] if told else []), *(["How"] if any(map(_tells_how, stretches)) else [])]


def _opens(stretch: Sequence[_Word], told: Collection[str]) -> bool:
    counted = len(stretch) > 2 and stretch[1].tag == "CRD"  # noqa: PLR2004 - to 23 kilos
    return stretch[0].tag == "PRP" and stretch[0].text.lower() in told and not counted


def _tells_how(stretch: Sequence[_Word]) -> bool:
    """Tell whether words say by what means: "by bus", "by knocking", and not "by the door"."""
    return (
        _opens(stretch, {"by"})
        and len(stretch) > 1
        and stretch[1].tag in {"NN1", "VVG"}
        and stretch[1].lemma not in TIMES
    )


def _tells_when(stretch: Sequence[_Word]) -> bool:
    """Tell whether words say when: "in May", "at ten", "last summer"; not "the summer course"."""
    first, last = stretch[0], stretch[-1]
    if first.tag == "PRP":
        counted = len(stretch) == 2 and last.tag == "CRD"  # noqa: PLR2004 - at ten
        return counted or bool(DATE.search(_joined(stretch))) or last.lemma in TIMES
    return _undated(stretch) != list(stretch)


def _how_many(words: Sequence[_Word]) -> Iterator[str]:
    """Ask for what is counted: "four hives"."""
    asked = (
        f"How many {_plain(word)}?"
        for before, word in pairwise(words)
        if before.tag == "CRD" and word.tag == "NN2" and not _YEAR.fullmatch(before.text)
    )
    yield from dict.fromkeys(asked)


def _stretches(words: Sequence[_Word]) -> list[list[_Word]]:
    """Cut a sentence before its prepositions and behind its commas."""
    if not words:
        return []
    turns = [0, *(at for at in range(1, len(words)) if _turns(words, at)), len(words)]
    return [list(words[start:end]) for start, end in pairwise(turns)]


def _turns(words: Sequence[_Word], at: int) -> bool:
    word, before = words[at], words[at - 1]
    if word.tag == "CJC":
        return at + 1 < len(words) and words[at + 1].tag in _JOINTS
    return before.text.endswith(",") or (word.tag in _JOINTS and before.tag not in {"CJC", "PRP"})


def _without(which: str, words: Sequence[_Word]) -> list[str]:
    """Shorten a sentence so that it does not say what is asked for."""
    first, *others = _stretches(words)
    if first[0].tag == "PRP" and _answers(which, first):
        first = []
    if first and which in {"When", "Since when"}:
        first = _undated(first)
    kept = [each for each in others if each[0].tag in _JOINTS and not _answers(which, each)]
    return _shortened([*first, *(word for each in kept for word in each)])


def _answers(which: str, stretch: Sequence[_Word]) -> bool:
    if which == "Where":
        return _opens(stretch, _PLACES | _WAYS) and not _tells_when(stretch)
    if which == "How":
        return _tells_how(stretch)
    return which in {"When", "Since when"} and _tells_when(stretch)


def _undated(words: Sequence[_Word]) -> list[_Word]:
    """Leave out "last summer", "2019" and what stands behind them, but not "the summer course"."""
    for at, word in enumerate(words):
        said = words[at - 1].tag in {"CRD", "DT0", "ORD"} and not _YEAR.fullmatch(
            words[at - 1].text
        )
        if at and DATE.search(word.text) and (word.tag in {"CRD", "NP0"} or said):
            return list(words[: at - 1 if said else at])
    return list(words)


def _stretches_behind(words: Sequence[_Word]) -> list[str]:
    """Give what stands behind the object of a verb, stretch by stretch: of "four hives from
    Anselmo for 95 euros" nothing, " from Anselmo" and " for 95 euros".
    """
    fits = [
        each
        for each in _stretches(words)[1:]
        if len(each) > 1 and each[0].tag == "PRP" and each[0].lemma != "since"
    ]
    return ["", *(f" {_joined(each)}" for each in fits)]


def _shortened(words: Sequence[_Word]) -> list[str]:
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
    return list(dict.fromkeys(map(_joined, found or [list(words)])))


def _clean(words: Sequence[_Word]) -> list[_Word]:
    return [*words[:-1], replace(words[-1], text=_plain(words[-1]))] if words else []


def _plain(word: _Word) -> str:
    return word.text.rstrip(",;:")


def _joined(words: Sequence[_Word]) -> str:
    return " ".join(word.text for word in _clean(words))
