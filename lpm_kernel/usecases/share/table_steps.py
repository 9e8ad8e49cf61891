"""The next step of a table: whose turn it is, when it ends, and the summary of who agreed to what.

One step adds one entry, or none. It is worked out from the record alone, so that a node that was
killed goes on where the record ends.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.errors import ConflictError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.usecases.share.tables import (
    TRIES,
    NextEntry,
    Sitting,
    TablePorts,
    append,
    load,
)
from protocol.discussion import Entry, Says, Stance, Step, Stop, Strategy, Words
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.tables import Table

log = logging.getLogger(__name__)

MOST_MISSED: Final = 3
"""Times in a row that a member fails, without whom the next round cannot begin, before the table is
paused.
"""
LONGEST_POINT: Final = 300
"""Characters of what somebody said that a summary quotes."""

Speak = Callable[[Sitting, str, int], NextEntry]
"""Makes the turn of a member in a round."""


def step(ports: TablePorts, discussion: DiscussionId, speak: Speak) -> Sitting | None:
    """Do what comes next, and give the table as it is then; ``None`` where nothing is to be done:
    it is paused or closed. What can never be added is noted as a failure of whoever had the word,
    or pauses the table. Raises ``NotFoundError`` and ``ConflictError``.
    """
    for _ in range(TRIES):
        sitting = load(ports.discussions, discussion)
        table = sitting.table
        if table.closed is not None or table.paused:
            return None
        done = _added(ports, sitting, _next(ports, sitting, speak))
        if done is not None:
            return done
    raise ConflictError("Too much is said at once.", "Try again.")


def close(ports: TablePorts, discussion: DiscussionId) -> Sitting:
    """Sum up and end a table now, because the person says so; without a summary where none can be
    added. Raises ``NotFoundError`` and ``ConflictError``.
    """
    for _ in range(TRIES):
        sitting = load(ports.discussions, discussion)
        if sitting.table.closed is not None:
            return sitting
        made = _ending(sitting, Stop.PERSON)
        try:
            append(ports, sitting, made)
        except (Refusal, InvalidInputError):
            if made.step is Step.SUMMARY and _stands(ports, sitting):
                with suppress(Refusal, InvalidInputError):
                    append(ports, sitting, NextEntry(Step.CLOSED, {"why": Stop.PERSON}))
    raise ConflictError(
        "This table cannot be ended now.", "Try again; if it stays so, export it and delete it."
    )


def _added(ports: TablePorts, sitting: Sitting, made: NextEntry) -> Sitting | None:
    """Add an entry, or what stands for it where it is refused for good; ``None`` where another one
    came between.
    """
    try:
        return append(ports, sitting, made)
    except (Refusal, InvalidInputError) as refused:
        if not _stands(ports, sitting):  # somebody was quicker, and it is another one's turn
            return None
        code = refused.code if isinstance(refused, Refusal) else Code.MALFORMED
        log.warning("An entry of a table cannot be added: %s", code)
    for other in _instead(made, code):
        with suppress(Refusal, InvalidInputError):
            return append(ports, sitting, other)
    return None


def _stands(ports: TablePorts, sitting: Sitting) -> bool:
    """Tell whether nothing was added to a table since it was read."""
    now = load(ports.discussions, sitting.discussion.id)
    return now.table.head.hash == sitting.table.head.hash


def _instead(made: NextEntry, code: Code) -> list[NextEntry]:
    """Give what is added in the place of an entry that is refused for good, the first that can be:
    that somebody failed, a summary without words, at last a pause, which waits for the person.
    """
    last = [NextEntry(Step.PAUSED)]
    match made.step:
        case Step.TURN:
            return [NextEntry(Step.FAILED, {"by": made.body["by"], "code": code}), *last]
        case Step.SUMMARY:
            words = Words.write("")
            return [NextEntry(Step.SUMMARY, {**made.body, "quotes": []}, words), *last]
        case _:
            return last


def _next(ports: TablePorts, sitting: Sitting, speak: Speak) -> NextEntry:
    table = sitting.table
    if _waits(table):
        return NextEntry(Step.PAUSED)
    over = ports.clock.now().timestamp() >= table.opening.fields["exp"]
    why = Stop.TIME if over else _stops(sitting)
    if why is not None:
        return _ending(sitting, why)
    if table.strategy is Strategy.MODERATED and table.called not in table.able:
        return NextEntry(Step.CALLED, {"by": _quietest(table, table.able)})
    number = _round(table)
    may = table.due_in(number)
    member = _quietest(table, may) if table.strategy is Strategy.FREE else may[0]
    return _turn(sitting, member, number, speak)


def _waits(table: Table) -> bool:
    """Tell whether it is for the person to say how it goes on: nobody could speak, since the model
    does not answer, or one cannot without whom no round begins.
    """
    nobody = bool(table.missed and table.able) and table.missed >= set(table.able)
    last = table.entries[-MOST_MISSED:]
    failed = {each.fields["by"] for each in last if each.step is Step.FAILED}
    return nobody or (
        len(failed) == 1 and [each.step for each in last] == [Step.FAILED] * MOST_MISSED
    )


def _turn(sitting: Sitting, member: str, number: int, speak: Speak) -> NextEntry:
    """Have a member speak, or say that it could not."""
    try:
        return speak(sitting, member, number)
    except NotFoundError:  # its role was deleted
        return NextEntry(Step.LEFT, {"by": member})
    except LocalProtocolError as misfit:  # what it says cannot be written down
        log.warning("A member of a table said what cannot be added: %s", type(misfit).__name__)
        return NextEntry(Step.FAILED, {"by": member, "code": Code.MALFORMED})
    except NodeError as error:
        log.warning("A member of a table could not speak: %s", type(error).__name__)
        return NextEntry(Step.FAILED, {"by": member, "code": Code.BUSY})


def _round(table: Table) -> int:
    """Say in which round the next turn is taken."""
    if table.strategy in {Strategy.ROUND_ROBIN, Strategy.DEBATE}:
        return table.round if table.due else table.round + 1
    return table.round + 1 if _is_over(table) else table.round


def _is_over(table: Table) -> bool:
    """Tell whether everybody who may had their turn in this round."""
    return bool(table.heard) and not set(table.able) - table.heard


def _stops(sitting: Sitting) -> Stop | None:
    """Say why a table ends now; ``None`` where it goes on."""
    table, wanted = sitting.table, set(sitting.table.opening.fields["stop"])
    if not table.able:
        return Stop.ALONE
    if Stop.AGREEMENT in wanted and table.agreed() is not None:
        return Stop.AGREEMENT
    if not _is_over(table):
        return None
    if table.round >= table.opening.fields["rounds"]:
        return Stop.ROUNDS
    if Stop.NO_NEW_EVIDENCE in wanted and table.round > 1 and not _brought(sitting):
        return Stop.NO_NEW_EVIDENCE
    return None


def _brought(sitting: Sitting) -> bool:
    """Tell whether anything was cited in this round that was not cited before."""
    before: set[str] = set()
    now: set[str] = set()
    for turn in sitting.table.turns:
        words = sitting.table.words.get(turn.n)
        cited = [] if words is None else [each["item"] for each in words.cites if "item" in each]
        (now if turn.fields["round"] == sitting.table.round else before).update(cited)
    return bool(now - before)


def _quietest(table: Table, among: list[str]) -> str:
    """Choose who spoke least, in the order of the table."""
    asked = Counter(
        each.fields["by"] for each in table.entries if each.step in {Step.TURN, Step.FAILED}
    )
    return min(among, key=lambda each: asked[each])


# --- the end -------------------------------------------------------------------------------------


def _ending(sitting: Sitting, why: Stop) -> NextEntry:
    """Sum up first, then close."""
    if any(each.step is Step.SUMMARY for each in sitting.table.entries[-1:]):
        return NextEntry(Step.CLOSED, {"why": why})
    return summary(sitting)


def summary(sitting: Sitting) -> NextEntry:
    """Say of everybody what they said last, in their own words, and whom they agreed with; that
    somebody abstained only where they never said anything.
    """
    table = sitting.table
    silent = [each for each in table.turns if each.fields["abstained"]]
    spoken = [each for each in table.turns if not each.fields["abstained"]]
    last = {each.fields["by"]: each for each in [*silent, *spoken]}
    points, cites = [], []
    for turn in sorted(last.values(), key=lambda each: each.n):
        points.append({"by": turn.fields["by"], "turn": turn.n, "says": says(turn)})
        quote = _first_sentence(sitting.heard(turn.n))
        if quote and not turn.fields["abstained"]:
            cites.append({"turn": turn.n, "quote": quote})
    words = Words.write("", tuple(cites))
    documents = dict.fromkeys(
        each for row in sitting.said if not row.withheld for each in row.documents
    )
    body = {"points": points, "quotes": sorted(words.quotes)}
    return NextEntry(Step.SUMMARY, body, words, tuple(documents))


def says(turn: Entry) -> Says:
    """Say what a summary says of a turn."""
    if turn.fields["abstained"]:
        return Says.ABSTAINED
    match turn.fields["stance"]:
        case Stance.AGREES:
            return Says.AGREED
        case Stance.DISAGREES:
            return Says.DISAGREED
        case _:
            return Says.SAID


def _first_sentence(text: str) -> str:
    spans = sentence_spans(text)
    start, end = next(iter(spans), (0, len(text)))
    return text[start:end][:LONGEST_POINT].strip()
