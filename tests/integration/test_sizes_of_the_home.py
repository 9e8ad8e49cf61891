"""What the home takes up, and erasing all of it."""

from __future__ import annotations

from pathlib import Path

from flask.testing import FlaskClient

from lpm_kernel.node import Node
from lpm_kernel.usecases.home.disk_usage import measure


def test_every_file_of_the_home_is_counted_once(client: FlaskClient, node: Node) -> None:
    node.library.add_text("The cello is of 1911.", title="Cello")
    node.run_jobs()
    client.post("/api/backups")
    node.run_jobs()
    shown = client.get("/api/sizes").get_json()
    seen: dict[tuple[int, int], int] = {}
    for path in Path(node.ports.home.root).rglob("*"):
        if path.is_file() and not path.is_symlink():
            known = path.stat()
            seen.setdefault((known.st_dev, known.st_ino), known.st_size)
    of = {item["id"]: item for item in shown["items"]}
    assert sum(item["files"] for item in shown["items"]) == len(seen)
    assert of["originals"]["bytes"] == len(b"The cello is of 1911.")
    assert of["texts"]["files"] == 2
    assert of["backups"]["bytes"] > 0
    assert shown["free"] > 0
    assert shown["home"] == str(node.ports.home.root)


def test_what_vanishes_while_it_is_counted_is_left_out(node: Node) -> None:
    (node.ports.home.root / "dangling").symlink_to(node.ports.home.root / "nowhere")
    assert sum(each.bytes for each in measure(node.ports.home)) > 0


def test_everything_is_counted_and_then_erased(client: FlaskClient, node: Node) -> None:
    node.library.add_text("The cello is of 1911.", title="Cello")
    node.library.add_text("A sealed word.", title="Sealed", private=True)
    client.post("/api/conversations", json={"title": "A talk"})
    node.run_jobs()
    proposal = client.post("/api/erasures", json={"everything": True}).get_json()
    assert len(proposal["documents"]) == 2
    assert len(proposal["conversations"]) == 1
    assert client.post(f"/api/erasures/{proposal['token']}/confirm").status_code == 202
    node.run_jobs()
    assert client.get("/api/documents").get_json()["items"] == []
    assert client.get("/api/conversations").get_json()["items"] == []
    of = {each.id: each.bytes for each in measure(node.ports.home)}
    assert (of["originals"], of["texts"]) == (0, 0)


def test_an_empty_home_has_nothing_to_erase_and_says_so(client: FlaskClient) -> None:
    assert client.post("/api/erasures", json={"everything": True}).status_code == 422


def test_findings_of_a_check_carry_a_code_and_what_stands_in_their_sentence(
    client: FlaskClient, node: Node
) -> None:
    node.library.add_text("The cello is of 1911.", title="Cello")
    node.run_jobs()
    client.post("/api/verifications", json={})
    node.run_jobs()
    (job,) = [
        each for each in client.get("/api/jobs").get_json()["items"] if each["kind"] == "verify"
    ]
    for found in job["result"]["findings"]:
        assert found["code"]
        assert all(str(value) in found["sentence"] for value in found["values"])
