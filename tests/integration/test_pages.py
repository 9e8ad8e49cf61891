"""Pages as pictures, and the place of a cited stretch on them: real PDFs, drawn in the process
apart.
"""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from flask.testing import FlaskClient
from PIL import Image, ImageDraw
from pypdf import PdfReader, PdfWriter

from lpm_kernel.backends.parse.confined import Confined
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.errors import UnreadableDocumentError
from lpm_kernel.node import Node

LINES = (
    "The workshop in Teramachi is let",
    "for five years from 1 April 2024.",
    "The rent is due on the first.",
    "for five years from 1 April 2024.",
)


def pdf(*pages: tuple[str, ...], turned: int = 0, password: str = "") -> bytes:
    """Write a PDF by hand: each line of each page 40 points below the one before, the first at 100
    of 842.
    """
    parts: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        said = (
            b"BT /F1 20 Tf 72 %d Td " % (842 - 100)
            + b" 0 -40 Td ".join(b"(%s) Tj" % line.encode() for line in lines)
            + b" ET"
        )
        parts.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(said), said))
        parts.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate %d /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (turned, len(parts))
        )
        kids.append(b"%d 0 R" % len(parts))
    parts[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, part in enumerate(parts, start=1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, part))
    start = out.tell()
    out.write(
        b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
        + b"".join(b"%010d 00000 n \n" % each for each in offsets)
    )
    out.write(
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, start)
    )
    if not password:
        return out.getvalue()
    writer = PdfWriter(PdfReader(out))
    writer.encrypt(password, algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    return locked.getvalue()


def add(node: Node, name: str, data: bytes) -> Document:
    document = node.library.add_bytes(name, data).document
    node.run_jobs()
    return node.ports.documents.get(document.id)


def boxes(
    client: FlaskClient, document: Document, page: int, start: int, end: int
) -> list[tuple[float, float, float, float]]:
    answer = client.get(f"/api/documents/{document.id}/pages/{page}/places?start={start}&end={end}")
    assert answer.status_code == 200, answer.text
    return [
        (box["left"], box["top"], box["right"], box["bottom"]) for box in answer.get_json()["boxes"]
    ]


def picture(client: FlaskClient, document: Document, page: int, width: int) -> Image.Image:
    answer = client.get(f"/api/documents/{document.id}/pages/{page}?width={width}")
    assert (answer.status_code, answer.content_type) == (200, "image/png")
    return Image.open(io.BytesIO(answer.data))


class TestPages:
    def test_every_page_is_drawn_at_the_width_that_is_asked_for(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES, ("Second page.",)))
        items = client.get(f"/api/documents/{lease.id}/pages").get_json()["items"]
        assert [(each["page"], each["width"], each["height"]) for each in items] == [
            (1, 595.0, 842.0),
            (2, 595.0, 842.0),
        ]
        for width in (160, 800):
            drawn = picture(client, lease, 2, width)
            assert abs(drawn.width - width) <= 1
            assert np.asarray(drawn.convert("L")).min() < 100, "there is ink on it"

    @pytest.mark.parametrize("turned", [0, 90, 180, 270])
    def test_what_is_cited_stands_under_its_boxes_however_the_page_is_turned(
        self, client: FlaskClient, node: Node, turned: int
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES, turned=turned))
        text = node.ports.files.words(lease.sha256, lease.text_version or "") or ""
        start = text.index("The rent")
        found = boxes(client, lease, 1, start, start + len("The rent is due"))
        drawn = np.asarray(picture(client, lease, 1, 900).convert("L"))
        down, across = drawn.shape
        inside = np.zeros_like(drawn, bool)
        for left, top, right, bottom in found:
            inside[
                int(top * down) : int(bottom * down) + 1,
                int(left * across) : int(right * across) + 1,
            ] = True
        assert 0.002 < inside.mean() < 0.02
        assert (drawn[inside] < 100).mean() > 0.1, "the boxes lie on words"
        everything = boxes(client, lease, 1, 0, len(text))
        assert len(everything) > len(found)

    def test_of_the_same_words_twice_the_cited_ones_are_shown(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES))
        text = node.ports.files.words(lease.sha256, lease.text_version or "") or ""
        words = "for five years"
        first, second = text.index(words), text.rindex(words)
        (upper,), (lower,) = (
            boxes(client, lease, 1, start, start + len(words)) for start in (first, second)
        )
        assert upper[1] < lower[1]

    def test_a_stretch_over_two_lines_has_a_box_on_each(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES))
        text = node.ports.files.words(lease.sha256, lease.text_version or "") or ""
        start = text.index("is let")
        assert (
            len(
                {
                    round(top, 2)
                    for _, top, _, _ in boxes(client, lease, 1, start, text.index("from 1") + 4)
                }
            )
            == 2
        )

    def test_a_span_of_another_page_has_no_boxes_here(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES, ("Second page.",)))
        assert boxes(client, lease, 2, 0, 20) == []

    def test_pages_that_are_not_there_and_documents_without_any(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease, note = add(node, "lease.pdf", pdf(LINES)), add(node, "a.md", b"Words.")
        assert client.get(f"/api/documents/{lease.id}/pages/9").status_code == 404
        assert client.get(f"/api/documents/{lease.id}/pages/0").status_code in {404, 422}
        assert client.get(f"/api/documents/{lease.id}/pages/1?width=9").status_code == 422
        assert client.get(f"/api/documents/{note.id}/pages").get_json()["items"] == []
        assert client.get(f"/api/documents/{note.id}/pages/1").status_code == 404
        assert (
            client.get(f"/api/documents/{note.id}/pages/1/places?start=0&end=3").status_code == 404
        )

    @pytest.mark.parametrize(
        ("data", "word"),
        [
            (pdf(LINES, password="x"), "password"),
            (b"%PDF-1.4 nothing", "drawn"),
            (pdf(LINES)[:300], "drawn"),
        ],
        ids=["locked", "empty", "cut"],
    )
    def test_what_cannot_be_drawn_is_said_in_a_sentence(
        self, client: FlaskClient, node: Node, data: bytes, word: str
    ) -> None:
        document = add(node, "lease.pdf", data)
        answer = client.get(f"/api/documents/{document.id}/pages/1")
        assert answer.status_code == 422
        assert word in answer.get_json()["detail"]
        assert answer.get_json()["hint"]

    def test_a_picture_is_shown_upright_and_small(self, client: FlaskClient, node: Node) -> None:
        out = io.BytesIO()
        drawn = Image.new("RGB", (600, 300), "white")
        ImageDraw.Draw(drawn).rectangle((0, 0, 60, 60), fill="red")
        exif = Image.Exif()
        exif[0x0112] = 6  # turned by a quarter when it was taken
        drawn.save(out, "JPEG", exif=exif)
        photo = add(node, "photo.jpg", out.getvalue())
        assert client.get(f"/api/documents/{photo.id}/pages").get_json()["items"][0]["width"] == 300
        shown = picture(client, photo, 1, 100)
        assert shown.size == (100, 200)
        corner = shown.convert("RGB").getpixel((95, 5))
        assert isinstance(corner, tuple)
        assert corner[0] > 200 > corner[1]

    def test_one_that_was_put_away_or_is_sealed_shows_no_picture(
        self, client: FlaskClient, node: Node
    ) -> None:
        lease = add(node, "lease.pdf", pdf(LINES))
        picture(client, lease, 1, 200)
        client.delete(f"/api/documents/{lease.id}")
        assert client.get(f"/api/documents/{lease.id}/pages/1?width=200").status_code == 404

    def test_drawing_that_takes_too_long_is_ended(self) -> None:
        slow = Confined("sleep", "30", seconds=0.01)
        with pytest.raises(UnreadableDocumentError):
            slow._answer("a.pdf", DocumentKind.PDF, b"x", 0.1, {"draw": {}})
        slow.close()


class TestOriginals:
    def test_nothing_in_an_original_can_run_here(self, client: FlaskClient, node: Node) -> None:
        page = add(
            node, "page.html", b"<html><body><p>Words.</p><script>alert(1)</script></body></html>"
        )
        answer = client.get(f"/api/documents/{page.id}/original")
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.content_type == "application/octet-stream"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "alert" not in client.get(f"/api/documents/{page.id}/text").get_json()["text"]

    def test_a_recording_is_played_in_parts_and_nothing_else_is(
        self, client: FlaskClient, node: Node
    ) -> None:
        out = io.BytesIO()
        with wave.open(out, "wb") as sound:
            sound.setparams((1, 2, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(16_000))
        talk = add(node, "talk.wav", out.getvalue())
        whole = client.get(f"/api/documents/{talk.id}/sound")
        assert (whole.status_code, whole.content_type) == (200, "audio/wav")
        part = client.get(f"/api/documents/{talk.id}/sound", headers={"Range": "bytes=0-99"})
        assert (part.status_code, len(part.data)) == (206, 100)
        note = add(node, "a.html", b"<p>Words.</p>")
        assert client.get(f"/api/documents/{note.id}/sound").status_code == 404
