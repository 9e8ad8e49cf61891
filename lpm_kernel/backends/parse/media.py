"""Pictures and recordings: the original is kept and what it says of itself is read; words only where a plug-in reads them."""

from __future__ import annotations

import io
import os
import subprocess
import warnings
from datetime import datetime

from PIL import ExifTags, Image

from lpm_kernel.backends.parse.canvas import Canvas, one_line
from lpm_kernel.backends.parse.plugins import tesseract
from lpm_kernel.domain.documents import ParsedText

OCR_SECONDS = 90
MOST_PIXELS = 100_000_000
"""Pixels of a picture that is given to text recognition."""
LANGUAGES = ("eng", "jpn")
INSTALL_OCR = "Install tesseract (on Debian: tesseract-ocr and tesseract-ocr-jpn; with Homebrew: tesseract and tesseract-lang), then run `lpm reindex`."
_TAKEN, _DIGITIZED = 0x9003, 0x9004


def read_image(name: str, data: bytes) -> ParsedText:
    """Keep a picture with its size and date; read the words in it with tesseract where that is installed."""
    del name
    about, taken_at, small = _picture(data)
    if tesseract() is None:
        return Canvas().parsed(created_at=taken_at, remarks=(f"{about} The picture is kept; the words in it were not read. {INSTALL_OCR}",), kept_only=True)
    words = _recognised(data) if small else None
    if words is None:
        return Canvas().parsed(created_at=taken_at, remarks=(f"{about} The picture is kept; tesseract could not read words in it.",), kept_only=True)
    canvas = Canvas()
    for paragraph in words.split("\n\n"):
        canvas.paragraph("\n".join(one_line(line) for line in paragraph.split("\n")))
    if not len(canvas):
        return canvas.parsed(created_at=taken_at, remarks=(f"{about} The picture is kept; there are no words in it.",), kept_only=True)
    return canvas.parsed(created_at=taken_at, remarks=(f"{about} Its words were read by tesseract and may hold mistakes.",))


def read_audio(name: str, data: bytes) -> ParsedText:
    """Keep a recording with its length, title and date."""
    from tinytag import TinyTag

    try:
        tag = TinyTag.get(filename=name, file_obj=io.BytesIO(data))
    except Exception:  # noqa: BLE001  tinytag lets any error out of a broken recording; the original is kept all the same
        tag = TinyTag()
    seconds = tag.duration if isinstance(tag.duration, int | float) and 0 < tag.duration < 1e7 else None  # noqa: PLR2004  four months
    length = f", {int(seconds) // 60}:{int(seconds) % 60:02d} long" if seconds else ""
    made_by = f", by {one_line(tag.artist)[:100]}" if tag.artist else ""
    remark = f"Recording{length}{made_by}. It is kept; what is said in it is not read. Write it down with a program such as whisper.cpp, and add that text."
    return Canvas().parsed(title=one_line(tag.title)[:300] if tag.title else None, remarks=(remark,), kept_only=True)


def _picture(data: bytes) -> tuple[str, datetime | None, bool]:
    """Return a sentence about a picture, when it was taken, and whether it is small enough to be recognised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its size is looked at here
            with Image.open(io.BytesIO(data)) as picture:
                width, height = picture.size
                exif = picture.getexif()
                inner = exif.get_ifd(ExifTags.IFD.Exif)
    except Exception:  # noqa: BLE001  Pillow lets any error out of a broken picture; the original is kept all the same
        return "A picture of a kind whose size is not read here.", None, False
    taken_at = next((moment for tag in (_TAKEN, _DIGITIZED) if (moment := _moment(inner.get(tag)))), None)
    when = f", taken on {taken_at:%Y-%m-%d at %H:%M}" if taken_at else ""
    return f"Picture, {width} × {height}{when}.", taken_at, width * height <= MOST_PIXELS


def _moment(value: object) -> datetime | None:
    try:
        return datetime.strptime(str(value)[:19], "%Y:%m:%d %H:%M:%S").astimezone() if value else None
    except (ValueError, OverflowError):
        return None


def _recognised(data: bytes) -> str | None:
    program = tesseract()
    if program is None:
        return None
    try:
        known = subprocess.run([program, "--list-langs"], capture_output=True, check=False, timeout=10).stdout.decode("utf-8", "replace").split()  # noqa: S603  tesseract itself
        chosen = [language for language in LANGUAGES if language in known]
        languages = ["-l", "+".join(chosen)] if chosen else []
        done = subprocess.run(  # noqa: S603  as above
            [program, "stdin", "stdout", *languages],
            input=data,
            capture_output=True,
            check=False,
            timeout=OCR_SECONDS,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").replace("\f", "\n") if done.returncode == 0 else None
