"""The next step of a table: whose turn it is, when it ends, and the summary of who agreed to what.

One step adds one entry, or none. It is worked out from the record alone, so that a node that was
killed goes on where the record ends.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Final

from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.errors import ConflictError, NodeError, NotFoundError
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
from protocol.refusals import Code, Refusal
from protocol.tables import Table

log = logging.getLogger(__name__)

LONGEST_POINT: Final = 300
"""Characters of what somebody said that a summary quotes."""

Speak = Callable[[Sitting, str, int], NextEntry]
"""Makes the turn of a member in a round. Raises ``NotYetError``."""


class NotYetError(Exception):
    """A contact was asked for its turn and has not answered."""


def step(ports: TablePorts, discussion: DiscussionId, speak: Speak) -> Sitting | None:
    """Do what comes next, and give the table as it is then; ``None`` where nothing is to be done:
    it is paused or closed, or waits for a contact. Raises ``NotFoundError`` and ``ConflictError``.
    """
    for _ in range(TRIES):
        sitting = load(ports.discussions, discussion)
        table = sitting.table
        if table.closed is not None or table.paused:
            return None
        try:
            done = append(ports, sitting, _next(ports, sitting, speak))
        except NotYetError:
            return None
        except Refusal:  # somebody was quicker, and it is another one's turn
            continue
        if done is not None:
            return done
    raise ConflictError("Too much is said at once.", "Try again.")


def close(ports: TablePorts, discussion: DiscussionId) -> Sitting:
    """Sum up and end a table now, because the person says so. Raises ``NotFoundError``."""
    for _ in range(TRIES):
        sitting = load(ports.discussions, discussion)
        if sitting.table.closed is not None:
            return sitting
        append(ports, sitting, _ending(sitting, Stop.PERSON))
    raise ConflictError("Too much is said at once.", "Try again.")


def _next(ports: TablePorts, sitting: Sitting, speak: Speak) -> NextEntry:
    table = sitting.table
    if table.missed and table.missed >= set(table.able) and table.able:
        return NextEntry(Step.PAUSED)  # nobody could speak: the model does not answer
    over = ports.clock.now().timestamp() >= table.opening.fields["exp"]
    why = Stop.TIME if over else _stops(sitting)
    if why is not None:
        return _ending(sitting, why)
    if table.strategy is Strategy.MODERATED and table.called not in table.able:
        return NextEntry(Step.CALLED, {"by": _quietest(table, table.able)})
    number = _round(table)
    may = table.due_in(number)
    member = _quietest(table, may) if table.strategy is Strategy.FREE else may[0]
    try:
        return speak(sitting, member, number)
    except NotFoundError:  # its role was deleted
        return NextEntry(Step.LEFT, {"by": member})
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
        quote = _first_sentence(sitting.text(turn.n))
        if quote and not turn.fields["abstained"]:
            cites.append({"turn": turn.n, "quote": quote})
    words = Words.write("", tuple(cites))
    documents = dict.fromkeys(each for row in sitting.said for each in row.documents)
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
