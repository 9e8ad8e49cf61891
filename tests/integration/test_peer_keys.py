"""The keys with which the node speaks to others, in a real home: made once, locked, and in no copy
that the person did not ask for.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.config import Home
from lpm_kernel.errors import ConflictError, CorruptHomeError, InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import passing
from lpm_kernel.usecases.share.keys import Keystore, protection
from protocol.keystore import Keyring, Opener, Passphrase, lock, unlock
from tests.conftest import MORNING


def test_they_are_made_once_and_readable_by_nobody_else(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    assert protection(place.keys) == "none"
    keystore = Keystore(place, frozen_clock)
    did, card = keystore.keys.identity.did, keystore.card("Asako")
    again = Keystore(place, frozen_clock)
    assert (again.keys.identity.did, again.card("Asako")) == (did, card)
    assert protection(place.keys) == "key file"
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.keys.glob("peer.k*")} == {0o600}
    assert not list(place.keys.glob("*.new"))
    assert keystore.keys.identity.seed not in (place.keys / "peer.keys").read_bytes()


def test_a_passphrase_locks_them_and_nothing_else_opens_them(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    keystore = Keystore(place, frozen_clock)
    did = keystore.keys.identity.did
    keystore.protect("four words of mine")
    assert protection(place.keys) == "passphrase"
    assert not (place.keys / "peer.key").exists()
    assert Keystore(place, frozen_clock, "four words of mine").keys.identity.did == did
    for wrong in ("", "four words of yours"):
        with pytest.raises(ConflictError):
            _ = Keystore(place, frozen_clock, wrong).keys
    keystore.protect("")
    assert (Keystore(place, frozen_clock).keys.identity.did, protection(place.keys)) == (
        did,
        "key file",
    )


@pytest.mark.parametrize(
    "passphrase",
    ["two\nlines", "a\rb", "x" * 1001, "half a sign: \udce3"],
    ids=["two lines", "a return", "too long", "no text"],
)
def test_a_passphrase_that_the_screen_would_not_take_locks_nothing(
    home: Path, frozen_clock: FrozenClock, passphrase: str
) -> None:
    place = Home(home)
    place.make()
    keystore = Keystore(place, frozen_clock)
    did = keystore.keys.identity.did
    with pytest.raises(InvalidInputError, match="one line"):
        keystore.protect(passphrase)
    assert (Keystore(place, frozen_clock).keys.identity.did, protection(place.keys)) == (
        did,
        "key file",
    )


def test_a_damaged_file_is_named_and_left_alone(home: Path, frozen_clock: FrozenClock) -> None:
    place = Home(home)
    place.make()
    _ = Keystore(place, frozen_clock).keys
    (place.keys / "peer.keys").write_bytes(b"SMPKEYS")
    with pytest.raises(CorruptHomeError, match=r"peer\.keys"):
        _ = Keystore(place, frozen_clock).keys
    assert (place.keys / "peer.keys").read_bytes() == b"SMPKEYS"


def test_another_process_s_box_key_is_seen_and_the_card_follows(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    one, other = Keystore(place, frozen_clock), Keystore(place, frozen_clock)
    first = one.card("Asako")
    other.turn_box()
    second = one.card("Asako")
    assert (second.box, second.seq > first.seq) == (other.keys.box.public, True)
    assert one.keys.find(first.kid, int(MORNING.timestamp())) is not None
    frozen_clock.advance(timedelta(days=16))
    assert one.card("Asako").exp > second.exp


def test_of_processes_that_make_them_at_once_both_have_the_same(home: Path) -> None:
    Home(home).make()
    program = (
        "import sys\nfrom pathlib import Path\nfrom lpm_kernel.backends.clock import"
        " SystemClock\nfrom lpm_kernel.config import Home\nfrom lpm_kernel.usecases.share.keys"
        " import Keystore\nprint(Keystore(Home(Path(sys.argv[1])),"
        " SystemClock()).keys.identity.did)\n"
    )
    racing = [
        subprocess.Popen([sys.executable, "-c", program, home], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert len({each.communicate(timeout=60)[0] for each in racing}) == 1


def test_a_kill_while_they_are_written_leaves_the_old_ones_or_the_new(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    did = Keystore(place, frozen_clock).keys.identity.did
    program = (
        "import sys\nfrom pathlib import Path\nfrom lpm_kernel.backends.clock import"
        " SystemClock\nfrom lpm_kernel.config import Home\nfrom lpm_kernel.usecases.share.keys"
        " import Keystore\nkeystore = Keystore(Home(Path(sys.argv[1])), SystemClock())\nwhile"
        " True:\n    keystore.turn_box()\n    print('turned', flush=True)\n"
    )
    for turns in (1, 4, 9):
        child = subprocess.Popen(
            [sys.executable, "-c", program, home], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        for _ in range(turns):
            child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert Keystore(place, frozen_clock).keys.identity.did == did


def test_a_backup_and_an_archive_leave_them_out_unless_the_person_asks(node: Node) -> None:
    keystore = Keystore(node.ports.home, node.ports.clock)
    keystore.card("Asako")
    plain, whole = node.home.back_up(), node.home.back_up(peer_keys=True)

    def names(backup: str) -> set[str]:
        return {path.name for path in (node.home.backups.path(backup) / "keys").glob("peer.*")}

    assert (names(plain.id), names(whole.id)) == (set(), {"peer.keys", "peer.key", "peer.card"})
    secret = keystore.keys.identity.seed.hex().encode()
    key = (node.ports.home.keys / "peer.key").read_bytes()
    kept = [
        path.read_bytes() for path in node.home.backups.path(plain.id).rglob("*") if path.is_file()
    ]
    assert not [data for data in kept if secret in data or key in data]


def test_the_doctor_says_what_protects_them(node: Node) -> None:
    keystore = Keystore(node.ports.home, node.ports.clock)

    def said() -> list[str]:
        return [check.state for check in node.examine() if check.id == "peer_keys"]

    assert said() == []
    keystore.card("Asako")
    assert said() == ["look"]
    blob = lock(keystore.keys, Passphrase("four words"))
    assert unlock(blob, Passphrase("four words")).identity.did == keystore.keys.identity.did
    node.ports.home.keep_key("peer.keys", blob)
    assert said() == ["fine"]


def test_keys_that_another_process_locks_and_unlocks_are_opened_as_they_are_locked_now(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    screen, other = Keystore(place, frozen_clock), Keystore(place, frozen_clock)
    did = screen.keys.identity.did
    other.protect("four words of mine")
    assert screen.locked
    with pytest.raises(ConflictError):
        _ = screen.keys
    with pytest.raises(ConflictError):
        screen.open("four words of yours")
    assert screen.locked
    screen.open("four words of mine")
    assert (screen.locked, screen.keys.identity.did) == (False, did)
    other.protect("four words of ours")
    assert screen.locked
    screen.open("four words of ours")
    assert (screen.locked, screen.keys.identity.did) == (False, did)
    other.protect("")
    assert (screen.locked, screen.turn_box().identity.did, protection(place.keys)) == (
        False,
        did,
        "key file",
    )
    assert Keystore(place, frozen_clock).keys.identity.did == did


def test_a_passphrase_that_is_known_not_to_open_them_is_not_tried_again(
    home: Path, frozen_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Home(home)
    place.make()
    Keystore(place, frozen_clock).protect("four words of mine")
    tried: list[Opener] = []

    def counted(blob: bytes, opener: Opener) -> Keyring:
        tried.append(opener)
        return unlock(blob, opener)

    monkeypatch.setattr("lpm_kernel.usecases.share.keys.unlock", counted)
    screen = Keystore(place, frozen_clock, "four words of yours")
    assert [screen.locked for _ in range(3)] == [True] * 3
    assert len(tried) == 1
    screen.open("four words of mine")
    with pytest.raises(ConflictError):
        screen.open("four words of yours")
    assert (screen.locked, len(tried)) == (False, 3)


@pytest.mark.parametrize("said", ["four words of mine", "四つの言葉 é", ""])
def test_it_is_passed_to_a_process_in_any_locale_and_one_that_is_dead_already_harms_nobody(
    said: str,
) -> None:
    program = "from lpm_kernel.usecases.share.passing import first_line\nprint(ascii(first_line()))"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
    ) as child:
        passing.give(child, said)
        assert child.communicate()[0].strip() == ascii(said)
        dead = subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE)
        dead.wait()
        passing.give(dead, said)
        assert dead.stdin is not None
        dead.stdin.close()


def test_a_passphrase_that_met_a_damaged_file_is_not_kept(
    home: Path, frozen_clock: FrozenClock
) -> None:
    place = Home(home)
    place.make()
    Keystore(place, frozen_clock).protect("four words of mine")
    whole = (place.keys / "peer.keys").read_bytes()
    (place.keys / "peer.keys").write_bytes(whole[:20])
    screen = Keystore(place, frozen_clock)
    with pytest.raises(CorruptHomeError, match=r"peer\.keys"):
        screen.open("four words of mine")
    (place.keys / "peer.keys").write_bytes(whole)
    assert screen.locked
    screen.open("four words of mine")
    assert not screen.locked
