"""What an index of passages promises. The suite is the port's definition; every backend goes
through it.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id, text_hash
from lpm_kernel.domain.library.passages import TOKEN_WIDTH, Embedded, Passage
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.index.columns import Bank
from lpm_kernel.L0.language.analysis import passages

pytestmark = pytest.mark.contract

DAY = datetime(2025, 11, 20, 9, tzinfo=UTC)
TEXTS = ["The goat stands on the roof.", "She eats the thatch.", "A saucepan scared her down."]
Make = Callable[[], IndexDb]


def written(
    document: str, texts: list[str], *, version: str = "v1", sessions: int = 1
) -> list[Passage]:
    chunks, at = [], 0
    for number, text in enumerate(texts):
        end = at + len(text)
        identifier = chunk_id(DocumentId(document), version, at, end)
        session = f"S{number % sessions}"
        chunks.append(
            Chunk(
                identifier,
                DocumentId(document),
                version,
                at,
                end,
                text,
                session,
                "Oonagh",
                DAY + timedelta(minutes=number),
                f"{document}/{number}",
                None,
            )
        )
        at = end + 1
    return passages(chunks)


def vectors(count: int, seed: int = 1, embedder: str = "e1", width: int = 8) -> Embedded:
    drawn = np.random.default_rng(seed).standard_normal((count, width)).astype(np.float32)
    return Embedded(embedder, drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


@pytest.fixture(params=[IndexDb])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    opened: list[IndexDb] = []

    def open_one() -> IndexDb:
        opened.append(request.param(tmp_path / "index.db"))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def index(make: Make) -> IndexDb:
    return make()


def test_what_was_put_comes_back_as_it_was(index: IndexDb) -> None:
    made = written("d1", TEXTS)
    index.put(DocumentId("d1"), made)
    assert index.chunks_of(DocumentId("d1")) == [each.chunk for each in made]
    assert index.chunk(made[1].chunk.id) == made[1].chunk


def test_putting_twice_is_putting_once(index: IndexDb) -> None:
    for _ in range(2):
        index.put(DocumentId("d1"), written("d1", TEXTS), embedded=vectors(3))
    assert (index.counts().documents, index.counts().chunks, index.counts().vectors) == (1, 3, 3)
    assert index.indexed()[DocumentId("d1")].vectors == {"e1": 3}


def test_a_new_text_takes_the_place_of_the_old_one_and_its_vectors(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", TEXTS), embedded=vectors(3))
    index.put(
        DocumentId("d1"),
        written("d1", ["The goat is in the cabbages."], version="v2"),
        embedded=vectors(1),
    )
    assert index.indexed()[DocumentId("d1")].text_version == "v2"
    assert (index.counts().chunks, index.counts().vectors) == (1, 1)
    assert index.find_documents(["thatch"]) == []
    assert index.find_documents(["cabbag"]) == [DocumentId("d1")]


def test_removing_takes_words_and_vectors_along_but_not_those_that_another_document_needs(
    index: IndexDb,
) -> None:
    index.put(DocumentId("d1"), written("d1", TEXTS), embedded=vectors(3))
    index.put(DocumentId("d2"), written("d2", TEXTS[:1]), embedded=vectors(1))
    assert index.remove(DocumentId("d1"))
    assert not index.remove(DocumentId("d1"))
    assert index.counts().vectors == 1
    assert index.find_documents(["goat"]) == [DocumentId("d2")]
    assert index.find_documents(["thatch"]) == []


def test_after_compacting_no_byte_of_a_removed_text_is_left(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", ["The kingfisher keeps a ledger."]))
    index.put(DocumentId("d2"), written("d2", TEXTS))
    index.remove(DocumentId("d1"))
    index.compact()
    for path in index.path.parent.glob("index.db*"):
        assert b"kingfisher" not in path.read_bytes()


def test_vectors_are_kept_by_text_and_embedder_and_come_back_nearly_as_they_were(
    index: IndexDb,
) -> None:
    hashes = [text_hash(text) for text in TEXTS]
    index.cache_vectors(hashes, vectors(3))
    index.cache_vectors(hashes, vectors(3, seed=2, embedder="e2"))
    back = index.cached_vectors([*hashes, text_hash("unknown")], "e1")
    assert set(back) == set(hashes)
    cosines = [
        float(back[name] @ vector) for name, vector in zip(hashes, vectors(3).vectors, strict=True)
    ]
    assert min(cosines) > 0.999
    assert index.cached_vectors(hashes, "e3") == {}


def test_vectors_kept_before_a_kill_count_when_the_document_is_put(make: Make) -> None:
    made = written("d1", TEXTS)
    first = make()
    first.cache_vectors([text_hash(each.chunk.content) for each in made], vectors(3))
    first.close()
    second = make()
    second.put(DocumentId("d1"), made)
    assert second.indexed()[DocumentId("d1")].vectors == {"e1": 3}


def test_tokens_are_kept_beside_the_vectors_and_go_with_them(index: IndexDb) -> None:
    made = written("d1", TEXTS)
    tokens = [np.full((number + 1, TOKEN_WIDTH), number, np.int8) for number in range(3)]
    index.put(DocumentId("d1"), made, embedded=Embedded("e1", vectors(3).vectors, tokens))
    rows = index.batch().rows.tolist()
    back = index.tokens(rows, "e1")
    assert [back[row].tolist() for row in rows] == [each.tolist() for each in tokens]
    assert index.tokens(rows, "e2") == {}
    index.remove(DocumentId("d1"))
    index.put(DocumentId("d1"), made)
    assert index.tokens(index.batch().rows.tolist(), "e1") == {}


def test_a_batch_never_mixes_two_embedders(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", TEXTS), embedded=vectors(3))
    index.put(
        DocumentId("d2"), written("d2", ["Another."]), embedded=vectors(1, embedder="e2", width=4)
    )
    first, second, none = (index.batch(embedder=name) for name in ("e1", "e2", None))
    assert first.codes is not None
    assert first.codes.shape == (4, 8)
    assert first.scales is not None
    assert (first.scales > 0).tolist() == [True, True, True, False]
    assert second.codes is not None
    assert second.codes.shape == (4, 4)
    assert none.codes is None


def test_sessions_stand_side_by_side_however_they_were_woven(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", [*TEXTS, *TEXTS], sessions=2))
    assert index.batch().groups.tolist() == [0, 0, 0, 1, 1, 1]


def test_the_revision_grows_with_every_change_and_only_then(make: Make) -> None:
    one, other = make(), make()
    seen = [other.revision()]
    for change in (
        lambda: one.put(DocumentId("d1"), written("d1", TEXTS)),
        lambda: one.set_labels(DocumentId("d1"), private=True, tags=["goats"]),
        lambda: one.remove(DocumentId("d1")),
    ):
        change()
        seen.append(other.revision())
        assert other.revision() == seen[-1]
    one.set_labels(DocumentId("gone"), private=True, tags=[])
    assert other.revision() == seen[-1]
    assert seen == sorted(set(seen))


def test_labels_are_what_the_person_set(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", TEXTS), tags=["b", "a", "a"])
    index.set_labels(DocumentId("d1"), private=True, tags=["c"])
    (label,) = index.labels()
    assert (label.document, label.private, label.tags) == (DocumentId("d1"), True, frozenset({"c"}))


def test_chunks_are_paged_in_the_order_of_the_text(index: IndexDb) -> None:
    made = written("d1", [f"Passage number {n}." for n in range(7)], sessions=2)
    index.put(DocumentId("d1"), made)
    pages, after = [], None
    while page := index.chunks_of(DocumentId("d1"), after, limit=3):
        pages.append(page)
        after = page[-1].id
    assert [chunk for page in pages for chunk in page] == [each.chunk for each in made]


def test_an_unknown_chunk_is_said_to_be_unknown(index: IndexDb) -> None:
    with pytest.raises(NotFoundError):
        index.chunk(ChunkId("c_nobody"))


@pytest.mark.parametrize(
    "left", [b"", b"this is no database, and long enough to be taken for one" * 40, None]
)
def test_a_file_that_cannot_be_used_is_made_anew(
    make: Make, tmp_path: Path, left: bytes | None
) -> None:
    index = make()
    assert index.fresh
    index.put(DocumentId("d1"), written("d1", TEXTS))
    index.close()
    again = make()
    assert not again.fresh
    again.close()
    for path in tmp_path.glob("index.db*"):
        path.unlink()
    if left is not None:
        (tmp_path / "index.db").write_bytes(left)
    assert make().fresh


def test_an_index_of_another_shape_is_made_anew(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = make()
    index.put(DocumentId("d1"), written("d1", TEXTS))
    monkeypatch.setattr("lpm_kernel.backends.store.index.file.STAMP", "another")
    newer = make()
    assert newer.fresh
    assert newer.counts().chunks == 0


def test_terms_that_look_like_a_query_language_are_only_words(index: IndexDb) -> None:
    index.put(DocumentId("d1"), written("d1", TEXTS))
    for term in (
        '"',
        "*",
        "NEAR",
        "NEAR(",
        "^goat",
        "-goat",
        "goat*",
        "terms:goat",
        "",
        "'; DROP TABLE chunk; --",
        "\x00",
    ):
        index.find_documents([term])
    assert index.find_documents(["goat", "roof"]) == [DocumentId("d1")]
    assert index.find_documents(["goat", "nowhere"]) == []


def test_many_threads_may_read_and_write(index: IndexDb) -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                index.put(
                    DocumentId(f"d{number}"),
                    written(f"d{number}", TEXTS[: 1 + turn % 3]),
                    embedded=vectors(1 + turn % 3, seed=number),
                )
                Bank(index, "e1").columns()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test has to see it
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert index.counts().documents == 4


def _put_from_elsewhere(path: Path) -> None:
    index = IndexDb(path)
    index.put(DocumentId("other"), written("other", ["From another process: a heron."]))
    index.close()


def test_a_reader_sees_what_another_process_wrote(index: IndexDb) -> None:
    bank = Bank(index, None)
    assert len(bank.columns()) == 0
    process = multiprocessing.get_context("spawn").Process(
        target=_put_from_elsewhere, args=(index.path,)
    )
    process.start()
    process.join(30)
    assert process.exitcode == 0
    assert len(bank.columns()) == 1
    index.remove(DocumentId("other"))
    assert len(bank.columns()) == 0
