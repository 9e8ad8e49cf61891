"""What is private is private whichever way it became so: said, tagged, or come in an archive,
before or after something was made of it.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.domain.chat.roles import Sees
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.validity import UNKNOWN, Dated, Validity
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node
from lpm_kernel.usecases.home import access
from lpm_kernel.usecases.memory.findings import SentenceDecision
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope

CANARY = "zygomorphic"
NOTE = f"""# Brambling

I believe that the {CANARY} lamp of Orsolya Brambling stands in Kilbrannan.

## Retain

- W @Orsolya: keeps her {CANARY} lamp in Kilbrannan.
- O(c=0.6) @Orsolya: a {CANARY} lamp is better than a torch.
"""
WRONG = f"the {CANARY} lamp of Orsolya Brambling stands in Kilbrannan"
RIGHT = f"the {CANARY} lamp of Orsolya Brambling stands in Carradale"
EVERYTHING = Scope(
    EVERY_TAG, frozenset(RowKind), frozenset(Layer), None, None, Form.VERBATIM, "a visit"
)
READ = (
    "/api/documents",
    "/api/documents/counts",
    "/api/documents?q=lamp",
    "/api/memories",
    "/api/memories?q=lamp",
    "/api/entities",
    "/api/entities/orsolya",
    "/api/entities/orsolya-brambling",
    "/api/graph",
    "/api/timeline",
    "/api/timeline/anniversaries",
    "/api/timeline/occasions",
    "/api/jobs",
    "/api/biography",
    "/api/reflections",
    "/api/opinions",
    "/api/findings",
    "/api/proposals",
    "/api/contradictions",
    "/api/workspace",
    "/api/workspace/pages",
    "/api/core",
    "/api/conversations",
    "/api/questions",
    "/api/recall/names?q=Or",
    "/api/home",
    "/api/status",
    "/api/inbox",
    "/api/roles",
)


def zipped(**texts: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.md", text)
    return packed.getvalue()


def relabel(node: Node, document: DocumentId, **changes: object) -> None:
    node.library.relabel(document, **changes)
    node.run_jobs()


def derive(node: Node, document: DocumentId) -> None:
    """Make everything of it that is made of a document."""
    node.run_jobs()
    known = node.ports.documents.get(document)
    words = node.ports.files.words(known.sha256, known.text_version or "") or ""
    start = words.index(WRONG)
    node.memory.decide(
        SentenceDecision(known.id, start, start + len(WRONG), Verdict.MEND, RIGHT, WRONG)
    )
    node.run_jobs()
    node.reflection.queue_reflection()
    node.run_jobs()
    node.graph.queue_graph()
    node.run_jobs()


def told(node: Node) -> str:
    """Return all that a program without ``admin``, a role and a contact get to see."""
    _, key = access.create_key(
        node.ports.access, node.ports.clock, "all but admin", ("chat", "recall", "write")
    )
    program = create_app(node).test_client()
    program.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    shown = [program.get(each).get_data(as_text=True) for each in READ]
    asked = {"query": "Where is the lamp of Orsolya?"}
    shown.append(program.post("/api/recall", json=asked).get_data(as_text=True))
    for each in node.ports.documents.everything():
        parts = (f"/api/documents/{each.id}{part}" for part in ("", "/text", "/original"))
        shown += [program.get(part).get_data().decode("utf-8", "replace") for part in parts]
    question = RecallQuery(Question("Where is the lamp of Orsolya?"))
    for sees in (Sees(), Sees(tags=("notes",))):
        found = node.chat.within(sees, owner=False).recall(question)
        shown += [item.text for item in found.items]
    inside = node.replying.answerer().inside(EVERYTHING)
    shown += [row.text for row in inside.rows.values()]
    shown += [item.text for item in inside.recall(question).items]
    return "\n".join(shown)


def added(node: Node, text: str = NOTE, **more: object) -> DocumentId:
    taken = node.library.add_bytes("brambling.md", text.encode(), **more)  # type: ignore[arg-type]
    node.run_jobs()
    return taken.document.id


def front(line: str) -> str:
    return f"---\n{line}\n---\n{NOTE}"


def member(node: Node, archive: DocumentId) -> Document:
    [found] = node.ports.documents.members([archive])
    return found


def sealed_from_the_start(node: Node) -> DocumentId:
    return added(node, private=True)


def sealed_by_its_tag(node: Node) -> DocumentId:
    return added(node, front("tags: [notes, 秘密]"))


def sealed_with_its_archive(node: Node) -> DocumentId:
    archive = node.library.add_bytes("old.zip", zipped(brambling=NOTE), private=True).document.id
    node.run_jobs()
    return member(node, archive).id


@pytest.mark.parametrize("put", [sealed_from_the_start, sealed_by_its_tag, sealed_with_its_archive])
def test_nothing_made_of_what_is_private_is_told(
    node: Node, put: Callable[[Node], DocumentId]
) -> None:
    derive(node, put(node))
    assert CANARY not in told(node)


def made_private(node: Node) -> DocumentId:
    note = added(node, tags=("notes",))
    derive(node, note)
    assert CANARY in told(node)
    relabel(node, note, private=True)
    return note


def tagged_private(node: Node) -> DocumentId:
    note = added(node, tags=("notes",))
    derive(node, note)
    relabel(node, note, tags=("notes", "#Private"))
    return note


def archive_made_private(node: Node) -> DocumentId:
    archive = node.library.add_bytes("old.zip", zipped(brambling=NOTE), tags=("notes",)).document.id
    node.run_jobs()
    note = member(node, archive).id
    derive(node, note)
    assert CANARY in told(node)
    relabel(node, archive, private=True)
    return note


def handed_in_again(node: Node) -> DocumentId:
    note = added(node, tags=("notes",))
    derive(node, note)
    assert added(node, private=True) == note
    return note


@pytest.mark.parametrize(
    "seal", [made_private, tagged_private, archive_made_private, handed_in_again]
)
def test_what_was_made_of_it_before_is_sealed_with_it(
    node: Node, seal: Callable[[Node], DocumentId]
) -> None:
    note = seal(node)
    assert node.ports.documents.get(note).private
    assert CANARY not in told(node)
    node.reflection.queue_reflection()
    node.run_jobs()
    node.graph.queue_graph()
    node.run_jobs()
    assert CANARY not in told(node)


@pytest.mark.parametrize(
    ("said", "private"),
    [
        ("tags: [private, secret]", True),
        ("tags: private, home", True),
        ("tags: '#Confidential'", True),
        ("tags: [ＳＥＣＲＥＴ]", True),
        ("tags: [非公開]", True),
        ("tags: [私密]", True),
        ("tags: [private/health]", True),
        ("tags: [health/private]", True),
        ("tags: [秘密、日記]", True),
        ("title: Bank: the PIN\nprivate: true", True),
        ("date: 2025-13-40\ntags:\n  - Secret", True),
        (f"about: {'x' * 11_000}\nprivate: true", True),
        ("title: Bank: the PIN\ntags: [privateer]\nprivate: false", False),
        ('private: "yes"', True),
        ("tags: [secretary, privateer, home]", False),
        ("private: false", False),
    ],
)
def test_a_text_says_by_a_tag_that_it_is_private(node: Node, said: str, private: bool) -> None:
    assert node.ports.documents.get(added(node, front(said))).private is private


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("The lamp. #private", True),
        ("#日記 #秘密\n\nThe lamp.", True),
        ("~~~\n```\n~~~\n\nThe lamp. #private", True),
        ("````\n```\n````\n\nThe lamp. #private", True),
        ("```lamp``` it is called.\n\n#private", True),
        ("#秘密（家のこと）", True),
        ("【#秘密】灯りの場所", True),
        ("#秘密：灯りの場所", True),
        ("#家・秘密", True),
        ("**#private**", True),
        ("```\nthis.#private = 1\n```\nand `#private` #privateer C#secret", False),
    ],
)
def test_a_tag_in_the_midst_of_a_note_seals_it(node: Node, text: str, private: bool) -> None:
    note = added(node, text)
    assert node.ports.documents.get(note).private is private
    assert node.ports.documents.get(note).tags == ()


def test_which_tags_seal_is_the_person_s_choice(node: Node) -> None:
    node.ports.change_settings(seal_tags=("hush",))
    assert not node.ports.documents.get(added(node, front("tags: [secret]"))).private
    assert node.ports.documents.get(added(node, NOTE + "More.", tags=("Hush",))).private


def test_what_the_person_opens_stays_open(client: FlaskClient, node: Node) -> None:
    note = added(node, front("tags: [secret]"))
    assert client.patch(f"/api/documents/{note}", json={"private": False}).get_json()["tags"] == [
        "secret"
    ]
    client.patch(f"/api/documents/{note}", json={"tags": ["secret", "home"], "title": "Lamp"})
    node.run_jobs()
    assert not node.ports.documents.get(note).private
    both = {"tags": ["home", "private"], "private": False}
    assert client.patch(f"/api/documents/{note}", json=both).get_json()["private"] is False


def test_a_tag_given_to_many_seals_each(client: FlaskClient, node: Node) -> None:
    note = added(node)
    asked = {"ids": [note], "add_tags": ["Private"]}
    before = client.post("/api/documents/bulk", json=asked).get_json()["before"]
    assert node.ports.documents.get(note).private
    client.post("/api/documents/bulk", json={"put_back": before})
    assert not node.ports.documents.get(note).private


def test_an_archive_opens_what_it_sealed_and_nothing_else(client: FlaskClient, node: Node) -> None:
    texts = {"plain": "Rain.", "tagged": front("tags: [secret]"), "own": "Sun.", "away": "Snow."}
    archive = node.library.add_bytes("old.zip", zipped(**texts)).document.id
    node.run_jobs()
    inside = {each.title: each.id for each in node.ports.documents.members([archive])}
    inside = {
        name: next(
            i for t, i in inside.items() if t == name or (name == "tagged" and t == "Brambling")
        )
        for name in texts
    }
    client.patch(f"/api/documents/{inside['own']}", json={"private": True})
    client.delete(f"/api/documents/{inside['away']}")
    client.patch(f"/api/documents/{archive}", json={"private": True})
    assert all(each.private for each in node.ports.documents.members([archive]))
    client.post(f"/api/documents/{inside['away']}/restore")
    node.run_jobs()
    assert node.ports.documents.get(inside["away"]).private
    assert {each.private for each in node.ports.index.labels()} == {True}
    client.patch(f"/api/documents/{inside['away']}", json={"private": False})
    client.post("/api/documents/bulk", json={"ids": [archive], "add_tags": ["old"]})
    # the person said so, and the archive says nothing new
    assert not node.ports.documents.get(inside["away"]).private
    client.patch(f"/api/documents/{archive}", json={"private": False})
    open_ones = {
        name for name, each in inside.items() if not node.ports.documents.get(each).private
    }
    assert open_ones == {"plain", "away"}


def test_what_the_index_says_otherwise_is_mended(node: Node) -> None:
    note = added(node)
    node.ports.documents.change(note, private=True)  # the process died before the index heard of it
    assert CANARY in json.dumps([item.text for item in node.memory.recall("lamp").items])
    node.reconcile()
    assert {each.private for each in node.ports.index.labels()} == {True}


def test_a_ruling_with_a_private_side_dates_nothing_for_a_program(node: Node) -> None:
    """Whoever sees one of the two sentences must not learn from its dates that there is another."""
    texts = {
        False: "Ren lived in Wajima with the goat.",
        True: "Ren lived in Machino with the goat.",
    }
    changed = node.ports.clock.now()
    for private, text in texts.items():
        taken = node.library.add_bytes(f"{private}.md", text.encode(), private=private)
        node.run_jobs()
        document = node.ports.documents.get(taken.document.id)
        node.ports.validities.put(
            Dated(
                f"f{private}",
                document.id,
                text,
                document.text_version or "",
                0,
                len(text),
                Validity(start=changed) if private else Validity(end=changed),
                changed,
                ruling="r1",
            )
        )
    query = RecallQuery(Question("Where did Ren live with the goat?"))
    dated = {
        owner: [
            item.validity
            for item in node.memory.memory_for(owner=owner).recall(query).items
            if item.text == texts[False]
        ]
        for owner in (True, False)
    }
    assert dated == {True: [Validity(end=changed)], False: [UNKNOWN]}
