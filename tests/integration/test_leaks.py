"""Nothing private leaves through any door: every operation of the contract, asked with every key
that another program may have.

One home holds a secret in each place that a secret can be in. The requests are generated from the
contract, so that an operation which is new is asked as well.
"""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.api.contract import description
from lpm_kernel.api.gate import INWARD, needed_scope
from lpm_kernel.api.home import jobs
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.memory.findings import SentenceDecision
from tests.conftest import MORNING
from tests.leaking import (
    Operation,
    Request,
    Thing,
    Values,
    given_away,
    operations,
    requests,
    shown,
    undescribed,
)
from tests.scale import many

SCOPES = ("chat", "recall", "write")
NO_CONTRACT = {
    "GET /",
    "GET /{path}",
    "GET /login",
    "GET /openapi.json",
    "GET /docs",
    "POST /inward/replies",
}
"""Routes that are no part of the contract: pages, and what is asked below in a test of its own."""
REFUSED = (401, 403)
UNUSABLE = (400, 405, 413, 415, 422)
LINE = "A heron stood by the weir on Tuesday."

SEALED = Thing("Vorpalith", "umbergast")
TAGGED = Thing("Quillothane", "brindlewick")
ZIPPED = Thing("Thrumwald", "oxmarrow")
MEMBER = Thing("Zanderfell", "plinthgorse")
MENDED = Thing("Corvinella", "hexastyle")
STATED = Thing("Marrowbane", "fluxweed")
FILED = Thing("Ospringel", "vellumcask")
LATER = Thing("Dwarrowdel", "snapperjack")
ASKED = Thing("Ytterfane", "gullwhistle")
FAILED = Thing("Kestrovane", "morbidezza")
PLAYED = Thing("Pumblechin", "rackarock")
DELETED = Thing("Isinglorn", "tamborell")
ERASED = Thing("Wexcombe", "jorumstave")
UNREAD = Thing("Grimalden", "larkshank")
PRIVATE = (
    SEALED,
    TAGGED,
    ZIPPED,
    MEMBER,
    MENDED,
    STATED,
    FILED,
    LATER,
    ASKED,
    FAILED,
    PLAYED,
    UNREAD,
)
HIDDEN = (*PRIVATE, DELETED)
EVERY = (*HIDDEN, ERASED)
"""What a program may not see. Nobody sees what was erased."""


@dataclass(frozen=True)
class Home:
    """A home that holds all of them, with the ids under which they stand."""

    node: Node
    app: Flask
    model: ScriptedModel
    owner: Mapping[str, str]
    keys: Mapping[str, Mapping[str, str]]
    things: tuple[Thing, ...]
    ids: Mapping[str, Sequence[str]]
    """By what is named: private and deleted things first, then open ones."""
    private: Sequence[str]
    """Documents."""
    files: Mapping[str, bytes | None]
    """Private files of the workspace, as they read."""

    def thing(self, which: Thing) -> Thing:
        """Return one with its ids."""
        return next(each for each in self.things if each.name == which.name)


def front(line: str, text: str) -> bytes:
    return f"---\n{line}\n---\n{text}".encode()


def zipped(**texts: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.md", text)
    return packed.getvalue()


class Filling:
    """Fills a home, as its owner would."""

    def __init__(self, node: Node, client: FlaskClient) -> None:
        self.node, self.client = node, client
        self.ids: dict[str, list[str]] = {}

    def sent(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        answer = self.client.open(path, method=method, json=body)
        assert answer.status_code < 300, (path, answer.text)
        answer.get_data()  # a stream to its end
        self.node.run_jobs()
        return dict(answer.get_json() or {}) if answer.is_json else {}

    def added(self, thing: Thing, data: bytes, name: str = "", **more: object) -> DocumentId:
        """Add a document that is named for a thing in every way; its open label would be a leak of
        its own.
        """
        taken = self.node.library.add_bytes(
            name or f"{thing.name} {thing.fact}.md",
            data,
            title=f"{thing.name} {thing.fact}",
            **more,  # type: ignore[arg-type]
        )
        self.node.run_jobs()
        self.ids.setdefault(thing.name, []).append(taken.document.id)
        return taken.document.id

    def chat(self, thing: Thing) -> tuple[str, str]:
        """Ask for a thing in a chat of the owner; return the chat and the answer."""
        chat = self.sent("POST", "/api/conversations", {"title": "A talk"})["id"]
        self.sent("POST", f"/api/conversations/{chat}/turns", {"text": f"What is of {thing.cue}?"})
        turn = self.sent("GET", f"/api/conversations/{chat}")["items"][-1]
        assert thing.fact in turn["text"], turn["text"]
        return chat, turn["id"]


def note(thing: Thing) -> str:
    """Return a note with what a person writes: a belief, statements, a name that stands nowhere
    else.
    """
    said = f"I believe that {thing.name} Ashgrove prefers the {thing.fact} to tea."
    return (
        f"# {thing.name}\n\n{thing.text} {said}\n\n## Retain\n\n- W @{thing.name}: keeps the"
        f" {thing.fact} in the hollow tree.\n"
    )


def filled(node: Node, app: Flask, model: ScriptedModel) -> Home:
    """Put a secret in each place that a secret can be in."""
    token = {"Authorization": f"Bearer {node.ports.home.secret('api-token')}"}
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = token["Authorization"]
    fill = Filling(node, client)
    open_note = fill.added(
        Thing("Heron", ""),
        f"# Heron\n\n{LINE}\n\n## Retain\n\n- W @Heron: stood by the weir.\n".encode(),
    )
    fill.added(SEALED, note(SEALED).encode(), private=True, tags=(SEALED.fact,))
    fill.added(TAGGED, front("tags: [notes, 秘密]", note(TAGGED)))
    closed = fill.added(
        ZIPPED,
        zipped(**{ZIPPED.name: note(ZIPPED).encode(), "opened": b"Fog lay on the weir."}),
        "old.zip",
    )
    opened_again = next(
        each.id for each in node.ports.documents.members([closed]) if each.title == "opened"
    )
    fill.ids[ZIPPED.name] += [
        each.id for each in node.ports.documents.members([closed]) if each.id != opened_again
    ]
    box = node.library.add_bytes(
        "box.zip",
        zipped(
            plain=b"Rain fell on the weir.", **{MEMBER.name: front("tags: [private]", note(MEMBER))}
        ),
    ).document.id
    node.run_jobs()
    fill.ids[MEMBER.name] = [
        each.id for each in node.ports.documents.members([box]) if each.private
    ]
    mended = fill.added(MENDED, f"The heron of {MENDED.name} keeps nothing.".encode(), private=True)
    correct(node, node.ports.documents.get(mended), MENDED)
    stated = fill.sent(
        "POST",
        "/api/memories",
        {
            "content": f"{STATED.name} keeps the {STATED.fact}.",
            "entities": [STATED.name],
            "file": "memory/own.md",
        },
    )
    fill.ids[STATED.name] = [
        stated["id"],
        *(each.id for each in private_file(fill, "memory/own.md")),
    ]
    fill.sent(
        "POST",
        "/api/workspace/append",
        {"path": f"memory/{FILED.name}.md", "text": f"---\nprivate: true\n---\n{note(FILED)}"},
    )
    fill.sent("POST", "/api/workspace/append", {"path": "bank/later.md", "text": note(LATER)})
    fill.ids[FILED.name] = [
        known.id for path, known in node.ports.documents.origins().items() if FILED.name in path
    ]
    asked = fill.added(ASKED, note(ASKED).encode())
    played = fill.added(PLAYED, note(PLAYED).encode(), private=True)
    fill.added(
        FAILED,
        b"%PDF-1.4 " + FAILED.fact.encode(),
        f"{FAILED.name} {FAILED.fact}.pdf",
        private=True,
    )
    deleted, erased = (fill.added(each, note(each).encode()) for each in (DELETED, ERASED))
    crate = node.library.add_bytes(
        "crate.zip", zipped(plain=b"Hail fell on the weir.", more=f"{note(ERASED)}More.".encode())
    ).document.id
    node.run_jobs()
    fill.ids[ERASED.name] += [
        each.id
        for each in node.ports.documents.members([crate])
        if each.title.startswith(ERASED.name)
    ]
    chats = {each.name: fill.chat(each) for each in (SEALED, ASKED, LATER, DELETED, ERASED)}
    talk, answer = chats[ASKED.name]
    fill.sent(
        "PUT",
        f"/api/conversations/{talk}/turns/{answer}/verdict",
        {"verdict": "better", "better": ASKED.text},
    )
    node.reflection.queue_reflection()
    node.graph.queue_graph()
    node.run_jobs()
    role = {"name": "Keeper", "prompt": f"Remember that {PLAYED.text}", "sees": {"private": True}}
    fill.sent("POST", "/api/roles", role)
    cast = fill.sent("POST", "/api/conversations", {"title": "With the keeper", "role": "keeper"})[
        "id"
    ]
    fill.sent("POST", f"/api/conversations/{cast}/turns", {"text": f"What is of {PLAYED.cue}?"})
    fill.ids[PLAYED.name] = [played]
    for each in (
        asked,
        closed,
        fill.ids.setdefault(LATER.name, [d.id for d in private_file(fill, "bank/later.md")])[0],
    ):
        fill.sent("PATCH", f"/api/documents/{each}", {"private": True})
    fill.sent("PATCH", f"/api/documents/{opened_again}", {"private": False})
    fill.sent("DELETE", f"/api/documents/{deleted}")
    node.home.confirm_erasure(
        node.home.propose_erasure([erased, *map(DocumentId, fill.ids[ERASED.name])]).token
    )
    node.run_jobs()
    fill.ids[UNREAD.name] = []
    unread = node.library.add_bytes("unread.md", front("tags: [secret]", note(UNREAD))).document.id
    things, ids = named(node, fill, chats, [cast], [open_note, box, opened_again, unread])
    private = [
        *(
            each
            for one in things
            if one.name not in {DELETED.name, ERASED.name}
            for each in one.ids
            if each.startswith("d_")
        ),
        unread,
    ]
    files = {
        path: node.workspace.folder.read(path)
        for path in (f"memory/{FILED.name}.md", "memory/own.md", "bank/later.md")
    }
    return Home(node, app, model, token, keys_of(node), things, ids, private, files)


def correct(node: Node, known: Document, thing: Thing) -> None:
    """Put a private document right in words that stand nowhere else."""
    words = node.ports.files.words(known.sha256, known.text_version or "") or ""
    node.memory.decide(
        SentenceDecision(known.id, 0, len(words.strip()), Verdict.MEND, thing.text, words.strip())
    )
    node.run_jobs()


def private_file(fill: Filling, path: str) -> list[Document]:
    """Make a file of the workspace private, and return what is known of it."""
    known = fill.node.ports.documents.origins()[path]
    fill.sent("PATCH", f"/api/documents/{known.id}", {"private": True})
    return [known]


def keys_of(node: Node) -> dict[str, dict[str, str]]:
    """Return a key for each combination of scopes but the owner's, and callers who have none."""
    made = {}
    for count in range(1, len(SCOPES) + 1):
        for scopes in combinations(SCOPES, count):
            key = create_key(node.ports.access, node.ports.clock, "a program", scopes)[1]
            made["+".join(scopes)] = {"Authorization": f"Bearer {key}"}
    inward = {"Authorization": f"Bearer {node.ports.home.secret('inward-key')}"}
    return {**made, "": {}, "unknown": {"Authorization": "Bearer lpm-none"}, "inward": inward}


def named(
    node: Node,
    fill: Filling,
    chats: Mapping[str, tuple[str, str]],
    casts: Sequence[str],
    plain: Sequence[str],
) -> tuple[tuple[Thing, ...], dict[str, list[str]]]:
    """Return the things with their ids, and all ids by what they name."""
    corrections = [each.id for each in node.ports.documents.everything() if each.corrects]
    fill.ids[MENDED.name] += corrections
    memories: dict[str, str] = {
        each.document: each.memory
        for each in node.ports.memories.page(MemoryFilter(), limit=500)[0]
    }
    things = tuple(
        replace(
            each,
            ids=(
                *fill.ids[each.name],
                *(memories[d] for d in fill.ids[each.name] if d in memories),
            ),
        )
        for each in EVERY
    )
    hidden = [each for one in things for each in one.ids]
    work: list[str] = [each.id for each in node.ports.jobs.page(limit=500)[0]]
    talks = [*(chat for chat, _ in chats.values()), *casts]
    ids: dict[str, list[str]] = {
        "documents": [each for each in hidden if each.startswith("d_")] + list(plain),
        "memories": (
            [each for each in hidden if not each.startswith("d_")]
            + [memories[each] for each in plain if each in memories]
        ),
        "jobs": work,
        "conversations": talks,
        "turn": [turn.id for each in talks for turn in node.ports.conversations.turns(each)],  # type: ignore[arg-type]
        "models": ["base", "second-me", "second-me/keeper"],
    }
    return things, ids


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("leaks") / "home"
        root.mkdir(mode=0o700)
        patch.setenv("LPM_HOME", str(root))
        patch.setenv("LPM_COMMUNITIES", "louvain")
        patch.setattr(jobs, "WATCH_AT_MOST", 0.02)
        model = ScriptedModel([(".", "I do not know.")])
        with Node.open(
            root, clock=FrozenClock(MORNING), model=model, embedder=HashingEmbedder()
        ) as node:
            yield filled(node, create_app(node), model)


def values(home: Home) -> Values:
    """Return what is put into the requests: ids of what is hidden, words out of it, and its files
    in more than one spelling.
    """
    names = [each.name for each in HIDDEN]
    documents, turns = list(home.ids["documents"]), list(home.ids["turn"])
    files = [f"memory/{FILED.name}.md", "memory/own.md", "bank/later.md"]
    odd = (
        [f"./{each}" for each in files]
        + [each.replace("/", "//") for each in files]
        + [each.upper() for each in files]
        + [f"bank/../{files[0]}"]
    )

    def paths(operation: Operation, name: str) -> Sequence[str]:
        kind = operation.path.split("/")[2]
        if name == "id" and kind in home.ids:
            return home.ids[kind]
        return turns[:4] if name == "turn" else ["1"] if name in {"page", "n"} else [documents[0]]

    asked, some = [f"What does {each} keep?" for each in names], names[: many(len(names), 4)]
    every: dict[str, Sequence[object]] = {
        **dict.fromkeys(("q", "entity", "tag", "folder", "title", "name", "beginning", "id"), some),
        **dict.fromkeys(
            (
                "text",
                "query",
                "content",
                "request",
                "reply",
                "input",
                "prompt",
                "better",
                "old",
                "new",
            ),
            asked,
        ),
        **{name: [*files, *odd, "memory.md"] for name in ("path", "file")},
        "model": ["second-me", "second-me/keeper", "base"],
        "messages": [[{"role": "user", "content": each}] for each in asked],
        "ids": [documents],
        "put_back": [
            [{"id": each, "tags": [], "folder": "", "private": False} for each in documents]
        ],
        "parent": documents,
        "turn": turns,
        "before": turns,
        "role": ["keeper", ""],
        "cast": [["keeper"], []],
        "to": ["keeper", ""],
        "private": [False, True],
        "line": [f"W @{STATED.name}: keeps it.", ""],
        "strike": [documents[:100]],
        "n": [1],
        "entities": [[each] for each in some],
        "tags": [[each] for each in some],
        "client_id": ["leaks-1234"],
        "since": ["2026-03-14"],
        "until": ["2026-03-14"],
        "cursor": ["", "0"],
    }
    return Values(
        paths, every, [(note(SEALED).encode(), "guess.md"), (b"Snow fell on the weir.", "snow.md")]
    )


@dataclass(frozen=True)
class Leak:
    """What an answer gave away, to whom, and how it was asked."""

    operation: str
    key: str
    word: str
    request: Request


class Sweep:
    """Asks everything with every key, and keeps what was given away."""

    def __init__(self, home: Home, app: Flask) -> None:
        self.home, self.client = home, app.test_client()
        self.leaks: list[Leak] = []
        self.answers: Counter[tuple[str, int]] = Counter()
        self.seen: set[str] = set()
        self._values = values(home)

    def ask(
        self, operation: Operation, key: str, things: Collection[Thing], *, most: int | None = None
    ) -> None:
        """Ask one operation with one key, in every way or in the first few."""
        headers = self.home.owner if key == "owner" else self.home.keys[key]
        for request in islice(requests(operation, self._values), most):
            answer = request.ask(self.client, headers)
            told = shown(answer)
            self.answers[operation.key, answer.status_code] += 1
            assert answer.status_code not in {500, 501, 502}, (operation.key, request, told)
            found = given_away(request, told, things)
            self.seen |= set(found)
            self.leaks += [Leak(operation.key, key, word, request) for word in found]

    def ask_with_each(self, operation: Operation, things: Collection[Thing]) -> None:
        """Ask with each key: in every way with the scope alone and with all but the owner's, in a
        few with the others.
        """
        scope = needed_scope(operation.method, operation.path)
        for key in self.home.keys:
            scopes = key.split("+")
            wide = scope in scopes and len(scopes) in {1, len(SCOPES)}
            self.ask(operation, key, things, most=None if wide else 2 if scope in scopes else 1)

    def was_answered(self, operation: Operation) -> bool:
        """Tell whether one of the requests was well-formed and allowed."""
        return any(
            key == operation.key and status not in {*REFUSED, *UNUSABLE}
            for key, status in self.answers
        )


def contract_of(app: Flask) -> list[Operation]:
    return operations(description(app))  # type: ignore[arg-type]


def is_open_to_programs(operation: Operation) -> bool:
    return needed_scope(operation.method, operation.path) in SCOPES


def is_looking(operation: Operation) -> bool:
    """Tell whether an operation only looks: nothing that was sent comes back later."""
    return operation.method == "GET" or operation.path.startswith(
        ("/api/recall", "/api/bridge", "/v1/")
    )


def is_removing(operation: Operation) -> bool:
    """Tell whether an operation may take away what others ask about."""
    return operation.method == "DELETE" or operation.path.endswith("/bulk")


def nameless(things: Collection[Thing]) -> list[Thing]:
    """Leave the names out, which programs may have written down by then."""
    return [replace(each, name=each.fact) for each in things]


def told_apart(home: Home, everything: Sequence[Operation]) -> list[tuple[str, str]]:
    """Return where what a program may not see is told from what is not there, by status or
    words.
    """
    client, found = home.app.test_client(), []
    key = home.keys["chat+recall+write"]
    hidden = [each for thing in map(home.thing, HIDDEN) for each in thing.ids]
    for operation in everything:
        kind = operation.path.split("/")[2] if operation.path.startswith("/api/") else ""
        if kind not in {"documents", "memories"} or "{id}" not in operation.path:
            continue
        mine = [each for each in hidden if each in home.ids[kind]]
        for identifier in mine:
            never = f"{identifier[:2]}{'0' * len(identifier[2:])}"
            answers = [
                asked_about(client, key, operation, values(home), each)
                for each in (identifier, never)
            ]
            found += [(operation.key, identifier)] if answers[0] != answers[1] else []
    return found


def asked_about(
    client: FlaskClient,
    key: Mapping[str, str],
    operation: Operation,
    known: Values,
    identifier: str,
) -> str:
    """Return how an operation answers about an id, without the id itself."""
    alone = Values(
        lambda _, name: [identifier] if name == "id" else ["1"], known.named, known.files
    )
    request = next(iter(requests(operation, alone)))
    return shown(request.ask(client, key)).replace(identifier, "")


@dataclass(frozen=True)
class Outcome:
    """What came of asking everything."""

    sweep: Sweep
    told_apart: Sequence[tuple[str, str]]
    prompts: Sequence[str]
    """What the model was given on behalf of programs."""


@pytest.fixture(scope="module")
def outcome(opened: Home) -> Outcome:
    """Ask everything that there is: first what only looks, then what changes something, then what
    looks once more.
    """
    everything, sweep = contract_of(opened.app), Sweep(opened, opened.app)
    hidden = [opened.thing(each) for each in EVERY]
    apart = told_apart(opened, everything)
    before = len(opened.model.seen)
    looking = [each for each in everything if is_looking(each)]
    changing = [each for each in everything if not is_looking(each)]
    for operation in looking:
        sweep.ask_with_each(operation, hidden)
    for removing in (False, True):
        for operation in changing:
            if is_removing(operation) is removing:
                sweep.ask_with_each(operation, nameless(hidden))
        opened.node.run_jobs()
    for operation in filter(is_open_to_programs, looking):
        sweep.ask(operation, "chat+recall+write", nameless(hidden))
    prompts = [message.content for prompt in opened.model.seen[before:] for message in prompt]
    return Outcome(sweep, apart, prompts)


def test_no_answer_gives_anything_away(outcome: Outcome) -> None:
    assert outcome.sweep.leaks == []


def test_what_is_private_is_not_told_from_what_is_not_there(outcome: Outcome) -> None:
    assert outcome.told_apart == []


def test_no_model_is_given_anything_for_a_program(outcome: Outcome) -> None:
    """But what the person wrote into the role that the program asks for."""
    told = "\n".join(outcome.prompts).casefold()
    assert outcome.prompts
    assert [each.fact for each in EVERY if each != PLAYED and each.fact in told] == []


def test_everything_that_there_is_was_asked(opened: Home, outcome: Outcome) -> None:
    """An operation that is new is asked by itself; one that nobody could ask properly fails
    here.
    """
    everything = contract_of(opened.app)
    assert undescribed(opened.app, everything) == NO_CONTRACT
    assert {each.key for each in everything} == {key for key, _ in outcome.sweep.answers}
    assert [
        each.key
        for each in everything
        if is_open_to_programs(each) and not outcome.sweep.was_answered(each)
    ] == []
    closed = {
        each.key for each in everything if not is_open_to_programs(each) and each.path != "/healthz"
    }
    assert {status for key, status in outcome.sweep.answers if key in closed} <= set(REFUSED)


@pytest.mark.usefixtures("outcome")
def test_nothing_was_opened_changed_or_brought_back(opened: Home) -> None:
    node = opened.node
    there: dict[str, Document] = {each.id: each for each in node.ports.documents.everything()}
    assert [
        each
        for each in opened.private
        if each not in there or there[each].deleted_at or not there[each].private
    ] == []
    assert [
        there[each].deleted_at is None for each in opened.thing(DELETED).ids if each in there
    ] == [False]
    assert {path: node.workspace.folder.read(path) for path in opened.files} == opened.files


@pytest.mark.usefixtures("outcome")
def test_its_owner_sees_everything_but_what_was_erased(opened: Home) -> None:
    """Or else it would be no wonder that nobody else does."""
    sweep = Sweep(opened, opened.app)
    for operation in contract_of(opened.app):
        if operation.method == "GET":
            sweep.ask(operation, "owner", nameless([opened.thing(each) for each in EVERY]))
    assert [each.fact for each in HIDDEN if each.fact not in sweep.seen] == []
    assert ERASED.fact not in sweep.seen
    assert not {each for each in opened.thing(ERASED).ids if each.startswith("m")} & sweep.seen


def test_the_other_processes_door_knows_no_program(opened: Home) -> None:
    client = opened.app.test_client()
    answers = {
        key: client.post(f"{INWARD}/replies", json={}, headers=headers).status_code
        for key, headers in opened.keys.items()
    }
    assert {key for key, status in answers.items() if status not in REFUSED} == {"inward"}


Planted = Callable[[Home, Flask], object]


def put_in_place_of_texts(app: Flask, view: Callable[..., Response]) -> None:
    [rule] = [rule for rule in app.url_map.iter_rules() if rule.rule.endswith("/<string:id>/text")]
    app.view_functions[rule.endpoint] = view


def in_a_text(_: Home, app: Flask) -> None:
    def text(**_: object) -> Response:
        return Response(SEALED.text)

    put_in_place_of_texts(app, text)


def in_a_header(_: Home, app: Flask) -> None:
    def name(answer: Response) -> Response:
        answer.headers["Content-Disposition"] = (
            f"attachment; filename*=UTF-8''%{ord(TAGGED.fact[0]):X}{TAGGED.fact[1:]}"
        )
        return answer

    app.after_request(name)


def in_a_refusal(home: Home, app: Flask) -> None:
    def refuse(**_: object) -> Response:
        return Response(f"“{home.thing(FILED).ids[0]}” is private.", status=403)

    put_in_place_of_texts(app, refuse)


@pytest.mark.parametrize("plant", [in_a_text, in_a_header, in_a_refusal])
@pytest.mark.usefixtures("outcome")
def test_a_leak_that_is_planted_is_found(opened: Home, plant: Planted) -> None:
    app = create_app(opened.node)
    plant(opened, app)
    sweep = Sweep(opened, app)
    [operation] = [each for each in contract_of(app) if each.key == "GET /api/documents/{id}/text"]
    sweep.ask_with_each(operation, [opened.thing(each) for each in EVERY])
    assert {each.operation for each in sweep.leaks} == {operation.key}


def test_a_route_beside_the_contract_is_found(opened: Home) -> None:
    app = create_app(opened.node)
    app.add_url_rule("/api/backdoor/<id>", "backdoor", lambda **_: "")
    assert "GET /api/backdoor/{id}" in undescribed(app, contract_of(app))
