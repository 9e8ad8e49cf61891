"""Entries of a table of this node that it lost in a restore: every contact who sits there has the
record, and hands them back.

What this node signed itself, and all that it names by its hashes, was the record: nobody else can
have made it. What comes after the last of these is taken only once everybody has answered, and
rather from who is not its author.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lpm_kernel.domain.share.discussions import SaidEntry, TableContact, TableContactState
from lpm_kernel.usecases.share.tables import Sitting, TablePorts, is_unaccounted, load, state_of
from protocol import handing
from protocol.discussion import Step
from protocol.identity import Did
from protocol.ledger import Said
from protocol.tables import Table


def take_back(
    ports: TablePorts, sitting: Sitting, answer: Mapping[str, Any], *, tail: bool
) -> tuple[Sitting, Sequence[Said]]:
    """Add what a contact handed back, up to the last entry of this node or with the ``tail`` behind
    it; gives the table, and the tail that was left. Raises ``Refusal`` where it does not follow.
    """
    did, now = ports.keystore.keys.identity.did, ports.clock.now()
    identifier, known = sitting.discussion.id, sitting.table
    said = [(entry, known.words.get(entry.n)) for entry in known.entries]
    came = handing.read(answer.get("entries", ()))
    mine = max((entry.n for entry, _ in came if entry.iss == did), default=-1)
    taken = [each for each in came if tail or each[0].n <= mine]
    name = (identifier, did)
    table = handing.take(name, said, taken, int(now.timestamp()))
    bare = _bare(ports, sitting, table)
    state = state_of(table)
    for entry in table.entries[len(said) :]:
        words = None if entry.n in bare else table.words.get(entry.n)
        row = SaidEntry(entry.n, entry.text, None if words is None else words.json, now)
        ports.discussions.append(identifier, row, state, table.gone)
    later = table.words.keys() - known.words.keys() - bare
    ports.discussions.put_words(
        identifier, {n: table.words[n].json for n in later if n < len(said)}
    )
    _seat(ports, table, ports.discussions.contacts_at(identifier))
    left = [each for each in came if each[0].n >= len(table.entries)]
    return load(ports.discussions, identifier), left


def _bare(ports: TablePorts, sitting: Sitting, table: Table) -> set[int]:
    """Return the numbers of entries whose words are not kept, and of those that quote them: what
    was struck or erased here, and what this node said from memory, of which nobody knows from what.
    """
    did: Did = ports.keystore.keys.identity.did
    lost = ports.discussions.gone(sitting.discussion.id)
    lost |= {
        entry.n for entry in table.entries[len(sitting.said) :] if is_unaccounted(did, table, entry)
    }
    return lost | {entry.n for entry in table.entries if entry.shows(lost)}


def _seat(ports: TablePorts, table: Table, there_are: list[TableContact]) -> None:
    """Have contacts stand where the record says: who sat down since, and who left."""
    sat = {each.fields["by"] for each in table.entries if each.step is Step.JOINED}
    for there in there_are:
        mine = set(there.members)
        if not mine & sat:
            continue
        state = (
            TableContactState.ACCEPTED
            if mine & table.present or not mine <= sat
            else TableContactState.LEFT
        )
        ports.discussions.move_contact(
            there.discussion,
            there.contact,
            [TableContactState.INVITED, TableContactState.ACCEPTED],
            state=state.value,
        )
