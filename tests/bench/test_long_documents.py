"""What every page asks for, over one document of a megabyte and over a quarter of it: four times
the text takes about four times as long. Run by `make bench`.

What is worked out anew for each passage over the whole text takes sixteen times as long, and holds
a core while every page waits; nothing shows it on texts as long as most are. Requests that take
less than ``NOTICED`` are not held to it.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.node import Node

pytestmark = pytest.mark.bench

LONG, SHORT = 1_000_000, 250_000
"""Characters."""
MOST_TIMES = 8.0
NOTICED = 0.3
"""Seconds."""
NAMES = ("Mai", "Jonas", "Petra", "Kenji", "Ines", "Ottilie", "Bram", "Ruth", "Dev", "Yuki")
THINGS = ("ladder", "kettle", "trowel", "lantern", "saddle", "anvil", "funnel", "bellows")
PLACES = ("Bergen", "Kanazawa", "Lisbon", "Wajima", "Porto", "the harbour", "the old mill")


def said(draw: random.Random) -> str:
    """Make a sentence that somebody could have written down."""
    who, other = draw.sample(NAMES, 2)
    return draw.choice(
        (
            f"I lent {who} my {draw.choice(THINGS)} and went to {draw.choice(PLACES)}.",
            f"{who} is my neighbour, and {other} is {who}'s sister.",
            f"We had {draw.randrange(2, 40)} people at {draw.choice(PLACES)} with {who}.",
            f"{who} told me: “The {draw.choice(THINGS)} cost {draw.randrange(20, 900)} euros.”",
            f"I would rather walk than drive, and {who} thinks so too.",
            f"Thanks to {who} the {draw.choice(THINGS)} works again.",
        )
    )


def diary(length: int) -> str:
    """Write days until they have so many characters."""
    draw, days = random.Random(7), list[str]()
    while sum(map(len, days)) < length:
        number = len(days)
        date = f"{2000 + number // 336}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"
        days.append(f"## {date}\n\n" + " ".join(said(draw) for _ in range(12)) + "\n\n")
    return "".join(days)


def talk(length: int) -> str:
    """Write what two say to each other until it has so many characters."""
    draw, lines = random.Random(8), list[str]()
    while sum(map(len, lines)) < length:
        number = len(lines)
        who = ("Nagi", "Mai")[number % 2]
        day = f"{number // 200 % 28 + 1:02}/{number // 5600 % 12 + 1:02}/2021"
        lines.append(f"[{day}, {number // 60 % 24:02}:{number % 60:02}:00] {who}: {said(draw)}\n")
    return "".join(lines)


def letter(length: int) -> str:
    """Write to the person, and sign it."""
    return f"Dear Nagi,\n{diary(length)}Love, Mai\n"


WRITTEN = {"diary.md": diary, "letter.txt": letter, "_chat.txt": talk}
ASKED = ("When did I lend Mai my ladder?", "Who is Ruth?", "What did the kettle cost?")


def pages_of(client: FlaskClient, document: str) -> list[str]:
    """List what can be asked for without having asked for something else before."""
    described = client.get("/openapi.json").get_json()["paths"]
    plain = [
        path
        for path, methods in described.items()
        if "get" in methods and "{" not in path and path.startswith("/api/")
    ]
    one = f"/api/documents/{document}"
    of_people = [
        f"/api/{page}"
        for each in client.get("/api/entities?limit=5").get_json()["items"]
        for page in (f"entities/{each['slug']}", f"entities/{each['slug']}/documents")
    ]
    return [*plain, one, f"{one}/passages", f"{one}/text", f"{one}/versions", *of_people]


def seconds(client: FlaskClient, path: str, question: str = "") -> float:
    """Ask once, as a page that is opened does, or put a question."""
    began = time.process_time()
    answer = client.post(path, json={"query": question}) if question else client.get(path)
    answer.get_data()
    assert answer.status_code < (400 if question else 500), (path, answer.get_data(as_text=True))
    return time.process_time() - began


@pytest.mark.parametrize("name", WRITTEN)
def test_four_times_the_text_takes_four_times_as_long(name: str, tmp_path: Path) -> None:
    took: dict[int, dict[str, float]] = {}
    for length in (SHORT, LONG):
        with Node.open(
            tmp_path / str(length),
            model=ScriptedModel([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
            communities="louvain",
        ) as node:
            node.ports.conversations.set_identity(Identity("Nagi Sorrel"))
            began = time.process_time()
            document = node.library.add_bytes(name, WRITTEN[name](length).encode()).document
            node.run_jobs()
            took[length] = {"adding": time.process_time() - began}
            client = create_app(node).test_client()
            token = node.ports.home.secret("api-token")
            client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
            for path in pages_of(client, document.id):
                shown = path.replace(document.id, "{id}")
                took[length][shown] = seconds(client, path)
            for question in ASKED:
                took[length][question] = seconds(client, "/api/recall", question)
    slow = {
        path: (took[SHORT].get(path, 0.0), later)
        for path, later in took[LONG].items()
        if later > NOTICED
    }
    for path, (first, later) in sorted(slow.items(), key=lambda each: -each[1][1]):
        print(
            f"\n{name} {path}: {first:.2f} s, {later:.2f} s, {later / max(first, 0.01):.1f} times"
        )
    assert not {
        path for path, (first, later) in slow.items() if later > MOST_TIMES * max(first, 0.05)
    }
