"""What a hostile, damaged or odd archive runs into."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.parse import archive
from lpm_kernel.backends.parse.archive import members
from lpm_kernel.errors import UnreadableDocumentError


def packed(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def problems(data: bytes) -> dict[str, str | None]:
    return {member.name: member.problem for member in members("a.zip", data)}


def test_folders_and_what_the_system_left_are_no_files() -> None:
    data = packed(
        ("notes/", b""),
        ("notes/a.md", b"words"),
        ("__MACOSX/notes/._a.md", b"x"),
        (".DS_Store", b"x"),
        ("notes/.git/config", b"x"),
    )
    assert problems(data) == {"notes/a.md": None}


def test_a_bomb_is_not_unpacked() -> None:
    assert problems(packed(("zeros.txt", bytes(archive.HARMLESS + 1)), ("a.md", b"words"))) == {
        "zeros.txt": "far larger once unpacked than its archive lets on",
        "a.md": None,
    }


def test_no_more_than_the_limit_comes_out_of_a_file_that_lies_about_its_size() -> None:
    data = bytearray(packed(("a.txt", b"words " * 100_000)))
    for signature, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(signature) + at, 10)
    (member,) = members("a.zip", bytes(data))
    assert len(member.data) <= 10


def test_a_locked_file_says_so() -> None:
    data = bytearray(packed(("a.txt", b"words")))
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", data, data.index(signature) + at, 1)
    assert problems(bytes(data)) == {"a.txt": "locked with a password"}


def test_a_damaged_file_does_not_lose_the_others() -> None:
    data = bytearray(
        packed(("a.txt", b"first words"), ("b.txt", b"second words"), method=zipfile.ZIP_STORED)
    )
    data[data.index(b"first")] ^= 0xFF
    assert problems(bytes(data)) == {"a.txt": "damaged", "b.txt": None}


def test_packing_that_may_ask_for_gigabytes_is_not_unpacked() -> None:
    assert problems(packed(("a.txt", b"words"), method=zipfile.ZIP_LZMA)) == {
        "a.txt": "packed in a way that is not read"
    }


def test_a_japanese_name_of_an_old_archive_is_read_as_it_was_meant() -> None:
    data = packed(("qqqqqq.txt", b"words")).replace(b"qqqqqq", "日記帳".encode("cp932"))
    assert list(problems(data)) == ["日記帳.txt"]


def test_more_files_than_the_limit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 2)
    monkeypatch.setattr(archive, "MOST_TOTAL", 8)
    data = packed(("a", b"12345"), ("b", b"6789"), ("c", b"0"))
    assert problems(data) == {
        "a": None,
        "b": "beyond the first 0 MB",
        "c": "beyond the first 2 files",
    }


@given(cut=st.integers(0, 400), flipped=st.integers(0, 400), value=st.integers(1, 255))
def test_a_broken_archive_gives_files_or_a_sentence_and_nothing_else(
    cut: int, flipped: int, value: int
) -> None:
    whole = bytearray(packed(("a.md", b"words of rain"), ("b/c.txt", b"more words")))
    whole[flipped % len(whole)] ^= value
    try:
        found = list(members("a.zip", bytes(whole[: len(whole) - cut % 60])))
    except UnreadableDocumentError as error:
        assert "damaged or cut short" in error.detail  # noqa: PT017  either end is right
    else:
        assert all(member.problem or isinstance(member.data, bytes) for member in found)
