"""What every test may ask for: a clock that stands still and a home of its own."""

from __future__ import annotations

import gc
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import MethodType
from typing import Any, cast

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from sqlalchemy import Engine, create_engine
from werkzeug.routing import Rule

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store import sqlite
from lpm_kernel.backends.store.home import database
from lpm_kernel.node import Node
from tests.scale import FULL

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
# Examples are drawn with the constants of whatever modules are loaded, so that they would hang on
# which tests ran before.
providers._get_local_constants = lambda: providers._local_constants

# What a test left as garbage stays so in a child that it forks: the threads that would end with it
# are not there.
os.register_at_fork(after_in_child=gc.freeze)

KINDS = ("unit", "property", "contract", "protocol", "integration", "docs", "e2e", "gpu", "bench")


MORNING = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


@pytest.fixture
def in_kyoto(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine stands nine hours east of Greenwich."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def servers_end() -> Iterator[None]:
    """No test leaves a server behind: its thread would poll whatever else its socket's number has
    become.
    """
    yield
    left = [each.name for each in threading.enumerate() if "serve_forever" in each.name]
    assert not left, left


@pytest.fixture(scope="session", autouse=True)
def migrated_once() -> Iterator[None]:
    """Run the migrations of an empty database once; each further one begins as a copy of it."""
    made: list[bytes] = []

    def begin(engine: Engine, to: str = "head") -> None:
        connection = engine.raw_connection()
        try:
            driver = cast("sqlite3.Connection", connection.driver_connection)
            [tables] = driver.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if to == "head" and tables == 0:
                if not made:
                    migrate(engine)
                    written = bytearray(driver.serialize())
                    written[18:20] = b"\1\1"  # a database in memory knows no write-ahead log
                    made.append(bytes(written))
                    return
                with closing(sqlite3.connect(":memory:")) as empty:
                    empty.deserialize(made[0])
                    empty.backup(driver)
                driver.execute("PRAGMA journal_mode=WAL")
                return
        finally:
            connection.close()
        migrate(engine, to)

    migrate = database.migrate
    database.migrate = begin
    yield
    database.migrate = migrate


@pytest.fixture(scope="session", autouse=True)
def routes_compiled_once() -> Iterator[None]:
    """Compile each route once: every app would do it for each of some 280 of them, which takes
    longer than most tests.
    """
    made: dict[tuple[object, ...], Rule] = {}

    def begin(rule: Rule) -> None:
        key = (rule.rule, rule.host, rule.subdomain, rule.merge_slashes, repr(rule.defaults))
        first = made.setdefault(key, rule)
        if first is rule:
            compile_route(rule)
            return
        rule._parts, rule._trace, rule._converters = first._parts, first._trace, first._converters
        rule.arguments = rule.arguments | first.arguments
        for name in ("_build", "_build_unknown"):
            setattr(rule, name, MethodType(getattr(first, name).__func__, rule))

    compile_route = Rule.compile
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "compile", begin)
        yield


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Let all databases share what SQLAlchemy made of a statement: each home begins with none."""
    shared = create_engine("sqlite://")
    with shared.connect():
        pass  # a dialect learns of its database at the first connection

    def begin(*args: Any, **kwargs: Any) -> Engine:  # noqa: ANN401  those of SQLAlchemy
        engine = create_engine(*args, **kwargs)
        engine.dialect = engine.pool._dialect = shared.dialect
        engine._compiled_cache = shared._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "create_engine", begin)
        yield
    shared.dispose()


@pytest.fixture
def frozen_clock() -> FrozenClock:
    return FrozenClock(MORNING)


@pytest.fixture
def scripted() -> ScriptedModel:
    """A model that answers "I do not know." until a test gives it a script."""
    return ScriptedModel([(".", "I do not know.")])


@pytest.fixture
def node(home: Path, frozen_clock: FrozenClock, scripted: ScriptedModel) -> Iterator[Node]:
    """A whole node on shipped twins: real databases, a scripted model, a hashing embedder, a clock
    that stands still.
    """
    with Node.open(home, clock=frozen_clock, model=scripted, embedder=HashingEmbedder()) as opened:
        yield opened


@pytest.fixture
def client(node: Node) -> FlaskClient:
    """Flask's own client, signed in with the local token."""
    app = create_app(node)
    browser = app.test_client()
    browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return browser


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home of this test's own; ``LPM_HOME`` names it, for processes that the test
    starts.
    """
    root = tmp_path / "home"
    root.mkdir(mode=0o700)
    monkeypatch.setenv("LPM_HOME", str(root))
    # the twin: graphrag takes seconds to be imported
    monkeypatch.setenv("LPM_COMMUNITIES", "louvain")
    return root


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test's folder is its kind, so that nobody has to mark each one; an example in a docstring
    is a unit test.
    """
    if not FULL:
        left_out = [item for item in items if item.get_closest_marker("full")]
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker("unit")
        for part in item.path.parts[:-1]:
            if part in KINDS:
                item.add_marker(part)
