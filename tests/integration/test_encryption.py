"""The way to a node that listens beyond loopback is encrypted, with a certificate of its own."""

from __future__ import annotations

import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.api.encryption import Encryption
from lpm_kernel.api.lanes import Lanes
from lpm_kernel.api.listening import Patience, encrypt, listen
from lpm_kernel.backends.vault.certificate import LASTS, RENEWED, certificate, known_certificate
from lpm_kernel.config import Home
from lpm_kernel.node import Node
from lpm_kernel.peer.inward import through_node
from lpm_kernel.usecases.home.access import new_login_code
from protocol.events import Asked
from protocol.messages import Message, Verb
from protocol.refusals import Code, Refusal
from tests.asking import ASKER, OWNER
from tests.serving import running

CALM = Patience()
SOON = 30.0
NAMES = ("localhost", "127.0.0.1")
NOW = datetime(2026, 3, 14, tzinfo=UTC)


@contextmanager
def served(node: Node, encryption: Encryption, patience: Patience = CALM) -> Iterator[int]:
    """Serve a node over TLS, and give the port."""
    server = listen(create_app(node), "127.0.0.1", 0, 100_000_000, patience, Lanes())
    encrypt(server, encryption)
    with running(server):
        yield int(server.effective_port)


@pytest.fixture
def encryption(node: Node) -> Encryption:
    return Encryption(node.ports.home.certificate, NAMES)


def believing(encryption: Encryption) -> ssl.SSLContext:
    """Believe in this certificate and in nothing else."""
    return ssl.create_default_context(cafile=str(encryption.certificate.path))


def test_a_request_is_answered_by_who_has_the_fingerprint_that_is_shown(
    node: Node, encryption: Encryption
) -> None:
    with served(node, encryption) as port:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=SOON) as plain,
            believing(encryption).wrap_socket(plain, server_hostname="localhost") as connection,
        ):
            shown = connection.getpeercert(binary_form=True)
            assert shown is not None
            printed = hashlib.sha256(shown).hexdigest().upper()
            assert encryption.certificate.fingerprint.replace(":", "") == printed
        with httpx.Client(verify=believing(encryption), trust_env=False, timeout=SOON) as client:
            assert client.get(f"https://127.0.0.1:{port}/healthz").status_code == 200
            token = node.ports.home.secret("api-token")
            answer = client.get(
                f"https://127.0.0.1:{port}/api/profile",
                headers={"Authorization": f"Bearer {token}"},
            )
            assert answer.json()["turns"] == 0


def test_large_bodies_and_answers_arrive_whole_also_many_at_once(
    node: Node, encryption: Encryption
) -> None:
    token = node.ports.home.secret("api-token")
    text = "Larks sing above the weir. " * 40_000
    heard: list[int] = []

    def ask(port: int, number: int) -> None:
        with httpx.Client(verify=believing(encryption), trust_env=False, timeout=SOON) as client:
            sent = client.post(
                f"https://127.0.0.1:{port}/api/documents",
                headers={"Authorization": f"Bearer {token}"},
                files={"file": (f"{number}.txt", f"{number} {text}".encode())},
            )
            heard.append(sent.status_code)
            contract = client.get(
                f"https://127.0.0.1:{port}/openapi.json",
                headers={"Authorization": f"Bearer {token}"},
            )
            heard.append(len(contract.json()["paths"]) > 50)

    with served(node, encryption) as port:
        threads = [threading.Thread(target=ask, args=(port, number)) for number in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join(SOON)
    assert sorted(heard) == [1, 1, 1, 1, 202, 202, 202, 202]


def test_nothing_is_said_without_tls_and_nobody_is_held_up_by_who_shakes_no_hand(
    node: Node, encryption: Encryption
) -> None:
    with served(node, encryption, Patience(header_seconds=0.5)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=SOON) as plain:
            plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            with suppress(ConnectionResetError):
                said = plain.recv(65_536)
            assert b"HTTP" not in said
        with socket.create_connection(("127.0.0.1", port), timeout=SOON) as silent:
            assert silent.recv(1) == b""
        with httpx.Client(verify=believing(encryption), trust_env=False, timeout=SOON) as client:
            assert client.get(f"https://127.0.0.1:{port}/healthz").status_code == 200


def test_the_cookie_of_an_encrypted_login_goes_nowhere_unencrypted(
    node: Node, encryption: Encryption
) -> None:
    with (
        served(node, encryption) as port,
        httpx.Client(verify=believing(encryption), trust_env=False, timeout=SOON) as client,
    ):
        code = new_login_code(node.ports.access, node.ports.clock)
        answer = client.get(f"https://127.0.0.1:{port}/login", params={"code": code})
        assert "Secure" in answer.headers["Set-Cookie"]


def test_the_process_for_other_nodes_asks_nobody_but_who_has_the_certificate_of_its_home(
    node: Node, encryption: Encryption, tmp_path: Path
) -> None:
    message = Message("q_0123", ASKER.did, OWNER.did, 0, 60, Verb.ASK, {})
    other = Home(tmp_path / "other")
    other.make()
    Encryption(other.certificate, NAMES)
    (other.keys / "inward-key").write_text(node.ports.home.secret("inward-key"))
    with served(node, encryption) as port:
        url = f"https://127.0.0.1:{port}"
        with pytest.raises(Refusal) as heard:
            through_node(node.ports.home, lambda _: url)(Asked(message), 0)
        assert heard.value.code is Code.REPLAY  # it knows no such message, and says so itself
        with pytest.raises(Refusal) as unheard:
            through_node(other, lambda _: url)(Asked(message), 0)
        assert unheard.value.code is Code.BUSY


def test_the_key_is_its_owner_s_and_the_certificate_is_renewed_before_it_ends(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tls.pem"
    first = certificate(path, NAMES, NOW)
    assert path.stat().st_mode & 0o777 == 0o600
    later = first.ends_at - RENEWED - timedelta(minutes=1)
    assert certificate(path, NAMES, later) == first
    second = certificate(path, NAMES, first.ends_at - RENEWED)
    assert second.fingerprint != first.fingerprint
    assert second.ends_at - first.ends_at >= LASTS - RENEWED - timedelta(days=1)
    path.write_text("nothing")
    assert known_certificate(path) is None
    assert certificate(path, NAMES, NOW).fingerprint != second.fingerprint


def test_it_is_made_anew_when_the_node_is_called_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "tls.pem"
    names = (*NAMES, "::1", "fe80::1%eth0", "Nas.local")
    first = certificate(path, names, NOW)
    assert certificate(path, names, NOW) == first
    assert certificate(path, NAMES, NOW) == first  # fewer names: it holds them all
    second = certificate(path, (*names, "192.168.1.7"), NOW)
    assert second.fingerprint != first.fingerprint
    assert second.names >= {b"\xc0\xa8\x01\x07", b"\x7f\x00\x00\x01", "nas.local"}
    third = certificate(path, (*names, "192.168.1.8"), NOW)
    assert third.fingerprint != second.fingerprint


def test_one_that_is_not_valid_yet_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "tls.pem"
    early = certificate(path, NAMES, NOW + timedelta(days=300))  # the clock was ahead
    made = certificate(path, NAMES, NOW)
    assert made.fingerprint != early.fingerprint
    assert made.begins_at <= NOW < made.ends_at


def test_a_certificate_with_another_key_is_none_and_the_node_starts(tmp_path: Path) -> None:
    path, other = tmp_path / "tls.pem", tmp_path / "other.pem"
    first = certificate(path, NAMES, NOW)
    certificate(other, NAMES, NOW)
    begin = b"-----BEGIN CERTIFICATE"
    key, _, _ = other.read_bytes().partition(begin)
    _, _, shown = path.read_bytes().partition(begin)
    path.write_bytes(key + begin + shown)
    assert known_certificate(path) is None
    started = Encryption(path, NAMES, lambda: NOW)
    assert started.certificate.fingerprint != first.fingerprint


@pytest.mark.parametrize("read", [known_certificate, lambda path: certificate(path, NAMES, NOW)])
def test_a_key_that_others_could_read_is_closed_when_it_is_read(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    path = tmp_path / "tls.pem"
    certificate(path, NAMES, NOW)
    path.chmod(0o644)
    read(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_is_renewed_while_the_node_runs(tmp_path: Path) -> None:
    now = [NOW]
    encryption = Encryption(tmp_path / "tls.pem", NAMES, lambda: now[0])
    before = encryption.certificate
    now[0] = before.ends_at - timedelta(days=40)
    encryption.renew()
    assert encryption.certificate == before
    now[0] = before.ends_at - timedelta(days=1)
    encryption.renew()
    assert encryption.certificate.ends_at > before.ends_at
