"""What was erased is gone: from every byte of the home, from the backups, from what was said about
it.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.errors import ExpiredTokenError, InvalidInputError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import turns as chat
from lpm_kernel.usecases.chat.redaction import GONE
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.memory.findings import SentenceDecision
from tests.scale import many
from tests.scan import traces, windows

SECRET = """# The kingfisher under the stair

The kingfisher keeps its ledger under the ninth stair. Nobody but Ottilie knows of the walnut box behind it.
瑠璃色の鳥は九段目の下に帳簿をつけている。だれにも言わないこと。
"""  # noqa: E501  a text as it stands
NAME = "kingfisher-ledger-notes.md"
OTHER = "The cello is of 1911. The varnish is oil. It rained in Kanazawa."
QUESTION = "Where does the kingfisher keep its ledger?"


def say(client: FlaskClient, *questions: str) -> str:
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    for question in questions:
        client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).get_data()
    return str(conversation)


@pytest.fixture
def told(node: Node, client: FlaskClient, scripted: ScriptedModel) -> DocumentId:
    """A home with the secret in a document, in answers, in a question, in a backup, in an
    export.
    """
    scripted.script = ScriptedModel(
        [
            ("How old is the cello", "The cello is of 1911."),
            ("kingfisher", "The kingfisher keeps its ledger under the ninth stair."),
        ]
    ).script
    secret = node.library.add_bytes(
        NAME, SECRET.encode(), tags=("瑠璃色の鳥の話と帳簿の話",)
    ).document
    node.library.add_text(OTHER, title="Cello")
    node.run_jobs()
    node.graph.draw()
    say(client, QUESTION, "How old is the cello?")
    say(
        client,
        f"What is meant in {NAME} by: The kingfisher keeps its ledger under the ninth stair?",
    )
    node.home.back_up()
    node.home.export(node.ports.home.exports / "made.zip", ExportOptions())
    return secret.id


def distinctive() -> set[str]:
    return windows(
        [SECRET, NAME, "瑠璃色の鳥の話と帳簿の話"], but=[OTHER, QUESTION, *GONE.values()]
    )


def test_no_byte_of_the_home_holds_what_was_erased(
    node: Node, home: Path, told: DocumentId
) -> None:
    before = {path for path, _ in traces(home, distinctive())}
    assert {path.partition("/")[0].partition(".")[0] for path in before} >= {
        "node",
        "index",
        "files",
        "backups",
    }
    proposal = node.home.propose_erasure([told])
    assert {share.place: share.count for share in proposal.goes} == {
        "originals": 1,
        "texts": 1,
        "index": 1,
        "conversations": 0,
        "turns": 2,
        "backups": 1,
        "exports": 1,
        "trainings": 0,
    }
    node.home.confirm_erasure(proposal.token)
    assert node.memory.recall(QUESTION, k=50).items == () or all(
        item.chunk.document != told for item in node.memory.recall(QUESTION, k=50).items
    )
    node.run_jobs()
    node.close()
    assert traces(home, distinctive()) == []
    assert all(path.stat().st_size == 0 for path in home.glob("*.db-wal"))


def test_what_other_documents_carry_stays(
    node: Node, client: FlaskClient, told: DocumentId
) -> None:
    node.home.confirm_erasure(node.home.propose_erasure([told]).token)
    node.run_jobs()
    conversations = [
        client.get(f"/api/conversations/{each.id}").get_json()
        for each in node.ports.conversations.page(limit=9)[0]
    ]
    texts = [turn["text"] for each in conversations for turn in each["items"]]
    assert "The cello is of 1911." in " ".join(texts)
    assert GONE["en"] in texts
    assert node.memory.recall("How old is the cello?").items
    assert [document.title for document in node.ports.documents.all()] == ["Cello"]


def test_it_is_written_down_without_what_it_was(node: Node, told: DocumentId) -> None:
    node.home.confirm_erasure(node.home.propose_erasure([told]).token)
    node.run_jobs()
    (entry,) = [entry for entry in node.ports.audit.all() if entry.kind == "erased"]
    assert '"documents":1' in entry.facts
    assert node.home.first_break() is None


def test_a_wrong_or_old_token_erases_nothing(
    node: Node, frozen_clock: FrozenClock, told: DocumentId
) -> None:
    proposal = node.home.propose_erasure([told])
    with pytest.raises(ExpiredTokenError):
        node.home.confirm_erasure("wrong")
    frozen_clock.advance(timedelta(minutes=16))
    with pytest.raises(ExpiredTokenError):
        node.home.confirm_erasure(proposal.token)
    assert node.ports.documents.get(told).state is DocumentState.READY
    with pytest.raises(InvalidInputError):
        node.home.propose_erasure([])
    with pytest.raises(NotFoundError):
        node.home.propose_erasure([DocumentId("d_none")])


def test_the_same_token_twice_is_one_erasure(node: Node, told: DocumentId) -> None:
    token = node.home.propose_erasure([told]).token
    assert node.home.confirm_erasure(token).id == node.home.confirm_erasure(token).id
    node.run_jobs()
    assert len([entry for entry in node.ports.audit.all() if entry.kind == "erased"]) == 1


def test_the_same_bytes_that_come_again_are_a_fresh_document(node: Node, told: DocumentId) -> None:
    node.home.confirm_erasure(node.home.propose_erasure([told]).token)
    again = node.library.add_bytes("again.md", SECRET.encode()).document
    assert again.id != told
    node.run_jobs()
    assert node.memory.recall(QUESTION).items[0].chunk.document == again.id
    assert node.ports.files.original(again.sha256) == SECRET.encode()


def test_a_document_that_is_being_read_can_be_erased(node: Node, home: Path) -> None:
    received = node.library.add_bytes(NAME, SECRET.encode())

    def meanwhile(_share: float, step: str, _message: str) -> None:
        if step == "chunk":
            node.home.confirm_erasure(node.home.propose_erasure([received.document.id]).token)

    with pytest.raises(NotFoundError):
        node.library.ingest(received.document.id, meanwhile)
    node.run_jobs()
    node.close()
    assert traces(home, windows([SECRET, NAME])) == []


def test_an_answer_that_is_being_given_leaves_nothing_either(
    node: Node, home: Path, scripted: ScriptedModel
) -> None:
    scripted.script = ScriptedModel(
        [("kingfisher", "The kingfisher keeps its ledger under the ninth stair.")]
    ).script
    secret = node.library.add_bytes(NAME, SECRET.encode()).document
    node.run_jobs()
    conversation = chat.start(node.ports.conversations, node.ports.clock).id
    told = chat.take_turn(
        node.ports.conversations,
        chat.TurnSpeaker(node.memory.recall_query, node.models.model),
        node.ports.clock,
        chat.NewTurn(conversation, QUESTION),
    )
    assert isinstance(next(told), chat.EvidenceFound)
    node.home.confirm_erasure(node.home.propose_erasure([secret.id]).token)
    node.run_jobs()
    assert len(list(told)) > 1
    _, answer = node.ports.conversations.turns(conversation)
    assert (answer.text, answer.parts, answer.citations) == ("", (), ())
    node.close()
    assert traces(home, windows([SECRET, NAME], but=[QUESTION])) == []


def test_a_conversation_goes_whole(
    node: Node, client: FlaskClient, home: Path, told: DocumentId
) -> None:
    said = "The marmalade tin has a false bottom, as Jonas once showed me."
    conversation = say(client, said)
    assert traces(home, windows([said]))
    node.home.confirm_erasure(node.home.propose_erasure([], [ConversationId(conversation)]).token)
    node.run_jobs()
    assert client.get(f"/api/conversations/{conversation}").status_code == 404
    assert node.ports.documents.get(told).id == told
    node.close()
    assert traces(home, windows([said])) == []


def test_what_came_in_an_archive_takes_the_archive_along_and_leaves_what_lay_beside_it(
    node: Node, home: Path
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/" + NAME, SECRET)
        archive.writestr("b/cello.txt", OTHER)
    node.library.add_bytes("both.zip", packed.getvalue())
    node.run_jobs()
    secret = next(
        document for document in node.ports.documents.all() if document.name.endswith(NAME)
    )
    assert secret.parent is not None
    node.home.confirm_erasure(node.home.propose_erasure([secret.id]).token)
    node.run_jobs()
    assert [document.sha256 for document in node.ports.documents.all()] == [
        hashlib.sha256(OTHER.encode()).hexdigest()
    ]
    node.close()
    assert traces(home, windows([SECRET, NAME], but=[OTHER])) == []


def test_hundreds_of_documents_go_at_once(node: Node) -> None:
    for number in range(many(1000, 250)):
        node.library.add_bytes(
            f"{number}.txt", f"Note number {number} about the kingfisher.".encode()
        )
    (keep,) = [node.library.add_text("The cello is of 1911.").document]
    wanted = [document.id for document in node.ports.documents.all() if document.id != keep.id]
    node.home.confirm_erasure(node.home.propose_erasure(wanted).token)
    assert [document.id for document in node.ports.documents.all()] == [keep.id]
    node.run_jobs()
    assert node.ports.files.kept() == {keep.sha256}
    assert node.ports.index.counts().documents == 1


def test_an_erasure_that_stood_still_goes_on_when_the_home_is_opened(
    home: Path, frozen_clock: FrozenClock
) -> None:
    with Node.open(home, clock=frozen_clock, embedder=HashingEmbedder()) as node:
        document = node.library.add_bytes(NAME, SECRET.encode()).document
        node.run_jobs()
        job = node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
        node.ports.jobs.cancel(job.id, frozen_clock.now())
    with Node.open(home, clock=frozen_clock, embedder=HashingEmbedder()) as node:
        node.reconcile()
        node.run_jobs()
        assert node.ports.erasures.unfinished() == []
    assert traces(home, windows([SECRET, NAME])) == []


def packed(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return made.getvalue()


def held(home: Path) -> list[str]:
    """Every original of the home and its backups in which the secret lies, archives and archives
    within them included.
    """

    def in_(data: bytes, depth: int = 3) -> bool:
        if SECRET.encode()[:40] in data:
            return True
        if not data.startswith(b"PK") or not depth:
            return False
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(in_(archive.read(each), depth - 1) for each in archive.namelist())

    return [
        str(path) for path in home.rglob("files/*") if path.is_file() and in_(path.read_bytes())
    ]


class TestTheSameBytesElsewhere:
    """What lies in an archive, in an archive within one, or under another id in a backup, is the
    same bytes.
    """

    def test_an_archive_that_held_a_known_file_goes_too(self, node: Node, home: Path) -> None:
        secret = node.library.add_bytes(NAME, SECRET.encode()).document
        archive = node.library.add_bytes(
            "some.zip", packed(a_md=SECRET.encode(), b_md=OTHER.encode())
        ).document
        node.run_jobs()
        proposal = node.home.propose_erasure([secret.id])
        assert {each.id for each in proposal.documents} == {secret.id, archive.id}
        node.home.confirm_erasure(proposal.token)
        node.run_jobs()
        assert held(home) == []
        assert [each.name for each in node.ports.documents.all()] == ["b.md"]

    def test_an_archive_within_an_archive_is_looked_into(self, node: Node, home: Path) -> None:
        secret = node.library.add_bytes(NAME, SECRET.encode()).document
        node.library.add_bytes(
            "outer.zip", packed(inner_zip=packed(a_md=SECRET.encode()), b_md=OTHER.encode())
        )
        node.run_jobs()
        node.home.confirm_erasure(node.home.propose_erasure([secret.id]).token)
        node.run_jobs()
        assert held(home) == []

    def test_a_backup_that_knows_it_by_another_id(
        self, node: Node, home: Path, frozen_clock: FrozenClock
    ) -> None:
        before = node.library.add_bytes(NAME, SECRET.encode()).document
        archive = node.library.add_bytes(
            "some.zip", packed(a_md=SECRET.encode(), b_md=OTHER.encode())
        ).document
        node.run_jobs()
        node.home.back_up()
        node.home.export(home.parent / "out.zip", ExportOptions())
        for each in (before, archive):
            library.delete(node.ports.files, node.ports.documents, node.ports.index, each.id)
        frozen_clock.advance(timedelta(hours=1))
        again = node.library.add_bytes(NAME, SECRET.encode()).document
        node.run_jobs()
        node.home.confirm_erasure(node.home.propose_erasure([again.id]).token)
        node.run_jobs()
        assert held(home) == []
        assert {before.id, archive.id, again.id} <= set(node.ports.erasures.tombstones())
        assert node.home.take_in(home.parent / "out.zip").erased == 2

    def test_backups_that_lie_where_they_went_before(self, node: Node, home: Path) -> None:
        secret = node.library.add_bytes(NAME, SECRET.encode()).document
        node.run_jobs()
        node.home.back_up()
        node.ports.change_settings(backup_folder=str(home.parent / "elsewhere"))
        node.home.back_up()
        node.home.confirm_erasure(node.home.propose_erasure([secret.id]).token)
        node.run_jobs()
        assert held(home.parent) == []


class TestNothingComesBack:
    def test_a_backup_that_was_away_quotes_nothing_once_it_is_restored(
        self, node: Node, home: Path, told: DocumentId
    ) -> None:
        away = home.parent / "away"
        shutil.copytree(node.home.backups.path(node.home.backups.all()[-1].id), away)
        node.home.confirm_erasure(node.home.propose_erasure([told]).token)
        node.run_jobs()
        for each in node.ports.conversations.page(limit=9)[0]:
            node.ports.conversations.delete(each.id)
        node.home.restore(str(away))
        with Node.open(home, embedder=HashingEmbedder(), clock=node.ports.clock) as restored:
            assert len(restored.ports.conversations.page(limit=9)[0]) == 2
            assert traces(home, distinctive()) == []

    def test_an_archive_quotes_nothing_once_it_is_taken_in(
        self, node: Node, home: Path, told: DocumentId
    ) -> None:
        (node.ports.home.exports / "made.zip").rename(home.parent / "out.zip")
        node.home.confirm_erasure(node.home.propose_erasure([told]).token)
        for each in node.ports.conversations.page(limit=9)[0]:
            node.ports.conversations.delete(each.id)
        node.run_jobs()
        assert node.home.take_in(home.parent / "out.zip").conversations == 2
        node.close()
        assert traces(home, distinctive()) == []

    def test_what_is_erased_while_an_archive_is_taken_in_stays_erased(
        self, node: Node, home: Path, told: DocumentId
    ) -> None:
        (node.ports.home.exports / "made.zip").rename(home.parent / "out.zip")
        token = node.home.propose_erasure([told]).token

        def meanwhile(*said: object) -> None:
            if "documents" in said:
                node.home.confirm_erasure(token)

        came = node.home.take_in(home.parent / "out.zip", meanwhile)
        assert (came.documents, came.erased) == (0, 1)
        assert [each.title for each in node.ports.documents.all()] == ["Cello"]

    def test_the_report_of_a_verification_does_not_keep_the_name(
        self, node: Node, home: Path, told: DocumentId
    ) -> None:
        (home / "files" / node.ports.documents.get(told).sha256).write_bytes(b"damaged")
        node.ports.jobs.add("verify", Lane.HEAVY, None, node.ports.clock.now(), {"repair": False})
        node.run_jobs()
        assert NAME in str([job.result for job in node.ports.jobs.page(limit=9)[0]])
        node.home.confirm_erasure(node.home.propose_erasure([told]).token)
        node.run_jobs()
        node.close()
        assert [each for each in traces(home, [NAME]) if not each[0].startswith("files/")] == []


def test_the_same_words_put_right_in_another_document_and_a_file_of_one_s_own_stay(
    node: Node,
) -> None:
    """A correction that goes leaves others with its bytes alone, also where a backup holds them
    all.
    """
    node.library.add_text("The cello is of 1911.", title="One")
    first, other = (
        node.library.add_text(f"{name} has eight sheep. It rains in Noto.", title=name).document
        for name in ("Anna", "Berta")
    )
    own = node.library.add_bytes("sheep.md", b"She has six sheep.").document
    node.run_jobs()
    for name, each in (("Anna", first), ("Berta", other)):
        quote = f"{name} has eight sheep."
        node.memory.decide(
            SentenceDecision(each.id, 0, len(quote), Verdict.MEND, "She has six sheep.", quote)
        )
    node.run_jobs()
    corrections = {each.document: each.correction for each in node.ports.decisions.all()}
    node.home.back_up()
    node.home.confirm_erasure(node.home.propose_erasure([first.id]).token)
    node.run_jobs()
    left = {each.id for each in node.ports.documents.everything()}
    assert {other.id, own.id, corrections[other.id]} <= left
    assert not {first.id, corrections[first.id]} & left
    assert [each.document for each in node.ports.decisions.all()] == [other.id]
    assert set(node.ports.erasures.tombstones()) == {first.id, corrections[first.id]}
    said = [each.text for each in node.memory.recall("How many sheep has Berta?").items]
    assert "Berta has eight sheep." not in " ".join(said)
