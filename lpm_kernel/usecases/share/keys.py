"""The keys with which the node speaks to others, in the home: locked in ``keys/peer.keys``, opened
once.

Without a passphrase a random key in ``keys/peer.key`` opens them, and whoever copies the whole home
has both. Backups and exports leave every ``keys/peer.*`` out unless the person asks for them.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from lpm_kernel.config import Home
from lpm_kernel.domain.ports import Clock
from lpm_kernel.errors import ConflictError, CorruptHomeError, InvalidInputError
from lpm_kernel.usecases.share.passing import MOST
from protocol import limits
from protocol.card import Card
from protocol.identity import Identity, PeerId, peer_of, public_of
from protocol.keystore import (
    KeyFile,
    Keyring,
    LockedError,
    NotAKeystoreError,
    Opener,
    Passphrase,
    lock,
    opened_by_passphrase,
    unlock,
)
from protocol.messages import Verb
from protocol.refusals import Refusal

KEYS: Final = "peer.keys"
KEY_FILE: Final = "peer.key"
CARD: Final = "peer.card"
Stamp = tuple[int, int]
VERBS: Final = tuple(verb.value for verb in Verb if verb is not Verb.REFUSAL)


class Keystore:
    """The private keys of this node and its card. Open it once in a process, with the passphrase
    where there is one.
    """

    def __init__(self, home: Home, clock: Clock, passphrase: str = "") -> None:
        self.home, self._home, self._clock = home, home, clock
        self._key_path, self._card_path = home.keys / KEYS, home.keys / CARD
        self._opener: Opener | None = Passphrase(passphrase) if passphrase else None
        self._lock = threading.RLock()
        self._read: tuple[Stamp | None, Keyring] | None = None
        self._shut: tuple[Stamp | None, Opener] | None = None
        """A file and a passphrase that does not open it: finding that out takes half a second and
        256 MiB, and once is enough.
        """
        self._shown: tuple[Stamp | None, Card] | None = None
        self._peer: tuple[bytes, PeerId] | None = None

    @property
    def keys(self) -> Keyring:
        """The keys, made at first use; read anew when another process wrote them. Raises
        ``ConflictError`` where the passphrase is another one.
        """
        with self._lock:
            stamp = _stamp(self._key_path)
            if stamp is None:
                made = Keyring.make(self._seconds())
                self._home.keep_key(KEYS, lock(made, self._opener or self._key_file()), anew=True)
                stamp = _stamp(self._key_path)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, self._unlocked(stamp))
            return self._read[1]

    @property
    def peer(self) -> PeerId:
        """The peer id that other nodes find this one under."""
        seed = self.keys.transport_seed
        if self._peer is None or self._peer[0] != seed:
            self._peer = seed, peer_of(public_of(Identity(seed).did))
        return self._peer[1]

    def turn_box(self) -> Keyring:
        """Take a new box key and set the present one aside; it goes on opening for 30 days."""
        with self._lock:
            self._write(self.keys.turned(self._seconds()), self._opens())
            return self.keys

    @property
    def locked(self) -> bool:
        """Whether the keys wait for their passphrase: none was given, or they were locked by
        another one since.
        """
        if protection(self._home.keys) != "passphrase":
            return False
        if self._opener is None:
            return True
        try:
            _ = self.keys
        except ConflictError:
            return True
        except CorruptHomeError:  # no passphrase opens that; who needs the keys hears of it
            return False
        return False

    def open(self, passphrase: str) -> None:
        """Open the keys with their passphrase from now on. Raises ``ConflictError`` where it is
        another one.
        """
        with self._lock:
            before, self._opener, self._read = self._opener, Passphrase(passphrase), None
            try:
                _ = self.keys
            except (ConflictError, CorruptHomeError):
                self._opener = before
                raise

    def protect(self, passphrase: str) -> None:
        """Lock the keys with a passphrase from now on, or with ``""`` by the key file. Nothing else
        opens them afterwards.

        Raises ``InvalidInputError`` for one that could not be typed on the screen or passed on as a
        line.
        """
        if len(passphrase) > MOST or set(passphrase) & {"\r", "\n"} or not _is_text(passphrase):
            raise InvalidInputError(
                f"A passphrase is one line of up to {MOST:,} characters.",
                "Choose another one. The keys are as they were.",
            )
        with self._lock:
            keys = self.keys
            opener: Opener = Passphrase(passphrase) if passphrase else self._key_file()
            self._write(keys, opener)
            self._opener = opener if passphrase else None
            if passphrase:
                (self._home.keys / KEY_FILE).unlink(missing_ok=True)

    def card(self, name: str) -> Card:
        """Give this node's card: the one that was shown last, or a newer one where a key, the name
        or half of its time has passed.
        """
        with self._lock:
            keys, now, known = self.keys, self._seconds(), self._last_card()
            same = known is not None and (known.did, known.peer, known.box, known.name) == (
                keys.identity.did,
                self.peer,
                keys.box.public,
                name,
            )
            if (
                known is not None
                and same
                and now + limits.CARD_LIFE // 2 < known.exp <= now + limits.CARD_LIFE + limits.SKEW
            ):
                return known
            seq = max(now, known.seq + 1 if known is not None else 0)
            exp = now + limits.CARD_LIFE
            made = Card.write(
                keys.identity,
                peer=self.peer,
                box=keys.box.public,
                name=name,
                verbs=VERBS,
                seq=seq,
                exp=exp,
            )
            self._home.keep_key(CARD, made.text.encode())
            return made

    def _last_card(self) -> Card | None:
        with suppress(Refusal, FileNotFoundError, UnicodeDecodeError):
            stamp = _stamp(self._card_path)
            if self._shown is None or self._shown[0] != stamp:
                self._shown = stamp, Card.read(self._card_path.read_text("utf-8"), self._seconds())
            return self._shown[1]
        return None

    def _write(self, keys: Keyring, opener: Opener) -> None:
        self._home.keep_key(KEYS, lock(keys, opener))
        self._read = None

    def _unlocked(self, stamp: Stamp | None) -> Keyring:
        try:
            return self._tried(stamp, self._opens())
        except LockedError as error:
            raise ConflictError(
                "The keys for other nodes cannot be unlocked.",
                "Enter the passphrase again. If you have none, restore keys/ from a copy.",
            ) from error
        except NotAKeystoreError as error:
            raise CorruptHomeError(
                "The file keys/peer.keys in the home is damaged.",
                "Restore it from a copy; without it your contacts do not know you.",
            ) from error

    def _tried(self, stamp: Stamp | None, opener: Opener) -> Keyring:
        if self._shut == (stamp, opener):
            raise LockedError
        try:
            return unlock(self._key_path.read_bytes(), opener)
        except LockedError:
            if isinstance(opener, Passphrase):  # a key file can be brought back
                self._shut = stamp, opener
            raise

    def _opens(self) -> Opener:
        """Give what opens the keys as they are locked now: another process may have locked them
        anew.
        """
        if protection(self._home.keys) != "passphrase":
            return self._key_file()
        if self._opener is None:
            raise ConflictError(
                "The keys for other nodes are locked by your passphrase.",
                "Enter it under People, and try again.",
            )
        return self._opener

    def _key_file(self) -> KeyFile:
        try:
            return KeyFile(bytes.fromhex(self._home.secret(KEY_FILE, anew=False)))
        except CorruptHomeError as error:
            raise CorruptHomeError(
                "The file keys/peer.key in the home is damaged.",
                "Restore it from a copy; without it your keys cannot be unlocked.",
            ) from error

    def _seconds(self) -> int:
        return int(self._clock.now().timestamp())


def identity_in(keystore: Keystore) -> str:
    """Return the DID of a home, and make no keys: of its keys where they open, else of the card
    that was shown last; ``""`` where there is neither.
    """
    folder = keystore.home.keys
    if not (folder / KEYS).exists():
        return ""
    with suppress(ConflictError, CorruptHomeError):
        return keystore.keys.identity.did
    with suppress(OSError, UnicodeDecodeError, Refusal):
        return Card.read_kept((folder / CARD).read_text()).did
    return ""


def _is_text(passphrase: str) -> bool:
    """Tell whether it is made of whole signs: a terminal that does not speak UTF-8 gives halves."""
    return passphrase.encode("utf-8", "replace").decode() == passphrase


def _stamp(path: Path) -> Stamp | None:
    """Tell one writing of a file from the next: each is a file of its own that takes the place of
    the one before. ``None``: there is none.
    """
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_mtime_ns


def protection(folder: Path) -> Literal["none", "passphrase", "key file"]:
    """Say what opens the keys in a folder, by what stands in the file; ``none``: there are no
    keys.
    """
    path = folder / KEYS
    if not path.exists():
        return "none"
    return "passphrase" if opened_by_passphrase(path.read_bytes()) else "key file"
