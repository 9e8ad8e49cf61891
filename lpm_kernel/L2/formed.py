"""Questions in the words of an English sentence: "I moved to Teramachi in May" gives "When did you
move to Teramachi?". By rule, from the parts of speech of its first clause (``clauses.py``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.clauses import (
    PLACES,
    WHERE_FROM,
    YEAR,
    Clause,
    behind_object,
    clause_of,
    has_object,
    shortened,
    where_or_how,
    without,
)
from lpm_kernel.L2.said_words import SaidWord, joined, plain
from lpm_kernel.L2.topics import TIMES

_CANNOT = re.compile(r"\b([Cc])an not\b")


def formed(text: str, known: Collection[str] = ()) -> Iterator[str]:
    """Yield questions about an English sentence; none of another language, or of a question.
    ``known`` are names.

    >>> list(formed("My rent has been 748 euros since May."))[:2]
    ['What has your rent been?', 'Since when has your rent been 748 euros?']
    >>> next(formed("Celestino, the porter, bought my first jar."))
    'What did Celestino buy?'
    """
    if unspaced(text) or text.rstrip().endswith("?"):
        return
    found = clause_of(text, known)
    for question in _asked(found) if found is not None else ():
        yield _CANNOT.sub(r"\1annot", question)


def _asked(found: Clause) -> Iterator[str]:
    if found.verb.tag.startswith("VB"):
        yield from _of_being(found)
    elif found.helped:
        yield from _with_helper(found)
    else:
        yield from _of_doing(found)


def _of_being(clause: Clause) -> Iterator[str]:
    be, who, rest = _be(clause), clause.who, clause.rest
    telling = not (clause.of_you or clause.of_unnamed)
    if rest and rest[0].tag in {"VVN", "VVG"}:
        yield from _what_is_done(f"{be} {who}", rest)
        whole = True
    else:
        whole = clause.of_you
        if telling and (clause.whom == "Who" or has_object(rest)):
            yield f"{clause.whom} {be} {who}?"
    for which in (*clause.asked, *where_or_how(rest, being=True)):
        for part in without(which, rest) if whole or _fits_being(which, rest) else ():
            yield _question(which, f"{be} {who} {part}".rstrip())
    yield from _how_many(f"{be} {who}", rest)
    yield from _whether(clause, f"{be.capitalize()} {who}", rest)
    if telling and rest and (rest[0].tag == "DPS" or rest[0].text == "the"):
        yield f"Who or what {be} {shortened(rest)[0]}?"


def _what_is_done(opening: str, rest: Sequence[SaidWord]) -> Iterator[str]:
    """Ask what somebody is called, what is being rehearsed, what is taken for a bear."""
    done, behind = plain(rest[0]), rest[1] if len(rest) > 1 else None
    if has_object(rest[1:]) and behind is not None and behind.tag != "CRD":
        yield f"What {opening} {done}?"
    elif behind is not None and behind.tag == "PRP" and behind.text not in PLACES:
        yield f"What {opening} {done} {behind.text}?"


def _fits_being(which: str, rest: Sequence[SaidWord]) -> bool:
    """Tell whether one asks when, where or why something is: of "is a nurse" only why."""
    return which == "Why" or (bool(rest) and rest[0].tag == "PRP")


def _be(clause: Clause) -> str:
    be = clause.verb.text.lower()
    return "were" if clause.of_you and be == "was" else be


def _with_helper(clause: Clause) -> Iterator[str]:
    """Ask about "my rent has been 748 euros since May": what has it been, and since when."""
    helper, who, rest = clause.verb.text.lower(), clause.who, clause.rest
    if not rest:
        return
    at = next((at for at, word in enumerate(rest) if word.tag not in {"AV0", "XX0"}), 0)
    if has_object(rest[at + 1 :]) and (rest[at].lemma != "be" or _is_thing(clause)):
        yield f"What {helper} {who} {joined(rest[: at + 1])}?"
    for which in (*clause.asked, *(where_or_how(rest, being=False) if clause.of_you else ())):
        parts = without(which, rest)
        for part in parts if clause.of_you else parts[:1]:
            if part != "been":
                yield _question(which, f"{helper} {who} {part}")
    if not clause.of_you and (rest[at].lemma != "be" or has_object(rest[at + 1 :])):
        yield from _who_does(clause, helper, rest)
    yield from _how_many(f"{helper} {who} {joined(rest[: at + 1])}", rest[at + 1 :])
    yield from _whether(clause, f"{helper.capitalize()} {who}", rest)


def _is_thing(clause: Clause) -> bool:
    return not clause.of_you and clause.whom == "What"


def _who_does(clause: Clause, opening: str, words: Sequence[SaidWord]) -> Iterator[str]:
    """Ask who, or what, it is that does something, where that is said."""
    if clause.of_unnamed:
        return
    asked = f"{clause.whom} {opening}".rstrip()
    for part in shortened(words):
        if " " in part:
            yield f"{asked} {part}?"


def _of_doing(clause: Clause) -> Iterator[str]:
    """Ask about what somebody did, or does."""
    verb, who, rest = clause.verb, clause.who, clause.rest
    helper = {"D": "did", "Z": "does"}.get(verb.tag[-1], "do")
    if helper == "do" and clause.of_one:  # he let me the room
        helper = "did"
    whole = [replace(verb, text=verb.lemma), *rest]
    if clause.quoted:
        yield from _of_saying(clause, helper)
        return
    if has_object(rest):
        for more in behind_object(rest):
            yield f"What {helper} {who} {verb.lemma}{more}?"
    wanted = dict.fromkeys((*clause.asked, *where_or_how(rest, being=False)))
    for which in wanted if rest else ():
        parts = without(which, whole)
        for part in parts if clause.of_you else parts[:1]:
            yield _question(which, f"{helper} {who} {part}")
    if not clause.of_you and helper != "do":
        yield from _who_does(clause, "", [verb, *rest])
    yield from _how_many(f"{helper} {who} {verb.lemma}", rest)
    yield from _whether(clause, f"{helper.capitalize()} {who}", whole)


def _of_saying(clause: Clause, helper: str) -> Iterator[str]:
    """Ask what somebody said or thought, and who, of the whole of it."""
    yield f"What {helper} {clause.who} {clause.verb.lemma}?"
    if clause.rest and clause.whom == "Who" and not clause.of_unnamed:
        yield f"Who {clause.verb.text} {joined(clause.rest)}?"


def _question(which: str, asked: str) -> str:
    """Put what is asked for before what is asked: "from" of "Where … from" behind it."""
    if which == WHERE_FROM:
        return f"Where {asked} from?"
    return f"{which} {asked}?"


def _whether(clause: Clause, opening: str, rest: Sequence[SaidWord]) -> Iterator[str]:
    """Ask whether it is so, of what is not so too."""
    first = next((at for at, word in enumerate(rest) if word.tag not in {"AV0", "XX0"}), 0)
    said = [*(word for word in rest[:first] if word.tag != "XX0"), *rest[first:]]
    if said and not clause.cut:
        yield f"{opening} {joined(said)}?"


def _how_many(opening: str, rest: Sequence[SaidWord]) -> Iterator[str]:
    """Ask for what is counted next to the verb: "four hives", "me 340 euros", "to 23 kilos"."""
    at = next((at for at, word in enumerate(rest) if word.tag == "CRD"), None)
    if at is None or at + 1 >= len(rest) or rest[at + 1].tag != "NN2":
        return
    before = [word for word in rest[:at] if word.tag != "AV0"]
    if before and before[-1].lemma == "for" and rest[at + 1].lemma in TIMES:
        return  # how long
    alone = not before or (len(before) == 1 and before[0].tag in {"NP0", "PNP", "PRP"})
    if alone and not YEAR.fullmatch(rest[at].text):
        yield f"How many {plain(rest[at + 1])} {opening} {joined(before)}".rstrip() + "?"
