"""Names look like what they are, whoever gives them: no line ends, no direction is turned, nothing
is hidden.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.share.network import NewCard
from lpm_kernel.usecases.library.intake import checked_tags
from lpm_kernel.usecases.share import people, tables
from protocol.refusals import Refusal
from protocol.shape import Line

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
TRICK = " Asako\r\n2026-05-20 INFO \u202eoknaB\u2069\u200b "
PLAIN = "Asako 2026-05-20 INFO oknaB"


@given(st.text())
def test_a_plain_line_is_one_that_the_protocol_lets_pass_and_stays_as_it_is(text: str) -> None:
    line = plain_line(text)
    assert plain_line(line) == line
    if line:
        Line(len(line)).check(line, "name")
    with suppress(Refusal):
        Line(len(text) or 1).check(text, "name")
        assert line == " ".join(text.split())  # what may pass is only drawn together


@pytest.mark.parametrize("kept", ["浅子", "Zoë O’Neill", "👩\u200d🌾", "می\u200cخواهم"])
def test_what_a_script_needs_stays(kept: str) -> None:
    assert plain_line(kept) == kept


def test_every_border_draws_a_name_to_a_plain_line(tmp_path: Path) -> None:
    database = NodeDatabase(tmp_path / "node.db", "key")
    who = database.contacts.keep(NewCard("did:b", "peer", 1, "card"), NOW)
    assert people.rename(database.contacts, who.id, TRICK).name == PLAIN
    database.conversations.set_identity(Identity(TRICK))
    assert database.conversations.identity().name == PLAIN
    assert checked_tags([TRICK, PLAIN, "\u200b"]) == (PLAIN,)
    assert tables._line(TRICK) == PLAIN
    database.close()
