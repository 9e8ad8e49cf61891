"""Pictures and recordings: the original is kept and what it says of itself is read; words only
where a plug-in reads them.
"""

from __future__ import annotations

import io
import os
import struct
import subprocess
import warnings
from dataclasses import dataclass
from datetime import datetime

from PIL import ExifTags, Image

from lpm_kernel.backends.parse.canvas import Canvas, one_line
from lpm_kernel.backends.parse.plugins import tesseract
from lpm_kernel.domain.library.documents import ParsedText

OCR_SECONDS = 90
MOST_PIXELS = 100_000_000
"""Pixels of a picture that is given to text recognition."""
LANGUAGES = ("eng", "jpn")
TAGS_DAMAGED = "What it says of itself (length, title, date) is damaged and was not read."
BROKEN = (
    OSError,
    ValueError,
    TypeError,
    SyntaxError,
    LookupError,
    ArithmeticError,
    EOFError,
    struct.error,
    NotImplementedError,
    Image.DecompressionBombError,
)
"""What Pillow raises over a picture that is not as it should be: its readers of each format let
their own errors through.
"""
INSTALL_OCR = (
    "Install tesseract (on Debian: tesseract-ocr and tesseract-ocr-jpn; with Homebrew: tesseract"
    " and tesseract-lang), then run `lpm reindex`."
)
_TAKEN, _DIGITIZED = 0x9003, 0x9004


def read_image(name: str, data: bytes) -> ParsedText:
    """Keep a picture with its size and date; read the words in it with tesseract where that is
    installed.
    """
    del name
    seen = _looked_at(data)
    canvas = Canvas()
    if tesseract() is None:
        remarks = (
            f"{seen.about} The picture is kept; the words in it were not read. {INSTALL_OCR}",
            *seen.remarks,
        )
        return canvas.parsed(created_at=seen.taken_at, remarks=remarks, kept_only=True)
    words = _recognised(data) if seen.small else None
    if words is None:
        return canvas.parsed(
            created_at=seen.taken_at,
            remarks=(
                f"{seen.about} The picture is kept; tesseract could not read words in it.",
                *seen.remarks,
            ),
            kept_only=True,
        )
    for paragraph in words.split("\n\n"):
        canvas.paragraph("\n".join(one_line(line) for line in paragraph.split("\n")))
    if not len(canvas):
        return canvas.parsed(
            created_at=seen.taken_at,
            remarks=(f"{seen.about} The picture is kept; there are no words in it.", *seen.remarks),
            kept_only=True,
        )
    return canvas.parsed(
        created_at=seen.taken_at,
        remarks=(
            f"{seen.about} Its words were read by tesseract and may hold mistakes.",
            *seen.remarks,
        ),
    )


def read_audio(name: str, data: bytes) -> ParsedText:
    """Keep a recording with its length, title and date."""
    from tinytag import TinyTag, TinyTagException

    further: tuple[str, ...] = ()
    try:
        tag = TinyTag.get(filename=name, file_obj=io.BytesIO(data))
    # whatever is wrong in a recording comes out as this; the original is kept all the same
    except TinyTagException:
        tag, further = TinyTag(), (TAGS_DAMAGED,)
    seconds = (
        tag.duration if isinstance(tag.duration, int | float) and 0 < tag.duration < 1e7 else None  # noqa: PLR2004  four months
    )
    length = f", {int(seconds) // 60}:{int(seconds) % 60:02d} long" if seconds else ""
    made_by = f", by {one_line(tag.artist)[:100]}" if tag.artist else ""
    remark = (
        f"Recording{length}{made_by}. It is kept; what is said in it is not read. Write it down"
        " with a program such as whisper.cpp, and add that text."
    )
    return Canvas().parsed(
        title=one_line(tag.title)[:300] if tag.title else None,
        remarks=(remark, *further),
        kept_only=True,
    )


@dataclass(frozen=True)
class _Picture:
    about: str
    """A sentence."""
    taken_at: datetime | None = None
    small: bool = False
    """Small enough for its words to be recognised."""
    remarks: tuple[str, ...] = ()
    """What else is to be said of it."""


def _looked_at(data: bytes) -> _Picture:
    with warnings.catch_warnings(record=True) as complaints:
        # whatever the process does with warnings: its size is looked at here, and its tags below
        warnings.simplefilter("always")
        try:
            picture = Image.open(io.BytesIO(data))
        except BROKEN:
            return _Picture("A picture of a kind whose size is not read here.")
        with picture:
            width, height = picture.size
            try:
                inner = dict(picture.getexif().get_ifd(ExifTags.IFD.Exif))
            except BROKEN:
                return _Picture(
                    f"Picture, {width} × {height}.",
                    None,
                    width * height <= MOST_PIXELS,
                    (TAGS_DAMAGED,),
                )
    taken_at = next(
        (moment for tag in (_TAKEN, _DIGITIZED) if (moment := _moment(inner.get(tag)))), None
    )
    when = f", taken on {taken_at:%Y-%m-%d at %H:%M}" if taken_at else ""
    # how Pillow says that it passed over a tag
    damaged = any(issubclass(complaint.category, UserWarning) for complaint in complaints)
    return _Picture(
        f"Picture, {width} × {height}{when}.",
        taken_at,
        width * height <= MOST_PIXELS,
        (TAGS_DAMAGED,) if damaged else (),
    )


def _moment(value: object) -> datetime | None:
    try:
        return (
            datetime.strptime(str(value)[:19], "%Y:%m:%d %H:%M:%S").astimezone() if value else None
        )
    except (ValueError, OverflowError):
        return None


def _recognised(data: bytes) -> str | None:
    program = tesseract()
    if program is None:
        return None
    try:
        known = (
            subprocess.run([program, "--list-langs"], capture_output=True, check=False, timeout=10)  # noqa: S603  tesseract itself
            .stdout.decode("utf-8", "replace")
            .split()
        )
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
    return (
        done.stdout.decode("utf-8", "replace").replace("\f", "\n") if done.returncode == 0 else None
    )
