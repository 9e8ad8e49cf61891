"""Whole files of every kind, from which the broken ones are made."""

from __future__ import annotations

import io
import json
import wave
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import docx
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from tests.lives import SAMPLE


def _life(pattern: str, most: int = 8) -> list[tuple[str, bytes]]:
    return [
        (path.name, path.read_bytes()[:20_000]) for path in sorted(SAMPLE.rglob(pattern))[:most]
    ]


def _pdf() -> bytes:
    writer = PdfWriter()
    for words in ("The house in Teramachi.", "The tenancy begins."):
        page = writer.add_blank_page(300, 300)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({words}) Tj ET".encode())
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
        page[NameObject("/Contents")] = writer._add_object(stream)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _word() -> bytes:
    document = docx.Document()
    document.add_heading("Lease", 1)
    document.add_paragraph("The house in Teramachi. 寺町の家。")
    table = document.add_table(3, 2)
    for number in range(6):
        table.cell(number // 2, number % 2).text = f"cell {number}"
    out = io.BytesIO()
    document.save(out)
    # Stored, not packed: so that the fuzzer reaches the XML inside.
    again = io.BytesIO()
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(again, "w", zipfile.ZIP_STORED) as target:
        for info in source.infolist():
            target.writestr(info.filename, source.read(info))
    return again.getvalue()


def _archive(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("a/note.md", "# Rain\n\nIt rained.")
        archive.writestr("日記.txt", "雨だった。" * 50)
        archive.writestr("empty.txt", "")
    return out.getvalue()


def _picture(form: str) -> bytes:
    out = io.BytesIO()
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = "2024:04:06 10:12:00"
    Image.new("RGB", (20, 10)).save(
        out, form, **({"exif": exif} if form in {"JPEG", "PNG", "WEBP", "TIFF"} else {})
    )
    return out.getvalue()


def _sound() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes(200))
    return out.getvalue()


def _mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "黒瀬 舞 <mai@example.org>", "Nagi <nagi@example.org>"
    message["Date"], message["Subject"] = "Tue, 18 Nov 2025 01:42:00 +0900", "雨 and rain"
    message.set_content("It closes at five.\n\n> Does it rain?\n")
    message.add_alternative("<p>It <b>closes</b></p>", subtype="html")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="sky.pdf")
    return message.as_bytes()


_PAGE = (
    "<!doctype html><html><head><meta"
    " charset=utf-8><title>T</title></head><body><h1>Course</h1><p>Six <b>days</b><br>in"
    " July<ul><li>A<li>B</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x\n"
    " y</pre></body></html>"
)
_LOGS = (
    (
        "[LINE] Chat history with Mai\nSaved on: 11/19/2025, 07:55\n\nSun, 04/07/2024\n08:12"
        ' AM\tNagi\t"thank\nyou"\n08:13 PM\tMai\tany time\n'
    ),
    (
        "14/07/2025, 07:50 - Nagi: Kettle is on.\nAprons.\n14/07/2025, 19:20 - Ren T.:"
        " glue\n15/07/2025, 09:00 - Nagi: Sweep.\n"
    ),
    (
        "\u200e[7/14/25, 7:50:12\u202fAM] Nagi: Kettle.\n[7/14/25, 7:20:00\u202fPM] Ren:"
        " glue\n[7/15/25, 9:00:00\u202fAM] Nagi: Sweep.\n"
    ),
)
_TURNS = "\n".join(
    json.dumps(
        {
            "id": f"t{n}",
            "text": f"Words {n}",
            "speaker": "Mai",
            "timestamp": "2024-04-07T20:30:00",
            "session": "S",
        }
    )
    for n in range(4)
)

ENTRIES: dict[str, Callable[[], list[tuple[str, bytes]]]] = {
    "text": lambda: _life("*.txt"),
    "chat": lambda: [("log.txt", log.encode()) for log in _LOGS] + _life("line-*.txt"),
    "markdown": lambda: [
        *_life("*.md"),
        (
            "a.md",
            (
                b"---\ntitle: Ear\ndate: 2023-11-19\ntags: [a, b]\nprivate: true\n---\n#"
                b" Heading\n\nWords.\n"
            ),
        ),
    ],
    "transcript": lambda: [("a.jsonl", _TURNS.encode()), *_life("*.jsonl")],
    "json": lambda: [
        (
            "a.json",
            (
                b'[{"name": "Mai", "at": {"since": 2009}, "tags": ["rain", null, true, 1e9]}, {"x":'
                b' [[1], {"y": "2024-04-06"}]}]'
            ),
        ),
        *_life("*.json"),
    ],
    "csv": lambda: [
        ("a.csv", b'date;km;note\n2023-05-21;9,8;"a\nb"\n04/13/2024;8,0;hot\n'),
        *_life("*.csv"),
    ],
    "mail": lambda: [
        ("a.eml", _mail()),
        (
            "a.mbox",
            b"From x@y Thu Jan  1 00:00:00 2024\n" + _mail() + b"\n\nFrom x@y Thu\n" + _mail(),
        ),
        *_life("*.eml", 3),
    ],
    "html": lambda: [("a.html", _PAGE.encode()), *_life("*.html")],
    "pdf": lambda: [("a.pdf", _pdf())],
    "docx": lambda: [("a.docx", _word())],
    "archive": lambda: [
        ("a.zip", _archive(zipfile.ZIP_STORED)),
        ("b.zip", _archive(zipfile.ZIP_DEFLATED)),
    ],
    "image": lambda: [
        (f"a.{form.lower()}", _picture(form)) for form in ("JPEG", "PNG", "GIF", "WEBP", "TIFF")
    ],
    "audio": lambda: [
        ("a.wav", _sound()),
        (
            "a.mp3",
            b"ID3\x03\x00\x00\x00\x00\x00\x20TIT2\x00\x00\x00\x06\x00\x00\x00words"
            + b"\xff\xfb\x90\x00" * 40,
        ),
        ("a.ogg", b"OggS\x00\x02" + bytes(60)),
        ("a.flac", b"fLaC\x00\x00\x00\x22" + bytes(60)),
        ("a.m4a", b"\x00\x00\x00\x20ftypM4A " + bytes(60)),
    ],
}
