"""The same questions to plain retrieval, to this node's recall and to GraphRAG: judged by rule,
with what each cost. GraphRAG is itself, the model behind it speaks a script.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.graph.search import GraphEndpoint, GraphRag
from lpm_kernel.backends.llm.relay import Relay
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.cli import app
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.comparison import Cost, GraphAnswer, GraphMade, SourceText
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.errors import ConflictError, UnavailableError
from lpm_kernel.L2.exam import Item, Measure
from lpm_kernel.node import Node
from lpm_kernel.usecases.training import comparison
from lpm_kernel.usecases.training.comparison import AnswerOutcome, ComparisonPorts, compare

pytestmark = pytest.mark.integration

TEXT = "I moved my workshop to Teramachi on 6 April 2024. Kuri is my dog."
KNOWN = Item(Measure.FACT_RETENTION, "When did I move?", say=("april", "2024"), expected=TEXT)
UNKNOWN = Item(Measure.ABSTENTION, "Can you remind me about my sailboat?")
ASKED = [KNOWN, UNKNOWN]
EXTRACTED = (
    '("entity"<|>NAGI<|>PERSON<|>Nagi moved the workshop)##'
    '("entity"<|>TERAMACHI<|>GEO<|>The workshop of Nagi is in Teramachi)##'
    '("relationship"<|>NAGI<|>TERAMACHI<|>Nagi moved to Teramachi on 6 April 2024<|>9)##'
    "<|COMPLETE|>"
)
REPORT = json.dumps(
    {
        "title": "Nagi and Teramachi",
        "summary": "Nagi moved the workshop to Teramachi on 6 April 2024.",
        "rating": 5.0,
        "rating_explanation": "It is where the work is done.",
        "findings": [{"summary": "The move", "explanation": "It was on 6 April 2024."}],
    }
)
POINTS = json.dumps({"points": [{"description": "The move was on 6 April 2024.", "score": 80}]})
SCRIPT = [
    ("Entity_types: ORGANIZATION", EXTRACTED),
    ("executive summary", REPORT),
    ("When did I move", POINTS),
    ("sailboat", "I don't know."),
]


class Graph:
    """Answers as a graph would, without one."""

    def __init__(self, *told: GraphMade | GraphAnswer, breaks: bool = False) -> None:
        self.told, self.breaks = told, breaks
        self.places: list[Path] = []

    def answers(
        self, texts: Sequence[SourceText], questions: Sequence[str], place: Path
    ) -> Generator[GraphMade | GraphAnswer, None, None]:
        """Tell what was given."""
        assert [each.text for each in texts] == [TEXT]
        assert questions == [item.question for item in ASKED]
        self.places.append(place)
        yield from self.told
        if self.breaks:
            raise UnavailableError("GraphRAG broke down.", "")


def ports(model: ScriptedModel, graph: Graph | None = None) -> ComparisonPorts:
    return ComparisonPorts(
        model,
        HashingEmbedder(),
        lambda _: [TEXT],
        [SourceText("d1", "Notes", TEXT)],
        "Nagi",
        graph,
        Path("nowhere"),
    )


def test_each_way_is_judged_on_the_same_questions_with_its_cost() -> None:
    graph = Graph(
        GraphMade({"entities": 2}),
        GraphAnswer("local", 0, "On 6 April 2024."),
        GraphAnswer("local", 1, "It is blue."),
        GraphAnswer("global", 0, "I am sorry but I am unable to answer this question."),
        GraphAnswer("global", 1, "", "the window is too small"),
    )
    model = ScriptedModel([("When did I move", "On 6 April 2024."), ("sailboat", "I don't know.")])
    costs = {"index": Cost(3, 900, 90), "local": Cost(2, 300, 20), "global": Cost(4, 500, 30, 1)}
    found = {
        each.system: each for each in compare(ports(model, graph), ASKED, _silent, lambda: costs)
    }
    assert list(found) == list(comparison.SYSTEMS)
    outcomes = {name: [answer.outcome for answer in each.answers] for name, each in found.items()}
    assert outcomes == {
        "retrieval": [AnswerOutcome.RIGHT, AnswerOutcome.ABSTAINED],
        "recall": [AnswerOutcome.RIGHT, AnswerOutcome.ABSTAINED],
        "graphrag_local": [AnswerOutcome.RIGHT, AnswerOutcome.FALSE],
        "graphrag_global": [AnswerOutcome.ABSTAINED, AnswerOutcome.SILENT],
    }
    shares = {
        name: {what: figure.value for what, figure in each.figures.items()}
        for name, each in found.items()
    }
    assert shares["recall"] == {"right": 1, "said_falsely": 0, "abstained": 1, "withheld": 0}
    assert shares["graphrag_local"]["said_falsely"] == 0.5
    assert shares["graphrag_global"] == {
        "right": 0,
        "said_falsely": 0,
        "abstained": 0,
        "withheld": 1,
    }
    assert found["recall"].cost.calls == 2
    assert found["recall"].cost.prompt_tokens == sum(
        len(message.content.split()) for prompt in model.seen[2:] for message in prompt
    )
    assert found["graphrag_local"].cost.calls == 2
    assert found["graphrag_global"].index.prompt_tokens == 900
    assert found["graphrag_global"].answers[1].problem == "the window is too small"
    page = comparison.as_markdown(list(found.values()), {"model": "scripted"})
    assert "| `graphrag_local` | 100.0 % (100.0 to 100.0, n 1) | 50.0 % (0.0 to 100.0, n 2)" in page
    assert "Teramachi" not in page


def _silent(_share: float, _step: str, _message: str) -> None:
    return


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("On 6 April 2024, I'm not sure why.", AnswerOutcome.RIGHT),
        ("I'm sorry, I'm unable to remember the details.", AnswerOutcome.ABSTAINED),
        ("I'm sorry, I'm not sure.", AnswerOutcome.ABSTAINED),
        # it tells something first
        ("I moved in May. I'm not sure if it rained.", AnswerOutcome.FALSE),
        ("", AnswerOutcome.SILENT),
    ],
)
def test_who_says_something_first_does_not_abstain(answer: str, outcome: AnswerOutcome) -> None:
    assert comparison.judged(KNOWN, answer) is outcome


@pytest.mark.parametrize(
    "graph",
    [
        Graph(GraphMade({}, "extract_graph: ValueError: No entities detected")),
        Graph(breaks=True),
    ],
)
def test_a_graph_that_cannot_be_made_says_why_and_the_others_answer(graph: Graph) -> None:
    found = compare(ports(ScriptedModel(SCRIPT), graph), ASKED, _silent)
    assert [bool(each.figures) for each in found] == [True, True, False, False]
    assert all(each.problem for each in found[2:])
    page = comparison.as_markdown(found, {})
    assert f"- `graphrag_local` answered nothing: {found[2].problem}" in page
    assert found[2].problem in "\n".join(comparison.in_sentences(found))


def test_questions_are_few_seeded_and_half_as_many_have_no_answer() -> None:
    taught = [
        Taught(MemoryId(f"m{number}"), f"I keep the {thing} in the {place} of Teramachi.")
        for number, (thing, place) in enumerate(
            [("kiln", "shed"), ("cello", "loft"), ("varnish", "cellar"), ("ledger", "drawer")]
        )
    ]
    asked = comparison.questions(taught, 4, 1, names={})
    assert asked == comparison.questions(taught, 4, 1, names={})
    assert asked != comparison.questions(taught, 4, 2, names={})
    kinds = [item.measure is Measure.ABSTENTION for item in asked]
    assert kinds == [False, False, False, False, True, True]
    own = [Item(Measure.FACT_RETENTION, "Where?", accept=("loft",))]
    assert comparison.questions(taught, 4, 1, names={}, given=own) == own
    with pytest.raises(ConflictError, match="Nothing is kept"):
        comparison.questions([], 4, 1, names={})


# --- graphrag itself, over the relay --------------------------------------------------------------


def _post(address: str, key: str) -> int:
    here = HTTPConnection(address.removeprefix("http://"), timeout=10)
    body = json.dumps({"messages": [{"role": "user", "content": "Hello there"}]})
    head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with closing(here):
        here.request("POST", "/index/v1/chat/completions", body, head)
        return here.getresponse().status


def test_the_relay_answers_whoever_has_its_key_and_counts_by_stage() -> None:
    with Relay(ScriptedModel([("Hello", "Good day to you.")]), HashingEmbedder()) as relay:
        assert _post(relay.address, "") == 401
        assert relay.costs() == {}
        assert _post(relay.address, relay.key) == 200
        cost = relay.costs()["index"]
        assert (cost.calls, cost.prompt_tokens, cost.completion_tokens) == (1, 2, 4)
    with pytest.raises(ConnectionError):
        _post(relay.address, relay.key)


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.skipif(not GraphRag.is_there(), reason="graphrag is not installed")
@pytest.mark.parametrize(("script", "works"), [(SCRIPT, True), ([(".", "Nothing.")], False)])
def test_graphrag_makes_its_graph_and_searches_it_over_the_relay(
    script: Sequence[tuple[str, str]], works: bool, tmp_path: Path
) -> None:
    with Relay(ScriptedModel(script), HashingEmbedder()) as relay:
        endpoint = GraphEndpoint(
            relay.address, relay.key, relay.name, relay.window, relay.dimension
        )
        told = list(
            GraphRag(endpoint).answers(
                [SourceText("d1", "Notes", TEXT)], [item.question for item in ASKED], tmp_path
            )
        )
        costs = relay.costs()
    made, *answers = told
    assert isinstance(made, GraphMade)
    if not works:
        assert made.problem.startswith("extract_graph: ValueError: Graph Extraction failed")
        assert not answers
        return
    assert made.problem == ""
    assert made.counts["entities"] == 2
    assert made.counts["community_reports"] == 1
    said = {
        (each.search, each.question): each.answer
        for each in answers
        if isinstance(each, GraphAnswer)
    }
    assert {search for search, _ in said} == {"local", "global"}
    assert all(
        comparison.judged(KNOWN, said[search, 0]) is AnswerOutcome.RIGHT
        for search in comparison.GRAPHS
    )
    assert comparison.judged(UNKNOWN, said["local", 1]) is AnswerOutcome.ABSTAINED
    assert costs["index"].calls == 2  # entities of one chunk, one report
    assert costs["local"].calls == 2
    assert costs["local"].prompt_tokens > 100


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(tmp_path / "home", model=ScriptedModel(SCRIPT), trainer="scripted") as opened:
        opened.library.add_text(
            "## Retain\n- B I moved my workshop to Teramachi on 6 April 2024.\n"
            "- B I keep the kiln in the shed.\n- B Kuri, my dog, eats no chicken.\n",
            title="Notes",
        )
        opened.library.add_text("The heron sleeps in the ninth boat.", title="Own", private=True)
        opened.run_jobs()
        yield opened


def test_nothing_private_is_compared_and_nothing_stays(node: Node) -> None:
    found, about = node.training.compare(limit=2, graph=False)
    assert [each.system for each in found] == ["retrieval", "recall"]
    assert about["texts"] == 1
    model = node.models.model
    assert isinstance(model, ScriptedModel)
    seen = " ".join(message.content for prompt in model.seen for message in prompt)
    assert "heron" not in seen
    assert list(node.ports.home.versions.iterdir()) == []
    left = node.ports.home.versions / "comparing-killed"
    left.mkdir()
    (left / "documents.parquet").write_bytes(b"what was killed left this")
    node.training.sweep_trainings()  # as at the node's start
    assert not left.exists()


def test_one_command_writes_it_down(node: Node, tmp_path: Path) -> None:
    home = str(node.ports.home.root)
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": SCRIPT}), "utf-8")
    environment = {"LPM_HOME": home, "LPM_MODEL": f"scripted:{script}", "LPM_EMBEDDER": "hashing"}
    page = tmp_path / "compared.md"
    arguments = ["compare", "--no-graph", "--limit", "2", "--out", str(page), "--json"]
    done = CliRunner().invoke(app, arguments, env=environment)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert list(told["systems"]) == ["retrieval", "recall"]
    assert set(told["systems"]["recall"]["figures"]) == set(comparison.FIGURES)
    assert page.read_text("utf-8").startswith("# The same questions, several ways")
    assert CliRunner().invoke(app, arguments, env=environment).exit_code == 1, "it is there already"
