"""Every way in which the API says no: a problem with a type of its own, which the contract
lists.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from flask.testing import FlaskClient

from lpm_kernel import errors
from lpm_kernel.api import problems
from lpm_kernel.api.app import create_app
from lpm_kernel.api.describe import FILE
from lpm_kernel.api.refusals import REFUSALS
from lpm_kernel.node import Node

SLUGS = [kind.slug for kind in problems.kinds()] + [refusal.slug for refusal in REFUSALS]


@pytest.mark.parametrize("kind", problems.kinds())
def test_every_class_of_error_has_a_slug_of_its_own(kind: type[errors.NodeError]) -> None:
    assert "slug" in vars(kind)
    assert Counter(SLUGS)[kind.slug] == 1


def test_every_slug_is_a_plain_word_and_none_is_there_twice() -> None:
    assert not [slug for slug, count in Counter(SLUGS).items() if count > 1]
    assert all(slug.replace("-", "").isalpha() and slug.islower() for slug in SLUGS)


def test_the_contract_lists_them_all() -> None:
    described = json.loads(FILE.read_text("utf-8"))["components"]["schemas"]["HttpProblem"][
        "properties"
    ]["type"]
    assert described["enum"] == list(problems.TYPES)
    assert set(described["enum"]) == {"about:blank", *(f"/problems/{slug}" for slug in SLUGS)}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "/api/documents/d_none", None, 404, "/problems/not-found"),
        ("GET", "/api/documents?cursor=x", None, 422, "/problems/strange-cursor"),
        ("POST", "/api/documents", {"text": ""}, 422, "/problems/not-usable"),
        ("POST", "/api/documents", {"words": ""}, 422, "/problems/not-as-described"),
        ("POST", "/api/erasures/x/confirm", None, 410, "/problems/expired-token"),
        ("GET", "/api/nothing", None, 404, "about:blank"),
        ("DELETE", "/api/documents", None, 405, "about:blank"),
        ("POST", "/v1/chat/completions", {"model": "second-me"}, 422, "/problems/not-as-described"),
    ],
)
def test_an_answer_says_which_problem_it_is(
    client: FlaskClient, method: str, path: str, body: object, status: int, kind: str
) -> None:
    answer = client.open(path, method=method, json=body)
    assert (answer.status_code, answer.content_type) == (status, "application/problem+json")
    told = answer.get_json()
    assert (told["type"], told["status"]) == (kind, status)
    assert set(told) - {"error"} == {"type", "title", "status", "detail", "hint"}


def test_who_may_not_call_is_told_so_by_type(node: Node) -> None:
    stranger = create_app(node).test_client()
    assert stranger.get("/api/documents").get_json()["type"] == "/problems/not-signed-in"
    assert stranger.get("/login?code=x").get_json()["type"] == "/problems/login-link-used-up"
    assert (
        stranger.get("/healthz", headers={"Host": "evil.example"}).get_json()["type"]
        == "/problems/unknown-host"
    )
    assert (
        stranger.get("/healthz", headers={"Origin": "http://evil.example"}).get_json()["type"]
        == "/problems/another-site"
    )
