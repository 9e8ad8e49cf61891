"""Fetching a model file: piece by piece into a `.part` file, so that what broke off is taken up
where it stood.

What the server said of the file (its ETag and its length) stands beside the part; when either has
changed, the file is another one and is fetched from its beginning. The name is given only to a file
that is whole and checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO, NoReturn
from urllib.parse import urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.models.downloads import DownloadSource, check_address
from lpm_kernel.errors import UnavailableError, UnusableDownloadError

PIECE = 1_000_000
LARGEST = 200_000_000_000
"""Bytes above which no file is taken."""
SPARE = 500_000_000
"""Bytes that stay free on the disk."""
TRIES = 5
"""Attempts in a row that bring nothing, after which it is given up; what was fetched stays for a
later try.
"""
HOPS = 5
MAGIC = b"GGUF"
SHA256 = re.compile(r"[0-9a-f]{64}")
NO_PROXY_HERE: dict[str, None] = {
    "all://127.0.0.1": None,
    "all://localhost": None,
    "all://[::1]": None,
}


@dataclass(frozen=True)
class Fetched:
    """What came of it."""

    path: Path
    bytes: int
    checked: str
    """By what it was checked, in words."""


@dataclass
class _Seen:
    """What the server said of the file at the first request."""

    url: str
    etag: str = ""
    size: int = 0
    """0: it did not say."""
    stated: str = ""
    """The SHA-256 that the server states, where it does."""


class _BrokenOffError(Exception):
    """The connection ended before the file did."""


def fetch(
    source: DownloadSource,
    folder: Path,
    progress: Progress,
    wait: Callable[[float], None],
    largest: int = LARGEST,
) -> Fetched:
    """Fetch a file whole, going on where an earlier try stood, and check it. ``wait`` passes the
    time between two tries.

    Raises ``UnusableDownloadError`` for what cannot become right by trying again, and
    ``UnavailableError`` when the server could not be reached or broke off too often; the part is
    kept then.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = folder / source.name
    if target.exists():
        return Fetched(target, target.stat().st_size, "it was there already")
    part, beside = folder / f"{source.name}.part", folder / f"{source.name}.part.json"
    kept = _kept(beside, source.url)
    if kept is None:
        part.unlink(missing_ok=True)
    most, fruitless = 0, 0

    def give_up(_: RetryCallState) -> bool:
        nonlocal most, fruitless
        size = part.stat().st_size if part.exists() else 0
        fruitless = 0 if size > most else fruitless + 1
        most = max(most, size)
        return fruitless >= TRIES

    patiently = Retrying(
        retry=retry_if_exception_type((_BrokenOffError, httpx.TransportError)),
        stop=give_up,
        wait=wait_exponential(multiplier=0.5, max=20),
        sleep=wait,
        reraise=True,
    )
    try:
        seen = patiently(_once, source, part, beside, progress, largest)
    except (_BrokenOffError, httpx.TransportError) as error:
        raise UnavailableError(
            f"{urlsplit(source.url).hostname} could not be reached, or broke off again and again."
            " What came so far is kept.",
            "Try again later: it continues from there.",
        ) from error
    checked = _check(source, seen, part, beside, progress)
    with part.open("rb") as handle:
        os.fsync(handle.fileno())
    size = part.stat().st_size
    part.chmod(0o600)
    part.replace(target)
    beside.unlink(missing_ok=True)
    return Fetched(target, size, checked)


def part_bytes(folder: Path, name: str) -> int:
    """Return how much of a file lies there from an earlier try."""
    part = folder / f"{name}.part"
    return part.stat().st_size if part.exists() else 0


def _kept(beside: Path, url: str) -> _Seen | None:
    try:
        seen = _Seen(**json.loads(beside.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return seen if seen.url == url else None


def _once(
    source: DownloadSource, part: Path, beside: Path, progress: Progress, largest: int
) -> _Seen:
    """Ask for what is missing and take in what comes. Raises :class:`_BrokenOffError` when that was
    not all of it.
    """
    before = _kept(beside, source.url)
    have = part.stat().st_size if part.exists() and before is not None and before.etag else 0
    if before is not None and have and have == before.size:
        return before
    headers = {"Accept-Encoding": "identity"}
    if have and before is not None:
        headers |= {"Range": f"bytes={have}-", "If-Range": before.etag}
    with (
        httpx.Client(timeout=httpx.Timeout(30.0, connect=10.0), mounts=NO_PROXY_HERE) as client,
        _Asked(client, source.url, headers) as (response, stated),
    ):
        match response.status_code:
            case HTTPStatus.PARTIAL_CONTENT:
                first, size = _range(response)
                same = (
                    before is not None
                    and first == have
                    and size == before.size
                    and response.headers.get("ETag", before.etag) == before.etag
                )
                if not same:  # another file by now: from the beginning, at the next try
                    _forget(part, beside)
                    raise _BrokenOffError
            case HTTPStatus.OK:
                have, size = 0, _length(response)
            case HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                _forget(part, beside)
                raise _BrokenOffError
            case status:
                _refuse(status)
        _room(part.parent, size - have, size, largest)
        etag = response.headers.get("ETag", "")
        seen = _Seen(source.url, "" if etag.startswith("W/") else etag, size, stated)
        if have and before is not None:
            seen.stated = stated or before.stated
        beside.write_text(json.dumps(asdict(seen)), "utf-8")
        with part.open("ab" if have else "wb") as handle:
            _take_in(response, handle, have, size, largest, progress)
    if size and part.stat().st_size != size:
        raise _BrokenOffError
    return seen


def _refuse(status: int) -> NoReturn:
    """Raise what an answer without a file means: something to try again, or not."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS:
        raise _BrokenOffError
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise UnusableDownloadError(
            "The server does not offer this file to everybody.",
            "Download it in the browser and put it in the folder of models.",
        )
    raise UnusableDownloadError(
        f"There is no such file at that address (status {status}).",
        "Check the address on the model's page.",
    )


def _take_in(
    response: httpx.Response,
    handle: IO[bytes],
    have: int,
    size: int,
    largest: int,
    progress: Progress,
) -> None:
    written = have
    head = b"" if not have else MAGIC
    try:
        # as it comes: what is gathered first would be lost when the connection breaks
        for piece in response.iter_raw():
            if len(head) < len(MAGIC):
                head += piece[: len(MAGIC)]
                if not MAGIC.startswith(head[: len(MAGIC)]):
                    raise UnusableDownloadError(
                        "What the server sends is not a GGUF file.",
                        "Check the address: it may be that of a page about the model.",
                    )
            written += len(piece)
            if written > (size or largest):
                raise UnusableDownloadError(
                    "The server sends more than it announced, so the file was not kept.",
                    "Try another address.",
                )
            handle.write(piece)
            handle.flush()
            share = written / size if size else 0.0
            progress(
                0.95 * share,
                "fetch",
                (
                    f"{written / 1e6:,.0f} of {size / 1e6:,.0f} MB"
                    if size
                    else f"{written / 1e6:,.0f} MB"
                ),
            )
    except httpx.TransportError as error:
        raise _BrokenOffError from error


def _check(
    source: DownloadSource, seen: _Seen, part: Path, beside: Path, progress: Progress
) -> str:
    """Hold the file against its hash. Raises ``UnusableDownloadError`` and drops it when it is
    another.
    """
    size = part.stat().st_size
    with part.open("rb") as handle:
        if handle.read(len(MAGIC)) != MAGIC:
            _forget(part, beside)
            raise UnusableDownloadError(
                "What the server sent is not a GGUF file.",
                "Check the address: it may be that of a page about the model.",
            )
        handle.seek(0)
        progress(0.95, "check", "Checking it")
        digest = hashlib.sha256()
        done = 0
        while piece := handle.read(8 * PIECE):
            digest.update(piece)
            done += len(piece)
            progress(0.95 + 0.05 * done / size, "check", "Checking it")
    wanted, by = (
        (source.sha256, "the hash in the catalogue")
        if source.sha256
        else (seen.stated, "the hash that the server states")
    )
    if not wanted:
        return (
            "its size alone: neither the catalogue nor the server states a hash"
            if seen.size
            else "nothing: the server states neither hash nor size"
        )
    if digest.hexdigest() != wanted:
        _forget(part, beside)
        raise UnusableDownloadError(
            f"The file is not what {by} says, so it was not kept.",
            "Try again; if it happens again, do not trust the address.",
        )
    return by


def _forget(part: Path, beside: Path) -> None:
    part.unlink(missing_ok=True)
    beside.unlink(missing_ok=True)


def _room(folder: Path, missing: int, size: int, largest: int) -> None:
    if size > largest:
        raise UnusableDownloadError(
            f"The file has {size / 1e9:.1f} GB; at most {largest / 1e9:.0f} GB are allowed.",
            "Choose a smaller one.",
        )
    free = shutil.disk_usage(folder).free
    if missing + SPARE > free:
        raise UnusableDownloadError(
            f"{missing / 1e9:.1f} GB are still to come, and the disk has {free / 1e9:.1f} GB free.",
            "Free some space, or choose a smaller one; what came so far is kept.",
        )


def _length(response: httpx.Response) -> int:
    text = response.headers.get("Content-Length", "")
    return int(text) if text.isdigit() else 0


def _range(response: httpx.Response) -> tuple[int, int]:
    match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
    return (int(match[1]), int(match[2])) if match else (-1, 0)


class _Asked:
    """A request whose redirections are followed here, each address checked, with the SHA-256 that a
    server on the way states.
    """

    def __init__(self, client: httpx.Client, url: str, headers: dict[str, str]) -> None:
        self._client, self._url, self._headers = client, url, headers
        self._response: httpx.Response | None = None

    def __enter__(self) -> tuple[httpx.Response, str]:
        stated, url = "", self._url
        for _ in range(HOPS + 1):
            check_address(url)
            response = self._client.send(
                self._client.build_request("GET", url, headers=self._headers), stream=True
            )
            given = response.headers.get("X-Linked-ETag", "").strip('"').lower()
            stated = stated or (given if SHA256.fullmatch(given) else "")
            if not response.has_redirect_location:
                self._response = response
                return response, stated
            response.close()
            url = str(response.url.join(response.headers["Location"]))
        raise UnusableDownloadError(
            "The address redirects without end.",
            "Copy the address of the file itself.",
        )

    def __exit__(self, *_: object) -> None:
        if self._response is not None:
            self._response.close()
