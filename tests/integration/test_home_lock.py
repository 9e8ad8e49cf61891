"""A home that is locked by a passphrase: nothing in it can be read, and everything comes back."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from nacl.pwhash import argon2id

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.vault import lockfile
from lpm_kernel.backends.vault.vault import SealedVault
from lpm_kernel.config import Home
from lpm_kernel.errors import (
    ConflictError,
    DamagedLockError,
    InvalidInputError,
    SealedHomeError,
    WrongPassphraseError,
)
from lpm_kernel.node import Node
from lpm_kernel.node.home_lock import home_lock
from lpm_kernel.usecases.home.locking import KEPT
from lpm_kernel.usecases.home.sample import add_sample_life
from tests.scale import many
from tests.scan import traces

PASSPHRASE = "the kiln is warm in March"
CANARIES = (
    "The kingfisher keeps its ledger under the ninth stair",
    "Higashiyama",
    "Teramachi",
    "暖房を直した日",
    "violin",
    "Nagi Sorrel",
)


@pytest.fixture(autouse=True)
def cheap(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests do not wait for half a second at each passphrase."""
    if "dear" not in request.fixturenames:
        monkeypatch.setattr(lockfile, "PASSES", argon2id.OPSLIMIT_MIN)
        monkeypatch.setattr(lockfile, "MEMORY", argon2id.MEMLIMIT_MIN)


@pytest.fixture
def dear() -> None:
    """A passphrase costs what it costs the person."""


def opened(root: Path) -> Node:
    return Node.open(root, model=ScriptedModel([(".", "No.")]), embedder=HashingEmbedder())


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample life with a page, an archive and two backups, one of which shares its files."""
    root = tmp_path_factory.mktemp("life") / "home"
    with opened(root) as node:
        add_sample_life(node.library.receive, node.ports.conversations)
        node.run_jobs()
        node.workspace.keep_step()
        node.home.back_up()
        node.library.add_text("The kingfisher has a second ledger.", title="Ledger")
        node.run_jobs()
        node.home.back_up()
    return root


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of one document and one page."""
    root = tmp_path_factory.mktemp("start") / "home"
    with opened(root) as node:
        node.library.add_text("I moved the workshop to Teramachi in April.", title="Move")
        node.run_jobs()
        node.workspace.keep_step()
    (root / "workspace" / "memory.md").write_text("Mine.")
    (root / "files" / "scan").write_bytes(random.Random(5).randbytes(1_500_000))
    return root


@pytest.fixture
def home(start: Path, tmp_path: Path) -> Home:
    root = tmp_path / "home"
    copy(start, root)
    return Home(root)


def copy(source: Path, target: Path) -> None:
    """Copy a home as it is, with what two names share."""
    shutil.copytree(source, target, symlinks=True)
    known: dict[int, Path] = {}
    for path in sorted(path for path in source.rglob("*") if path.stat().st_nlink > 1):
        if path.is_file():
            first = known.setdefault(path.stat().st_ino, path)
            if first != path:
                place = target / path.relative_to(source)
                place.unlink()
                place.hardlink_to(target / first.relative_to(source))


def everything(root: Path) -> dict[str, tuple[int, bytes | str]]:
    """What stands in a home, apart from the lock and the processes: names, modes, bytes."""
    return {
        str(path.relative_to(root)): (
            path.lstat().st_mode,
            str(path.readlink())
            if path.is_symlink()
            else path.read_bytes()
            if path.is_file()
            else "",
        )
        for path in sorted(root.rglob("*"))
        if path.relative_to(root).parts[0] not in KEPT
    }


def test_nothing_of_a_locked_home_can_be_read_and_all_of_it_comes_back(
    life: Path, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    copy(life, home.root)
    (home.workspace / "mine.md").write_text("暖房を直した日")
    (home.workspace / "link.md").symlink_to("mine.md")
    lock, before = home_lock(home), everything(home.root)
    assert all(traces(home.root, [canary]) for canary in CANARIES)
    shared = {path.stat().st_ino for path in home.backups.rglob("*") if path.stat().st_nlink > 1}
    lock.set(PASSPHRASE)
    lock.seal()
    assert lock.look().state == "locked"
    assert traces(home.root, CANARIES) == []
    assert {path.name for path in home.root.iterdir()} <= set(KEPT)
    names = {Path(name).name for name in before} - {"settings.toml"}
    assert not names & {path.name for path in home.lock.rglob("*")}

    assert lock.open(PASSPHRASE).damaged == ()
    assert everything(home.root) == before
    assert len(shared) == len(
        {path.stat().st_ino for path in home.backups.rglob("*") if path.stat().st_nlink > 1}
    )
    with opened(home.root) as node:
        assert node.memory.recall("When did I move the workshop?").items


def test_a_locked_home_says_so_to_whoever_opens_it(home: Home) -> None:
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    with pytest.raises(SealedHomeError):
        opened(home.root)
    with pytest.raises(SealedHomeError):
        home.make()
    assert {path.name for path in home.root.iterdir()} <= set(KEPT)


def test_another_passphrase_is_told_from_damage(home: Home) -> None:
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    with pytest.raises(WrongPassphraseError):
        lock.open("the kiln is cold in March")

    one, other = (home.lock / name for name in lockfile.FILES)
    whole = one.read_bytes()
    one.write_bytes(whole.replace(b'"wrapped": "', b'"wrapped": "A', 1))
    with pytest.raises(WrongPassphraseError):  # by the copy, which is whole
        lock.open("the kiln is cold in March")
    other.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedLockError):
        lock.open(PASSPHRASE)
    with pytest.raises(DamagedLockError):
        _ = lock.is_set
    one.write_bytes(whole)
    assert lock.open(PASSPHRASE).files


def test_damage_to_what_is_sealed_is_said_and_the_rest_can_be_opened(home: Home) -> None:
    lock = home_lock(home)
    before = everything(home.root)
    lock.set(PASSPHRASE)
    lock.seal()
    contents = home.lock / "sealed" / "contents"
    with contents.open("r+b") as handle:
        handle.seek(-400_000, os.SEEK_END)
        byte = handle.read(1)
        handle.seek(-1, os.SEEK_CUR)
        handle.write(bytes([byte[0] ^ 1]))
    with pytest.raises(DamagedLockError, match=r"of .* sealed files are damaged"):
        lock.open(PASSPHRASE)
    assert home.is_locked
    assert {path.name for path in home.lock.iterdir()} == {
        *lockfile.FILES,
        "sealed",
        "settings.toml",
    }
    made = lock.open(PASSPHRASE, partly=True)
    after = everything(home.root)
    assert made.damaged
    assert set(before) - set(after) == set(made.damaged)
    assert all(after[name] == before[name] for name in after)
    [kept] = home.lock.glob("damaged-*")
    assert (kept / "contents").stat().st_size


@pytest.mark.parametrize("name", ["index", "index.copy"])
def test_one_list_of_what_is_sealed_is_enough(home: Home, name: str) -> None:
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    (home.lock / "sealed" / name).write_bytes(b"")
    assert lock.open(PASSPHRASE).files


def test_both_lists_gone_is_damage_and_not_another_passphrase(home: Home) -> None:
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    for name in ("index", "index.copy"):
        path = home.lock / "sealed" / name
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedLockError):
        lock.open(PASSPHRASE)
    with pytest.raises(WrongPassphraseError):
        lock.open("the kiln is cold in March")


def test_the_passphrase_can_be_changed_and_taken_away(home: Home) -> None:
    lock, before = home_lock(home), everything(home.root)
    lock.set(PASSPHRASE)
    with pytest.raises(ConflictError):
        lock.set("another one of mine")
    with pytest.raises(WrongPassphraseError):
        lock.set("another one of mine", "the kiln is cold in March")
    lock.set("another one of mine", PASSPHRASE)
    lock.seal()
    with pytest.raises(WrongPassphraseError):
        lock.open(PASSPHRASE)
    with pytest.raises(ConflictError):
        lock.remove("another one of mine")
    lock.open("another one of mine")
    with pytest.raises(WrongPassphraseError):
        lock.remove(PASSPHRASE)
    lock.remove("another one of mine")
    assert lock.look().state == "off"
    assert not home.lock.exists()
    assert everything(home.root) == before


@pytest.mark.parametrize("passphrase", ["", "seven 7", "two\nlines", "x" * 1001])
def test_a_passphrase_that_protects_nothing_is_refused(home: Home, passphrase: str) -> None:
    with pytest.raises(InvalidInputError):
        home_lock(home).set(passphrase)
    assert not home.lock.exists()


@pytest.mark.usefixtures("dear")
def test_the_same_characters_typed_in_another_way_open_it(home: Home) -> None:
    lock = home_lock(home)
    lock.set("café in Kyōto")
    with pytest.raises(WrongPassphraseError):
        lock.remove("cafe in Kyōto")
    lock.remove("cafe\u0301 in Kyo\u0304to")


def test_a_home_that_is_in_use_is_not_locked(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lpm_kernel.usecases.home.locking.WAITS", 0.1)
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    with opened(home.root) as node:
        with pytest.raises(ConflictError):
            lock.seal()
        assert not home.is_locked
        assert node.memory.recall("When did I move the workshop?").items
    lock.seal()
    assert home.is_locked


def test_what_an_editor_writes_into_a_locked_home_is_named_and_kept(home: Home) -> None:
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    home.workspace.mkdir()
    (home.workspace / "memory.md").write_text("written by an editor that was still open")
    [told] = [plain for plain in lock.look().plain if plain.code == "strays"]
    assert told.files == 1
    lock.open(PASSPHRASE)
    assert "editor" not in (home.workspace / "memory.md").read_text()
    [aside] = home.damaged.glob("*-workspace")
    assert "editor" in (aside / "memory.md").read_text()


def test_a_part_that_is_a_link_is_refused(home: Home, tmp_path: Path) -> None:
    home.workspace.rename(tmp_path / "vault")
    home.workspace.symlink_to(tmp_path / "vault")
    with pytest.raises(ConflictError, match="workspace"):
        home_lock(home).set(PASSPHRASE)


def test_a_home_that_was_left_open_is_locked_when_the_node_starts(home: Home) -> None:
    lock = home_lock(home)
    lock.begin()
    assert lock.look().state == "off"
    lock.set(PASSPHRASE)
    lock.begin()
    assert lock.look().state == "locked"
    lock.open(PASSPHRASE)
    lock.leave_open()
    lock.begin()
    assert lock.look().state != "locked"
    lock.begin()
    assert lock.look().state == "locked"


def test_the_few_settings_that_its_screen_needs_stay(home: Home) -> None:
    home.settings_file.write_text('port = 3777\nlanguage = "ja"\nseal_tags = ["heart"]\n')
    lock = home_lock(home)
    lock.set(PASSPHRASE)
    lock.seal()
    assert "heart" not in home.settings_file.read_text()
    assert "3777" in home.settings_file.read_text()
    lock.open(PASSPHRASE)
    assert "heart" in home.settings_file.read_text()


# --- killed ---------------------------------------------------------------------------------------

STEP = """
import os, signal, sys
from pathlib import Path
from lpm_kernel.backends.vault.vault import SealedVault
from lpm_kernel.backends.vault import lockfile
lockfile.PASSES, lockfile.MEMORY = 1, 8192
root, deed, moment = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
left = [moment]
def hear(event, arguments):
    if event in {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link"}:
        if str(arguments[0]).startswith(str(root)):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
vault = SealedVault(root, ("lock", "run", "models"))
sys.addaudithook(hear)
vault.seal() if deed == "seal" else vault.open("the kiln is warm in March")
print(moment - left[0])
"""


def attempt(root: Path, deed: str, moment: int) -> int:
    """Do it in a process that dies at its n-th touch of the disk; return how many there were, or 0
    where it died.
    """
    done = subprocess.run(
        [sys.executable, "-c", STEP, str(root), deed, str(moment)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return int(done.stdout) if done.returncode == 0 else 0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A home of few files, with all kinds of things in it."""
    root = tmp_path / "small"
    for folder in ("files", "backups/one/files", "workspace/bank", "empty"):
        (root / folder).mkdir(parents=True)
    with closing(sqlite3.connect(root / "node.db")) as database:
        database.execute("CREATE TABLE said (words)")
        database.execute("INSERT INTO said VALUES ('the heron at the weir')")
        database.commit()
    (root / "files" / "a").write_bytes(os.urandom(1_500_000))
    (root / "files" / "b").write_text("the heron at the weir")
    (root / "backups/one/files/b").hardlink_to(root / "files" / "b")
    (root / "workspace/bank/鷺の観察日記.md").write_text("the heron at the weir")
    (root / "workspace/none.md").write_text("")
    (root / "workspace/none.md").chmod(0o400)
    return root


@pytest.mark.parametrize("deed", ["seal", "open"])
def test_killed_at_any_step_it_is_whole(small: Path, tmp_path: Path, deed: str) -> None:
    vault, before = SealedVault(small, KEPT), everything(small)
    vault.set(PASSPHRASE)
    if deed == "open":
        vault.seal()
    other = tmp_path / "trial"
    copy(small, other)
    steps = attempt(other, deed, 10_000)
    assert steps > 20
    moments = range(1, steps + 1)
    tried = sorted(random.Random(7).sample(moments, min(many(steps, 12), steps)))
    for moment in tried:
        shutil.rmtree(other)
        copy(small, other)
        assert attempt(other, deed, moment) == 0
        trial = SealedVault(other, KEPT)
        trial.settle()
        if trial.is_locked:
            assert traces(other, ["the heron at the weir", "鷺の観察日記"]) == []
            assert {path.name for path in other.iterdir()} <= set(KEPT)
            trial.open(PASSPHRASE)
        assert everything(other) == before
        assert not trial.unsettled
        trial.seal()
        assert traces(other, ["the heron at the weir"]) == []
