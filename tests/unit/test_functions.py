"""Functions stay short, straight and narrow: the measure itself, and the bounds that it holds.

The lists name what is over a bound, each with its number as it is. None of them may grow, none
may be added, and whatever came under the bound or is gone has to leave its list.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Final

import pytest

from tests.bench.code import Function, density, functions, measured

pytestmark = pytest.mark.unit

LENGTH: Final = 60
COMPLEXITY: Final = 15
PARAMETERS: Final = 6
OPTIONS: Final = "lpm_kernel/cli/"
"""The parameters of a command are its options."""

LONG: Final[Mapping[str, int]] = {
    "lpm_kernel/L2/recipes/export/__main__.py::main": 63,
    "lpm_kernel/backends/embed/minilm_graph.py::_model": 114,
    "lpm_kernel/cli/training.py::train": 94,
    "protocol/vectors/make.py::contact": 72,
    "protocol/vectors/make.py::envelopes": 111,
    "protocol/vectors/make.py::grants": 251,
    "protocol/vectors/make.py::sessions": 85,
}

COMPLEX: Final[Mapping[str, int]] = {
    "lpm_kernel/L0/index/columns.py::Columns.selected": 19,
    "lpm_kernel/L0/index/columns.py::_with": 23,
    "lpm_kernel/L0/language/analysis.py::search_terms": 16,
    "lpm_kernel/L0/text/digest.py::digest": 20,
    "lpm_kernel/L1/answering/answer.py::answer": 17,
    "lpm_kernel/L1/answering/critique.py::contradicted": 22,
    "lpm_kernel/L1/answering/grounding.py::widened": 18,
    "lpm_kernel/L1/answering/perspective.py::_english": 21,
    "lpm_kernel/L1/answering/questions.py::_name": 18,
    "lpm_kernel/L1/answering/redaction.py::_secrets": 16,
    "lpm_kernel/L1/answering/table_columns.py::column_asked": 17,
    "lpm_kernel/L1/entities/mentions.py::_capitals": 18,
    "lpm_kernel/L1/entities/mentions.py::_names": 19,
    "lpm_kernel/L1/entities/resolution.py::_apply": 19,
    "lpm_kernel/L1/statements/corrections.py::with_corrections": 23,
    "lpm_kernel/L1/statements/disagreements.py::facts": 20,
    "lpm_kernel/L1/statements/extraction_english.py::_looks_named": 17,
    "lpm_kernel/L1/statements/extraction_model.py::_statement": 20,
    "lpm_kernel/L1/statements/opinions.py::opinion": 17,
    "lpm_kernel/L1/statements/reflection.py::entity_page": 16,
    "lpm_kernel/L1/statements/validity.py::_placed": 16,
    "lpm_kernel/L1/statements/validity.py::_told": 16,
    "lpm_kernel/L2/dataset.py::_notes": 16,
    "lpm_kernel/L2/exam.py::_grounding": 16,
    "lpm_kernel/L2/wording.py::_pieces": 23,
    "lpm_kernel/api/library/documents.py::change_documents": 17,
    "lpm_kernel/api/memory/graph.py::get_graph": 16,
    "lpm_kernel/api/chat/openai.py::_sampling": 18,
    "lpm_kernel/backends/embed/endpoint.py::EndpointEmbedder._rows": 19,
    "lpm_kernel/backends/llm/fetch.py::_once": 24,
    "lpm_kernel/backends/parse/chats.py::_line_messages": 16,
    "lpm_kernel/backends/parse/decode.py::_decoded": 18,
    "lpm_kernel/backends/parse/html.py::_Page.write": 19,
    "lpm_kernel/backends/parse/notes.py::read_markdown": 17,
    "lpm_kernel/backends/parse/sniff.py::kind_of": 16,
    "lpm_kernel/backends/parse/tables.py::_cells": 18,
    "lpm_kernel/backends/parse/tables.py::of_json": 18,
    "lpm_kernel/backends/store/index/database.py::IndexDb.find_documents": 16,
    "lpm_kernel/cli/home.py::erase": 18,
    "lpm_kernel/domain/memory/retain.py::statement": 18,
    "lpm_kernel/usecases/chat/redaction.py::without": 18,
    "lpm_kernel/usecases/home/settlements.py::written": 18,
    "lpm_kernel/usecases/memory/correction_division.py::divide": 18,
    "lpm_kernel/usecases/memory/memories.py::remember": 16,
    "lpm_kernel/usecases/memory/opinions.py::_differing": 17,
    "lpm_kernel/usecases/memory/reflection.py::_concerned": 21,
    "lpm_kernel/usecases/memory/validity.py::dated": 18,
    "lpm_kernel/usecases/memory/validity.py::with_what_was_so": 21,
    "lpm_kernel/usecases/share/answering.py::_ask": 23,
    "lpm_kernel/usecases/share/view.py::_Atlas.of": 18,
    "lpm_kernel/usecases/share/view.py::sorted_out": 23,
    "protocol/scope.py::Scope.narrowed": 20,
}

WIDE: Final[Mapping[str, int]] = {
    "protocol/card.py::Card.write": 7,
}


@pytest.fixture(scope="module")
def house() -> list[Function]:
    return measured()


def over(house: list[Function], bound: int, number: Callable[[Function], int]) -> dict[str, int]:
    return {function.name: number(function) for function in house if number(function) > bound}


def faults(now: Mapping[str, int], allowed: Mapping[str, int]) -> list[str]:
    return [
        *(f"{name}: {now[name]}" for name in now if now[name] > allowed.get(name, 0)),
        *(f"{name}: off the list" for name in allowed if name not in now),
    ]


def test_functions_are_short(house: list[Function]) -> None:
    assert faults(over(house, LENGTH, lambda function: function.length), LONG) == []


def test_functions_are_straight(house: list[Function]) -> None:
    assert faults(over(house, COMPLEXITY, lambda function: function.complexity), COMPLEX) == []


def test_functions_are_narrow(house: list[Function]) -> None:
    measured = [function for function in house if not function.name.startswith(OPTIONS)]
    assert faults(over(measured, PARAMETERS, lambda function: function.parameters), WIDE) == []


def test_an_allowance_neither_grows_nor_outlives_its_function() -> None:
    assert faults({"a": 70, "b": 70}, {"a": 70, "b": 69, "c": 80}) == ["b: 70", "c: off the list"]


def of(source: str) -> list[Function]:
    return list(functions(textwrap.dedent(source).lstrip("\n"), "a.py"))


def test_a_function_is_measured_without_its_docstring_its_comments_and_blank_lines() -> None:
    (one,) = of('''
        @decorated
        def one(a):
            """Tell.

            More of it.
            """
            # why

            return a
    ''')
    assert one == Function("a.py::one", length=8, complexity=1, nodes=3, lines=1, parameters=1)
    assert density([one]) == 3


def test_nothing_but_a_docstring_is_an_empty_body() -> None:
    (one,) = of('''
        def one():
            """Tell."""
    ''')
    assert (one.length, one.nodes, one.lines) == (2, 0, 0)


@pytest.mark.parametrize(
    ("body", "decisions"),
    [
        ("return a", 0),
        ("if a: pass\n    elif b: pass\n    else: pass", 2),
        ("for a in b: pass", 1),
        ("while a: pass", 1),
        ("try: pass\n    except A: pass\n    except B: pass\n    finally: pass", 2),
        ("return a if b else c", 1),
        ("return a and b and c or d", 3),
        ("return [a for a in b if a if b for c in d]", 4),
        ("match a:\n        case 1: pass\n        case _: pass", 2),
        ("return lambda: a or b", 1),
        ("def inner(): return a or b", 1),
    ],
)
def test_every_decision_counts_however_it_is_written(body: str, decisions: int) -> None:
    assert of(f"def one():\n    {body}\n")[0].complexity == 1 + decisions


def test_methods_and_functions_inside_are_named_by_where_they_stand() -> None:
    source = """
        class A:
            async def b(self):
                if self:
                    def c(): ...
    """
    assert [function.name for function in of(source)] == ["a.py::A.b", "a.py::A.b.c"]


def test_what_a_method_belongs_to_and_what_stars_take_is_no_parameter() -> None:
    source = """
        class A:
            def b(self, c, /, d, *e, f, **g): ...
            @classmethod
            def h(cls): ...
            @staticmethod
            def i(j): ...
    """
    assert [function.parameters for function in of(source)] == [3, 0, 1]
