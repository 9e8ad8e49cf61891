"""A document that comes again changed: a new version of the same one, the old one still cited,
everything else on the new one.
"""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.home.archive_export import ExportOptions

FIRST = "The lease of the workshop ends in May.\n\nOttilie keeps the gouge behind the piano.\n"
SECOND = "The lease of the workshop ends in August.\n\nOttilie keeps the gouge behind the piano.\n"
THIRD = "The lease was given up.\n\nOttilie keeps the gouge behind the piano.\n"


def hand_in(
    client: FlaskClient, text: str | bytes, name: str = "notes.md", **fields: str
) -> dict[str, Any]:
    data = text.encode() if isinstance(text, str) else text
    answer = client.post("/api/documents", data={"file": (io.BytesIO(data), name), **fields})
    assert answer.status_code in {200, 202}, answer.text
    return dict(answer.get_json())


def added(
    node: Node, client: FlaskClient, text: str | bytes, name: str = "notes.md", **fields: str
) -> Document:
    """Hand a file in, a minute after the one before, and have it read."""
    clock = node.ports.clock
    assert isinstance(clock, FrozenClock)
    clock.advance(timedelta(minutes=1))
    document = hand_in(client, text, name, **fields)["document"]["id"]
    node.run_jobs()
    return node.ports.documents.get(document)


def recalled(client: FlaskClient, query: str) -> list[str]:
    items = client.post("/api/recall", json={"query": query, "k": 50}).get_json()["items"]
    return [each["content"] for each in items]


def numbers(client: FlaskClient, document: str) -> list[tuple[str, int, bool]]:
    items = client.get(f"/api/documents/{document}/versions").get_json()["items"]
    return [(each["document"], each["number"], each["current"]) for each in items]


def text_of(client: FlaskClient, document: str) -> str:
    return str(client.get(f"/api/documents/{document}/text").get_json()["text"])


def program(node: Node, *scopes: str) -> FlaskClient:
    _, secret = create_key(node.ports.access, node.ports.clock, "a program", list(scopes))
    browser = create_app(node).test_client()
    browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {secret}"
    return browser


class TestByPath:
    def test_other_bytes_are_a_new_version_and_answers_use_it(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters/2024")
        now = added(node, client, SECOND, folder="letters/2024")
        assert now.id != before.id
        assert numbers(client, before.id) == [(now.id, 2, True), (before.id, 1, False)]
        assert text_of(client, before.id) == FIRST
        told = recalled(client, "When does the lease end?")
        assert any("August" in each for each in told)
        assert not any("May" in each for each in told)
        assert [each["id"] for each in client.get("/api/documents").get_json()["items"]] == [now.id]
        shown = client.get(f"/api/documents/{before.id}").get_json()
        assert (shown["version"], shown["versions"], shown["superseded_by"]) == (1, 2, now.id)

    @pytest.mark.parametrize("folder", ["letters/2025", ""])
    def test_another_path_is_another_document(
        self, node: Node, client: FlaskClient, folder: str
    ) -> None:
        before = added(node, client, FIRST, folder="letters/2024")
        now = added(node, client, SECOND, folder=folder)
        assert numbers(client, before.id) == [(before.id, 1, True)]
        assert numbers(client, now.id) == [(now.id, 1, True)]

    def test_what_was_moved_in_the_library_is_known_by_the_path_that_it_came_by(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        client.patch(
            f"/api/documents/{before.id}",
            json={"folder": "kept", "tags": ["lease"], "title": "My lease"},
        )
        now = added(node, client, SECOND, folder="letters")
        assert now.id in {document for document, *_ in numbers(client, before.id)}
        assert (now.folder, now.tags, now.title) == ("kept", ("lease",), "My lease")

    def test_the_same_bytes_at_two_paths_change_apart(
        self, node: Node, client: FlaskClient
    ) -> None:
        """
        a.md  reads SECOND
        b.md  reads FIRST, then SECOND as a.md does, then THIRD
        """
        other = added(node, client, SECOND, "a.md", folder="letters")
        first = added(node, client, FIRST, "b.md", folder="letters")
        added(node, client, SECOND, "b.md", folder="letters")
        last = added(node, client, THIRD, "b.md", folder="letters")
        assert [number for _, number, _ in numbers(client, last.id)] == [3, 2, 1]
        assert numbers(client, first.id)[0][0] == last.id
        assert numbers(client, other.id) == [(other.id, 1, True)]

    def test_an_unchanged_file_does_not_undo_what_the_person_chose(
        self, node: Node, client: FlaskClient
    ) -> None:
        first = added(node, client, FIRST, folder="letters")
        second = added(node, client, SECOND, folder="letters")
        again = client.post(
            f"/api/documents/{second.id}/versions/restore", json={"version": first.id}
        )
        assert again.status_code == 202
        node.run_jobs()
        third = again.get_json()["document"]["id"]
        assert hand_in(client, SECOND, folder="letters")["document"]["id"] == third
        assert len(numbers(client, third)) == 3
        assert added(node, client, FIRST, folder="letters").id == third
        assert len(numbers(client, third)) == 3

    def test_a_file_that_reads_again_as_it_did_is_a_version_too(
        self, node: Node, client: FlaskClient
    ) -> None:
        first = added(node, client, FIRST, folder="letters")
        added(node, client, SECOND, folder="letters")
        third = added(node, client, FIRST, folder="letters")
        assert third.id != first.id
        assert [number for _, number, _ in numbers(client, third.id)] == [3, 2, 1]
        assert any("May" in each for each in recalled(client, "When does the lease end?"))

    def test_a_version_that_cannot_be_read_takes_nothings_place(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        broken = added(node, client, b"%PDF-1.4 cut short", folder="letters")
        assert broken.state is DocumentState.FAILED
        assert numbers(client, before.id) == [(before.id, 1, True)]
        assert any("May" in each for each in recalled(client, "When does the lease end?"))
        mended = added(node, client, SECOND, folder="letters")
        assert numbers(client, mended.id) == [(mended.id, 2, True), (before.id, 1, False)]

    def test_a_pasted_text_has_no_path(self, node: Node, client: FlaskClient) -> None:
        made = [
            client.post("/api/documents", json={"text": text, "title": "Lease", "folder": "diary"})
            for text in (FIRST, SECOND)
        ]
        node.run_jobs()
        assert [numbers(client, each.get_json()["document"]["id"])[0][1] for each in made] == [1, 1]


class TestCitations:
    @pytest.fixture
    def scripted(self) -> ScriptedModel:
        return ScriptedModel([(".", "Ottilie keeps the gouge behind the piano.")])

    def test_what_was_cited_opens_at_its_words_and_verifies(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        asked = client.post("/api/conversations", json={}).get_json()["id"]
        said = {"text": "Where does Ottilie keep the gouge?"}
        client.post(f"/api/conversations/{asked}/turns", json=said).get_data()
        added(node, client, THIRD, folder="letters")
        turns = client.get(f"/api/conversations/{asked}").get_json()["items"]
        cited = [each for turn in turns for each in turn["citations"]]
        assert {each["document"] for each in cited} == {before.id}
        for each in cited:
            words = f"/api/documents/{before.id}/text?start={each['start']}&end={each['end']}"
            assert client.get(words).get_json()["text"] == each["quote"] != ""
        assert {each.state for each in node.home.verify()} == {"fine"}


class TestByThePerson:
    def test_a_lone_file_with_a_known_name_is_proposed_and_joined(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, tags="lease", private="true")
        answer = hand_in(client, SECOND)["document"]
        node.run_jobs()
        assert answer["same_name"]["id"] == before.id
        assert numbers(client, answer["id"]) == [(answer["id"], 1, True)]
        joined = client.post(
            f"/api/documents/{before.id}/versions", json={"document": answer["id"]}
        ).get_json()
        assert (joined["version"], joined["versions"], joined["private"]) == (2, 2, True)
        assert joined["tags"] == ["lease"]
        assert joined["same_name"] is None
        assert not any("May" in each for each in recalled(client, "When does the lease end?"))
        assert any("August" in each for each in recalled(client, "When does the lease end?"))

    def test_another_document_is_asked_about_once(self, node: Node, client: FlaskClient) -> None:
        added(node, client, FIRST)
        now = added(node, client, SECOND)
        client.post(f"/api/documents/{now.id}/apart")
        assert client.get(f"/api/documents/{now.id}").get_json()["same_name"] is None

    def test_version_of_says_it_at_once(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, "lease.md")
        now = added(node, client, SECOND, "lease v2.md", version_of=before.id)
        assert numbers(client, now.id) == [(now.id, 2, True), (before.id, 1, False)]
        last = added(node, client, THIRD, version_of=before.id)  # the old id leads to the new one
        assert [number for _, number, _ in numbers(client, last.id)] == [3, 2, 1]

    def test_the_same_bytes_are_no_new_version(self, node: Node, client: FlaskClient) -> None:
        known = added(node, client, FIRST)
        assert hand_in(client, FIRST, version_of=known.id)["job"] is None
        assert numbers(client, known.id) == [(known.id, 1, True)]

    def test_version_of_joins_what_came_by_itself(self, node: Node, client: FlaskClient) -> None:
        before, now = added(node, client, FIRST), added(node, client, SECOND)
        assert hand_in(client, SECOND, version_of=before.id)["document"]["id"] == now.id
        assert numbers(client, now.id) == [(now.id, 2, True), (before.id, 1, False)]

    def test_apart_splits_and_joins_again(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, folder="letters")
        now = added(node, client, SECOND, folder="letters")
        both = client.post(f"/api/documents/{now.id}/apart").get_json()["items"]
        node.run_jobs()
        assert {each["id"] for each in both} == {before.id, now.id}
        told = recalled(client, "When does the lease end?")
        assert any("May" in each for each in told)
        assert any("August" in each for each in told)
        assert numbers(client, before.id) == [(before.id, 1, True)]
        # the file goes on with what it read last
        third = added(node, client, THIRD, folder="letters")
        assert numbers(client, third.id) == [(third.id, 2, True), (now.id, 1, False)]
        client.post(f"/api/documents/{before.id}/versions", json={"document": third.id})
        assert [each[0] for each in numbers(client, third.id)] == [third.id, now.id, before.id]

    def test_what_is_no_document_of_ones_own_has_no_versions_by_hand(
        self, node: Node, client: FlaskClient
    ) -> None:
        node.workspace.append("bank/world.md", "Rain.")
        node.run_jobs()
        file = node.ports.documents.by_origin("bank/world.md")
        assert file is not None
        other = added(node, client, FIRST)
        refused = client.post(f"/api/documents/{file.id}/versions", json={"document": other.id})
        assert refused.status_code == 422
        same = client.post(f"/api/documents/{other.id}/versions", json={"document": other.id})
        assert same.status_code == 422
        gone = client.post(f"/api/documents/{other.id}/versions", json={"document": "d_none"})
        assert gone.status_code == 404


class TestWhatWasDecided:
    def test_a_struck_sentence_stays_struck_where_its_words_still_stand(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        start = FIRST.index("Ottilie")
        struck = {"document": before.id, "start": start, "end": start + 41, "decision": "forget"}
        assert client.post("/api/findings", json=struck).status_code == 200
        now = added(node, client, SECOND, folder="letters")
        assert [each.quote for each in node.ports.decisions.about([now.id])[now.id]]
        decided = client.get("/api/findings?decided=true").get_json()
        assert (len(decided["items"]), decided["total"]) == (1, 1)
        assert decided["items"][0]["document"]["id"] == now.id

    def test_what_was_taken_back_does_not_return(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, folder="letters")
        start = FIRST.index("Ottilie")
        struck = {"document": before.id, "start": start, "end": start + 41, "decision": "forget"}
        client.post("/api/findings", json=struck)
        now = added(node, client, SECOND, folder="letters")
        [decision] = node.ports.decisions.about([now.id])[now.id]
        assert client.delete(f"/api/findings/{decision.id}").status_code < 300
        last = added(node, client, THIRD, folder="letters")
        assert not node.ports.decisions.about([last.id])
        assert client.get("/api/findings?decided=true").get_json()["total"] == 0

    def test_it_comes_back_with_its_words(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, folder="letters")
        words = "The lease of the workshop ends in May."
        struck = {"document": before.id, "start": 0, "end": len(words), "decision": "forget"}
        client.post("/api/findings", json=struck)
        added(node, client, SECOND, folder="letters")
        last = added(node, client, f"New.\n\n{FIRST}", folder="letters")
        [decision] = node.ports.decisions.about([last.id])[last.id]
        assert (decision.quote, decision.start) == (words, 6)


class TestPrivate:
    def test_a_new_version_is_private_before_it_is_read(
        self, node: Node, client: FlaskClient
    ) -> None:
        added(node, client, FIRST, folder="letters", private="true")
        now = hand_in(client, SECOND, folder="letters")["document"]
        assert node.ports.documents.get(DocumentId(now["id"])).private

    def test_one_handed_in_as_private_closes_what_it_said_before(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        now = added(node, client, SECOND, folder="letters", private="true")
        reader = program(node, "recall")
        for document in (before, now):
            for door in ("", "/text", "/versions", "/diff"):
                assert reader.get(f"/api/documents/{document.id}{door}").status_code == 404
        assert not recalled(reader, "When does the lease end?")

    def test_a_program_makes_no_version_of_what_it_does_not_see(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters", private="true")
        writer = program(node, "write", "recall")
        answer = hand_in(writer, SECOND, folder="letters")["document"]
        node.run_jobs()
        assert (answer["version"], answer["versions"], answer["private"]) == (1, 1, False)
        assert numbers(client, before.id) == [(before.id, 1, True)]
        named = {"file": (io.BytesIO(THIRD.encode()), "x.md"), "version_of": before.id}
        assert writer.post("/api/documents", data=named).status_code == 404

    def test_tags_that_the_person_took_away_do_not_come_back(
        self, node: Node, client: FlaskClient
    ) -> None:
        front = "---\ntags: [diary, private]\nprivate: true\n---\n"
        before = added(node, client, front + FIRST, folder="letters")
        client.patch(f"/api/documents/{before.id}", json={"tags": ["mine"], "private": False})
        now = added(node, client, front + SECOND, folder="letters")
        assert (now.tags, now.private) == (("mine",), False)


class TestWhatChanged:
    def test_the_diff_is_line_by_line(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, folder="letters")
        now = added(node, client, SECOND, folder="letters")
        last = added(node, client, THIRD, folder="letters")
        lines = client.get(f"/api/documents/{now.id}/diff").get_json()["lines"]
        assert [(each["part"], each["text"][:30]) for each in lines[:2]] == [
            ("removed", FIRST[:30]),
            ("added", SECOND[:30]),
        ]
        whole = client.get(f"/api/documents/{last.id}/diff?before={before.id}").get_json()["lines"]
        assert whole[0]["text"] == FIRST.splitlines()[0]
        assert all(
            each["part"] == "added"
            for each in client.get(f"/api/documents/{before.id}/diff").get_json()["lines"]
        )
        other = added(node, client, "Something else.", "other.md")
        assert client.get(f"/api/documents/{last.id}/diff?before={other.id}").status_code == 404

    def test_an_older_version_stays_as_it_is(self, node: Node, client: FlaskClient) -> None:
        before = added(node, client, FIRST, folder="letters")
        added(node, client, SECOND, folder="letters")
        assert client.patch(f"/api/documents/{before.id}", json={"tags": ["x"]}).status_code == 409
        assert client.delete(f"/api/documents/{before.id}").status_code == 409
        done = client.post("/api/documents/bulk", json={"ids": [before.id], "delete": True})
        assert done.get_json()["done"] == 0

    def test_a_file_of_the_workspace_has_versions_on_the_same_page(
        self, node: Node, client: FlaskClient
    ) -> None:
        for line in ("Rain.", "Sun."):
            node.workspace.append("bank/world.md", line)
            node.run_jobs()
        now = node.ports.documents.by_origin("bank/world.md")
        assert now is not None
        found = numbers(client, now.id)
        older = found[1][0]
        used = client.post(f"/api/documents/{now.id}/versions/restore", json={"version": older})
        assert used.status_code == 202
        assert len(numbers(client, now.id)) == len(found) + 1


class TestGoingAndComing:
    def test_deleting_takes_all_versions_and_brings_all_back(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        now = added(node, client, SECOND, folder="letters")
        assert client.delete(f"/api/documents/{now.id}").status_code == 204
        assert client.get(f"/api/documents/{before.id}/text").status_code == 404
        [away] = client.get("/api/documents?deleted=true").get_json()["items"]
        assert away["id"] == now.id
        client.post(f"/api/documents/{now.id}/restore")
        node.run_jobs()
        assert text_of(client, before.id) == FIRST

    def test_what_was_deleted_stays_so_where_its_file_comes_again_and_that_is_private_too(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, FIRST, folder="letters", private="true")
        client.delete(f"/api/documents/{before.id}")
        now = added(node, client, SECOND, folder="letters")
        assert now.private
        assert numbers(client, now.id) == [(now.id, 1, True)]
        [away] = client.get("/api/documents?deleted=true").get_json()["items"]
        assert away["id"] == before.id

    def test_erasing_takes_the_bytes_of_every_version(
        self, node: Node, client: FlaskClient
    ) -> None:
        kept = [added(node, client, text, folder="letters") for text in (FIRST, SECOND, THIRD)]
        made = client.post("/api/erasures", json={"documents": [kept[-1].id]}).get_json()
        client.post(f"/api/erasures/{made['token']}/confirm")
        node.run_jobs()
        assert not {each.sha256 for each in kept} & set(node.ports.files.listing())
        for each in kept:
            assert client.get(f"/api/documents/{each.id}").status_code == 404

    def test_an_archive_carries_them_and_twice_is_once(
        self, node: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        now = added(node, client, SECOND, folder="letters")
        node.home.export(tmp_path / "all.zip", ExportOptions())
        with Node.open(tmp_path / "other", clock=node.ports.clock) as other:
            for _ in range(2):
                other.home.take_in(tmp_path / "all.zip")
                other.run_jobs()
                [current] = other.ports.documents.all()
                assert (current.id, current.version) == (now.id, 2)
                [older] = other.ports.documents.revisions(current.id)
                assert (older.id, other.ports.files.original(older.sha256)) == (
                    before.id,
                    FIRST.encode(),
                )

    def test_an_older_archive_takes_nothing_back(
        self, node: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        added(node, client, FIRST, folder="letters")
        node.home.export(tmp_path / "old.zip", ExportOptions())
        now = added(node, client, SECOND, folder="letters")
        node.home.take_in(tmp_path / "old.zip")
        node.run_jobs()
        assert [each.id for each in node.ports.documents.all()] == [now.id]

    def test_an_archive_that_is_ahead_goes_on_from_what_is_here(
        self, node: Node, client: FlaskClient, tmp_path: Path
    ) -> None:
        before = added(node, client, FIRST, folder="letters")
        node.home.export(tmp_path / "old.zip", ExportOptions())
        now = added(node, client, SECOND, folder="letters")
        node.home.export(tmp_path / "new.zip", ExportOptions())
        with Node.open(tmp_path / "other", clock=node.ports.clock) as other:
            for name in ("old.zip", "new.zip"):
                other.home.take_in(tmp_path / name)
                other.run_jobs()
            assert [each.id for each in other.ports.documents.all()] == [now.id]
            assert [each.id for each in other.ports.documents.revisions(now.id)] == [before.id]


class TestArchives:
    def packed(self, **files: str) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, text in files.items():
                archive.writestr(f"in/{name}.md", text)
        return made.getvalue()

    def current(self, node: Node) -> dict[str, str]:
        return {
            each.name: node.ports.files.original(each.sha256).decode()
            for each in node.ports.documents.all()
            if each.name.endswith(".md")
        }

    def test_two_archives_of_one_name_are_two_until_they_are_joined(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, self.packed(lease=FIRST, gouge="Behind it."), "export.zip")
        now = added(node, client, self.packed(lease=SECOND, gouge="Behind it."), "export.zip")
        assert len([each for each in node.ports.documents.all() if each.name == "lease.md"]) == 2
        client.post(f"/api/documents/{before.id}/versions", json={"document": now.id})
        node.run_jobs()
        assert self.current(node) == {"lease.md": SECOND, "gouge.md": "Behind it."}
        lines = client.get(f"/api/documents/{now.id}/diff").get_json()["lines"]
        assert [each["part"] for each in lines] == ["same", "removed", "added"]

    def test_an_archive_that_is_a_version_brings_versions(
        self, node: Node, client: FlaskClient
    ) -> None:
        before = added(node, client, self.packed(lease=FIRST, gouge="Behind it."), "export.zip")
        added(node, client, self.packed(lease=SECOND), "export (1).zip", version_of=before.id)
        assert self.current(node) == {"lease.md": SECOND, "gouge.md": "Behind it."}
        [lease] = [each for each in node.ports.documents.all() if each.name == "lease.md"]
        assert len(numbers(client, lease.id)) == 2
