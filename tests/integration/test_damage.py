"""Every part of a home × every damage: no original is lost, the node works or says within seconds
what is wrong, and the command that it names brings it back.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import resource
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path

import pytest

from lpm_kernel import cli
from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.errors import NodeError
from lpm_kernel.node import Node
from tests.conftest import MORNING
from tests.integration.test_cli import free_port
from tests.processes import RunningNode
from tests.rights import as_anybody, fill, small_disk
from tests.scale import FULL, only_in_full

SECONDS = 60.0
"""Within which a home works, or says what is wrong with it."""
SHA256 = re.compile(r"[0-9a-f]{64}")
COMMAND = re.compile(r"`((?:lpm|chmod) [^`]{1,300})`")
AS_USUAL = {"model_on_disk", "embedder", "worker", "front_end", "disk"}
"""What the doctor says of every home that is not started."""


def opened(home: Path, clock: FrozenClock | None = None) -> Node:
    clock = clock or FrozenClock(MORNING + timedelta(hours=3))
    return Node.open(
        home,
        clock=clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    )


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A life in three states: ``older``, ``home`` (closed), ``open`` (as a process that was killed
    leaves it).
    """
    root = tmp_path_factory.mktemp("lives")
    home = root / "home"
    with opened(home, FrozenClock(MORNING)) as node:
        for number in range(6):
            node.library.add_text(
                f"Thought {number}: the kiln was lit on day {number} of the month."
            )
        node.run_jobs()
        node.workspace.retain("O(c=0.9) @Peter: prefers short replies")
        node.workspace.append("memory.md", "- I keep bees.\n")
        node.workspace.append("bank/pottery.md", "# Pottery\n\nThe blue glaze needs cobalt.\n")
        node.ports.change_settings(theme="dark")
        node.run_jobs()
        node.home.back_up()
    shutil.copytree(home, root / "older")
    with opened(home, FrozenClock(MORNING + timedelta(hours=1))) as node:
        for number in range(3):
            node.library.add_text(f"Later {number}: the wheel turns.")
        node.workspace.append("bank/pottery.md", "And patience.\n")
        node.run_jobs()
        node.ports.change_settings(theme="light")
        node.reconcile()
        node.home.back_up()
        (home / "models" / "mine.gguf").write_bytes(b"GGUF" + bytes(range(256)))
        shutil.copytree(home, root / "open")
    return root


@pytest.fixture
def cell(lives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that life for one test, and the environment of its commands."""
    root = tmp_path / "home"
    shutil.copytree(lives / "home", root)
    for name, value in {
        "HOME": str(root),
        "MODEL": "scripted",
        "EMBEDDER": "hashing",
        "COMMUNITIES": "louvain",
        "OPEN": "0",
    }.items():
        monkeypatch.setenv(f"LPM_{name}", value)
    return root


# --- parts and damages --------------------------------------------------------------------------

FILES = {
    "node.db": r"node\.db",
    "index.db": r"index\.db",
    "audit.json": r"audit\.json",
    "home.json": r"home\.json",
    "settings.toml": r"settings\.toml",
    "workspace/memory.md": r"memory\.md|workspace",
    "workspace/bank/pottery.md": r"pottery\.md|workspace",
    "keys/api-token": "api-token",
    "keys/audit-key": r"audit-key|audit\.json",
    "keys/home-id": "home-id",
    "an original": "original|files/",
    "a text": "text of|files/",
    "a text's parts": "text of|files/",
    "a backup's database": "backup",
    "a backup's manifest": "backup",
    "a backup's original": "backup",
    "models/mine.gguf": "mine.gguf",
}
FOLDERS = {
    each: each
    for each in (
        "files",
        "workspace",
        "workspace/bank",
        "keys",
        "backups",
        "models",
        "logs",
        "run",
        "exports",
        "imports",
    )
}
NAMES = {**FILES, **FOLDERS, "keys": r"keys|audit\.json"}


def place_of(home: Path, part: str) -> Path:
    original = hashlib.sha256(b"Thought 1: the kiln was lit on day 1 of the month.").hexdigest()
    backup = max((home / "backups").iterdir())
    chosen = {
        "an original": home / "files" / original,
        "a text": next((home / "files").glob(f"{original}.*.txt")),
        "a text's parts": next((home / "files").glob(f"{original}.*.json")),
        "a backup's database": backup / "node.db",
        "a backup's manifest": backup / "backup.json",
        "a backup's original": backup / "files" / original,
    }
    return chosen.get(part, home / part)


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def empty(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
        path.mkdir(mode=0o700)
    else:
        path.write_bytes(b"")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    path.write_bytes(b"\x93garbage\xff" * 4000)


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def other_kind(path: Path) -> None:
    file = path.is_file()
    remove(path)
    path.mkdir() if file else path.write_text("not a folder")


def lead_nowhere(path: Path) -> None:
    remove(path)
    path.symlink_to(path.parent / "a-disk-that-is-away")


ON_FILES: dict[str, Callable[[Path], None]] = {
    "missing": remove,
    "empty": empty,
    "truncated": truncate,
    "garbage": garble,
    "zeros": zero,
    "another kind": other_kind,
    "leads nowhere": lead_nowhere,
}
ON_FOLDERS = {
    name: ON_FILES[name] for name in ("missing", "empty", "another kind", "leads nowhere")
}
TOLD = {
    (part, how)
    for part in (
        "node.db",
        "audit.json",
        "an original",
        "a backup's database",
        "a backup's manifest",
    )
    for how in ON_FILES
}
"""What does not come right by itself has to be said; an index, a text, a key and a mark are made
anew without a word.
"""
CELLS = [(part, how) for part in FILES for how in ON_FILES] + [
    (part, how) for part in FOLDERS for how in ON_FOLDERS
]


def in_gate(cells: list[tuple[str, str]], share: int) -> list[object]:
    """Mark the cells that only the full run tries: of the database and the originals none, of the
    rest all but one in ``share``.
    """
    away = only_in_full
    core = {"node.db", "index.db", "files", "an original"}
    return [
        pytest.param(
            part,
            how,
            marks=() if part in core or zlib.crc32(f"{part} {how}".encode()) % share == 0 else away,
            id=f"{part}: {how}",
        )
        for part, how in cells
    ]


# --- what must hold -----------------------------------------------------------------------------


def originals(home: Path) -> set[str]:
    """The hashes of everything of the person's that is somewhere in the home, whole."""
    found = set()
    for folder in ("files", "aside", "damaged", "workspace", "backups", "models"):
        for path in (home / folder).rglob("*") if (home / folder).is_dir() else ():
            if path.is_file() and (SHA256.fullmatch(path.name) or path.suffix in {".md", ".gguf"}):
                data = path.read_bytes()
                made = hashlib.sha256(data).hexdigest()
                found |= (
                    {made}
                    if path.name == made or (path.suffix and data.strip(b"\0 \r\n"))
                    else set()
                )
    return found


def lpm(*arguments: str) -> tuple[int, str]:
    """Run a command in this process, as `lpm` does, and return how it ended and what it said."""
    said, argv = io.StringIO(), sys.argv
    sys.argv = ["lpm", *arguments]
    try:
        with redirect_stdout(said), redirect_stderr(said):
            cli.main()
    except SystemExit as end:
        return int(end.code or 0), said.getvalue()
    finally:
        sys.argv = argv
    return 0, said.getvalue()


def follow(command: str) -> None:
    """Do what a sentence says."""
    words = shlex.split(command)
    if words[0] == "chmod":
        subprocess.run(words, check=True)
        return
    code, said = lpm(*words[1:])
    # that one tells by its status that something was wrong
    assert code == 0 or words[1] == "verify", said
    assert "Traceback" not in said
    assert "did not work" not in said


def complaints(home: Path, clock: FrozenClock | None = None) -> list[tuple[str, str]]:
    """Open the home, let it do its work, and return what is said to be wrong, each with the command
    against it.
    """
    try:
        with opened(home, clock) as node:
            for _ in range(2):
                node.reconcile()
                node.run_jobs()
            assert node.memory.recall("When was the kiln lit?").items
            checks = [
                (each.sentence, each.command)
                for each in node.examine()
                if each.state != "fine" and each.id not in AS_USUAL
            ]
            found = [
                (each.sentence, " ".join(COMMAND.findall(each.hint)))
                for each in node.home.verify()
                if each.state != "fine"
            ]
            return checks + found
    except NodeError as error:
        refused = error
    assert refused.hint, refused.detail
    return [(refused.detail, next(iter(COMMAND.findall(refused.hint)), refused.hint))]


def brought_back(home: Path, part: str) -> list[str]:
    """Follow what is said until nothing is, and return the sentences."""
    said: list[str] = []
    found: list[tuple[str, str]] = []
    for _ in range(4):
        began = time.monotonic()
        found = complaints(home)
        assert time.monotonic() - began < SECONDS
        said += [sentence for sentence, _ in found]
        assert not re.search("full", " ".join(said)), said
        commands = [command for _, command in found if command.startswith(("lpm", "chmod"))]
        if not commands:
            assert part == "settings.toml" or not found, found
            return said
        follow(commands[0])
    pytest.fail(f"It is not brought back: {found}")


@pytest.mark.parametrize(("part", "how"), in_gate(CELLS, 5))
def test_what_is_damaged_is_told_and_brought_back(cell: Path, part: str, how: str) -> None:
    path = place_of(cell, part)
    whole = originals(cell)
    ON_FILES[how](path)
    left = originals(cell)
    said = brought_back(cell, part)
    assert not said or re.search(NAMES[part], " ".join(said)), said
    assert said or (part, how) not in TOLD
    assert left <= originals(cell)
    with opened(cell) as node:
        known = {
            each.sha256 for each in node.ports.documents.everything()
        } | node.ports.files.aside().keys()
        there = {
            each for each in node.ports.files.kept() if node.ports.files.listing()[each].get("")
        } | node.ports.files.aside().keys()
    assert {each for each in whole if each in known} <= there
    if part not in {"models/mine.gguf", "models"}:
        assert not {each for each in left if (cell / "backups").is_dir()} - known - originals(cell)


@pytest.mark.parametrize(
    "part",
    [
        "node.db",
        "index.db",
        "audit.json",
        "home.json",
        "settings.toml",
        "workspace",
        "files",
        "keys",
        "backups",
    ],
)
def test_an_older_copy_of_a_part(cell: Path, lives: Path, part: str) -> None:
    remove(cell / part)
    source = lives / "older" / part
    shutil.copytree(source, cell / part) if source.is_dir() else shutil.copy2(source, cell / part)
    left = originals(cell)
    said = " ".join(brought_back(cell, part))
    assert ("older copy" in said) == (part == "node.db"), said
    assert left <= originals(cell)


def newer_database(home: Path) -> None:
    with closing(sqlite3.connect(home / "node.db", isolation_level=None)) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")


def newer_index(home: Path) -> None:
    with closing(sqlite3.connect(home / "index.db", isolation_level=None)) as database:
        database.execute("UPDATE stamp SET stamp = 'index-99'")
        database.execute("ALTER TABLE document ADD COLUMN unheard TEXT")


def newer_json(name: str) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        path = (
            max((home / "backups").iterdir()) / "backup.json"
            if name == "backup.json"
            else home / name
        )
        path.write_text(
            json.dumps(json.loads(path.read_text()) | {"format": 99, "unheard": {"of": [1]}})
        )

    return write


def odd_json(name: str) -> Callable[[Path], None]:
    def write(home: Path) -> None:
        path = (
            max((home / "backups").iterdir()) / "backup.json"
            if name == "backup.json"
            else home / name
        )
        path.write_text(
            json.dumps(
                {
                    "number": 10**40,
                    "hash": 5,
                    "seal": None,
                    "lost": [{}],
                    "home": 7,
                    "at": 5,
                    "id": [],
                    "sequence": "x",
                }
            )
        )

    return write


NEWER: dict[str, Callable[[Path], None]] = {
    "index.db": newer_index,
    **{name: newer_json(name) for name in ("audit.json", "home.json", "backup.json")},
    **{f"odd {name}": odd_json(name) for name in ("audit.json", "home.json", "backup.json")},
}


@pytest.mark.parametrize("part", NEWER)
def test_a_part_that_a_newer_release_wrote(cell: Path, part: str) -> None:
    NEWER[part](cell)
    left = originals(cell)
    brought_back(cell, part)
    assert left <= originals(cell)


def test_the_database_of_a_newer_release_is_left_as_it_is(cell: Path) -> None:
    newer_database(cell)
    before = {
        path: path.read_bytes()
        for path in cell.rglob("*")
        if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal"))
    }
    for command in (
        ("status",),
        ("doctor",),
        ("recall", "kiln"),
        ("recover",),
        ("restore", "newest"),
        ("verify", "--repair"),
    ):
        code, said = lpm(*command)
        assert code == 1
        assert "newer release" in said, command
    assert [path for path, data in before.items() if path.read_bytes() != data] == []


# --- the log of a database that was not closed --------------------------------------------------


@pytest.mark.parametrize(
    "how", ["as it is", "missing", "empty", "truncated", "garbage", "another kind"]
)
def test_the_log_of_a_database_that_was_not_closed(cell: Path, lives: Path, how: str) -> None:
    shutil.rmtree(cell)
    shutil.copytree(lives / "open", cell)
    assert (cell / "node.db-wal").stat().st_size
    for name in ("node.db-wal", "index.db-wal"):
        if how != "as it is":
            ON_FILES[how](cell / name)
    left = originals(cell)
    said = brought_back(cell, "node.db")
    assert bool(said) == (how != "as it is")
    assert left <= originals(cell)


# --- rights, a clock that was put back, a full disk ---------------------------------------------

RIGHTS = [(part, how) for part in (*FILES, *FOLDERS, ".") for how in ("read-only", "unreadable")]


@pytest.mark.parametrize(("part", "how"), in_gate(RIGHTS, 6))
def test_what_may_not_be_written_or_read_is_named(cell: Path, part: str, how: str) -> None:
    path, left = place_of(cell, part), originals(cell)
    path.chmod((0o500 if path.is_dir() else 0o400) if how == "read-only" else 0)
    began = time.monotonic()
    with as_anybody():
        code, said = lpm("doctor")
        _, more = lpm("add", "--text", "One more.")
    assert time.monotonic() - began < 2 * SECONDS
    assert "did not work" not in said + more, said + more
    assert "full" not in said + more
    if code and "chmod" in said:
        assert re.search(NAMES.get(part, "home"), said), said
    follow(f"chmod -R u+rwX {cell}")
    brought_back(cell, part if "settings" in part else "")
    assert left <= originals(cell)


@pytest.mark.parametrize("days", [-365, 365])
def test_a_clock_that_is_wrong_by_a_year(cell: Path, days: int) -> None:
    left = originals(cell)
    wrong = FrozenClock(MORNING + timedelta(days=days))
    assert complaints(cell, wrong) == []
    with opened(cell, wrong) as node:
        node.library.add_text("Told while the clock was wrong.")
        node.run_jobs()
        made = node.home.back_up()
        assert node.home.backups.all()[-1] == made
    with opened(cell) as node:
        node.library.add_text("Told when it was right again.")
        node.run_jobs()
        newest = node.home.back_up()
        assert node.home.backups.all()[-1] == newest
        assert not node.home.backup_is_due()
        remove(cell / "node.db")
    assert left <= originals(cell)
    assert lpm("restore", "newest")[0] == 0
    with opened(cell) as node:
        assert "Told when it was right again" in {
            each.title.removesuffix(".") for each in node.ports.documents.all()
        }


def test_a_full_disk_is_said_and_nothing_is_lost(
    cell: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", 24_000_000) as disk:
        home = disk / "home"
        shutil.copytree(cell, home)
        monkeypatch.setenv("LPM_HOME", str(home))
        left = originals(home)
        for leave in (0, 4096, 100_000, 400_000):
            filler = fill(disk, leave)
            for command in (
                ("add", "--text", "x" * 300_000),
                ("retain", "W The disk was full."),
                ("backup",),
                ("verify", "--repair"),
                ("doctor",),
            ):
                code, said = lpm(*command)
                if code and command[0] not in {"doctor", "verify"}:
                    assert "full" in said, (leave, command, said)
                assert "damaged" not in said, (leave, command, said)
                assert "did not work" not in said, (leave, command, said)
            filler.unlink()
        assert left <= originals(home)
        with opened(home) as node:
            node.reconcile()
            node.run_jobs()
            node.home.back_up()
            assert node.home.first_break() is None


# --- backups, copies, and who may read ----------------------------------------------------------


def test_what_happens_to_an_original_does_not_happen_to_its_backup(cell: Path) -> None:
    shas = {path.name for path in (cell / "files").iterdir() if SHA256.fullmatch(path.name)}
    for backup in (cell / "backups").iterdir():
        assert not [
            name
            for name in shas
            if (backup / "files" / name).exists()
            and (backup / "files" / name).samefile(cell / "files" / name)
        ]
    for name in shas:
        with (cell / "files" / name).open("r+b") as handle:
            handle.write(b"\xff\x00")
    with opened(cell) as node:
        node.home.back_up()
    for backup in (cell / "backups").iterdir():
        assert all(
            hashlib.sha256((backup / "files" / name).read_bytes()).hexdigest() == name
            for name in shas
            if (backup / "files" / name).exists()
        )


def test_newest_is_the_newest_that_is_whole(cell: Path) -> None:
    newest, earlier = sorted((cell / "backups").iterdir(), reverse=True)[:2]
    garble(newest / "node.db")
    remove(cell / "node.db")
    code, said = lpm("restore", "newest")
    assert code == 0, said
    assert earlier.name in said
    assert f"{newest.name} is damaged" in said


@pytest.mark.parametrize("damage", [empty, truncate, garble, other_kind])
def test_half_a_key_is_no_key(cell: Path, damage: Callable[[Path], None]) -> None:
    from lpm_kernel.backends.llm.launch import token

    whole = token(cell)
    for name in ("api-token", "host-token", "home-id"):
        damage(cell / "keys" / name)
    with opened(cell) as node:
        assert len(node.ports.home.secret("api-token")) == len(whole)
    assert len(token(cell)) == len(whole)
    assert token(cell) != whole


def test_a_key_that_is_whole_stays(cell: Path) -> None:
    before = {path.name: path.read_bytes() for path in (cell / "keys").iterdir()}
    for _ in range(2):
        with opened(cell) as node:
            answer = (
                create_app(node)
                .test_client()
                .get(
                    "/api/status",
                    headers={"Authorization": f"Bearer {node.ports.home.secret('api-token')}"},
                )
            )
            assert answer.status_code == HTTPStatus.OK
            node.ports.home.secret("inward-key")
            node.ports.home.secret("peer-rows")
    after = {path.name: path.read_bytes() for path in (cell / "keys").iterdir()}
    assert before.items() <= after.items()
    assert after.keys() == before.keys() | {"inward-key", "peer-rows"}
    assert not (cell / "damaged").exists()


def test_a_bit_that_turned_in_a_passage_of_the_index_is_not_shown(cell: Path) -> None:
    with closing(sqlite3.connect(cell / "index.db", isolation_level=None)) as database:
        database.execute("UPDATE chunk SET text = replace(text, 'kiln', 'kilo')")
    code, said = lpm("recall", "kiln lit")
    assert code == 1
    assert "kilo" not in said
    assert "index.db" in said
    follow(COMMAND.findall(said)[0])
    assert "kiln" in lpm("recall", "kiln lit")[1]


def test_a_disk_that_is_read_only_is_said(
    cell: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_disk(tmp_path / "disk", 24_000_000) as disk:
        shutil.copytree(cell, disk / "home")
        monkeypatch.setenv("LPM_HOME", str(disk / "home"))
        subprocess.run(["/usr/bin/env", "mount", "-o", "remount,ro", str(disk)], check=True)
        for command in (
            ("add", "--text", "One more."),
            ("doctor",),
            ("backup",),
            ("recover",),
            ("restore", "newest"),
        ):
            code, said = lpm(*command)
            assert code == 1, command
            assert "read-only" in said, (command, said)
        subprocess.run(["/usr/bin/env", "mount", "-o", "remount,rw", str(disk)], check=True)
        assert lpm("add", "--text", "One more.")[0] == 0


def test_a_limit_on_the_size_of_files_is_said(cell: Path) -> None:
    size = (cell / "node.db").stat().st_size

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    command = [sys.executable, "-m", "lpm_kernel", "add", "--text", "x" * 100_000]
    done = subprocess.run(
        command,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )
    if done.returncode:
        assert "full" not in done.stderr
        assert "grow" in done.stderr or "disk gave an error" in done.stderr, done.stderr
    brought_back(cell, "")


def test_files_of_the_workspace_that_are_gone_all_at_once_are_not_taken_for_deleted(
    cell: Path,
) -> None:
    with opened(cell) as node:
        for number in range(8):
            node.workspace.append(f"bank/page{number}.md", f"Page {number} tells of glaze.\n")
        node.run_jobs()
    pages = sorted((cell / "workspace" / "bank").glob("page*.md"))
    wanted = {path: path.read_bytes() for path in pages}
    for path in pages[:4]:
        path.unlink()
    for path in pages[4:]:
        path.write_bytes(b"")
    with opened(cell) as node:
        node.workspace.keep_step()
        assert "8 of its files are gone or empty" in " ".join(node.workspace.workspace_troubles)
        assert all(node.ports.documents.by_origin(f"bank/{path.name}") for path in pages)
    assert lpm("recover")[0] == 0
    assert {path: path.read_bytes() for path in pages} == wanted
    pages[0].unlink()
    (cell / "workspace" / "bank").rename(cell / "workspace" / "pots")
    with opened(cell) as node:
        node.workspace.keep_step()
        assert node.workspace.workspace_troubles == ()
        assert node.ports.documents.by_origin("pots/page1.md") is not None


@pytest.fixture
def loose_umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


def readable_by_others(home: Path) -> list[str]:
    return [
        f"{stat.S_IMODE(path.lstat().st_mode):o} {path.relative_to(home)}"
        for path in (home, *home.rglob("*"))
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    ]


@pytest.mark.usefixtures("loose_umask")
def test_nobody_else_may_read_what_a_command_writes(cell: Path, tmp_path: Path) -> None:
    shutil.rmtree(cell)
    environment = dict(os.environ)
    commands = [["add", "--text", "The kiln was lit."], ["backup"]]
    more = [
        ["init"],
        ["retain", "W It rains."],
        ["verify"],
        ["export", str(cell / "exports" / "a.zip")],
        ["import", str(cell / "exports" / "a.zip")],
    ]
    for command in [*commands, *(more if FULL else [])]:
        done = subprocess.run(
            [sys.executable, "-m", "lpm_kernel", *command],
            env=environment,
            capture_output=True,
            text=True,
            umask=0o002,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert readable_by_others(cell) == [], command
    foreign = tmp_path / "foreign"
    shutil.copytree(next((cell / "backups").iterdir()), foreign)
    for path in foreign.rglob("*"):
        path.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-m", "lpm_kernel", "restore", str(foreign)],
        env=environment,
        capture_output=True,
        text=True,
        umask=0o002,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert readable_by_others(cell) == []


@pytest.mark.usefixtures("loose_umask")
def test_nobody_else_may_read_what_a_node_writes(tmp_path: Path) -> None:
    with opened(tmp_path / "home") as node:
        node.library.add_text("The kiln was lit.")
        node.workspace.append("bank/pottery.md", "Cobalt.\n")
        node.run_jobs()
        node.reconcile()
        node.home.back_up()
        node.home.back_up()
        node.workspace.put_workspace_back()
    assert readable_by_others(tmp_path / "home") == []


def test_a_copied_home_does_not_take_the_running_node_of_its_original_for_its_own(
    cell: Path, tmp_path: Path
) -> None:
    from lpm_kernel.backends.llm.launch import read_where, write_where
    from lpm_kernel.usecases.processes import address, announce, running_as
    from lpm_kernel.usecases.share import reach

    home, copy = Home(cell), Home(tmp_path / "copy")
    with running_as(home, "node"), running_as(home, "peer"):
        announce(home, "http://127.0.0.1:4321")
        write_where(cell, 4322)
        reach.write(home, ["/ip4/127.0.0.1/tcp/4001"], 4001)
        shutil.copytree(cell, copy.root, symlinks=True)
        assert address(home) == "http://127.0.0.1:4321"
        assert reach.listening(home)
        assert address(copy) is None
        assert read_where(copy.root) is None
        # it is being started, and has noted nothing yet
        with running_as(copy, "node"), running_as(copy, "peer"):
            assert address(copy) is None
            assert reach.listening(copy) == []
            announce(copy, "http://127.0.0.1:5432")
            assert address(copy) == "http://127.0.0.1:5432"
        assert address(home) == "http://127.0.0.1:4321"


@only_in_full
@pytest.mark.usefixtures("loose_umask")
def test_a_running_home_is_closed_to_others_and_its_copy_starts_at_an_address_of_its_own(
    tmp_path: Path,
) -> None:
    own, other = free_port(), free_port()
    with RunningNode(tmp_path / "home", own) as node:
        done = subprocess.run(
            [sys.executable, "-m", "lpm_kernel", "add", "--text", "The kiln."],
            env=node.environment,
            check=False,
        )
        assert done.returncode == 0
        assert readable_by_others(tmp_path / "home") == ["664 settings.toml"]  # the test's own
        subprocess.run(
            ["/bin/cp", "-a", str(tmp_path / "home"), str(tmp_path / "copy")], check=True
        )
        environment = node.environment | {"LPM_HOME": str(tmp_path / "copy")}

        def said(*command: str) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "lpm_kernel", *command],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            return done.stdout + done.stderr

        assert json.loads(said("status", "--json"))["running"] is False
        assert "not running" in said("open")
        (tmp_path / "copy" / "settings.toml").unlink()
        with RunningNode(tmp_path / "copy", other) as copy:
            assert copy.home.root == tmp_path / "copy"
            assert json.loads(said("status", "--json"))["address"].endswith(f":{other}")
            assert f":{other}/login" in said("open", "--json")
