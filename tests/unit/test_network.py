"""Tests reach nothing but this machine."""

from __future__ import annotations

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


def test_nothing_beyond_this_machine_is_reached() -> None:
    # the warning comes first, and warnings are errors here
    with socket.socket() as outward, pytest.raises((SocketConnectBlockedError, UserWarning)):
        outward.connect(("192.0.2.1", 80))


def test_this_machine_is_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as inward,
    ):
        assert inward.getpeername() == listener.getsockname()
