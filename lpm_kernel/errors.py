"""Everything that can go wrong, named for what happened.

NodeError ├── NotFoundError ├── InvalidInputError │ ├── UnreadableDocumentError │ ├──
UnsupportedFileError │ ├── EmptyDocumentError │ ├── TooLargeError │ ├── UnusableArchiveError │ ├──
ExpiredTokenError │ ├── StrangeCursorError │ ├── ConsentNeededError │ ├── UnusableDownloadError │
├── WrongPassphraseError │ └── PromptTooLongError ├── ConflictError │ ├── WordsGoneError │ ├──
HomeLockedError │ ├── SealedHomeError │ ├── StillRunningError │ ├── NewerHomeError │ └──
PortTakenError ├── UnavailableError │ ├── ModelUnavailableError │ ├── EmbedderUnavailableError │ ├──
TrainingFailedError │ ├── NotEnoughMemoryError │ └── NodeNotRunningError └── CorruptHomeError └──
DamagedLockError

The sentence is for the person who will read it and says what to do. It never holds a memory's text.
The slug is for programs: it names the error in the API's ``type`` and is never changed, whatever
becomes of the class and its sentences.
"""

from __future__ import annotations


class NodeError(Exception):
    """Something did not work, and the person is told what and what to do."""

    slug = "did-not-work"
    title = "Something went wrong"

    def __init__(self, detail: str, hint: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint


class NotFoundError(NodeError):
    """There is no such thing."""

    slug = "not-found"
    title = "Not found"

    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(
            f"There is no {what} “{identifier[:80]}”.",
            "It may have been deleted. Go back to the list and choose again.",
        )


class InvalidInputError(NodeError):
    """What came in cannot be used as it is."""

    slug = "not-usable"
    title = "This cannot be used as it is"


class UnreadableDocumentError(InvalidInputError):
    """The document could not be read."""

    slug = "unreadable"
    title = "Could not be read"

    def __init__(
        self,
        name: str,
        reason: str,
        hint: str = "Save it again as PDF or as plain text in UTF-8, and add that.",
    ) -> None:
        super().__init__(f"“{name}” could not be read: {reason}", hint)


class UnsupportedFileError(InvalidInputError):
    """No parser reads this kind of file."""

    slug = "unsupported-file"
    title = "This kind of file is not read yet"

    def __init__(self, name: str, kinds: str) -> None:
        super().__init__(
            f"“{name}” is of a kind that the node does not read yet.",
            f"It reads {kinds}. Save it as one of these and add that.",
        )


class EmptyDocumentError(InvalidInputError):
    """There is nothing in it."""

    slug = "empty"
    title = "Empty"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"“{name}” contains no text.",
            "If it is a scan, run text recognition over it first. If it is a note, write something"
            " and add it again.",
        )


class TooLargeError(InvalidInputError):
    """It is over a limit."""

    slug = "too-large"
    title = "Too large"

    def __init__(self, name: str, size: int, limit: int) -> None:
        super().__init__(
            f"“{name}” is {size / 1e6:.0f} MB; the limit is {limit / 1e6:.0f} MB.",
            "Split it and add the parts.",
        )


class UnusableArchiveError(InvalidInputError):
    """The archive cannot be taken in."""

    slug = "unusable-archive"
    title = "The archive cannot be used"

    def __init__(
        self,
        reason: str,
        hint: str = (
            "Nothing was imported. Use the archive as `lpm export` wrote it, or export it again."
        ),
    ) -> None:
        super().__init__(f"The archive cannot be used: {reason}", hint)


class ExpiredTokenError(InvalidInputError):
    """The confirmation does not count."""

    slug = "expired-token"
    title = "This confirmation is not valid"

    def __init__(self) -> None:
        super().__init__(
            "The token is wrong, or older than a quarter of an hour. Nothing was erased.",
            "Ask again what would be erased, and confirm with the new token.",
        )


class StrangeCursorError(InvalidInputError):
    """The cursor is not one that this list gave out."""

    slug = "strange-cursor"

    def __init__(self) -> None:
        super().__init__(
            "The cursor is not one of this list.", "Leave `cursor` out to start at the beginning."
        )


class ConsentNeededError(InvalidInputError):
    """Something of the person's would leave this machine, or something of a stranger's come in, and
    nobody has said yes.
    """

    slug = "consent-needed"
    title = "This needs your consent"

    def __init__(
        self,
        what: str,
        hint: str = "If you want that, say so: “consent”: true, or --yes on the command line.",
    ) -> None:
        super().__init__(what, hint)


class UnusableDownloadError(InvalidInputError):
    """What a server offers cannot be kept."""

    slug = "unusable-download"
    title = "The file cannot be used"


class PromptTooLongError(InvalidInputError):
    """The model cannot read that much at once."""

    slug = "prompt-too-long"
    title = "Too much to read at once"

    def __init__(self, tokens: int, window: int) -> None:
        super().__init__(
            f"The prompt has {tokens} tokens; leaving room for an answer, the model reads fewer"
            f" than {window} at once.",
            "Shorten the message, start a new conversation, or choose a model with a larger"
            " window.",
        )
        self.tokens = tokens
        self.window = window


class WrongPassphraseError(InvalidInputError):
    """The passphrase does not open the home."""

    slug = "wrong-passphrase"
    title = "Another passphrase"

    def __init__(self) -> None:
        super().__init__(
            "This is not the passphrase of this home. Its lock is whole.",
            "Try again; mind capitals and the keyboard's language. Nobody can open the home without"
            " it.",
        )


class ConflictError(NodeError):
    """Something else stands in the way."""

    slug = "conflict"
    title = "Not possible right now"


class WordsGoneError(ConflictError):
    """The words of a turn were thrown away."""

    slug = "words-gone"
    title = "Only the summary was kept"

    def __init__(self) -> None:
        super().__init__(
            "Of this part of the chat only the summary was kept.", "Ask again, as a new question."
        )


class HomeLockedError(ConflictError):
    """Another node runs on this home."""

    slug = "home-locked"
    title = "Already running"

    def __init__(self, pid: int) -> None:
        super().__init__(
            f"A node is already running on this home (process {pid}).",
            "Open it with `lpm open`, or stop it with `lpm stop`.",
        )


class SealedHomeError(ConflictError):
    """The home is locked by its passphrase."""

    slug = "sealed"
    title = "The home is locked"

    def __init__(self) -> None:
        super().__init__(
            "The home is locked by your passphrase.",
            "Unlock it on its screen (`lpm start`), or with `lpm lock open`.",
        )


class StillRunningError(ConflictError):
    """What was asked needs the node to be stopped."""

    slug = "still-running"
    title = "The node is still running"

    def __init__(self, pid: int) -> None:
        super().__init__(
            f"The node is still running on this home (process {pid}), so nothing was changed.",
            "Stop it with `lpm stop`, then try again.",
        )


class NewerHomeError(ConflictError):
    """A newer release has used this home."""

    slug = "newer-home"
    title = "The home belongs to a newer release"

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"A newer release has changed this home (revision {revision}), and this one cannot read"
            " it. Nothing was written to it.",
            "Install the newer release again, or name another home with LPM_HOME.",
        )


class PortTakenError(ConflictError):
    """Another program listens there."""

    slug = "port-taken"
    title = "The port is taken"

    def __init__(self, port: int, by: str) -> None:
        super().__init__(
            f"Port {port} is used by {by}.", "Stop that program, or set LPM_PORT to a free port."
        )


class UnavailableError(NodeError):
    """A part of the node does not answer right now."""

    slug = "unavailable"
    title = "Not available right now"


class ModelUnavailableError(UnavailableError):
    """The language model does not answer."""

    slug = "model-unavailable"
    title = "The model is not responding"

    def __init__(
        self,
        reason: str,
        hint: str = (
            "Your memories are safe and search works. `lpm doctor` says what is wrong; you can"
            " choose another model in Settings."
        ),
    ) -> None:
        super().__init__(reason, hint)


class EmbedderUnavailableError(UnavailableError):
    """The embedder does not answer; recall goes on by words."""

    slug = "embedder-unavailable"
    title = "Search by meaning is not available"

    def __init__(
        self,
        reason: str,
        hint: str = "Search continues by keywords alone. `lpm doctor` says what is wrong.",
    ) -> None:
        super().__init__(reason, hint)


class ReaderUnavailableError(UnavailableError):
    """The reader does not answer; what is quoted is chosen by words and meaning."""

    slug = "reader-unavailable"
    title = "The reader is not available"

    def __init__(
        self,
        reason: str,
        hint: str = "Answers continue without it. `lpm doctor` says what is wrong.",
    ) -> None:
        super().__init__(reason, hint)


class NodeNotRunningError(UnavailableError):
    """The command needs a running node."""

    slug = "node-not-running"
    title = "The node is not running"

    def __init__(self) -> None:
        super().__init__("The node is not running.", "Start it with `lpm start`.")


class TrainingFailedError(UnavailableError):
    """A training ended before its end."""

    slug = "training-failed"
    title = "The training stopped"


class OutOfMemoryError(TrainingFailedError):
    """A training ended because there was not enough memory for so many rows at once."""

    slug = "out-of-memory"
    title = "The training ran out of memory"


class NotEnoughMemoryError(UnavailableError):
    """It would not fit into memory."""

    slug = "not-enough-memory"
    title = "Not enough memory"

    def __init__(self, needed: int, free: int, hint: str) -> None:
        super().__init__(
            f"This needs about {needed / 1e9:.1f} GB of memory; {free / 1e9:.1f} GB are free.",
            hint,
        )


class NotEnoughSpaceError(UnavailableError):
    """It would not fit onto the disk."""

    slug = "not-enough-space"
    title = "Not enough space"

    def __init__(self, needed: int, free: int, hint: str) -> None:
        super().__init__(
            f"This needs about {needed / 1e9:.1f} GB on the disk; {free / 1e9:.1f} GB are free.",
            hint,
        )


class CorruptHomeError(NodeError):
    """The data folder is not as it should be."""

    slug = "corrupt-home"
    title = "The home needs repair"


class DamagedLockError(CorruptHomeError):
    """What is sealed, or its lock, cannot be read any more, whatever the passphrase."""

    slug = "damaged-lock"
    title = "The locked home is damaged"
