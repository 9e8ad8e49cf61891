"""The ports of what cannot be remade, over every backend. PostgreSQL joins the list when it is a
backend.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.store.home.database import HEAD, NodeDatabase, migration_config
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.domain.chat.conversations import (
    AnswerBasis,
    AnswerPart,
    Citation,
    Conversation,
    Identity,
    Length,
    Manner,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.chat.roles import Origin, Role, RoleId, Sees, Speech
from lpm_kernel.domain.home.erasure import Doomed, Erasure, ErasureState
from lpm_kernel.domain.home.jobs import LEASE_SECONDS, MOST_ATTEMPTS, JobState, Lane
from lpm_kernel.domain.ids import (
    ChunkId,
    ConversationId,
    DocumentId,
    FindingId,
    JobId,
    TurnId,
    is_thread,
)
from lpm_kernel.domain.library.documents import (
    Document,
    DocumentKind,
    DocumentState,
    ParsedText,
    Problem,
    Segment,
    SelfDescription,
    ThreadDocument,
    text_hash,
)
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.stores import ApiKey
from lpm_kernel.errors import InvalidInputError, NotFoundError

NOW = datetime(2026, 3, 14, 9, tzinfo=UTC)
LANES = [Lane.INGEST]


@pytest.fixture(params=["sqlite"])
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    opened = NodeDatabase(tmp_path / "node.db")
    yield opened
    opened.close()


def document(number: int, **changes: object) -> Document:
    made = Document(
        DocumentId(f"d{number}"),
        f"Title {number}",
        DocumentKind.TEXT,
        f"{number:064x}",
        10,
        DocumentState.RECEIVED,
        NOW + timedelta(seconds=number),
        name=f"n{number}.txt",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def decision(number: int, about: int, correction: int | None = None, **changes: object) -> Decision:
    made = Decision(
        FindingId(f"d{about}.{number}-{number + 5}"),
        DocumentId(f"d{about}"),
        f"Words {number}, 雨",
        "text-1",
        number,
        number + 5,
        Verdict.FORGET if correction is None else Verdict.MEND,
        NOW + timedelta(seconds=number),
        None if correction is None else DocumentId(f"d{correction}"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def receive(database: NodeDatabase, number: int, **changes: object) -> None:
    database.documents.receive(
        document(number, **changes), "ingest", Lane.INGEST, JobId(f"j{number}")
    )


class TestRoles:
    ROLE = Role(
        RoleId("coach"),
        "面接の練習相手",
        "Rehearse.",
        "Ask.",
        "面",
        Speech("Calm.", Length.SHORT, Manner.PLAIN, 0.25),
        Sees(
            ("a", "雨"),
            (DocumentKind.PDF, DocumentKind.TEXT),
            ("world", "passage"),
            "letters/2024",
            NOW,
            NOW + timedelta(days=1),
            True,
        ),
        Origin.FILE,
        NOW,
        NOW,
    )

    def test_what_goes_in_comes_out(self, database: NodeDatabase) -> None:
        assert database.roles.add(self.ROLE)
        assert database.roles.get(self.ROLE.id) == self.ROLE
        assert database.roles.all() == [self.ROLE]

    def test_an_id_is_given_once(self, database: NodeDatabase) -> None:
        database.roles.add(self.ROLE)
        assert not database.roles.add(replace(self.ROLE, name="Another"))
        database.roles.put_away(self.ROLE.id, NOW)
        assert not database.roles.add(replace(self.ROLE, name="Another"))
        assert database.roles.bring_back(self.ROLE.id) == self.ROLE

    def test_a_change_keeps_when_it_was_made(self, database: NodeDatabase) -> None:
        database.roles.add(self.ROLE)
        later = replace(
            self.ROLE,
            name="Coach",
            sees=Sees(),
            created_at=NOW + timedelta(days=5),
            updated_at=NOW + timedelta(days=5),
        )
        assert database.roles.change(later) == replace(later, created_at=NOW)

    def test_what_was_put_away_comes_back_until_it_is_let_go(self, database: NodeDatabase) -> None:
        database.roles.add(self.ROLE)
        database.roles.put_away(self.ROLE.id, NOW)
        assert (
            database.roles.all(),
            [each.deleted_at for each in database.roles.all(put_away=True)],
        ) == ([], [NOW])
        for change in (
            lambda: database.roles.get(self.ROLE.id),
            lambda: database.roles.change(self.ROLE),
            lambda: database.roles.put_away(self.ROLE.id, NOW),
        ):
            with pytest.raises(NotFoundError):
                change()
        assert database.roles.let_go(NOW) == 0
        assert database.roles.let_go(NOW + timedelta(days=1)) == 1
        with pytest.raises(NotFoundError):
            database.roles.bring_back(self.ROLE.id)


class TestDocuments:
    def test_what_goes_in_comes_out(self, database: NodeDatabase) -> None:
        known = document(
            1,
            created_at=NOW,
            tags=("a", "雨"),
            private=True,
            error=Problem("t", "d", "h"),
            text_version="text-1",
            kind=DocumentKind.PDF,
        )
        database.documents.receive(known, "ingest", Lane.INGEST, JobId("j1"))
        assert database.documents.get(known.id) == known

    def test_the_same_bytes_are_one_document(self, database: NodeDatabase) -> None:
        first, job = database.documents.receive(document(1), "ingest", Lane.INGEST, JobId("j1"))
        again, none = database.documents.receive(
            document(2, sha256=first.sha256), "ingest", Lane.INGEST, JobId("j2")
        )
        assert (again.id, none) == (first.id, None)
        assert job is not None
        assert database.documents.count() == 1

    def test_one_that_failed_is_tried_again_when_it_is_added_again(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1)
        database.jobs.cancel(JobId("j1"), NOW)
        database.documents.change(
            DocumentId("d1"), state=DocumentState.FAILED, error=Problem("a", "b")
        )
        again, job = database.documents.receive(
            document(2, sha256=document(1).sha256), "ingest", Lane.INGEST, JobId("j2")
        )
        assert (again.id, again.state, again.error) == ("d1", DocumentState.RECEIVED, None)
        assert job is not None

    def test_what_a_document_says_of_itself_never_undoes_what_the_person_said(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1, title="n1")
        database.documents.change(DocumentId("d1"), private=True, tags=["mine"], created_at=NOW)
        filled = database.documents.fill_in(
            DocumentId("d1"),
            "n1",
            SelfDescription("Heading", NOW + timedelta(days=9), ("its",), private=False),
        )
        assert (filled.title, filled.private, filled.tags, filled.created_at) == (
            "Heading",
            True,
            ("mine", "its"),
            NOW,
        )

    def test_pages_neither_skip_nor_double_while_documents_come_in(
        self, database: NodeDatabase
    ) -> None:
        for number in range(7):
            receive(database, number)
        seen, cursor = database.documents.page(limit=3)
        receive(database, 9)
        while cursor:
            more, cursor = database.documents.page(limit=3, cursor=cursor)
            seen += more
        assert [each.id for each in seen] == [f"d{n}" for n in (6, 5, 4, 3, 2, 1, 0)]

    def test_a_strange_cursor_is_refused(self, database: NodeDatabase) -> None:
        for cursor in ("x", "!!!", "W10"):
            with pytest.raises(InvalidInputError):
                database.documents.page(limit=3, cursor=cursor)

    def test_finding_by_title_takes_signs_literally(self, database: NodeDatabase) -> None:
        receive(database, 1, title="100% linseed")
        receive(database, 2, title="1000 linseed")
        assert [
            each.id
            for each in database.documents.page(limit=9, wanted=DocumentFilter(text="100%"))[0]
        ] == ["d1"]

    @given(
        kinds=st.lists(st.tuples(st.booleans(), st.none() | st.integers(0, 4)), max_size=6),
        until=st.integers(0, 4),
    )
    @settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_what_is_asked_of_all_at_once_is_what_everything_says(
        self,
        database: NodeDatabase,
        kinds: list[tuple[bool, int | None]],
        until: int,
    ) -> None:
        documents = database.documents
        for known in documents.everything():
            documents.delete(known.id)
        for number, (thread, away) in enumerate(kinds):
            identifier = DocumentId(f"h_{number}" if thread else f"d{number}")
            documents.add(document(number, id=identifier, name="chat.jsonl"))
            if away is not None:
                documents.put_away([identifier], NOW + timedelta(days=away))
        everything = documents.everything()
        then = NOW + timedelta(days=until)
        assert documents.hashes() == {each.sha256 for each in everything}
        assert documents.threads() == {
            each.id: ThreadDocument(each.sha256, put_away=each.deleted_at is not None)
            for each in everything
            if is_thread(each.id)
        }
        assert documents.put_away_by(then) == [
            each.id
            for each in everything
            if each.deleted_at is not None and each.deleted_at <= then
        ]

    def test_deleting_takes_the_jobs_along(self, database: NodeDatabase) -> None:
        receive(database, 1)
        assert database.documents.delete(DocumentId("d1")).id == "d1"
        with pytest.raises(NotFoundError):
            database.jobs.get(JobId("j1"))
        with pytest.raises(NotFoundError):
            database.documents.get(DocumentId("d1"))


class TestVersions:
    """d1 reads otherwise as d2, and then as d3."""

    @pytest.fixture
    def versions(self, database: NodeDatabase) -> NodeDatabase:
        receive(database, 1, path="letters/a.md", tags=("a",))
        for number in (2, 3):
            self.supersede(database, document(number, path="letters/a.md"), number - 1)
        return database

    def supersede(self, database: NodeDatabase, now: Document, before: int) -> None:
        job, place = JobId(f"j{now.id}"), DocumentId(f"d{before}")
        database.documents.supersede(now, "ingest", Lane.INGEST, job, place)

    def names(self, database: NodeDatabase, number: int) -> list[str]:
        return [each.id for each in database.documents.revisions(DocumentId(f"d{number}"))]

    def test_the_older_ones_name_the_present_one_and_are_counted_nowhere(
        self, versions: NodeDatabase
    ) -> None:
        documents = versions.documents
        assert self.names(versions, 3) == ["d1", "d2"]
        assert [each.id for each in documents.all()] == ["d3"]
        assert (documents.count(), documents.revision_counts()) == (1, {"d3": 2})
        assert documents.get(DocumentId("d1")).superseded_by == "d3"
        assert documents.get(DocumentId("d3")).version == 3
        assert {each.id for each in documents.at_path("letters/a.md")} == {"d1", "d2", "d3"}

    def test_their_order_does_not_depend_on_the_clock(self, database: NodeDatabase) -> None:
        receive(database, 1)
        for number in (2, 3):
            earlier = document(number, added_at=NOW - timedelta(days=number))
            self.supersede(database, earlier, number - 1)
        assert self.names(database, 3) == ["d1", "d2"]

    def test_a_version_may_read_as_an_older_one_or_as_another_document(
        self, versions: NodeDatabase
    ) -> None:
        receive(versions, 7)
        for number, same in ((4, 1), (5, 7)):
            self.supersede(versions, document(number, sha256=document(same).sha256), number - 1)
        assert self.names(versions, 5) == ["d1", "d2", "d3", "d4"]
        known = versions.documents.by_hash(document(7).sha256)
        assert known is not None
        assert known.superseded_by is None

    def test_bytes_of_an_older_version_alone_are_a_new_document(
        self, versions: NodeDatabase
    ) -> None:
        again = document(8, sha256=document(1).sha256)
        received, job = versions.documents.receive(again, "ingest", Lane.INGEST, JobId("j8"))
        assert (received.id, job is None) == ("d8", False)

    def test_a_version_is_parted_and_joined_again(self, versions: NodeDatabase) -> None:
        documents = versions.documents
        [job] = documents.part(DocumentId("d2"), NOW)
        assert job.document == "d1"
        assert (self.names(versions, 1), self.names(versions, 3)) == ([], ["d2"])
        assert [each.version for each in documents.all()] == [1, 2]
        assert {each.id for each in documents.at_path("letters/a.md")} == {"d2", "d3"}
        for _ in range(2):
            documents.join(DocumentId("d3"), DocumentId("d1"), NOW)
        assert self.names(versions, 3) == ["d1", "d2"]
        assert documents.get(DocumentId("d3")).tags == ("a",)

    def test_what_is_private_makes_its_older_versions_so(self, versions: NodeDatabase) -> None:
        self.supersede(versions, document(4, private=True), 3)
        assert all(each.private for each in versions.documents.everything())

    def test_a_decision_that_holds_in_several_is_shown_once(self, versions: NodeDatabase) -> None:
        versions.decisions.put(decision(3, 1))
        carried = replace(decision(3, 1), id=FindingId("d3.0-9"), document=DocumentId("d3"))
        versions.decisions.keep(carried)
        assert (versions.decisions.page(limit=9)[0], versions.decisions.count()) == ([carried], 1)
        versions.decisions.remove(carried.id, NOW)
        assert versions.decisions.all() == []


class TestDecisions:
    def test_what_goes_in_comes_out_and_another_one_gives_way(self, database: NodeDatabase) -> None:
        receive(database, 1)
        database.decisions.put(decision(3, 1))
        kept = decision(3, 1, verdict=Verdict.KEEP)
        database.decisions.put(kept)
        assert database.decisions.get(kept.id) == kept
        assert database.decisions.all() == [kept]

    def test_what_leads_from_one_correction_to_the_next_is_told_together(
        self, database: NodeDatabase
    ) -> None:
        for number in (1, 2, 3, 4):
            receive(database, number)
        chain = [decision(1, 1, 2), decision(2, 2, 3), decision(3, 3, 1)]
        for each in (*chain, decision(4, 4)):
            database.decisions.put(each)
        assert database.decisions.about([DocumentId("d1")]) == {
            each.document: [each] for each in chain
        }
        assert database.decisions.correcting([DocumentId("d3")]) == [chain[1]]

    @pytest.mark.parametrize("gone", ["d1", "d2"])
    def test_it_goes_with_its_document_and_with_its_correction(
        self, database: NodeDatabase, gone: str
    ) -> None:
        receive(database, 1)
        receive(database, 2)
        database.decisions.put(decision(1, 1, 2))
        database.documents.delete(DocumentId(gone))
        assert database.decisions.all() == []

    def test_none_is_kept_about_a_document_that_is_not_there(self, database: NodeDatabase) -> None:
        receive(database, 1)
        for each in (decision(1, 9), decision(1, 1, 9)):
            with pytest.raises(NotFoundError):
                database.decisions.put(each)

    def test_pages_are_newest_first_and_what_is_taken_back_is_gone(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1)
        for number in (1, 2, 3):
            database.decisions.put(decision(number, 1))
        page, cursor = database.decisions.page(limit=2)
        rest, none = database.decisions.page(limit=2, cursor=cursor)
        assert [each.start for each in (*page, *rest)] == [3, 2, 1]
        assert none is None
        assert database.decisions.count() == 3
        assert database.decisions.remove(page[0].id, NOW) == []
        assert database.decisions.count() == 2
        with pytest.raises(NotFoundError):
            database.decisions.get(page[0].id)

    def test_a_correction_comes_in_with_its_decision_and_the_one_before_it_goes(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1)
        for number, before in ((2, []), (3, ["d2"])):
            made, gone = database.decisions.put(
                decision(3, 1, number), document(number, name=f"correction-2026-01-0{number}.md")
            )
            assert (made.correction, gone) == (f"d{number}", before)
            assert [
                job.state for job in database.jobs.latest_for([DocumentId(f"d{number}")]).values()
            ] == [JobState.QUEUED]
        assert [each.id for each in database.documents.all()] == ["d1", "d3"]
        assert (
            database.jobs.latest_for([DocumentId("d2")])[DocumentId("d2")].state
            is JobState.CANCELLED
        )
        assert database.decisions.remove(decision(3, 1).id, NOW) == ["d3"]
        assert [each.id for each in database.documents.all()] == ["d1"]

    def test_a_correction_in_the_words_of_something_else_is_a_document_of_its_own(
        self, database: NodeDatabase
    ) -> None:
        for number in (1, 2):
            receive(database, number)
        words = document(2).sha256
        for number in (8, 9):
            made, _ = database.decisions.put(
                decision(number, 1, number), document(number, sha256=words)
            )
            assert made.correction == f"d{number}"
        assert database.documents.corrections() == ["d8", "d9"]
        known = database.documents.by_hash(words)
        assert known is not None
        assert known.id == "d2"
        receive(database, 3, sha256=words)  # known
        assert [each.id for each in database.documents.all()] == ["d1", "d2", "d8", "d9"]
        assert database.decisions.remove(decision(8, 1).id, NOW) == ["d8"]
        assert [each.id for each in database.documents.all()] == ["d1", "d2", "d9"]
        assert database.documents.corrections() == ["d9"]

    def test_what_comes_in_with_the_words_of_a_correction_is_a_document_of_its_own(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1)
        database.decisions.put(decision(3, 1, 9), document(9))
        receive(database, 2, sha256=document(9).sha256)
        assert {each.id for each in database.documents.all()} == {"d1", "d2", "d9"}
        assert database.documents.corrections() == ["d9"]

    def test_a_correction_that_others_need_stays_and_what_corrected_it_goes_along(
        self, database: NodeDatabase
    ) -> None:
        for number in (1, 4):
            receive(database, number)
        for each, correction in ((decision(1, 1, 2), 2), (decision(2, 2, 3), 3)):
            database.decisions.put(
                each, document(correction, name=f"correction-2026-01-0{correction}.md")
            )
        database.decisions.put(decision(5, 4, 2))
        assert database.decisions.remove(decision(1, 1).id, NOW) == []
        assert database.decisions.remove(decision(5, 4).id, NOW) == ["d2", "d3"]

    def test_where_the_decision_cannot_be_kept_its_correction_does_not_come_in(
        self, database: NodeDatabase
    ) -> None:
        with pytest.raises(NotFoundError):
            database.decisions.put(decision(1, 1, 2), document(2, name="correction-2026-01-02.md"))
        assert database.documents.everything() == []


class TestJobs:
    def test_two_workers_never_get_the_same_job(self, database: NodeDatabase) -> None:
        receive(database, 1)
        assert database.jobs.claim(LANES, "a", NOW) is not None
        assert database.jobs.claim(LANES, "b", NOW) is None

    def test_a_dead_workers_job_is_taken_up_again_with_its_progress(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1)
        database.jobs.claim(LANES, "a", NOW)
        assert database.jobs.heartbeat(
            JobId("j1"), "a", NOW, progress=0.6, step="embed", message="6 of 10"
        )
        later = NOW + timedelta(seconds=LEASE_SECONDS + 1)
        assert database.jobs.recover(later) == 1
        job = database.jobs.claim(LANES, "b", later)
        assert job is not None
        assert job.progress == pytest.approx(0.6)
        assert not database.jobs.heartbeat(
            JobId("j1"), "a", later, progress=0.9, step="embed", message=""
        )

    def test_what_kills_every_worker_is_left_alone(self, database: NodeDatabase) -> None:
        receive(database, 1)
        now = NOW
        for _ in range(MOST_ATTEMPTS):
            assert database.jobs.claim(LANES, "a", now) is not None
            now += timedelta(seconds=LEASE_SECONDS + 1)
            database.jobs.recover(now)
        job = database.jobs.get(JobId("j1"))
        assert job.state is JobState.FAILED
        assert job.error is not None

    def test_one_document_has_one_active_job(self, database: NodeDatabase) -> None:
        receive(database, 1)
        assert database.jobs.add("ingest", Lane.INGEST, DocumentId("d1"), NOW).id == "j1"

    def test_a_stopping_worker_hands_back_without_a_mark(self, database: NodeDatabase) -> None:
        receive(database, 1)
        database.jobs.claim(LANES, "a", NOW)
        assert database.jobs.release("a", NOW) == 1
        job = database.jobs.get(JobId("j1"))
        assert (job.state, job.attempts) == (JobState.QUEUED, 0)


class TestConversations:
    def turn(self, number: int, **changes: object) -> Turn:
        made = Turn(
            TurnId(f"t{number}"), ConversationId("v"), "user", f"said {number}", TurnState.DONE, NOW
        )
        return replace(made, **changes)  # type: ignore[arg-type]

    @pytest.fixture(autouse=True)
    def _begun(self, database: NodeDatabase) -> None:
        database.conversations.start(Conversation(ConversationId("v"), "", NOW, NOW))

    def test_what_was_said_comes_back_whole_and_in_order(self, database: NodeDatabase) -> None:
        answer = self.turn(
            2,
            role="assistant",
            parts=(AnswerPart(PartKind.QUOTATION, "雨", (1,)),),
            citations=(Citation(1, ChunkId("c"), DocumentId("d"), "text-1", 0, 1, "h"),),
            evidence=(ChunkId("c"),),
            model="m",
            answers=TurnId("t1"),
            given=AnswerBasis(
                (text_hash("A line."),),
                (TurnId("t0"),),
                learned=True,
                whole=True,
                lately=(ChunkId("c1"),),
            ),
        )
        database.conversations.say(self.turn(1))
        database.conversations.say(answer)
        assert database.conversations.turns(ConversationId("v")) == [self.turn(1), answer]
        assert database.conversations.answer_to(TurnId("t1")) == answer
        assert database.conversations.get(ConversationId("v")).turns == 2

    def test_a_turn_said_twice_is_one_turn_and_a_turn_has_one_answer(
        self, database: NodeDatabase
    ) -> None:
        database.conversations.say(self.turn(1))
        assert database.conversations.say(self.turn(1, text="other")).text == "said 1"
        database.conversations.say(
            self.turn(
                2, role="assistant", parts=(AnswerPart(PartKind.NOTE, "x"),), answers=TurnId("t1")
            )
        )
        assert (
            database.conversations.say(self.turn(3, role="assistant", answers=TurnId("t1"))).id
            == "t2"
        )
        assert len(database.conversations.turns(ConversationId("v"))) == 2

    def test_an_answer_that_failed_gives_way_to_the_next(self, database: NodeDatabase) -> None:
        database.conversations.say(self.turn(1))
        database.conversations.say(
            self.turn(2, role="assistant", answers=TurnId("t1"), state=TurnState.FAILED)
        )
        database.conversations.say(
            self.turn(
                3, role="assistant", answers=TurnId("t1"), parts=(AnswerPart(PartKind.NOTE, "x"),)
            )
        )
        assert [turn.id for turn in database.conversations.turns(ConversationId("v"))] == [
            "t1",
            "t3",
        ]

    def test_deleting_takes_the_turns_along(self, database: NodeDatabase) -> None:
        database.conversations.say(self.turn(1))
        database.conversations.delete(ConversationId("v"))
        assert database.conversations.turn(TurnId("t1")) is None
        with pytest.raises(NotFoundError):
            database.conversations.say(self.turn(1))

    def test_the_identity_is_kept(self, database: NodeDatabase) -> None:
        assert database.conversations.identity() == Identity()
        known = Identity("ソレル 凪", "I restore violins.", "short", ("ja", "en"))
        database.conversations.set_identity(known)
        database.conversations.set_identity(known)
        assert database.conversations.identity() == known


class TestAccess:
    def test_a_code_works_once_and_in_time(self, database: NodeDatabase) -> None:
        database.access.new_code("a", NOW + timedelta(minutes=1))
        database.access.new_code("b", NOW + timedelta(minutes=1))
        assert database.access.use_code("a", NOW)
        assert not database.access.use_code("a", NOW)
        assert not database.access.use_code("b", NOW + timedelta(minutes=2))

    def test_a_revoked_key_is_gone(self, database: NodeDatabase) -> None:
        key = ApiKey("k", "name", ("chat",), NOW)
        database.access.new_key(key, "hash")
        assert database.access.key("hash") == key
        database.access.revoke_key("k", NOW)
        assert database.access.key("hash") is None
        with pytest.raises(NotFoundError):
            database.access.revoke_key("k", NOW)


class TestFiles:
    def test_originals_and_texts_come_back(self, tmp_path: Path) -> None:
        files = LocalFiles(tmp_path)
        sha = files.keep("雨".encode())
        parsed = ParsedText(
            "雨\nagain",
            (
                Segment(0, 1, page=1),
                Segment(
                    2, 7, session="S", speaker="Mai", said_at=NOW.astimezone(), turn="t", whole=True
                ),
            ),
            "T",
            NOW.astimezone(),
            ("a",),
            True,
            ("r",),
        )
        files.keep_text(sha, "text-1", parsed)
        assert files.keep("雨".encode()) == sha
        assert files.original(sha).decode() == "雨"
        assert files.text(sha, "text-1") == parsed
        assert (files.words(sha, "text-1"), files.words(sha, "text-2")) == (parsed.text, None)
        files.drop(sha)
        assert not list(tmp_path.iterdir())

    def test_a_sweep_takes_what_a_dead_process_left_and_nothing_that_is_under_way(
        self, tmp_path: Path
    ) -> None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        left, under_way = (
            tmp_path / f"{'a' * 64}.{ended.pid}-12ab.new",
            tmp_path / f"{'a' * 64}.{os.getpid()}-12ab.new",
        )
        for path in (left, under_way):
            path.write_text("x")
        LocalFiles(tmp_path).sweep()
        assert (left.exists(), under_way.exists()) == (False, True)

    @pytest.mark.parametrize("name", ["../node.db", "a" * 63, "A" * 64, "", "/etc/passwd"])
    def test_no_path_gets_through(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(NotFoundError):
            LocalFiles(tmp_path).original(name)


def test_the_head_that_is_remembered_is_alembics_head() -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(migration_config()).get_current_head() == HEAD


def test_the_migrations_make_the_tables(database: NodeDatabase) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from lpm_kernel.backends.store.node.tables import metadata

    with database.engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    assert [each for each in differences if "ix_job_one_active" not in str(each)] == []


class TestWhatErasingAndArchivesAskOfTheStores:
    def test_a_chat_is_kept_whole_and_once(self, database: NodeDatabase) -> None:
        chat = Conversation(ConversationId("v1"), "雨", NOW, NOW, turns=1)
        turn = Turn(TurnId("t1"), chat.id, "user", "Hello", TurnState.DONE, NOW)
        assert database.conversations.keep(chat, [turn])
        assert not database.conversations.keep(replace(chat, title="other"), [turn])
        assert not database.conversations.keep(replace(chat, id=ConversationId("v2")), [turn])
        assert (database.conversations.get(chat.id), list(database.conversations.every_turn())) == (
            chat,
            [turn],
        )

    def test_turns_and_titles_are_rewritten_where_they_change(self, database: NodeDatabase) -> None:
        chat = Conversation(ConversationId("v1"), "Hello", NOW, NOW)
        turns = [
            Turn(TurnId(f"t{n}"), chat.id, "user", text, TurnState.DONE, NOW)
            for n, text in enumerate(("Hello", "Rain"))
        ]
        database.conversations.keep(chat, turns)
        changed = database.conversations.rewrite(
            lambda turn: replace(turn, text=turn.text.replace("Rain", "Sun")),
            lambda title: title.upper(),
        )
        assert changed == 1
        assert [turn.text for turn in database.conversations.turns(chat.id)] == ["Hello", "Sun"]
        assert database.conversations.get(chat.id).title == "HELLO"

    def test_a_job_carries_what_was_asked_and_what_came_of_it(self, database: NodeDatabase) -> None:
        first = database.jobs.add("export", Lane.HEAVY, None, NOW, {"private": False})
        second = database.jobs.add("export", Lane.HEAVY, None, NOW, {"private": True})
        assert (first.request, second.request) == ({"private": False}, {"private": True})
        assert {job.id for job in database.jobs.page(limit=9, kind="export")[0]} == {
            first.id,
            second.id,
        }
        assert database.jobs.page(limit=9, kind="import")[0] == []
        taken = database.jobs.claim([Lane.HEAVY], "w", NOW)
        assert taken is not None
        assert database.jobs.finish(taken.id, "w", NOW, "Done.", {"documents": 3})
        assert database.jobs.get(taken.id).result == {"documents": 3}

    def test_what_erases_goes_before_what_came_earlier(self, database: NodeDatabase) -> None:
        database.jobs.add("ingest", Lane.INGEST, None, NOW)
        erasing = database.jobs.add(
            "erase", Lane.ERASE, None, NOW + timedelta(seconds=9), {"erasure": "e"}
        )
        taken = database.jobs.claim([Lane.INGEST, Lane.ERASE], "w", NOW)
        assert taken is not None
        assert taken.id == erasing.id

    def test_a_confirmed_erasure_takes_rows_away_and_leaves_tombstones(
        self, database: NodeDatabase
    ) -> None:
        receive(database, 1, title="Secret")
        receive(database, 2)
        known = database.documents.get(DocumentId("d1"))
        erasure = Erasure(
            "e1",
            ErasureState.PROPOSED,
            NOW,
            NOW + timedelta(minutes=15),
            (Doomed(known.id, known.sha256),),
        )
        database.erasures.propose(erasure, "hash")
        assert database.erasures.by_token("other") is None
        job = database.erasures.confirm("e1", JobId("j9"), NOW, lambda turn: turn)
        assert database.erasures.confirm("e1", JobId("j10"), NOW, lambda turn: turn) == job
        assert [each.id for each in database.documents.all()] == ["d2"]
        assert set(database.erasures.tombstones()) == {"d1"}
        (under_way,) = database.erasures.unfinished()
        assert under_way.documents == (Doomed(known.id, known.sha256, "Secret", known.name),)
        database.erasures.clean("e1", NOW, {"documents": 1})
        database.erasures.clean("e1", NOW, {"documents": 1})
        assert database.erasures.get("e1").documents == (Doomed(known.id, ""),)
        database.erasures.done("e1")
        assert database.erasures.unfinished() == []
        assert [entry.kind for entry in database.audit.all()] == ["erased"]

    def test_requests_that_nobody_confirmed_are_forgotten(self, database: NodeDatabase) -> None:
        for number, minutes in ((1, 0), (2, 20)):
            moment = NOW + timedelta(minutes=minutes)
            database.erasures.propose(
                Erasure(
                    f"e{number}", ErasureState.PROPOSED, moment, moment + timedelta(minutes=15)
                ),
                f"hash{number}",
            )
        assert database.erasures.by_token("hash1") is None
        assert database.erasures.by_token("hash2") is not None


class TestFilesPieceByPiece:
    def test_only_what_the_hash_says_is_kept(self, tmp_path: Path) -> None:
        files = LocalFiles(tmp_path)
        sha256 = files.keep(b"one two")
        files.drop(sha256)
        assert not files.keep_file(sha256, [b"one ", b"three"])
        assert not list(tmp_path.iterdir())
        assert files.keep_file(sha256, [b"one ", b"two"])
        assert files.original(sha256) == b"one two"
        assert files.keep_file(sha256, [b"text"], ".text-1.txt")
        assert files.listing() == {
            sha256: {"": tmp_path / sha256, ".text-1.txt": tmp_path / f"{sha256}.text-1.txt"}
        }
        with pytest.raises(NotFoundError):
            files.keep_file(sha256, [b"x"], "./../x")
        files.drop_all({sha256})
        assert files.listing() == {}
