"""Two people whose nodes sit at one table, in this process: real stores, a real host each, real
sockets between them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.peer import inward
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.tables import NewSeat, NewTable, Sitting
from tests.peers import PATIENCE, Peer, until
from tests.serving import served

SEA = "We went to the sea at Risør in May. The ferry to Risør took two hours."
HUT = "The hut above Kongsberg has six beds. In May the road to the hut is open."
AIM = "Where do we go in May?"
FORM = TableForm(tags=("travel",))


class Place:
    """Where the node of a home answers; nowhere while it does not run."""

    def __init__(self) -> None:
        self.url: str | None = None

    def __call__(self, _home: Home) -> str | None:
        return self.url


@contextmanager
def someone(
    folder: Path, name: str, text: str, model: LanguageModel | None = None
) -> Iterator[Peer]:
    """Open a home whose node answers what comes to its host."""
    place = Place()
    answer = inward.through_node(Home(folder), place)
    with Peer(folder, name, answer, model or ScriptedModel([])) as peer:
        peer.node.ports.change_settings(tables_with_contacts=True)
        peer.node.ports.conversations.set_identity(Identity(name))
        peer.node.library.add_text(text, title=name, tags=["travel"])
        peer.node.library.add_text(
            f"Canary of {name}: May was a secret sea in a hut.", title="Diary", tags=["diary"]
        )
        peer.node.run_jobs()
        with served(create_app(peer.node)) as url:
            place.url = url
            yield peer


def opened(asako: Peer, bram: Peer, **changed: object) -> DiscussionId:
    """Have the one open a table, and ask the other to it."""
    seats = (NewSeat("twin"), NewSeat("twin", contact=asako.knows(bram).id))
    wanted = {"aim": AIM, "seats": seats, "rounds": 2, "tags": ["travel"]} | changed
    return asako.node.discussing.open(NewTable(**wanted)).discussion.id  # type: ignore[arg-type]


def goes_on(*peers: Peer, patience: float = PATIENCE) -> Iterator[None]:
    """Have tables go on, as the worker does, a step at a time."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for peer in peers:
            peer.node.discussing.go_on()
        yield
        time.sleep(0.02)
    raise TimeoutError("The table did not go on.")


def at_table(peer: Peer, table: DiscussionId) -> Sitting | None:
    """Return a table as a person has it; nothing before it is there."""
    known = {each.id for each in peer.node.discussing.page(50)[0]}
    return peer.node.discussing.get(table) if table in known else None


def invited(asako: Peer, bram: Peer, table: DiscussionId) -> None:
    """Wait until the invitation is there."""
    for _ in goes_on(asako):
        if at_table(bram, table) is not None:
            return


def finished(asako: Peer, bram: Peer, table: DiscussionId) -> tuple[Sitting, Sitting]:
    """Let a table go on until it is closed on both sides; gives it as each has it."""
    for _ in goes_on(asako, bram):
        theirs = at_table(bram, table)
        if theirs is not None and theirs.table.closed is not None:
            mine = asako.node.discussing.get(table)
            if mine.table.head.hash == theirs.table.head.hash:
                return mine, theirs
    raise AssertionError


def accepted(asako: Peer, bram: Peer, table: DiscussionId, form: TableForm = FORM) -> None:
    """Have the invited person sit down."""
    invited(asako, bram, table)
    bram.node.discussing.company.accept(table, form)
    until(lambda: _joined(asako, table))


def _joined(asako: Peer, table: DiscussionId) -> bool:
    asako.node.discussing.go_on()
    sitting = asako.node.discussing.get(table)
    return all(each.member in sitting.table.present for each in sitting.discussion.seats)
