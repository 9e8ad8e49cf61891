"""The official ``openai`` client, unchanged, against a real server on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import roles
from tests.serving import served

COATS = "First coats of oil varnish on Ottilie's cello: 9, 19 and 29 August 2025."
SAYS = "The coats went on Ottilie's cello on 9, 19 and 29 August 2025."
ASKS: list[openai.types.chat.ChatCompletionMessageParam] = [
    {"role": "user", "content": "When did the coats go on?"}
]


@pytest.fixture
def openai_client(node: Node, scripted: ScriptedModel) -> Iterator[openai.OpenAI]:
    scripted.script = ScriptedModel([("coats", SAYS)]).script
    node.library.add_text(COATS, title="Coats")
    node.run_jobs()
    with (
        served(create_app(node), channel_request_lookahead=1) as address,
        openai.OpenAI(
            base_url=f"{address}/v1",
            api_key=node.ports.home.secret("api-token"),
            max_retries=0,
        ) as client,
    ):
        yield client


def test_models_are_listed(openai_client: openai.OpenAI) -> None:
    assert [model.id for model in openai_client.models.list()] == ["second-me", "base"]
    assert openai_client.models.retrieve("base").id == "base"


def test_a_role_is_a_model_that_sees_its_scope_alone(
    openai_client: openai.OpenAI, node: Node, scripted: ScriptedModel
) -> None:
    node.library.add_text("The roof was mended in March.", title="Roof", tags=["house"])
    node.run_jobs()
    roles.add(
        node.ports.roles,
        node.ports.clock,
        Role(RoleId("mender"), "Mender", "", "You mend roofs.", sees=Sees(tags=("house",))),
    )
    assert [model.id for model in openai_client.models.list()] == [
        "second-me",
        "base",
        "second-me/mender",
    ]
    assert openai_client.models.retrieve("second-me/mender").id == "second-me/mender"
    told = openai_client.chat.completions.create(model="second-me/mender", messages=ASKS)
    assert "Ottilie" not in "".join(each.content for each in scripted.seen[-1])
    assert (told.model_extra or {})["citations"] == []
    streamed = openai_client.chat.completions.create(
        model="second-me/mender",
        messages=[{"role": "user", "content": "When was the roof mended?"}],
        stream=True,
    )
    assert (list(streamed)[-1].model_extra or {})["abstained"] is False
    assert "The roof was mended in March." in scripted.seen[-1][-1].content
    with pytest.raises(openai.NotFoundError):
        openai_client.chat.completions.create(model="second-me/nobody", messages=ASKS)


def test_an_answer_with_usage_and_citations(openai_client: openai.OpenAI) -> None:
    answer = openai_client.chat.completions.create(model="second-me", messages=ASKS)
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (SAYS, "stop")
    assert answer.usage is not None
    assert (
        answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    )
    more = answer.model_extra or {}
    assert (more["abstained"], more["outcome"]) == (False, "answered")
    assert set(more["citations"][0]) == {"id", "kind", "source", "quote", "document"}
    assert more["citations"][0]["quote"] == COATS


def test_a_streamed_answer_is_the_same_and_its_last_chunk_cites(
    openai_client: openai.OpenAI,
) -> None:
    chunks = list(
        openai_client.chat.completions.create(
            model="second-me", messages=ASKS, stream=True, stream_options={"include_usage": True}
        )
    )
    assert (
        "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == SAYS
    )
    last = [chunk for chunk in chunks if chunk.choices][-1]
    assert last.choices[0].finish_reason == "stop"
    assert (last.model_extra or {})["citations"][0]["quote"] == COATS
    assert chunks[-1].usage is not None


def test_base_has_no_memory(openai_client: openai.OpenAI, scripted: ScriptedModel) -> None:
    openai_client.chat.completions.create(
        model="base", messages=ASKS, temperature=0.5, seed=7, max_tokens=9, stop=["x"]
    )
    assert [message.content for message in scripted.seen[-1]] == ["When did the coats go on?"]


def test_embeddings_in_both_formats(openai_client: openai.OpenAI) -> None:
    one = openai_client.embeddings.create(model="any", input=["rain", "glue"])
    other = openai_client.embeddings.create(model="any", input="rain", encoding_format="float")
    assert [len(row.embedding) for row in one.data] == [384, 384]
    assert one.data[0].embedding == pytest.approx(other.data[0].embedding)


@pytest.mark.parametrize(
    "more",
    [
        {"tools": [{"type": "function", "function": {"name": "f"}}]},
        {"n": 2},
        {"logprobs": True},
        {"response_format": {"type": "json_object"}},
        {"extra_body": {"colour": 1}},
    ],
)
def test_what_cannot_be_honoured_is_refused_in_words(
    openai_client: openai.OpenAI, more: dict[str, object]
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as raised:
        openai_client.chat.completions.create(model="second-me", messages=ASKS, **more)  # type: ignore[call-overload]
    assert raised.value.body
    assert "message" in raised.value.body  # type: ignore[operator]


def test_a_wrong_key_and_a_wrong_model_are_errors_of_their_kind(
    openai_client: openai.OpenAI,
) -> None:
    with pytest.raises(openai.AuthenticationError):
        openai_client.with_options(api_key="wrong").models.list()
    with pytest.raises(openai.NotFoundError):
        openai_client.chat.completions.create(model="gpt-9", messages=ASKS)


def test_a_book_in_one_message_is_too_large(openai_client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIStatusError) as raised:
        openai_client.chat.completions.create(
            model="base", messages=[{"role": "user", "content": "x" * 5_000_000}]
        )
    assert raised.value.status_code == 413


def test_a_model_that_does_not_answer_is_a_503(
    openai_client: openai.OpenAI, scripted: ScriptedModel
) -> None:
    scripted.script = ScriptedModel([(".", None)]).script
    for stream in (False, True):
        with pytest.raises(openai.InternalServerError) as raised:
            openai_client.chat.completions.create(model="base", messages=ASKS, stream=stream)
        assert raised.value.status_code == 503
