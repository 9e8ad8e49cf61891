"""The doctor says who can reach the node: the screens and the API, and what listens for
contacts.
"""

from __future__ import annotations

import pytest

from lpm_kernel.config import Settings
from lpm_kernel.usecases.home.doctor import _listening
from lpm_kernel.usecases.share.reach import HostState, Reach

OPEN = Reach(
    on=True, everywhere=True, state=HostState.LISTENING, addresses=("/ip4/192.0.2.7/udp/4001",)
)


@pytest.mark.parametrize(
    ("host", "reached", "state", "sentence"),
    [
        ("127.0.0.1", None, "fine", "The screens and the API listen on 127.0.0.1 only."),
        (
            "127.0.0.1",
            Reach(on=True, everywhere=True, state=HostState.STOPPED),
            "fine",
            "The screens and the API listen on 127.0.0.1 only.",
        ),
        (
            "127.0.0.1",
            Reach(
                on=True,
                everywhere=False,
                state=HostState.LISTENING,
                addresses=("/ip4/127.0.0.1/udp/1",),
            ),
            "fine",
            "listen on 127.0.0.1 only.",
        ),
        (
            "localhost",
            OPEN,
            "fine",
            "only. Contacts reach the node from other machines, at /ip4/192.0.2.7/udp/4001.",
        ),
        (
            "0.0.0.0",  # noqa: S104  what is looked for
            OPEN,
            "look",
            "other machines can reach them over HTTPS. Contacts reach the node from other machines",
        ),
        ("nagi.example", None, "look", "other machines can reach them over HTTPS."),
    ],
)
def test_the_sentence_accounts_for_contacts(
    host: str, reached: Reach | None, state: str, sentence: str
) -> None:
    check = _listening(Settings(host=host), reached)
    assert check.state == state
    assert sentence in check.sentence
    assert ("Contacts" in check.sentence) is (reached is OPEN)


def test_in_a_container_the_published_port_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LPM_CONTAINER", "1")
    check = _listening(Settings(host="0.0.0.0"), None)  # noqa: S104  what is looked for
    assert check.state == "look"
    assert "in a container" in check.sentence
    assert "Publish it on 127.0.0.1 only." in check.sentence
    assert _listening(Settings(), None).state == "fine"
