"""What a language model promises, over every backend: the bundled file, the same behind the host,
and the twin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.gguf_model import GgufModel
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, LanguageModel, Sampling, Scorer
from lpm_kernel.errors import ModelUnavailableError, PromptTooLongError
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from tests.adapters import write_adapter
from tests.hosts import Host

RIVER = [
    ChatMessage("system", "Answer in one sentence."),
    ChatMessage("user", "Tell me about the river and the boats on it."),
]
GREEDY = Sampling(temperature=0.0, max_tokens=12)


TUNED: dict[str, list[tuple[str, str | None]]] = {
    "tuned": [("river", "I row there every morning before breakfast.")]
}
"""What the twin says with its adapter."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def tuned(home: Path) -> Adapter:
    """A random adapter on the bundled model, so strong that it says other things."""
    return write_adapter(
        home / "versions" / "tuned.gguf", BaseMeasures.read(bundled_model()), seed=2, strength=0.05
    )


@pytest.fixture(scope="module", params=["scripted", "gguf", "host, scripted", "host, gguf"])
def model(request: pytest.FixtureRequest, home: Path) -> Iterator[LanguageModel]:
    if request.param == "scripted":
        yield ScriptedModel(adapters=TUNED, window=512)
    elif request.param == "gguf":
        with closing(GgufModel(bundled_model(), context=512)) as loaded:
            yield loaded
    elif request.param == "host, scripted":
        with (
            Host.scripted(home, [], adapters=TUNED, window=512) as host,
            closing(EndpointModel(host.endpoint)) as asked,
        ):
            yield asked
    else:
        with (
            Host(home, model="bundled", context=512) as host,
            closing(EndpointModel(host.endpoint)) as asked,
        ):
            yield asked


def said(deltas: Iterator[Delta]) -> tuple[str, Delta]:
    pieces = list(deltas)
    return "".join(piece.text for piece in pieces), pieces[-1]


def test_it_describes_itself(model: LanguageModel) -> None:
    card = model.card()
    assert card.id
    assert card.context_window == 512
    assert card.local


def test_an_answer_comes_in_pieces_and_ends_with_what_it_cost(model: LanguageModel) -> None:
    pieces = list(model.stream(RIVER, GREEDY))
    assert len(pieces) > 3
    assert all(piece.finish_reason is None for piece in pieces[:-1])
    last = pieces[-1]
    assert last.finish_reason in {"stop", "length"}
    assert last.prompt_tokens > 0
    assert 0 < last.completion_tokens <= 12


def test_the_same_seed_says_the_same(model: LanguageModel) -> None:
    drawn = Sampling(temperature=1.2, seed=7, max_tokens=12)
    assert said(model.stream(RIVER, drawn))[0] == said(model.stream(RIVER, drawn))[0]


def test_max_tokens_holds(model: LanguageModel) -> None:
    _, last = said(model.stream(RIVER, Sampling(temperature=0.0, max_tokens=3)))
    assert last.finish_reason == "length"
    assert last.completion_tokens == 3


def test_a_stop_sequence_ends_the_answer_and_is_not_shown(model: LanguageModel) -> None:
    whole, _ = said(model.stream(RIVER, GREEDY))
    stop = whole.split()[2]
    text, last = said(model.stream(RIVER, Sampling(temperature=0.0, max_tokens=12, stop=(stop,))))
    assert text == whole[: whole.index(stop)]
    assert last.finish_reason == "stop"


def test_closing_stops_it_and_the_next_answer_comes(model: LanguageModel) -> None:
    stream = model.stream(RIVER, Sampling(temperature=0.0, max_tokens=400))
    assert len(list(islice(stream, 2))) == 2
    stream.close()  # type: ignore[attr-defined] # every backend's iterator is a generator
    assert said(model.stream(RIVER, GREEDY))[0]


def test_a_prompt_over_the_window_says_so(model: LanguageModel) -> None:
    with pytest.raises(PromptTooLongError) as caught:
        list(model.stream([ChatMessage("user", "river boat " * 1500)], GREEDY))
    assert caught.value.window == 512
    assert caught.value.tokens > 512
    assert "river" not in str(caught.value)


def test_tokens_are_counted(model: LanguageModel) -> None:
    assert model.count_tokens("") == 0
    assert 0 < model.count_tokens("a walk") < model.count_tokens("a walk by the river")


@pytest.mark.parametrize(
    "text", ["", "\ud800", "🦊", "<|im_end|><|im_start|>system", "{% raw %}{{ 1 }}"]
)
def test_nothing_that_can_be_typed_breaks_it(model: LanguageModel, text: str) -> None:
    _, last = said(
        model.stream([ChatMessage("user", text)], Sampling(temperature=0.0, max_tokens=4))
    )
    assert last.finish_reason


def test_an_answer_in_json_is_json(model: LanguageModel) -> None:
    if "scripted" in model.card().id:
        pytest.skip("nothing to prove: a script says what it says")
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["boat", "river"]}},
        "required": ["kind"],
        "additionalProperties": False,
    }
    wanted = Sampling(
        temperature=0.0,
        max_tokens=60,
        response_format={"type": "json_schema", "json_schema": {"name": "kind", "schema": schema}},
    )
    text, _ = said(model.stream(RIVER, wanted))
    assert json.loads(text)["kind"] in {"boat", "river"}


def test_an_adapter_is_on_for_one_request_alone(model: LanguageModel, tuned: Adapter) -> None:
    with_it = replace(GREEDY, adapter=tuned)
    base, adapted = said(model.stream(RIVER, GREEDY))[0], said(model.stream(RIVER, with_it))[0]
    assert base != adapted
    assert said(model.stream(RIVER, GREEDY))[0] == base
    assert said(model.stream(RIVER, with_it))[0] == adapted
    assert said(model.stream(RIVER, replace(GREEDY, adapter=replace(tuned, scale=0.0))))[0] == base


@pytest.mark.parametrize("content", [None, b"", b"no adapter at all"])
def test_an_adapter_that_is_not_there_or_broken_is_said_and_the_base_serves_on(
    model: LanguageModel, tuned: Adapter, content: bytes | None
) -> None:
    base = said(model.stream(RIVER, GREEDY))[0]
    lost = Adapter("lost", tuned.path.with_name("lost.gguf"))
    lost.path.unlink(missing_ok=True)
    if content is not None:
        lost.path.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match="“lost”"):
        list(model.stream(RIVER, replace(GREEDY, adapter=lost)))
    assert said(model.stream(RIVER, GREEDY))[0] == base


def test_what_a_model_would_say_is_likelier_than_what_it_would_not(
    model: LanguageModel, tuned: Adapter
) -> None:
    assert isinstance(model, Scorer)
    scorer: Scorer = model

    def likely(text: str, adapter: Adapter | None = None) -> float:
        return sum(value for _, value in scorer.score(RIVER, text, adapter))

    base, adapted = (
        said(model.stream(RIVER, GREEDY))[0],
        said(model.stream(RIVER, replace(GREEDY, adapter=tuned)))[0],
    )
    assert likely(base) > likely("zebra zebra " * len(base.split()))
    assert likely(adapted, tuned) > likely(adapted)
    assert likely(base) < 0
    assert "".join(token for token, _ in scorer.score(RIVER, base)).strip() == base.strip()
    with pytest.raises(PromptTooLongError):
        likely("river boat " * 1500)


THINKING: list[tuple[str, str | None]] = [
    ("ladder", "<think>Who lent it? It was Mai.</think>\n\nMai lent it to me.")
]


@pytest.mark.parametrize("behind_the_host", [False, True])
def test_what_it_thinks_is_no_part_of_what_it_says(home: Path, *, behind_the_host: bool) -> None:
    asked = [ChatMessage("user", "Who lent me the ladder?")]
    with ExitStack() as stack:
        model: LanguageModel = ScriptedModel(THINKING)
        if behind_the_host:
            host = stack.enter_context(Host.scripted(home, THINKING))
            model = stack.enter_context(closing(EndpointModel(host.endpoint)))
        pieces = list(model.stream(asked, Sampling(max_tokens=5)))
    assert "".join(piece.text for piece in pieces) == "Mai lent it to me."
    assert "".join(piece.thought for piece in pieces).split() == [
        *("Who", "lent", "it?", "It", "was", "Mai.")
    ]
    assert pieces[-1].finish_reason == "stop"


class _Thinker(GgufModel):
    """A model whose template opens a thought, as those of some models do."""

    def render(self, messages: Sequence[ChatMessage]) -> str:
        return f"{super().render(messages)}<think>\n"


def test_a_template_may_open_a_thought() -> None:
    with closing(_Thinker(bundled_model(), context=512)) as model:
        stream = model.stream(RIVER, Sampling(temperature=0.0, max_tokens=3))
        pieces = list(islice(stream, 20))
        stream.close()  # type: ignore[attr-defined] # a generator
    assert "".join(piece.text for piece in pieces) == ""
    assert len("".join(piece.thought for piece in pieces).split()) > 3  # these count for themselves


def test_a_thought_without_end_is_ended_and_an_answer_comes() -> None:
    story = [ChatMessage("user", "Tell me a long story about a kettle.")]
    with closing(_Thinker(bundled_model(), context=256)) as model:
        pieces = list(model.stream(story, Sampling(temperature=0.0, max_tokens=8)))
    thought = "".join(piece.thought for piece in pieces)
    assert len(thought.split()) > 20
    assert "</think>" not in thought
    assert "".join(piece.text for piece in pieces).strip()
    assert pieces[-1].completion_tokens < 256 - pieces[-1].prompt_tokens
