"""How dense, how long and how winding the functions of the kernel and the protocol are.

``python -m tests.bench.code`` prints the numbers; ``python -m tests.bench.code FOLDER`` prints
those of another code base, to measure beside. A function inside another counts twice: by itself,
and as a part of the other.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
MEASURED: Final = (ROOT / "lpm_kernel", ROOT / "protocol")
LEFT_OUT: Final = ("lpm_kernel/backends/store/migrations/versions/", "lpm_kernel/sample/")
BOUNDS: Final = (10, 15, 28)
WORST: Final = 12
BRANCHES: Final = (
    ast.If,
    ast.IfExp,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.match_case,
)


@dataclass(frozen=True)
class Function:
    """What is measured of one function."""

    name: str
    """``path/of/file.py::Class.method``"""
    length: int
    """Lines from ``def`` to its end; decorators stand before it."""
    complexity: int
    """One and the decisions in it, however many stand in a line."""
    nodes: int
    """Syntax nodes of the body, without the docstring."""
    lines: int
    """Lines of the body that hold more than space or a comment, without the docstring."""
    parameters: int
    """Those that have a name; ``self``, ``cls`` and the rest behind stars do not count."""


def functions(source: str, path: str) -> Iterator[Function]:
    """Measure every function of a source text, those inside others too."""
    lines = source.splitlines()
    for name, node, is_method in _named(ast.parse(source)):
        body = _body(node)
        yield Function(
            name=f"{path}::{name}",
            length=(node.end_lineno or node.lineno) - node.lineno + 1,
            complexity=1 + sum(_decisions(inner) for inner in ast.walk(node)),
            nodes=sum(1 for statement in body for _ in ast.walk(statement)),
            lines=_filled(lines[body[0].lineno - 1 : node.end_lineno]) if body else 0,
            parameters=_parameters(node, is_method=is_method),
        )


def measured(folders: Iterable[Path] = MEASURED, root: Path = ROOT) -> list[Function]:
    """Measure every function below the folders."""
    return [
        function
        for folder in folders
        for file in sorted(folder.rglob("*.py"))
        if not (path := file.relative_to(root).as_posix()).startswith(LEFT_OUT)
        for function in functions(file.read_text(encoding="utf-8"), path)
    ]


def density(of: Sequence[Function]) -> float:
    """Tell how many syntax nodes stand in a line of the bodies."""
    return sum(function.nodes for function in of) / sum(function.lines for function in of)


def table(of: Sequence[Function]) -> str:
    """Set the numbers out to be read."""
    lengths = sorted(function.length for function in of)
    rows = [
        ("functions", f"{len(of)}"),
        ("nodes a line", f"{density(of):.2f}"),
        ("length, median", f"{statistics.median(lengths):.0f}"),
        ("length, p90", f"{lengths[len(lengths) * 9 // 10]}"),
        ("length, max", f"{lengths[-1]}"),
        *(
            (f"complexity > {bound}", f"{sum(function.complexity > bound for function in of)}")
            for bound in BOUNDS
        ),
    ]
    return "\n".join(f"{label:<18}{number:>8}" for label, number in rows)


def worst(of: Sequence[Function]) -> str:
    """Name the most winding ones and the longest."""
    winding = sorted(of, key=lambda function: -function.complexity)[:WORST]
    long = sorted(of, key=lambda function: -function.length)[:WORST]
    return "\n".join(
        (
            "most complex",
            *(f"{function.complexity:>6}  {function.name}" for function in winding),
            "longest",
            *(f"{function.length:>6}  {function.name}" for function in long),
        )
    )


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> int:
    taken = node.args
    static = any(
        isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list
    )
    named = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
    return named - (is_method and not static)


def _named(
    node: ast.AST, inside: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inside + child.name, child, isinstance(node, ast.ClassDef)
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _named(child, f"{inside}{child.name}.")
        else:
            yield from _named(child, inside)


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    return node.body if ast.get_docstring(node, clean=False) is None else node.body[1:]


def _decisions(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case _:
            return int(isinstance(node, BRANCHES))


def _filled(lines: Iterable[str]) -> int:
    return sum(line != "" and not line.startswith("#") for line in map(str.strip, lines))


def main() -> None:
    """Print the numbers of the folders that are named, or of our own."""
    folders = [Path(folder).resolve() for folder in sys.argv[1:]]
    of = measured(folders, Path("/")) if folders else measured()
    print(table(of))
    print()
    print(worst(of))


if __name__ == "__main__":
    main()
