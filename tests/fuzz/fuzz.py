"""A fuzzer for every entry through which a file comes in: ``python -m tests.fuzz.fuzz --seconds 60
[ENTRY...]``.

What must hold for any bytes: a text or a sentence for the person, within a limit of time, and
segments that lie in the text in order, still so when the text was masked and cut. What breaks this
is kept under ``tests/fuzz/corpus`` and is read again by every ``make test``.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import io
import random
import signal
import sys
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lpm_kernel.backends.parse.archive import members
from lpm_kernel.backends.parse.reading import parse
from lpm_kernel.backends.parse.sniff import ENDINGS, kind_of
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.canonical import details_of, with_details
from lpm_kernel.domain.library.documents import DocumentKind, ParsedText
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.masking import sanitise
from tests.fuzz.seeds import ENTRIES

CORPUS = Path(__file__).with_name("corpus")
LIMIT = 10
"""Seconds for one file; the seeds are small."""
_TOKENS = (
    b"\0",
    b"\n",
    b"\r\n",
    b'"',
    b"'",
    b"<",
    b">",
    b"&#0;",
    b"--",
    b"]]>",
    b"<!--",
    b"%",
    b"=?utf-8?b?",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    "\u2028".encode(),
    "凪".encode(),
    b"99999999999999999999",
    b"-1",
    b"0",
    b"null",
    b"{",
    b"[",
    b"}",
    b"]",
    b"From ",
    b"\nFrom x 2024\nA: b\n",
    b"\t",
    b":",
    b": ",
    b"0001-01-01",
    b"9999-12-31T23:59:59-14:00",
    b"31/02/2024",
    b"24:61",
    b"PK\x03\x04",
    b"\x0c",
    b"<table><tr><th>",
    b"<div>" * 300,
    b"[" * 300,
    b"Content-Type: multipart/mixed; boundary=x\n",
)


def mutated(dice: random.Random, seeds: list[tuple[str, bytes]]) -> tuple[str, bytes]:
    """Return a file that somebody broke: a few cuts, flips, repetitions and strange tokens."""
    name, whole = dice.choice(seeds)
    if name.endswith(".docx") and dice.random() < 0.8:
        return name, _repacked(dice, whole)
    return name, _broken(dice, whole, seeds)


def _repacked(dice: random.Random, whole: bytes) -> bytes:
    """Break a file inside a package and pack it again, so that it comes as far as the parser of
    what is inside.
    """
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(whole)) as source,
        zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target,
    ):
        names = source.namelist()
        wanted = dice.choice([name for name in names if "document.xml" in name] * 4 + names)
        for name in names:
            data = source.read(name)
            target.writestr(name, _broken(dice, data, [(name, data)]) if name == wanted else data)
    return out.getvalue()


def _broken(dice: random.Random, whole: bytes, seeds: list[tuple[str, bytes]]) -> bytes:
    data = bytearray(whole)
    for _ in range(dice.choice((1, 1, 2, 3, 8, 20))):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(7):
            case 0:
                data[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                data[at:at] = dice.choice(_TOKENS)
            case 2:
                del data[at : at + dice.choice((1, 4, 40, 400))]
            case 3:
                data[at:at] = data[at : at + dice.choice((4, 40, 400))] * dice.choice((1, 2, 30))
            case 4:
                other = dice.choice(seeds)[1]
                start = dice.randrange(len(other) + 1)
                data[at : at + 50] = other[start : start + dice.choice((10, 100, 1000))]
            case 5:
                if dice.random() < 0.2:
                    del data[at:]
            case _:
                data[at : at + 4] = dice.choice(
                    (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\x01\0\0\0")
                )
    return bytes(data[:60_000])


def check(name: str, data: bytes) -> str:
    """Read a file as the node would; return what came of it. Raises ``AssertionError`` where
    something does not hold.
    """
    try:
        kind = kind_of(name, data[:16_384])
        if kind is DocumentKind.ARCHIVE:
            found = list(members(name, data))
            assert all(
                member.problem or len(member.data) <= 200 * max(len(data), 1_000_000)
                for member in found
            )
            return "files"
        parsed = parse(name, kind, data)
    except InvalidInputError:
        return "a sentence"
    masked = sanitise(parsed)
    for each in (parsed, masked):
        _in_order(each)
        each.text.encode()
    assert with_details(masked.text, details_of(masked)) == masked
    made = chunks(DocumentId("d"), "text", masked, None)
    assert all(masked.text[chunk.start : chunk.end] == chunk.text for chunk in made)
    assert made or parsed.kept_only or not masked.text.strip() or kind is DocumentKind.MARKDOWN
    return "a text"


def _in_order(parsed: ParsedText) -> None:
    position = 0
    for segment in parsed.segments:
        assert position <= segment.start <= segment.end <= len(parsed.text)
        position = segment.end


def fuzz(
    entry: str, seconds: float, seed: int, most: int = sys.maxsize
) -> tuple[Counter[str], list[str]]:
    """Feed one entry until the time is over. Returns what came of the files, and the names of those
    kept because they broke something.
    """
    dice = random.Random(f"{entry} {seed}")
    seeds = ENTRIES[entry]()
    until = time.monotonic() + seconds
    came = Counter[str]()
    kept: list[str] = []
    while time.monotonic() < until and came.total() < most and len(kept) < 5:
        name, data = mutated(dice, seeds)
        outcome, broke = _fed(name, data)
        came[outcome] += 1
        if broke:
            kept.append(f"{_keep(entry, name, data)}: {broke}")
    return came, kept


def _fed(name: str, data: bytes) -> tuple[str, str]:
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(LIMIT)
    try:
        return check(name, data), ""
    except Exception as error:  # noqa: BLE001  finding these is what it is for
        last = traceback.extract_tb(error.__traceback__)[-1]
        return (
            "a fault",
            (
                f"{type(error).__name__} at {last.filename.rpartition('/')[2]}:{last.lineno}:"
                f" {str(error)[:100]}"
            ),
        )
    finally:
        signal.alarm(0)


def _late(*_: object) -> None:
    message = f"took longer than {LIMIT} s"
    raise TimeoutError(message)


def _keep(entry: str, name: str, data: bytes) -> str:
    folder = CORPUS / entry
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:12]}{Path(name).suffix}"
    path.write_bytes(data)
    return path.name


def corpus() -> Iterator[Path]:
    """Yield what once broke a parser."""
    yield from sorted(
        path
        for path in CORPUS.rglob("*")
        if path.is_file() and path.suffix in ENDINGS | {".txt": None}
    )


def main() -> None:
    """Fuzz the named entries, or all, and say what was found."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seconds", type=float, default=60.0)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument(
        "entries", nargs="*", default=[], metavar="ENTRY", help=", ".join(ENTRIES)
    )
    given = arguments.parse_args()
    if unknown := [entry for entry in given.entries if entry not in ENTRIES]:
        arguments.error(f"There is no entry {', '.join(unknown)}; there are {', '.join(ENTRIES)}.")
    faulthandler.enable()
    worst = 0
    for entry in given.entries or ENTRIES:
        came, kept = fuzz(entry, given.seconds, given.seed)
        print(
            f"{entry:12} {came.total():8,} files:"
            f" {', '.join(f'{count:,} gave {outcome}' for outcome, count in came.most_common())}",
            *kept,
            sep="\n    ",
            flush=True,
        )
        worst = max(worst, len(kept))
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
