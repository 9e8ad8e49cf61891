"""Settings, read once, and the home that they belong to.

Settings come from ``$LPM_HOME/settings.toml`` and ``LPM_*`` variables; the variables win. What a
person changes in the screen or by command is written back to the file with :func:`write_settings`.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import string
import tomllib
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from lpm_kernel.errors import CorruptHomeError, InvalidInputError, SealedHomeError

DEFAULT_PORT = 3000
HIGHEST_PORT = 65535
MEGABYTE = 1_000_000
SEAL_TAGS = ("private", "secret", "confidential", "秘密", "非公開", "私密")
"""Tags that make private what carries them, unless the person sets others."""


@dataclass(frozen=True)
class Settings:
    """Every setting, with its default. Names are the keys of ``settings.toml`` and, in capitals, of
    ``LPM_*``.
    """

    host: str = "127.0.0.1"
    """Address that `lpm serve` listens on. Anything but loopback is the person's decision."""
    port: int = DEFAULT_PORT
    """Port of the screen and the API; when it is taken, `lpm start` says by what and takes the
    next.
    """
    tls: str = "auto"
    """`auto`: HTTPS with a certificate of the node's own wherever `host` is more than loopback, but
    in a container, whose port is published by others; `on`: everywhere; `off`: nowhere, for a
    reverse proxy on this machine that encrypts the way itself.
    """
    open: bool = True
    """Open the browser on start."""
    allowed_hosts: tuple[str, ...] = ()
    """Names besides loopback under which the node may be called (the Host header)."""
    model: str = "bundled"
    """`bundled`, a path to a GGUF file, the URL of an OpenAI-compatible endpoint, or `scripted`
    (the shipped twin).
    """
    model_name: str = ""
    """Which model of an endpoint; empty takes its first."""
    thinking_model: str = "none"
    """What thinks where a training teaches to think before the answer: `none` (rules alone make
    thoughts), `bundled`, a path to a GGUF file, or the URL of an OpenAI-compatible endpoint. It is
    tried when it is chosen: a model that answers without a thought is none.
    """
    thinking_model_name: str = ""
    """Which model of that endpoint thinks; empty takes its first."""
    model_threads: int = 2
    """Threads that a local model may use, the one that embeds too."""
    embedder: str = "bundled"
    """`bundled` (MiniLM), `hashing` (the shipped twin), `none` (recall by words alone), a path to a
    GGUF file, or the URL of an OpenAI-compatible endpoint. Change it with `lpm embedder use`: every
    passage is embedded anew before it counts.
    """
    embedder_model: str = ""
    """Which model of an endpoint embeds."""
    embedder_id: str = ""
    """Under which name the vectors of a file or an endpoint are kept; written when it was tried."""
    embedder_dimension: int = 0
    """How many numbers a vector of a file or an endpoint has; written when it was tried."""
    reader: str = "bundled"
    """What reads the passages before an answer: `bundled` (a small model that has learned to
    read), or `none` (words and meaning choose alone, as they do beside the `hashing` embedder).
    """
    peers: bool = False
    """Let contacts reach this node: `lpm start` then keeps a host running that listens for them.
    The first invite that is made or accepted switches it on.
    """
    peers_host: str = "0.0.0.0"  # noqa: S104  nothing listens until the person switches it on
    """Address that the host listens on: `0.0.0.0` for every interface, so that contacts reach it;
    `127.0.0.1` for this machine alone.
    """
    peers_port: int = 4001
    """Port that contacts reach; when it is taken, `lpm start` says by what and takes the next. 0:
    any that is free.
    """
    peers_idle: int = 120
    """Seconds that a connection to a contact stays open on which nothing is asked; both sides ask
    over it meanwhile, and nobody has to connect anew.
    """
    relays: tuple[str, ...] = ()
    """Relays at which contacts reach this node where they cannot dial it, up to four:
    `/ip4/203.0.113.7/tcp/4002/p2p/12D3…`, as `lpm relay` says; `contacts` for any contact who lets
    others be reached through them. Each learns when this node is there, and who reaches it.
    """
    relay_for_contacts: bool = False
    """Let contacts be reached by your other contacts through this node, within limits. It carries
    what it cannot read.
    """
    map_port: bool = False
    """Ask the router to forward the port on which contacts reach this node (UPnP), so that those
    elsewhere do without a relay. Whoever finds the port from outside can knock; only contacts are
    let in. It is taken back when this is switched off, or the node stops.
    """
    find_on_network: bool = False
    """Find contacts on the local network whose address changed, where both switched this on. It
    says there that a node is here; who it is, contacts alone can tell (ADR 0029).
    """
    tables_with_contacts: bool = True
    """Invite contacts to tables, and be invited. Switched off while such tables are open, it pauses
    them until it is on again, and the others there wait.
    """
    rendezvous: str = ""
    """A server at which contacts find this node when both moved, as `lpm rendezvous` says; empty:
    none. What is left there is sealed, under tags that change every day.
    """
    max_upload_mb: int = 200
    """Largest single file, in megabytes."""
    seal_tags: tuple[str, ...] = SEAL_TAGS
    """Tags that make a document private when it is read or tagged; empty: none does."""
    backup_folder: str = ""
    """Where backups go; empty: `backups` in the home. A folder on another disk outlives this
    one.
    """
    backup_minutes: int = 30
    """A backup is made this long after the last, when something changed; 0: only when asked."""
    communities: str = "graphrag"
    """What finds the groups on the map: `graphrag`, where it is installed, or `louvain` (the
    shipped twin).
    """
    reflect: str = "nightly"
    """When the node goes over what is new and writes its pages: `nightly`, after three in the
    morning, or `asked`.
    """
    keeping: str = "full"
    """What a new chat keeps of what is said in it: `full`, `summary` (some sentences of each
    thread, once it has ended), or `none` (nothing: it is erased when it is left).
    """
    extractor: str = "rules"
    """What proposes sentences to be kept: `rules`, or `model`, which has the language model on this
    machine read every passage in the background; a small one reads badly.
    """
    grow: str = "off"
    """When what is new is learned by a small training that goes on from the one in use: `weekly`,
    or `off`. Without a training in use there is nothing to go on from, and nothing is learned.
    """
    grow_day: str = "sunday"
    """The day of the week on which it learns what is new, in English."""
    grow_steps: int = 60
    """Steps of a weekly training."""
    grow_batch: int = 16
    """Rows that one step of a weekly training learns from."""
    own_voice: str = "auto"
    """Whether answers to you take on how you write, as your own texts show: `auto`, where the model
    is large enough that its own words are let through, `on`, or `off`.
    """
    trainer: str = "trl"
    """What trains: `trl` (the recipes), or `scripted` (the shipped twin, which learns nothing)."""
    scratch: str = ""
    """A folder on a fast disk, for a home on a slow one: what a training reads is copied there in
    plain text, it learns there, and only the adapter comes back. Empty: it learns in the home.
    """
    train_devices: int = 0
    """How many devices learn together at most, each from its share of every batch; 0: all that
    there are. With `device` set to `cpu`, so many processes share the processor.
    """
    language: str = "system"
    """Language of the screen: `system`, `en` or `ja`."""
    theme: str = "system"
    """`system`, `light` or `dark`."""
    single_keys: bool = True
    """Single-key shortcuts on the screen."""

    @property
    def max_upload_bytes(self) -> int:
        """The largest single file, in bytes."""
        return self.max_upload_mb * MEGABYTE

    @property
    def reads(self) -> bool:
        """Whether a model reads the passages before an answer."""
        return self.reader == "bundled" and self.embedder != "hashing"


CHOICES: dict[str, tuple[str, ...]] = {
    "communities": ("graphrag", "louvain"),
    "reflect": ("nightly", "asked"),
    "extractor": ("rules", "model"),
    "own_voice": ("auto", "on", "off"),
    "keeping": ("full", "summary", "none"),
    "grow": ("weekly", "off"),
    "grow_day": (
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ),
    "trainer": ("trl", "scripted"),
    "reader": ("bundled", "none"),
    "language": ("system", "en", "ja"),
    "theme": ("system", "light", "dark"),
    "tls": ("auto", "on", "off"),
}


RETIRED = frozenset({"database_url", "keep_originals"})
"""Settings of older releases that nothing reads any more; a file may still name them."""
SERVER = re.compile(
    r"/(?:ip4|ip6|dns|dns4|dns6)/[^/,]{1,45}/tcp/[0-9]{1,5}/p2p/[1-9A-HJ-NP-Za-km-z]{40,60}"
)
"""How the setting `rendezvous` and each of `relays` is written, but for the word `contacts`."""
HOSTS = ("host", "peers_host")
"""Settings that name what is listened on."""
MOST_BYTES = 100_000
"""The largest settings.toml that is read."""
MOST_SIGNS, MOST_PARTS, MOST_SHOWN = 4096, 1000, 80
"""Of the text of a setting, of a list, and of what is shown of a value that cannot be used."""
LEAST = {
    "port": 1,
    "peers_idle": 1,
    "train_devices": 0,
    "model_threads": 1,
    "grow_steps": 1,
    "grow_batch": 1,
}
"""The least number of a setting, where that is not 0."""
MOST = {
    "port": HIGHEST_PORT,
    "peers_port": HIGHEST_PORT,
    "peers_idle": 3_600,
    "model_threads": 1024,
    "embedder_dimension": 65_536,
    "grow_batch": 512,
    "train_devices": 64,
}
"""The greatest number of a setting, where that is not :data:`MOST_OF_ANY`."""
MOST_OF_ANY = 1_000_000
MOST_SECRETS, SECRET_BYTES = 32, {"home-id": 6}
"""Random bytes in a secret that the node makes, and in those that are no secret but a name."""
HOST_SERVES = {
    "bundled": ("lpm_kernel.backends.embed.minilm:MiniLmEmbedder", "all-MiniLM-L6-v2/1", 384),
    "hashing": ("lpm_kernel.backends.embed.hashing:HashingEmbedder", "hashing/1/384", 384),
}
"""The setting ``embedder`` → the class that the model host serves, the id of its vectors, their
length.
"""
HOST_READS = "lpm_kernel.backends.embed.e5.reader:E5Reader"
"""The class that the model host serves as the reader."""
MODEL_WINDOW = 4096
"""Tokens that a local model reads at once."""


@dataclass(frozen=True)
class Home:
    """The data directory: one folder that can be copied away whole."""

    root: Path

    @property
    def files(self) -> Path:
        """Originals and canonical texts, by content hash."""
        return self.root / "files"

    @property
    def workspace(self) -> Path:
        """Markdown that the person and the node write: opens in any editor, as an Obsidian vault,
        as a git repository.
        """
        return self.root / "workspace"

    @property
    def workspace_pending(self) -> Path:
        """Stands there while the workspace has to be written as the database knows it: after a
        restore, or when there was none.
        """
        return self.root / "workspace.pending"

    @property
    def node_db(self) -> Path:
        """What cannot be remade."""
        return self.root / "node.db"

    @property
    def marker(self) -> Path:
        """Says that this folder is a home with a database; a missing database is then a loss, not a
        new home.
        """
        return self.root / "home.json"

    @property
    def aside(self) -> Path:
        """Files that no database knows, for as long as deleted documents are kept."""
        return self.root / "aside"

    @property
    def quarantine(self) -> Path:
        """What came from contacts and the person has not decided about."""
        return self.root / "quarantine"

    @property
    def damaged(self) -> Path:
        """What could not be used and was put away when something else took its place; an erasure
        removes it.
        """
        return self.root / "damaged"

    @property
    def index_db(self) -> Path:
        """The index. It can be made again: delete it, run `lpm reindex`, answers are the same."""
        return self.root / "index.db"

    @property
    def keys(self) -> Path:
        """Secrets, readable by the person alone."""
        return self.root / "keys"

    @property
    def logs(self) -> Path:
        """What the processes report; never a memory's text."""
        return self.root / "logs"

    @property
    def exports(self) -> Path:
        """Archives that were made for handing out, until they are a day old."""
        return self.root / "exports"

    @property
    def imports(self) -> Path:
        """Archives that are being taken in."""
        return self.root / "imports"

    @property
    def models(self) -> Path:
        """GGUF files that were fetched or put there."""
        return self.root / "models"

    @property
    def versions(self) -> Path:
        """Trainings: a folder for each, with its rows, its adapter and its examination."""
        return self.root / "versions"

    @property
    def readers(self) -> Path:
        """Readers that learned from the person's verdicts: a folder for each, with its weights and
        its lineage.
        """
        return self.root / "reader"

    @property
    def backups(self) -> Path:
        """Backups, where the settings name no other place."""
        return self.root / "backups"

    @property
    def run(self) -> Path:
        """Process ids and ports of what runs right now."""
        return self.root / "run"

    @property
    def settings_file(self) -> Path:
        """The person's settings; of a locked home, the few that its screen needs."""
        return (self.lock if self.is_locked else self.root) / "settings.toml"

    @property
    def lock(self) -> Path:
        """The lock of a home that has a passphrase, and what is sealed while it is locked."""
        return self.root / "lock"

    @property
    def is_locked(self) -> bool:
        """Whether everything in it is sealed."""
        return (self.lock / "sealed").is_dir()

    @property
    def exists(self) -> bool:
        """True once the home has been made."""
        return self.node_db.exists()

    def make(self) -> None:
        """Create what is missing, closed to everybody else, as is whatever this process makes from
        now on. Called on every opening; cheap. Raises ``SealedHomeError``.
        """
        close_to_others()
        if self.is_locked:
            raise SealedHomeError
        for folder in (
            self.root,
            self.files,
            self.keys,
            self.logs,
            self.run,
            self.exports,
            self.imports,
            self.backups,
            self.models,
        ):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root.chmod(0o700)
        self.secret("api-token")
        self.secret("home-id")
        self.secret("audit-key")

    def secret(self, name: str, *, anew: bool = True) -> str:
        """Read a secret of this home, made at first use (0600).

        One that is damaged is put into the folder `damaged`, and a new one takes its place: half of
        a secret could be guessed. ``anew=False``: nothing can take its place, so
        ``CorruptHomeError`` is raised instead.
        """
        path = self.keys / name
        length = SECRET_BYTES.get(name, MOST_SECRETS)
        found = self._secret_in(path, length)
        if found:
            return found
        if found is not None and not anew:
            raise CorruptHomeError(
                f"The file keys/{name} in the home is damaged.",
                "Restore it from a copy of the home.",
            )
        if found is not None:
            self.put_away(path)
        if not path.exists():
            fresh = self.keys / f"{name}.{secrets.token_hex(4)}.new"
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as handle:
                handle.write(secrets.token_hex(length))
                handle.flush()
                os.fsync(handle.fileno())
            with suppress(FileExistsError):  # another process made it first; its secret stands
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text().strip()

    def _secret_in(self, path: Path, length: int) -> str | None:
        """Return a secret; empty where the file is no such secret, ``None`` where there is none."""
        try:
            text = path.read_text("ascii").strip()
        except FileNotFoundError:
            return "" if path.is_symlink() else None
        except (UnicodeDecodeError, IsADirectoryError):
            return ""
        return text if len(text) == 2 * length and set(text) <= set(string.hexdigits) else ""

    @property
    def certificate(self) -> Path:
        """The certificate of the node, with its key."""
        return self.keys / "tls.pem"

    def drop_index(self) -> None:
        """Remove the index with its logs: it is made anew from the documents."""
        for path in self.root.glob(f"{self.index_db.name}*"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def put_away(self, path: Path) -> None:
        """Move what cannot be used into the folder `damaged`, where nothing is lost."""
        self.damaged.mkdir(exist_ok=True, mode=0o700)
        with suppress(FileNotFoundError):  # another process was quicker
            path.rename(self.damaged / f"{secrets.token_hex(4)}-{path.name}")

    def given_secret(self, name: str) -> str:
        """Return a secret that the person gave; empty where there is none, or none that can be
        read: who needs it says that it does not fit.
        """
        with suppress(OSError, UnicodeDecodeError):
            return (self.keys / name).read_text("utf-8").strip()
        return ""

    def write_secret(self, name: str, text: str) -> None:
        """Replace a secret that the person gave (0600), whole or not at all."""
        fresh = self.keys / f"{name}.{secrets.token_hex(4)}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        fresh.replace(self.keys / name)

    def keep_key(self, name: str, data: bytes, *, anew: bool = False) -> bool:
        """Write a file of keys (0600), whole or not at all, and on disk before it returns.
        ``anew``: only where there is none; ``False``: there was one.
        """
        fresh = self.keys / f"{name}.{secrets.token_hex(4)}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        written = True
        if anew:
            with suppress(FileExistsError):
                os.link(fresh, self.keys / name)
                fresh.unlink()
            written = not fresh.exists()
            fresh.unlink(missing_ok=True)
        else:
            fresh.replace(self.keys / name)
        folder = os.open(self.keys, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return written


def close_to_others() -> None:
    """Have every file that this process and its children make from now on readable by the person
    alone.
    """
    os.umask(os.umask(0o077) | 0o077)


def default_home() -> Home:
    """Return the home that `LPM_HOME` names, else `~/.second-me`."""
    return Home(Path(os.environ.get("LPM_HOME") or "~/.second-me").expanduser().absolute())


def read_settings(home: Home, **overrides: object) -> Settings:
    """Read the settings of a home. Raises :class:`InvalidInputError` naming the setting that cannot
    be used.
    """
    values = _in_file(home)
    known = {field.name: field for field in fields(Settings)}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise InvalidInputError(
            f"settings.toml has an unknown setting: {', '.join(unknown)}.",
            f"The settings are: {', '.join(sorted(known))}.",
        )
    return replace(Settings(), **checked_settings(values | _given(overrides)))


def usable_settings(
    home: Home, before: Settings | None = None, overrides: Mapping[str, object] | None = None
) -> tuple[Settings, str]:
    """Read the settings of a home as far as they can be used, and say which cannot.

    The default takes the place of a setting that cannot be used, and ``before`` that of a file that
    cannot be read at all. What variables and ``overrides`` say is typed for this very call, so a
    mistake there raises :class:`InvalidInputError`.
    """
    given = checked_settings(_given(overrides or {}))
    try:
        written = _in_file(home)
    except InvalidInputError as error:
        return (
            replace(before or Settings(), **given),
            f"{error.detail} The {'settings before it' if before else 'defaults'} are in use.",
        )
    lines = home.settings_file.read_text("utf-8-sig", "replace").splitlines() if written else []
    usable: dict[str, Any] = {}
    wrong: list[str] = []
    for name, value in written.items():
        number = next((n for n, line in enumerate(lines, 1) if _names(line, name)), 1)
        if name not in Settings.__dataclass_fields__:
            wrong.append(f"line {number}: there is no setting “{name[:40]}”")
            continue
        try:
            usable |= checked_settings({name: value})
        except InvalidInputError as error:
            wrong.append(f"line {number}: {error.detail}")
    problem = (
        f"settings.toml, {'; '.join(wrong).removesuffix('.')}. The default is used there."
        if wrong
        else ""
    )
    return replace(Settings(), **usable | given), problem


def checked_settings(values: Mapping[str, object]) -> dict[str, Any]:
    """Return settings as what they are. Raises :class:`InvalidInputError` naming the one that
    cannot be used.
    """
    for name, value in values.items():
        if not _is_plain(value):
            raise InvalidInputError(
                f"The setting “{name}” is not valid: it contains characters that are not text, or"
                " is too long.",
                "Type it again in settings.toml.",
            )
    return {
        name: _as_kind_of(name, getattr(Settings, name), value) for name, value in values.items()
    }


def _in_file(home: Home) -> dict[str, Any]:
    """Return what the file says, without what is retired. Raises :class:`InvalidInputError` where
    it cannot be read.
    """
    path = home.settings_file
    if not path.exists():
        return {}
    why: str
    try:
        if not path.is_file():
            raise InvalidInputError(
                "settings.toml cannot be read: a folder or something else stands in its place.",
                f"Move {path} away.",
            )
        if path.stat().st_size > MOST_BYTES:
            raise InvalidInputError(
                f"settings.toml cannot be read: it has more than {MOST_BYTES:,} bytes.",
                f"Correct or delete {path}.",
            )
        data = path.read_bytes()
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        return {key: value for key, value in tomllib.loads(text).items() if key not in RETIRED}
    except UnicodeDecodeError as error:
        why = f"line {error.object[: error.start].count(10) + 1} is not written in UTF-8"
    except OSError as error:
        why = error.strerror or type(error).__name__
    except RecursionError:
        why = "brackets stand in brackets too often"
    except tomllib.TOMLDecodeError as error:
        why = str(error)
    except ValueError:  # a number of more digits than Python reads
        why = "a value in it is too long"
    raise InvalidInputError(f"settings.toml cannot be read: {why}.", f"Correct or delete {path}.")


def _names(line: str, name: str) -> bool:
    """Tell whether a line of the file is the one that names a setting, or the head of a table of
    that name.

    >>> [_names(line, "theme")
    ...     for line in ('theme="dark"', ' "theme" = 1', "theme.a = 1", "[theme]", "themes = 1",
    ...     "# theme = 1")]
    [True, True, True, True, False, False]
    """
    begin = line.strip().lstrip("[").lstrip()
    bare = begin[1:] if begin[:1] in {'"', "'"} else begin
    return bare.startswith(name) and bare[len(name) : len(name) + 1] in {
        "",
        " ",
        "\t",
        "=",
        ".",
        "]",
        '"',
        "'",
    }


def _given(overrides: Mapping[str, object]) -> dict[str, object]:
    """Return what variables and a caller say; the caller wins."""
    variables = {
        field.name: os.environ.get(f"LPM_{field.name.upper()}") for field in fields(Settings)
    }
    return {name: text for name, text in variables.items() if text is not None} | dict(overrides)


def _as_kind_of(name: str, default: object, value: object) -> object:
    """Turn a variable's text or a TOML value into the type of the setting."""
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        if str(value).lower() in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
            return str(value).lower() in {"1", "true", "yes", "on"}
    elif isinstance(default, int):
        with suppress(ValueError, TypeError):
            number = int(str(value))
            if LEAST.get(name, 0) <= number <= MOST.get(name, MOST_OF_ANY):
                return number
    elif isinstance(default, tuple):
        if (several := _several(name, value)) is not None:
            return several
    elif isinstance(value, str) and _fits(name, value):
        return value
    allowed = f" It takes one of: {', '.join(CHOICES[name])}." if name in CHOICES else ""
    shown = repr(value)
    shown = shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
    raise InvalidInputError(
        f"The setting “{name}” cannot be {shown}.{allowed}",
        "Change it in settings.toml or in the variable LPM_" + name.upper() + ".",
    )


def _is_plain(value: object) -> bool:
    """Tell whether a value is of text that can be written and named, and not too much of it."""
    if isinstance(value, str):
        return len(value) <= MOST_SIGNS and not any(
            unicodedata.category(sign) in {"Cc", "Cs"} for sign in value
        )
    if isinstance(value, list | tuple):
        return len(value) <= MOST_PARTS and all(_is_plain(part) for part in value)
    return True


def _fits(name: str, value: str) -> bool:
    """Tell whether a text may be the value of a setting."""
    if name in CHOICES:
        return value in CHOICES[name]
    if name == "rendezvous":
        return not value or SERVER.fullmatch(value) is not None
    return name not in HOSTS or _is_host(value)


def _several(name: str, value: object) -> tuple[str, ...] | None:
    """Read the list of a setting; ``None`` where something stands in it that may not."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        return None
    if name == "relays" and not all(part == "contacts" or SERVER.fullmatch(part) for part in value):
        return None
    return tuple(value)


def _is_host(value: str) -> bool:
    """Tell whether something can be listened on: an address, or a name.

    >>> [_is_host(each)
    ...     for each in ("127.0.0.1", "::", "localhost", "my-box.local", "", "not a host",
    ...     "http://x", "256.1.1.1")]
    [True, True, True, True, False, False, False, False]
    """
    with suppress(ValueError):
        return bool(ip_address(value))
    labels = value.split(".")
    return (
        all(
            label.isascii() and label.replace("-", "a").replace("_", "a").isalnum()
            for label in labels
        )
        and not labels[-1].isdigit()
    )


def is_encrypted(settings: Settings) -> bool:
    """Tell whether the screens and the API are served over HTTPS.

    >>> is_encrypted(Settings()), is_encrypted(Settings(host="0.0.0.0"))
    (False, True)
    >>> is_encrypted(Settings(host="0.0.0.0", tls="off")), is_encrypted(Settings(tls="on"))
    (False, True)
    """
    if settings.tls != "auto":
        return settings.tls == "on"
    alone = settings.host == "localhost"
    with suppress(ValueError):
        alone = ip_address(settings.host).is_loopback
    return not (alone or in_container())


def reached_at(host: str) -> str:
    """Return where this machine itself reaches what listens on a host, as it stands in a URL.

    >>> [reached_at(each) for each in ("127.0.0.1", "0.0.0.0", "::", "::1", "nas.local")]
    ['127.0.0.1', '127.0.0.1', '[::1]', '[::1]', 'nas.local']
    """
    with suppress(ValueError):
        address = ip_address(host)
        if address.is_unspecified:
            return "127.0.0.1" if address.version == 4 else "[::1]"  # noqa: PLR2004  of IP
    return f"[{host}]" if ":" in host else host


def in_container() -> bool:
    """Tell whether the node runs in its image, which sets LPM_CONTAINER."""
    return os.environ.get("LPM_CONTAINER") == "1"


def write_settings(home: Home, **changes: object) -> None:
    """Change settings in the file and leave the rest of it as it is, comments included.

    Raises :class:`InvalidInputError` for one that cannot be used; nothing is written then.
    """
    import tomlkit
    import tomlkit.exceptions

    checked_settings(changes)
    path = home.settings_file
    try:
        _in_file(home)
        content = (
            tomlkit.parse(path.read_text("utf-8-sig")) if path.exists() else tomlkit.document()
        )
    except (tomlkit.exceptions.ParseError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise InvalidInputError(
            "settings.toml cannot be read, so nothing was written to it.",
            f"Correct or delete {path}.",
        ) from error
    for name, value in changes.items():
        content[name] = list(value) if isinstance(value, tuple) else value
    fresh = path.with_suffix(f".{os.getpid()}.new")
    with fresh.open("w", encoding="utf-8") as handle:
        handle.write(tomlkit.dumps(content))
        handle.flush()
        os.fsync(handle.fileno())
    fresh.chmod(0o600)
    fresh.replace(path)
