"""Every pattern of the node, strings made to keep each of them busy, and how the time grows with
their length.

The strings come from a pattern's own tree: what leads to a repeat, what it repeats, and an end that
does not fit.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import lpm_kernel
import protocol

Tree = Any
"""A pattern as ``re`` reads it, which publishes no types for it."""
PARSER = re._parser
OP = re._constants
REPEATS = frozenset({OP.MAX_REPEAT, OP.MIN_REPEAT, OP.POSSESSIVE_REPEAT})
SIGNS = "a1A _-.x,\n\t<>[]()\"'あ漢ア、。0@#:;|*+=/&!?~`{}%^$\\「」円é\u3000\x00"
PUMPS = (
    *" \n\t1aA<-@.[(\"'#漢あア\u3000:,_=/「“",
    *("<!---->", "1 ", "1-", "1.", "a.", "a@", "a-", "A ", "Aa ", "* ", "> ", "@a ", "#\n", " \n"),
    *(
        "0:",
        "| ",
        "<!--",
        "%%",
        "---\n",
        "A1 ",
        "of ",
        "the ",
        "1,",
        "a: \n",
        "http://a ",
        "<a b=c ",
    ),
)
LONG = 20
"""A repeat that may go on for this long is worth trying."""
SHORT_RUN, LONG_RUN = 1_000, 4_000
NOTICED = 0.006
"""Seconds of the longer run below which nothing is said."""
MOST_GROWTH = 8.0
"""Times as long for four times the length: four is a straight line, sixteen its square."""


def patterns() -> dict[str, re.Pattern[Any]]:
    """Return what the modules hold, in whatever it is held, by module and name."""
    found: dict[str, re.Pattern[Any]] = {}
    for root in (lpm_kernel, protocol):
        for module in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if "migrations" in module.name or module.name.endswith(("__main__", ".recipes.sft")):
                continue
            try:
                loaded = importlib.import_module(module.name)
            except ImportError:  # what trains or listens is installed apart
                continue
            for name, value in vars(loaded).items():
                for number, pattern in enumerate(_held(value)):
                    found.setdefault(
                        f"{module.name}.{name}" + (f"[{number}]" if number else ""), pattern
                    )
    return found


def _held(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4 and isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from _held(each, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        yield from _held([*value, *value.values()], depth)


def tree_of(pattern: re.Pattern[Any]) -> Tree:
    return PARSER.parse(
        pattern.pattern,
        pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, str) else pattern.flags,
    )


def signs(item: Tree) -> frozenset[str]:  # noqa: PLR0911  a way for each kind of item
    """Return with which of ``SIGNS`` an item can begin."""
    op, value = item
    if op is OP.LITERAL:
        return frozenset(chr(value))
    if op is OP.NOT_LITERAL:
        return frozenset(SIGNS) - {chr(value)}
    if op is OP.ANY:
        return frozenset(SIGNS) - {"\n"}
    if op is OP.IN:
        return _class(value)
    if op in REPEATS:
        return _first(value[2])
    if op is OP.SUBPATTERN:
        return _first(value[3])
    if op is OP.ATOMIC_GROUP:
        return _first(value)
    if op is OP.BRANCH:
        return frozenset().union(*(_first(way) for way in value[1]))
    return frozenset()


def _first(items: Tree) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for item in items:
        found |= signs(item)
        if not nullable(item):
            break
    return found


def nullable(item: Tree) -> bool:
    op, value = item
    if op in REPEATS:
        return value[0] == 0 or all(nullable(each) for each in value[2])
    if op is OP.SUBPATTERN:
        return all(nullable(each) for each in value[3])
    if op is OP.ATOMIC_GROUP:
        return all(nullable(each) for each in value)
    if op is OP.BRANCH:
        return any(all(nullable(each) for each in way) for way in value[1])
    return op in {OP.AT, OP.ASSERT, OP.ASSERT_NOT, OP.GROUPREF_EXISTS}


@cache
def _category(category: Any) -> frozenset[str]:  # noqa: ANN401  a constant of ``re``
    name = str(category)
    holds: Callable[[str], bool] = (
        str.isdigit
        if "DIGIT" in name
        else str.isspace
        if "SPACE" in name
        else lambda sign: sign.isalnum() or sign == "_"
    )
    return frozenset(sign for sign in SIGNS if holds(sign) != ("NOT" in name))


def _class(parts: Tree) -> frozenset[str]:
    found: set[str] = set()
    for op, value in parts:
        if op is OP.LITERAL:
            found.add(chr(value))
        elif op is OP.RANGE:
            found |= {sign for sign in SIGNS if value[0] <= ord(sign) <= value[1]} or {
                chr(value[0])
            }
        elif op is OP.CATEGORY:
            found |= _category(value)
    return frozenset(SIGNS) - found if parts[0][0] is OP.NEGATE else frozenset(found)


def sample(items: Tree) -> str:
    """Return a short string of the kind that these items want."""
    made = ""
    for op, value in items:
        if op in REPEATS:
            made += sample(value[2]) * value[0]
        elif op is OP.SUBPATTERN:
            made += sample(value[3])
        elif op is OP.ATOMIC_GROUP:
            made += sample(value)
        elif op is OP.BRANCH:
            made += sample(value[1][0])
        else:
            made += min(signs((op, value)), key=SIGNS.find, default="")
    return made


def _repeats(items: Tree, lead: str = "") -> Iterator[tuple[str, str]]:
    """Yield what leads to each long repeat, and what it repeats."""
    for op, value in items:
        if op in REPEATS:
            if value[1] >= LONG:
                yield lead, sample(value[2])
                yield from ((lead, sign) for sign in sorted(signs((op, value)), key=SIGNS.find)[:6])
            yield from _repeats(value[2], lead)
        elif op in {OP.SUBPATTERN, OP.ATOMIC_GROUP}:
            yield from _repeats(value[3] if op is OP.SUBPATTERN else value, lead)
        elif op is OP.BRANCH:
            for way in value[1]:
                yield from _repeats(way, lead)
        elif op in {OP.ASSERT, OP.ASSERT_NOT}:
            yield from _repeats(value[1], lead)
        lead += sample([(op, value)])


def hostile(pattern: re.Pattern[Any]) -> set[tuple[str, str, str]]:
    """Return beginnings, what to repeat, and ends."""
    tree = tree_of(pattern)
    found = {("", pump, end) for pump in PUMPS for end in ("", "\0")}
    for lead, pump in _repeats(tree):
        found |= {(lead, pump, end) for end in ("", "\0", "\n\0")} | {
            ("", lead + pump, "\0"),
            ("", pump + lead, "\0"),
        }
    whole = sample(tree)
    return {each for each in found | {("", whole, "\0"), ("", whole[:-1], "\0")} if each[1]}


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def growth(work: Callable[[int], object], short: int, long: int, noticed: float) -> float:
    """Return how many times as long the longer run takes, and 0 where neither is noticed. Measured
    again before it is called too much.
    """
    few = many = 0.0
    for _ in range(3):
        few = seconds(lambda: work(short))
        if few < noticed / 32:
            return 0.0
        many = seconds(lambda: work(long))
        if many <= noticed or many <= MOST_GROWTH * few:
            return many / few if many > noticed else 0.0
    return many / few


def only_from_the_start(where: str, pattern: re.Pattern[Any]) -> bool:
    """Tell whether its module only ever asks whether a text begins with it, which spares it all
    other places.
    """
    module, _, name = where.rpartition(".")
    if vars(sys.modules[module]).get(name) is not pattern:
        return False
    source = inspect.getsource(sys.modules[module])
    uses = re.findall(rf"\b{re.escape(name)}\.(\w+)", source)
    return (
        bool(uses)
        and set(uses) <= {"match", "fullmatch"}
        and len(uses) == len(re.findall(rf"\b{re.escape(name)}\b", source)) - 1
    )


def ambiguous(items: Tree) -> str:
    """Say which repeats can share out the same signs in many ways; nothing where none can.

    Looked for are an endless repeat of an endless repeat with nothing certain beside it, and two
    endless repeats of the same signs with nothing certain between them. One that never gives back
    what it took is neither.
    """
    before: frozenset[str] = frozenset()
    for op, value in items:
        endless = op in {OP.MAX_REPEAT, OP.MIN_REPEAT} and value[1] == OP.MAXREPEAT
        if endless:
            if _nested(value[2]):
                return "a repeat of repeats"
            if before & signs((op, value)):
                return "two repeats of the same signs side by side"
            before = before | signs((op, value)) if nullable((op, value)) else signs((op, value))
        elif not nullable((op, value)):
            before = frozenset()
        inner = (
            [value[2]]
            if op in REPEATS
            else [value[3]]
            if op is OP.SUBPATTERN
            else [value]
            if op is OP.ATOMIC_GROUP
            else []
        )
        inner += value[1] if op is OP.BRANCH else []
        for each in inner:
            if said := ambiguous(each):
                return said
    return ""


def _nested(body: Tree) -> bool:
    """Tell whether a body is an endless repeat with only what may be missing around it."""
    certain = [item for item in body if not nullable(item) or item[0] in REPEATS]
    loops = [
        item
        for item in certain
        if item[0] in {OP.MAX_REPEAT, OP.MIN_REPEAT} and item[1][1] == OP.MAXREPEAT
    ]
    if loops and all(item in loops or nullable(item) for item in certain):
        return True
    inner = [item[1][3] for item in certain if item[0] is OP.SUBPATTERN]
    inner += [way for item in certain if item[0] is OP.BRANCH for way in item[1][1]]
    return len(certain) == 1 and any(_nested(each) for each in inner)
