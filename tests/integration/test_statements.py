"""What stands under ``## Retain`` is found as statements: by kind, by whom it is about, at its own
line.
"""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node

DIARY = """# Wednesday

Rain all day. Peter wrote about the summer course.

## Retain

- W @Peter: owns the house in the lane ^m12ab34
- O(c=0.9) @Peter: prefers short replies
- B I took over the workshop.
- this line is none

## Later

Glue and varnish until six.
"""


@pytest.fixture
def diary(node: Node) -> str:
    document = node.library.add_text(DIARY, title="Wednesday").document
    node.run_jobs()
    return document.id


def found(client: FlaskClient, query: str, **more: object) -> list[dict[str, object]]:
    answer = client.post("/api/recall", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return list(answer.get_json()["items"])


def test_a_statement_is_found_at_its_line_with_kind_and_confidence(
    client: FlaskClient, diary: str
) -> None:
    first = found(client, "What does Peter prefer?", kinds=["opinion"])
    assert [
        (each["kind"], each["content"], each["confidence"], each["source"]) for each in first
    ] == [("opinion", "@Peter: prefers short replies", 0.9, f"documents/{diary}#L8")]
    assert first[0]["entities"] == ["Peter"]


@pytest.mark.usefixtures("diary")
def test_kinds_narrow_what_is_found(client: FlaskClient) -> None:
    every = {
        each["kind"]: each["content"]
        for each in found(client, "Peter house workshop replies rain glue line")
    }
    assert every.keys() == {"world", "opinion", "experience", "passage"}
    for kind in every:
        assert {
            each["kind"]
            for each in found(client, "Peter house workshop replies rain glue line", kinds=[kind])
        } == {kind}
    assert found(client, "Peter", kinds=["observation"]) == []
    assert (
        client.post("/api/recall", json={"query": "Peter", "kinds": ["rumour"]}).status_code == 422
    )


@pytest.mark.usefixtures("diary")
def test_whom_a_statement_is_about_is_a_name(client: FlaskClient, node: Node) -> None:
    assert {each["kind"] for each in found(client, "house replies", entities=["Peter"])} == {
        "world",
        "opinion",
    }
    assert "Peter" in [each.name for each in node.memory.names("Pe", 5, include_private=True)]


@pytest.mark.usefixtures("diary")
def test_what_is_no_statement_stays_a_passage(client: FlaskClient) -> None:
    passages = [
        str(each["content"]) for each in found(client, "rain line glue varnish", kinds=["passage"])
    ]
    assert any("this line is none" in each for each in passages)
    assert any("Glue and varnish" in each for each in passages)
    assert not any("owns the house" in each for each in passages)
