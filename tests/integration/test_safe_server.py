"""The attack suite: who is let in, what is refused, and what never stands in a log or an error."""

from __future__ import annotations

import io
import logging
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import new_login_code
from tests.lives import SAMPLE

CANARY = "The kingfisher keeps its ledger under the ninth stair."


@pytest.fixture
def stranger(node: Node) -> FlaskClient:
    """A client without any key."""
    return create_app(node).test_client()


def paths(client: FlaskClient) -> list[tuple[str, str]]:
    described: dict[str, Any] = client.get("/openapi.json").get_json()["paths"]
    return [
        (method.upper(), path.replace("{id}", "x"))
        for path, methods in described.items()
        for method in methods
    ]


def test_every_route_but_the_sign_of_life_wants_a_key(
    client: FlaskClient, stranger: FlaskClient
) -> None:
    for method, path in paths(client):
        expected = 200 if path == "/healthz" else 401
        assert stranger.open(path, method=method).status_code == expected, (method, path)
    for path in ("/openapi.json", "/docs", "/readyz"):
        assert stranger.get(path).status_code == 401


@pytest.mark.parametrize("token", ["", "x", "Bearer", "é" * 64])
def test_a_wrong_token_is_refused(stranger: FlaskClient, token: str) -> None:
    assert (
        stranger.get(
            "/api/status", headers={"Authorization": f"Bearer {token}".encode().decode("latin-1")}
        ).status_code
        == 401
    )


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:3000",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "[2001:db8::1]:3000",
        "",
        "0.0.0.0:3000",
    ],
)
def test_a_foreign_host_name_is_refused_even_with_the_key(client: FlaskClient, host: str) -> None:
    assert client.get("/api/status", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:3000", "localhost:3000", "localhost", "[::1]:3000", "127.0.0.2:1", "LOCALHOST"],
)
def test_loopback_names_are_known(client: FlaskClient, host: str) -> None:
    assert client.get("/api/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:4000",
        "http://localhost:3000",
        "file://",
        "http://127.0.0.1",
    ],
)
def test_another_origin_is_refused_port_included(client: FlaskClient, origin: str) -> None:
    assert (
        client.get("/api/status", headers={"Host": "127.0.0.1:3000", "Origin": origin}).status_code
        == 403
    )


def test_the_own_origin_is_let_in(client: FlaskClient) -> None:
    assert (
        client.get(
            "/api/status", headers={"Host": "127.0.0.1:3000", "Origin": "http://127.0.0.1:3000"}
        ).status_code
        == 200
    )


def test_a_login_link_works_once_and_sets_this_homes_cookie(
    node: Node, stranger: FlaskClient
) -> None:
    code = new_login_code(node.ports.access, node.ports.clock)
    answer = stranger.get(f"/login?code={code}")
    cookie = answer.headers["Set-Cookie"]
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert cookie.startswith(f"lpm_{node.ports.home.secret('home-id')}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert node.ports.home.secret("api-token") not in cookie
    assert stranger.get("/api/status").status_code == 200
    again = create_app(node).test_client()
    assert again.get(f"/login?code={code}").status_code == 401
    assert again.get("/login").status_code == 401


def test_the_codes_and_sessions_on_disk_are_hashes(node: Node, stranger: FlaskClient) -> None:
    code = new_login_code(node.ports.access, node.ports.clock)
    stranger.get(f"/login?code={code}")
    stored = b"".join(path.read_bytes() for path in node.ports.home.root.glob("node.db*"))
    cookie = stranger.get_cookie(f"lpm_{node.ports.home.secret('home-id')}")
    assert cookie is not None
    assert code.encode() not in stored
    assert cookie.value.encode() not in stored


@pytest.mark.parametrize(
    "path",
    [
        "/../node.db",
        "/..%2fnode.db",
        "/%2e%2e/keys/api-token",
        "/_next/../../keys/api-token",
        "//etc/passwd",
        "/..\\node.db",
        "/login/../api/status",
        "/api/documents/..%2f..%2fkeys",
        "/%00",
    ],
)
def test_no_name_leads_out_of_the_folder(stranger: FlaskClient, node: Node, path: str) -> None:
    answer = stranger.get(path, buffered=True)
    assert answer.status_code in {301, 303, 308, 400, 401, 404, 421, 503}
    assert node.ports.home.secret("api-token") not in answer.get_data(as_text=True)


def test_every_answer_carries_a_strict_policy(stranger: FlaskClient) -> None:
    for path in ("/", "/healthz", "/api/status", "/nowhere"):
        policy = stranger.get(path, buffered=True).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert "unsafe-eval" not in policy
        assert "frame-ancestors 'none'" in policy


def test_an_original_is_a_download_and_never_a_page(client: FlaskClient) -> None:
    made = client.post(
        "/api/documents",
        data={"file": (io.BytesIO(b"<script>alert(1)</script> words"), 'a"\r\nX: y.txt')},
    ).get_json()["document"]
    answer = client.get(f"/api/documents/{made['id']}/original")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.content_type == "application/octet-stream"
    assert "X" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_canary_is_in_no_log_and_no_error(
    client: FlaskClient,
    node: Node,
    scripted: ScriptedModel,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The secret of the sample life goes in by every door, and everything that can go wrong goes
    wrong.
    """
    caplog.set_level(logging.DEBUG)
    note = (SAMPLE / "private" / "2023-11-19-ear.md").read_bytes()
    assert CANARY.encode() in note
    client.post("/api/documents", data={"file": (io.BytesIO(note), "ear.md")})
    client.post(
        "/api/documents", data={"file": (io.BytesIO(b"%PDF-1.4 " + CANARY.encode()), "ear.pdf")}
    )
    client.post(
        "/api/documents",
        data={"file": (io.BytesIO(CANARY.encode() * 3 + bytes(range(32)) * 99), "ear.txt")},
    )
    client.post("/api/documents", data={"file": (io.BytesIO(CANARY.encode()), "ear.jsonl")})
    node.run_jobs()
    scripted.script = ScriptedModel([(".", None)]).script
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    answers = [
        client.post(f"/api/conversations/{conversation}/turns", json={"text": CANARY})
        .get_data(as_text=True)
        .partition("event: failed")[2]
        .partition('"turn"')[0]
    ]
    recalls: list[dict[str, object]] = [
        {"query": CANARY, CANARY: 1},
        {"query": 1, "k": CANARY},
        {"query": CANARY, "since": "never"},
        {"query": CANARY, "as_of": CANARY},
    ]
    answers += [
        client.post("/api/recall", json=body)
        .get_data(as_text=True)
        .replace(f"Unknown field: {CANARY}", "")
        for body in recalls
    ]
    chats = [
        {"model": "base", "messages": [{"role": "user", "content": CANARY}]},
        {"model": "second-me", "messages": [{"role": CANARY, "content": CANARY}]},
    ]
    answers += [
        client.post("/v1/chat/completions", json=body).get_data(as_text=True) for body in chats
    ]
    answers.append(
        client.post("/api/documents", data=CANARY, content_type="application/json").get_data(
            as_text=True
        )
    )
    out = capfd.readouterr()
    for text in (
        *answers,
        caplog.text,
        out.out,
        out.err,
        *(job.message + repr(job.error) for job in node.ports.jobs.page(limit=50)[0]),
    ):
        assert "kingfisher" not in text
    assert "kingfisher" not in repr(node.ports.documents.all())


def test_private_words_stay_out_of_reprs(node: Node) -> None:
    node.library.add_text(CANARY, title="Ear")
    node.run_jobs()
    found = node.memory.recall("kingfisher")
    assert found.items
    assert "kingfisher" not in repr(found)
