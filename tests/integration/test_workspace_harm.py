"""The workspace against what goes wrong around it: nothing that a person wrote is lost, and nothing private becomes open by it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memories import Wished
from lpm_kernel.errors import ExpiredTokenError
from lpm_kernel.node import Node
from lpm_kernel.usecases import exporting
from tests.integration.test_workspace import found, read, write


def believed(node: Node) -> dict[str, str]:
    return {each.memory: each.statement.text for each in node.memories.page(Wished(), limit=100)[0]}


def exported(node: Node, path: Path, *, private: bool = True) -> bytes:
    exporting.export(
        node.documents, node.decisions, node.conversations, node.files, node.audit, node.settings, node.clock, exporting.Wanted(private=private), path
    )
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


def test_a_token_that_has_expired_leaves_the_file(node: Node, frozen_clock: FrozenClock) -> None:
    write(node, "bank/world.md", "The lease runs until May.")
    read(node)
    token = node.propose_erasure([node.documents.all()[0].id]).token
    frozen_clock.advance(timedelta(hours=1))
    with pytest.raises(ExpiredTokenError):
        node.confirm_erasure(token)
    assert (node.home.workspace / "bank/world.md").exists()


def test_a_correction_that_is_taken_back_after_an_edit_is_gone(node: Node, client: FlaskClient) -> None:
    write(node, "bank/world.md", "The course has six places.")
    read(node)
    item = client.post("/api/recall", json={"query": "How many places?"}).get_json()["items"][0]
    place = {"document": item["document"]["id"], "start": item["start"], "end": item["end"]}
    client.post("/api/findings", json={**place, "decision": "mend", "content": "The course has nine places."})
    node.run_jobs()
    write(node, "bank/world.md", "Rain.\n\nThe course has six places.")
    read(node)
    assert found(node, "How many places has the course?")[0] == "The course has nine places."
    (document,) = [each for each in node.documents.all() if each.origin]
    (decision,) = node.decisions.about([DocumentId(document.id)])[document.id]
    assert client.delete(f"/api/findings/{decision.id}").status_code in {200, 204}
    node.run_jobs()
    assert not any("nine" in each for each in found(node, "How many places has the course?"))
