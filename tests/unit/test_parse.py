"""Every kind of file that the node reads, and everything that can be wrong with one."""

from __future__ import annotations

import io
import json
import time
from datetime import date

import pytest
from pypdf import PdfWriter

from lpm_kernel.backends.parse.reading import FileReader, parse
from lpm_kernel.domain.library.documents import DocumentKind, ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError, UnsupportedFileError

READER = FileReader()


def read(name: str, data: bytes) -> ParsedText:
    return READER.read(name, READER.kind(name, data[:2048]), data)


def pdf(*pages: str) -> bytes:
    """Write a PDF with real text by hand: a font, a content stream a page, and the table of where
    things stand.
    """
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R"
            f" >> >> /Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer << /Size"
        f" {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    )
    return out.encode()


def test_text_in_utf8_utf16_and_shift_jis_reads_alike() -> None:
    text = "凪は金沢でヴァイオリンを直している。雨の日は膠を煮ない。工房は寺町にある。" * 4
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp932"):
        assert read("note.txt", text.encode(encoding)).text == text


def test_front_matter_gives_title_date_tags_and_privacy_and_is_not_indexed() -> None:
    parsed = read(
        "a.md",
        b"---\ntitle: Ear\ndate: 2023-11-19\ntags: [sealed, health]\nprivate: true\n---\n#"
        b" Heading\n\nWords.\n",
    )
    assert (parsed.title, parsed.tags, parsed.private) == ("Ear", ("sealed", "health"), True)
    assert parsed.created_at is not None
    assert parsed.created_at.date() == date(2023, 11, 19)
    assert parsed.text[parsed.segments[0].start :].startswith("# Heading")


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: [\n---\nWords",
        "---\ndate: 2023-13-40\n---\nWords",
        "---\njust words\n---\nWords",
        "---\na: &a x\ntitle: [*a]\n---\nWords",
        "---\n" + "[" * 4000 + "\n---\nWords",
        "--- not\nWords",
    ],
)
def test_broken_front_matter_is_text(front: str) -> None:
    assert read("a.md", front.encode()).segments[0].start == 0


@pytest.mark.parametrize("date_line", ["0001-01-01", "9999-12-31T23:59:59-05:00", "soon"])
def test_a_date_outside_the_calendar_is_no_date(date_line: str) -> None:
    assert read("a.md", f"---\ntitle: T\ndate: {date_line}\n---\nWords".encode()).title == "T"


def test_a_heading_of_spaces_takes_no_time() -> None:
    assert read("a.md", b"# a" + b" " * 200_000 + b"b").title is not None


def test_one_stray_byte_does_not_lose_a_japanese_page() -> None:
    text = "凪は金沢でヴァイオリンを直している。" * 20
    assert read("a.txt", text.encode() + b"\xff").text == text + "\ufffd"


def test_short_western_text_in_one_byte_a_letter() -> None:
    assert read("a.txt", "déjà vu, naïve".encode("cp1252")).text == "déjà vu, naïve"


def test_a_line_separator_inside_a_turn_is_part_of_it() -> None:
    parsed = read("talk.jsonl", '{"text": "The boat\u2028was called Marigold"}'.encode())
    assert len(parsed.segments) == 1


def test_markdown_takes_its_first_heading_as_title() -> None:
    assert read("a.md", b"Words before.\n\n# Third coat\n\nWords.").title == "Third coat"


def test_pdf_pages_are_segments() -> None:
    parsed = read(
        "lease.pdf", pdf("The house in Teramachi.", "The tenancy begins on 6 April 2024.")
    )
    pages = {
        segment.page: parsed.text[segment.start : segment.end].strip()
        for segment in parsed.segments
    }
    assert pages == {1: "The house in Teramachi.", 2: "The tenancy begins on 6 April 2024."}


def test_a_pdf_without_text_says_so() -> None:
    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(200, 200)
    writer.write(out)
    with pytest.raises(EmptyDocumentError, match="contains no text"):
        read("scan.pdf", out.getvalue())


def test_a_locked_pdf_says_so() -> None:
    writer, out = PdfWriter(), io.BytesIO()
    writer.add_blank_page(200, 200)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(out)
    with pytest.raises(UnreadableDocumentError, match="needs its password"):
        read("scan.pdf", out.getvalue())


@pytest.mark.parametrize("data", [b"%PDF-1.4 cut short", b"%PDF-1.7\n%%EOF", pdf("Words")[:180]])
def test_a_broken_pdf_says_so(data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError, match="damaged or cut short"):
        read("a.pdf", data)


def test_a_pdf_under_another_name_is_read_as_pdf() -> None:
    assert READER.kind("notes.txt", pdf("Words")[:200]) is DocumentKind.PDF


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_nothing_in_it(data: bytes) -> None:
    with pytest.raises(EmptyDocumentError):
        read("a.txt", data)


def test_bytes_that_are_no_text_say_so() -> None:
    with pytest.raises(UnreadableDocumentError):
        read("a.txt", bytes(range(256)) * 40)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.xlsx", b"PK\x03\x04"),
        ("a.bin", b"words"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1"),
        ("a.txt", b"7z\xbc\xaf\x27"),
    ],
)
def test_other_kinds_are_refused_with_what_is_read(name: str, head: bytes) -> None:
    with pytest.raises(UnsupportedFileError, match="does not read yet"):
        READER.kind(name, head)


def test_a_transcript_gives_one_whole_segment_a_turn() -> None:
    turns = [
        {
            "id": "t1",
            "text": "Hello.\nAgain.",
            "speaker": "Mai",
            "timestamp": "2024-04-07T20:30:00",
            "session": "S1",
        },
        {
            "id": "t2",
            "text": "久しぶり!",
            "speaker": "凪",
            "timestamp": "2024-04-07T20:31:00",
            "session": "S1",
        },
        {
            "id": "t3",
            "text": "Later.",
            "speaker": "Mai",
            "timestamp": "2024-05-01T08:00:00",
            "session": "S2",
        },
    ]
    parsed = read("talk.jsonl", "\n".join(json.dumps(turn) for turn in turns).encode())
    assert [
        (s.turn, s.speaker, s.session, parsed.text[s.start : s.end]) for s in parsed.segments
    ] == [
        ("t1", "Mai", "S1", "Hello.\nAgain."),
        ("t2", "凪", "S1", "久しぶり!"),
        ("t3", "Mai", "S2", "Later."),
    ]
    assert all(segment.whole for segment in parsed.segments)


def test_a_bad_line_of_a_transcript_is_named_and_the_rest_is_read() -> None:
    parsed = read(
        "talk.jsonl", b'{"text": "One."}\nnot json\n{"speaker": "Mai"}\n{"text": "Two."}\n'
    )
    assert [parsed.text[s.start : s.end] for s in parsed.segments] == ["One.", "Two."]
    assert parsed.remarks == ("Left out 2 lines that are no turns (line 2, 3).",)


@pytest.mark.parametrize("data", [b"1\n2", b"words\nwords", b"[" * 100_000])
def test_a_jsonl_that_holds_no_objects_says_what_is_wanted(data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError) as raised:
        read("x.jsonl", data)
    assert '"text"' in raised.value.hint


def test_a_page_of_nothing_but_attributes_is_read_in_seconds() -> None:
    attributes = " ".join(f"a{number}=b" for number in range(310_000))
    began = time.process_time()
    page = (
        f"<html><body><p {attributes}>Rain.</p><p class='a' title='b > c'>Snow.</p></body></html>"
    )
    assert len(page) > 2_900_000
    assert parse("a.html", DocumentKind.HTML, page.encode()).text.split() == ["Rain.", "Snow."]
    assert time.process_time() - began < 5.0
