"""Entries of a table of this node that it lost, as after a restore: every contact who sits there
has the record, and hands them back. Each stands in the chain, and what this node wrote bears its
own signature, so that nothing has to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lpm_kernel.domain.share.discussions import SaidEntry, TableContact, TableContactState
from lpm_kernel.usecases.share.tables import Sitting, TablePorts, is_unaccounted, load, state_of
from protocol import handing
from protocol.discussion import Step
from protocol.tables import Table


def take_back(ports: TablePorts, sitting: Sitting, answer: Mapping[str, Any]) -> Sitting:
    """Add what a contact handed back. Raises ``Refusal`` where it does not follow."""
    did, now = ports.keystore.keys.identity.did, ports.clock.now()
    identifier, known = sitting.discussion.id, sitting.table
    table = handing.take(
        (identifier, did),
        [(entry, known.words.get(entry.n)) for entry in known.entries],
        handing.read(answer.get("entries", ())),
        int(now.timestamp()),
    )
    state = state_of(table)
    for entry in table.entries[len(known.entries) :]:
        words = table.words.get(entry.n)
        gone = is_unaccounted(did, table, entry)
        text = None if words is None or gone else words.json
        ports.discussions.append(
            identifier, SaidEntry(entry.n, entry.text, text, now), state, table.gone
        )
    _seat(ports, table, ports.discussions.contacts_at(identifier))
    return load(ports.discussions, identifier)


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
