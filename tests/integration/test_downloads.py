"""A model file is fetched whole or not at all, from servers that break off, forget, change their
mind and lie.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.llm import fetch as fetching
from lpm_kernel.backends.llm.fetch import fetch
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.models.downloads import DownloadSource, check_address, file_name
from lpm_kernel.errors import InvalidInputError, UnavailableError, UnusableDownloadError
from lpm_kernel.node import Node
from lpm_kernel.usecases.models import catalogue
from tests.servers import Shelf

FILE = b"GGUF" + bytes(range(256)) * 12_000  # 3 MB


class StopError(Exception):
    """The person pressed cancel."""


def nothing(*_: object) -> None:
    """Take no time."""


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_connection_that_breaks_again_and_again_is_taken_up_where_it_broke(
    tmp_path: Path,
) -> None:
    shelf = Shelf(FILE, drop_after=700_000, sha256=True)
    shares: list[float] = []
    with shelf.run() as url:
        came = fetch(
            DownloadSource(url, "tiny.gguf"),
            tmp_path,
            lambda share, *_: shares.append(share),
            nothing,
        )
    assert came.path.read_bytes() == FILE
    assert came.checked == "the hash that the server states"
    assert shelf.asked[0] == ""
    assert all(wanted.startswith("bytes=") for wanted in shelf.asked[1:])
    assert len(shelf.asked) == 5
    assert shelf.sent == len(FILE), "nothing was sent twice"
    assert shares == sorted(shares)
    assert parts(tmp_path) == ["tiny.gguf"]


def test_a_server_that_ignores_range_sends_it_all_again(tmp_path: Path) -> None:
    shelf = Shelf(FILE, drop_after=2_000_000, ranges=False)

    def heal(_: float) -> None:
        shelf.drop_after = None

    with shelf.run() as url:
        assert (
            fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, heal).path.read_bytes()
            == FILE
        )
    assert shelf.asked == ["", "bytes=2000000-"]


def test_a_file_that_changed_in_between_is_fetched_from_its_beginning(tmp_path: Path) -> None:
    other = b"GGUF" + b"another file" * 200_000
    shelf = Shelf(FILE, drop_after=2_000_000)

    def change(_: float) -> None:
        shelf.content, shelf.etag, shelf.drop_after = other, '"two"', None

    with shelf.run() as url:
        assert (
            fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, change).path.read_bytes()
            == other
        )


def test_a_server_without_a_mark_of_the_file_is_not_believed_to_go_on_with_the_same(
    tmp_path: Path,
) -> None:
    shelf = Shelf(FILE, drop_after=2_000_000, etag="")

    def heal(_: float) -> None:
        shelf.drop_after = None

    with shelf.run() as url:
        assert (
            fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, heal).path.read_bytes()
            == FILE
        )
    assert shelf.asked == ["", ""]


def test_a_server_that_promises_more_than_it_has_is_given_up_and_the_part_is_kept(
    tmp_path: Path,
) -> None:
    shelf = Shelf(FILE, length=len(FILE) + 1000, ranges=False)
    with shelf.run() as url, pytest.raises(UnavailableError, match="kept"):
        fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, nothing)
    assert parts(tmp_path) == ["tiny.gguf.part", "tiny.gguf.part.json"]


@pytest.mark.parametrize(
    ("shelf", "sha256", "said"),
    [
        (Shelf(b"<html>sign in</html>" * 1000), None, "not a GGUF file"),
        (Shelf(b"GG"), None, "not a GGUF file"),
        (Shelf(b""), None, "not a GGUF file"),
        (Shelf(FILE), "0" * 64, "hash in the catalogue"),
        (Shelf(FILE, status=404), None, "no such file"),
        (Shelf(FILE, status=403), None, "everybody"),
        (Shelf(FILE, length=10**15), None, "at most"),
    ],
)
def test_what_cannot_become_right_is_said_at_once_and_nothing_is_kept_under_the_name(
    shelf: Shelf, sha256: str | None, said: str, tmp_path: Path
) -> None:
    waited: list[float] = []
    with shelf.run() as url, pytest.raises(UnusableDownloadError, match=said):
        fetch(DownloadSource(url, "tiny.gguf", sha256), tmp_path, nothing, waited.append)
    assert not waited
    assert not (tmp_path / "tiny.gguf").exists()


def test_without_a_length_the_limit_counts(tmp_path: Path) -> None:
    with Shelf(FILE, chunked=True).run() as url:
        with pytest.raises(UnusableDownloadError, match="more than it announced"):
            fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, nothing, largest=1_000_000)
        assert fetch(
            DownloadSource(url, "tiny.gguf"), tmp_path / "other", nothing, nothing
        ).checked.startswith("nothing")


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "SPARE", 10**18)
    shelf = Shelf(FILE)
    with shelf.run() as url, pytest.raises(UnusableDownloadError, match="disk has"):
        fetch(DownloadSource(url, "tiny.gguf"), tmp_path, nothing, nothing)
    assert not (tmp_path / "tiny.gguf.part").exists()


def test_an_unencrypted_way_is_refused_also_when_a_redirection_leads_there(tmp_path: Path) -> None:
    for address in (
        "http://example.org/tiny.gguf",
        "ftp://example.org/tiny.gguf",
        "file:///etc/tiny.gguf",
        "https://[/tiny.gguf",
        "",
        "https:///x.gguf",
    ):
        with pytest.raises(UnusableDownloadError):
            check_address(address)
    shelf = Shelf(FILE, elsewhere="http://example.org/tiny.gguf")
    with shelf.run() as url, pytest.raises(UnusableDownloadError, match="not encrypted"):
        fetch(
            DownloadSource(url.replace("tiny.gguf", "away.gguf"), "tiny.gguf"),
            tmp_path,
            nothing,
            nothing,
        )


def test_redirections_without_end_are_left(tmp_path: Path) -> None:
    shelf = Shelf(FILE, elsewhere="/away.gguf")
    with shelf.run() as url, pytest.raises(UnusableDownloadError, match="without end"):
        fetch(
            DownloadSource(url.replace("tiny.gguf", "away.gguf"), "tiny.gguf"),
            tmp_path,
            nothing,
            nothing,
        )


@settings(max_examples=200)
@given(path=st.text(max_size=300))
def test_no_address_names_a_file_outside_the_folder(path: str) -> None:
    try:
        name = file_name(f"https://example.org/{path}")
    except UnusableDownloadError:
        return
    assert Path(name).name == name
    assert not name.startswith(".")
    assert name.lower().endswith(".gguf")
    assert len(name) <= 120


@settings(max_examples=15)
@given(
    breaks=st.lists(st.integers(1, 900_000), min_size=1, max_size=6), cancelled=st.integers(1, 4)
)
def test_wherever_it_breaks_or_is_cancelled_the_file_comes_whole_and_the_counter_never_goes_back(
    breaks: list[int], cancelled: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("models")
    shelf = Shelf(FILE, drop_after=breaks[0])
    shares: list[float] = []
    left = [cancelled]

    def progress(share: float, *_: object) -> None:
        shares.append(share)
        left[0] -= 1
        if left[0] == 0:
            raise StopError

    def another(_: float) -> None:
        shelf.drop_after = breaks[len(shelf.asked) % len(breaks)] + 600_000

    with shelf.run() as url:
        try:
            fetch(DownloadSource(url, "tiny.gguf"), folder, progress, another)
        except StopError:
            assert not (folder / "tiny.gguf").exists()
            fetch(DownloadSource(url, "tiny.gguf"), folder, progress, another)
    assert (folder / "tiny.gguf").read_bytes() == FILE
    assert shares == sorted(shares)


def run(node: Node, begin: Callable[[], str]) -> JobState:
    job = begin()
    node.run_jobs()
    return next(each for each in node.ports.jobs.page(limit=50)[0] if each.id == job).state


def test_a_model_of_ones_own_choice_needs_a_yes_in_words(client: FlaskClient, node: Node) -> None:
    with Shelf(FILE).run() as url:
        refused = client.post("/api/models/url/download", json={"url": url})
        assert refused.status_code == 422
        assert "stranger" in refused.get_json()["detail"]
        assert "127.0.0.1" in refused.get_json()["detail"]
        taken = client.post("/api/models/url/download", json={"url": url, "consent": True})
        assert taken.status_code == 202
        again = client.post("/api/models/url/download", json={"url": url, "consent": True})
        assert again.get_json()["job"]["id"] == taken.get_json()["job"]["id"]
        node.run_jobs()
    job = client.get(f"/api/jobs/{taken.get_json()['job']['id']}").get_json()
    assert (job["state"], job["progress"]) == ("succeeded", 1.0)
    assert (
        hashlib.sha256((node.ports.home.models / "tiny.gguf").read_bytes()).digest()
        == hashlib.sha256(FILE).digest()
    )
    assert any(
        each["kind"] == "file" and each["name"] == "tiny"
        for each in client.get("/api/models").get_json()["items"]
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": ""},
        {"url": "http://example.org/a.gguf", "consent": True},
        {"url": "https://example.org/page", "consent": True},
        {"url": "https://[", "consent": True},
    ],
)
def test_an_address_that_cannot_be_used_is_said_in_words(
    client: FlaskClient, body: dict[str, object]
) -> None:
    answer = client.post("/api/models/url/download", json=body)
    assert answer.status_code == 422
    assert answer.get_json()["hint"]


def test_the_catalogue_says_what_is_known_of_each_model(client: FlaskClient) -> None:
    entries = [
        each
        for each in client.get("/api/models").get_json()["items"]
        if each["kind"] == "catalogue"
    ]
    assert entries
    for each in entries:
        assert check_address(each["url"]).startswith("https://")
        assert file_name(each["url"])
        assert each["licence"]
        assert each["bytes"] > 0
        assert each["languages"]
    assert client.post("/api/models/no-such-model/download", json={}).status_code == 404


def test_a_model_fits_where_as_much_memory_is_free_as_it_wants(node: Node) -> None:
    entries = catalogue.catalogue()
    assert all(entry.memory_bytes > entry.about_bytes for entry in entries)
    for free in (0, *(entry.memory_bytes + less for entry in entries for less in (-1, 0))):
        shown = catalogue.choices(node.ports.settings, node.ports.home.models, entries, free=free)
        assert [option.id for option in shown if option.fits] == [
            entry.id for entry in entries if entry.memory_bytes <= free
        ]


def test_a_failed_download_is_retried_with_all_that_failed_and_goes_on(
    client: FlaskClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "TRIES", 1)
    shelf = Shelf(FILE, drop_after=2_000_000)
    with shelf.run() as url:
        job = client.post(
            "/api/models/url/download", json={"url": url, "consent": True}
        ).get_json()["job"]["id"]
        shelf.status = 503
        node.run_jobs()
        failed = client.get(f"/api/jobs/{job}").get_json()
        assert failed["state"] == "failed"
        assert failed["error"]["hint"]
        shelf.status, shelf.drop_after = 200, None
        assert [each["id"] for each in client.post("/api/jobs/retry").get_json()["items"]] == [job]
        node.run_jobs()
        assert client.get(f"/api/jobs/{job}").get_json()["state"] == "succeeded"
        assert client.post("/api/jobs/retry").get_json()["items"] == []


def test_consent_is_an_error_of_its_own(node: Node) -> None:
    with pytest.raises(InvalidInputError) as caught:
        node.models.download("url", "https://example.org/a.gguf")
    assert caught.value.title == "This needs your consent"


def test_a_killed_worker_loses_nothing_of_a_download(node: Node) -> None:
    big = b"GGUF" + bytes(range(256)) * 40_000  # 10 MB
    shelf = Shelf(big, pause=0.02, sha256=True)
    with shelf.run() as url:
        job = node.models.download("url", url, consent=True)
        shares = [0.0]
        kills = 0
        while node.ports.jobs.get(job.id).state is not JobState.SUCCEEDED:
            assert kills < 12
            worker = subprocess.Popen(
                [sys.executable, "-m", "lpm_kernel", "work"],
                env=os.environ | {"LPM_HOME": str(node.ports.home.root)},
            )
            last, until = shares[-1], time.monotonic() + 30
            while worker.poll() is None and time.monotonic() < until:
                now = node.ports.jobs.get(job.id)
                shares.append(now.progress)
                if now.state is JobState.SUCCEEDED or (kills < 3 and now.progress > last + 0.1):
                    break
                time.sleep(0.02)
            worker.kill()
            worker.wait(30)
            kills += 1
            node.recover_jobs()
    assert kills > 2
    assert shares == sorted(shares)
    assert (node.ports.home.models / "tiny.gguf").read_bytes() == big
    assert any(wanted.startswith("bytes=") for wanted in shelf.asked)
    assert shelf.sent < 2 * len(big), "what was there was not fetched again"
