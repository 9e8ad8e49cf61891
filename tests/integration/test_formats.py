"""Files of every kind on a whole node: archives, pictures, and all that the sample life holds."""

from __future__ import annotations

import io
import stat
import threading
import time
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path

import docx
import pytest
from flask.testing import FlaskClient
from PIL import Image
from typer.testing import CliRunner

from lpm_kernel.backends.parse import confined, plugins
from lpm_kernel.backends.parse.confined import Confined
from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.cli import app
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.documents import reindex
from lpm_kernel.usecases.library.intake import walk
from tests.lives import SAMPLE

SECONDS = 20.0


def packed(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return out.getvalue()


def picture() -> bytes:
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = "2024:04:06 10:12:00"
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "JPEG", exif=exif)
    return out.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Lease", 1)
    document.add_paragraph("The house in Teramachi.")
    table = document.add_table(2, 2)
    for row, cells in enumerate([("day", "rent"), ("2024-04-06", "48000")]):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def by_name(node: Node) -> dict[str, Document]:
    return {document.name: document for document in node.ports.documents.all()}


def test_the_whole_sample_life_is_read(node: Node) -> None:
    for path in walk([SAMPLE]):
        node.library.add_bytes(path.name, path.read_bytes())
    node.run_jobs()
    read = node.ports.documents.all()
    assert [document.name for document in read if document.state is not DocumentState.READY] == []
    assert Counter(document.kind.value for document in read) == {
        "markdown": 51,
        "text": 19,
        "mail": 11,
        "transcript": 5,
        "table": 3,
        "html": 2,
    }
    known = by_name(node)
    first = {
        name: node.ports.index.chunks_of(known[name].id, None, 1000)
        for name in ("ledger.csv", "line-mai.txt", "2025-11-18-to-ottilie-1.eml", "hygrometer.csv")
    }
    assert (
        first["ledger.csv"][0].text
        == "finished: 2021-06-19; instrument: violin; owner: Hase; work: new top edge and full"
        " varnish; varnish: oil; drying_days: 17; fee_yen: 210000"
    )
    assert (len(first["ledger.csv"]), len(first["hygrometer.csv"])) == (17, 124)
    assert {passage.speaker for passage in first["line-mai.txt"]} == {"凪", "マイマイ"}
    assert all(
        passage.said_at is not None and passage.anchor is not None
        for each in first.values()
        for passage in each
    )
    letter = known["2025-11-18-to-ottilie-1.eml"]
    assert (letter.title, letter.created_at and letter.created_at.isoformat()) == (
        "Your cello",
        "2025-11-18T09:42:00+00:00",
    )


def test_an_archive_becomes_documents_that_share_its_tags_and_privacy(node: Node) -> None:
    received = node.library.add_bytes(
        "all.zip",
        packed(
            lease__docx=word(),
            note__md=b"# Rain\n\nIt rained.",
            x__bin=b"x",
            inner__zip=packed(a=b"b"),
        ),
        tags=["home"],
        private=True,
    )
    node.run_jobs()
    known = by_name(node)
    assert {
        name: (each.state.value, each.parent, each.tags, each.private)
        for name, each in known.items()
        if name != "all.zip"
    } == {
        "lease.docx": ("ready", received.document.id, ("home",), True),
        "note.md": ("ready", received.document.id, ("home",), True),
    }
    assert node.library.remarks(known["all.zip"]) == [
        "2 files taken out. Each is a document of its own.",
        "Left out 1 file (of a kind that is not read): x.bin.",
        "Left out 1 file (an archive inside the archive; add it by itself): inner.zip.",
    ]
    assert [
        (str(found.anchor), found.text)
        for found in node.ports.index.chunks_of(known["lease.docx"].id, None, 9)
    ] == [
        ("paragraph 1", "# Lease\n\nThe house in Teramachi."),
        ("row 2", "day: 2024-04-06; rent: 48000"),
    ]
    assert node.reconcile() == 0


class StoppedError(Exception):
    """Somebody pulled the plug."""


@pytest.mark.parametrize("steps", range(1, 8))
def test_an_archive_that_is_stopped_at_any_step_is_taken_up_again_without_doubling(
    node: Node, steps: int
) -> None:
    received = node.library.add_bytes(
        "a.zip", packed(a__md=b"One.", b__md=b"Two.", c__csv=b"x,y\n1,2\n", d__bin=b"x")
    )
    left = iter(range(steps))

    def progress(share: float, step: str, message: str) -> None:
        if next(left, None) is None:
            raise StoppedError(share, step, message)

    with suppress(StoppedError):
        node.library.ingest(received.document.id, progress)
    node.run_jobs()
    assert {
        name: document.state.value for name, document in by_name(node).items()
    } == dict.fromkeys(("a.zip", "a.md", "b.md", "c.csv"), "ready")
    assert node.ports.documents.count() == 4
    assert node.reconcile() == 0


def test_the_command_waits_for_what_is_in_an_archive_and_says_what_was_left(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.zip").write_bytes(packed(a__md=b"It rained on Tuesday.", x__bin=b"x"))
    with Node.open(home) as node:
        node.ports.change_settings(embedder="none")
    ran = CliRunner().invoke(app, ["add", str(tmp_path / "a.zip")])
    assert ran.exit_code == 0, ran.output
    assert "Left out 1 file (of a kind that is not read): x.bin." in ran.output
    with Node.open(home) as node:
        assert {name: document.state.value for name, document in by_name(node).items()} == {
            "a.zip": "ready",
            "a.md": "ready",
        }


def test_names_in_an_archive_that_look_like_paths_lead_nowhere(node: Node, home: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("../../outside.md", "/etc/outside2.md", "..\\..\\outside3.md"):
            archive.writestr(name, f"Words of {name}.")
    node.library.add_bytes("a.zip", out.getvalue())
    node.run_jobs()
    assert set(by_name(node)) == {"a.zip", "outside.md", "outside2.md", "outside3.md"}
    assert not list(home.parent.rglob("*outside*"))


def test_what_was_deleted_does_not_come_back_when_the_archive_is_read_again(node: Node) -> None:
    archive = node.library.add_bytes(
        "a.zip", packed(a__md=b"Words.", b__md=b"More words.")
    ).document
    node.run_jobs()
    gone = by_name(node)["a.md"]
    node.ports.documents.delete(gone.id)
    node.ports.files.drop(gone.sha256)
    reindex(node.ports.documents, node.ports.jobs, node.ports.clock)
    node.run_jobs()
    assert set(by_name(node)) == {"a.zip", "b.md"}
    node.ports.documents.delete(archive.id)
    assert set(by_name(node)) == {"b.md"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (packed(), "there are no files in it"),
        (b"PK\x03\x04 cut short", "damaged or cut short"),
        (packed(x__bin=b"x"), "no file in it can be read"),
    ],
)
def test_an_archive_of_nothing_says_so(node: Node, data: bytes, sentence: str) -> None:
    node.library.add_bytes("a.zip", data)
    node.run_jobs()
    (document,) = node.ports.documents.all()
    assert document.state is DocumentState.FAILED
    assert document.error is not None
    assert sentence in document.error.detail


def test_a_picture_that_nothing_reads_is_kept_with_its_date_and_says_what_would_read_it(
    node: Node, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    _afresh()
    identifier = node.library.add_bytes("IMG_1.jpg", picture()).document.id
    node.run_jobs()
    shown = client.get(f"/api/documents/{identifier}").json
    assert shown is not None
    assert (shown["state"], shown["kind"], shown["passages"], shown["created_at"][:10]) == (
        "ready",
        "image",
        0,
        "2024-04-06",
    )
    assert shown["remarks"][0].startswith(
        "Picture, 40 × 30, taken on 2024-04-06 at 10:12. The picture is kept; the words in it were"
        " not read. Install tesseract"
    )
    assert client.get(f"/api/documents/{identifier}/text").status_code == 200
    assert client.get(f"/api/documents/{identifier}/original").data == picture()
    assert node.reconcile() == 0


def test_tesseract_reads_a_picture_once_it_is_there(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    _afresh()
    identifier = node.library.add_bytes("sign.jpg", picture()).document.id
    node.run_jobs()
    program = tmp_path / "tesseract"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --list-langs ] && { echo eng; echo jpn; exit; }\n[ "$*" = "stdin'
        ' stdout -l eng+jpn" ] && echo "Closed on Mondays."\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    _afresh()
    reindex(node.ports.documents, node.ports.jobs, node.ports.clock)
    node.run_jobs()
    assert [passage.text for passage in node.ports.index.chunks_of(identifier, None, 9)] == [
        "Closed on Mondays."
    ]
    assert [check.sentence for check in node.examine() if check.id == "plug_ins"] == [
        "tesseract reads the words in pictures."
    ]
    _afresh()


def test_a_recording_is_kept_with_its_length(node: Node) -> None:
    import wave

    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes(8000 * 65))
    document = node.library.add_bytes("talk.wav", out.getvalue()).document
    node.run_jobs()
    assert node.ports.documents.get(document.id).state is DocumentState.READY
    assert node.library.remarks(node.ports.documents.get(document.id))[0].startswith(
        "Recording, 1:05 long. It is kept; what is said in it is not read."
    )


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n cut", b"ID3 cut", b"\xff\xd8\xff cut", b"II*\x00 cut", b"RIFF0000WAVE"],
)
def test_a_damaged_picture_or_recording_is_kept_all_the_same(node: Node, data: bytes) -> None:
    document = node.library.add_bytes("a.bin", data).document
    node.run_jobs()
    assert node.ports.documents.get(document.id).state is DocumentState.READY


@pytest.mark.parametrize(
    "data",
    [
        picture().replace(b"\x90\x03\0\x02\0\0\0\x14", b"\x90\x03\0\x02\0\xff\0\x14"),
        b"fLaC\0\0\xff\xff cut",
        b"OggS cut",
    ],
)
def test_tags_that_are_damaged_are_said_to_be(node: Node, data: bytes) -> None:
    document = node.library.add_bytes("a.bin", data).document
    node.run_jobs()
    assert (
        "What it says of itself (length, title, date) is damaged and was not read."
        in node.library.remarks(node.ports.documents.get(document.id))
    )


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "locked with a password"),
        ("a.docx", word()[:2000], "damaged or cut short"),
        ("a.docx", packed(a__md=b"words"), "damaged or cut short"),
    ],
)
def test_a_word_file_that_cannot_be_read_says_why(
    node: Node, name: str, data: bytes, sentence: str
) -> None:
    node.library.add_bytes(name, data)
    node.run_jobs()
    (job,) = node.ports.jobs.page(limit=1)[0]
    assert job.state is JobState.FAILED
    assert job.error is not None
    assert sentence in job.error.detail


def test_a_citation_of_a_row_shows_its_row(node: Node, client: FlaskClient) -> None:
    node.library.add_bytes(
        "ledger.csv", b"day,what\n2024-04-06,moved the bench\n2024-04-07,mended the kettle\n"
    )
    node.run_jobs()
    found = client.post("/api/recall", json={"query": "Who mended the kettle?"}).json
    assert found is not None
    assert found["items"][0]["anchor"] == {"kind": "row", "n": 3}


def test_cancelling_ends_a_long_reading(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = Confined("sleep", "60")
    monkeypatch.setattr("lpm_kernel.backends.parse.confined.CHILD", stuck)
    job = node.library.add_bytes("a.md", b"It rains.").job
    assert job is not None
    reading = threading.Thread(target=node.do_one_job)
    reading.start()
    until = time.monotonic() + 30
    while stuck._child is None and time.monotonic() < until:
        time.sleep(0.05)
    child = stuck._child
    assert child is not None
    node.ports.jobs.cancel(job.id, node.ports.clock.now())
    reading.join(10)
    assert not reading.is_alive()
    assert child.poll() is not None
    assert node.ports.jobs.get(job.id).state is JobState.CANCELLED


def _afresh() -> None:
    """Let what was found on the path be looked for anew, here and in the reading process."""
    confined.CHILD.close()
    plugins.tesseract.cache_clear()


ATTRIBUTES = {
    "of one element": (
        "<html><body><p "
        + " ".join(f'data-a{n}="v{n}"' for n in range(140_000))
        + ">The kiln.</p></body></html>"
    ),
    "of many": (
        "<html><body><p>The kiln.</p>"
        + "".join(
            f'<i class="c{n}" style="color:red" data-x="{n}" id="i{n}">a </i>'
            for n in range(42_000)
        )
        + "</body></html>"
    ),
    "that never end": "<html><body><p>The kiln.</p><p " + 'a="' * 900_000,
}


@pytest.mark.parametrize("how", ATTRIBUTES)
def test_a_page_of_attributes_is_read_within_seconds(how: str) -> None:
    data = ATTRIBUTES[how].encode()
    assert len(data) > 2_500_000
    reader, began = FileReader(), time.monotonic()
    parsed = reader.read("page.html", reader.kind("page.html", data[:4096]), data)
    assert time.monotonic() - began < SECONDS
    assert "The kiln." in parsed.text
