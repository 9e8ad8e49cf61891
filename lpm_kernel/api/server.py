"""The process behind ``lpm serve``."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from waitress.server import MultiSocketServer

from lpm_kernel.api.app import FORM_OVERHEAD, create_app
from lpm_kernel.api.encryption import Encryption, names_of
from lpm_kernel.api.listening import ListeningSocket, encrypt, listen
from lpm_kernel.api.locked import MOST_BODY, create_locked_app
from lpm_kernel.config import Home, Settings, is_encrypted, usable_settings
from lpm_kernel.errors import ConflictError, CorruptHomeError, PortTakenError
from lpm_kernel.node import Node
from lpm_kernel.usecases.processes import running_as
from lpm_kernel.usecases.share import passing

log = logging.getLogger(__name__)

ANSWER_SECONDS = 0.3
"""In which the answer that the home is unlocked reaches the screen."""


def serve(home: Home, port: int | None) -> None:
    """Answer until SIGTERM. Raises ``HomeLockedError`` and ``PortTakenError``.

    Of a locked home, nothing but the screen that unlocks it, and then it ends: whoever keeps it
    starts it again.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every address that it asks
    passphrase = passing.given()
    if home.is_locked:
        _serve_locked(home, port)
        return
    home.make()
    # its name goes last, so that who waits for it to end finds it
    with running_as(home, "serve"), Node(home, in_process=False) as node:
        settings = node.ports.settings
        try:
            # the application refuses first, in words
            most_body = 2 * (settings.max_upload_bytes + FORM_OVERHEAD)
            server = listen(
                create_app(node), settings.host, settings.port if port is None else port, most_body
            )
        except OSError as error:
            raise PortTakenError(
                settings.port if port is None else port, "another program"
            ) from error
        _encrypt(server, home.certificate, settings)
        signal.signal(signal.SIGTERM, _leave)
        if passphrase:
            # the person has another one by now, or the file is damaged: who needs the keys hears of
            # it
            with suppress(ConflictError, CorruptHomeError):
                node.meeting.unlock(passphrase)
        threading.Thread(target=node.memory.warm, name="warm", daemon=True).start()
        try:
            server.run()
        finally:
            server.close()  # at once: who starts the node again wants the port


def _serve_locked(home: Home, port: int | None) -> None:
    home.run.mkdir(parents=True, exist_ok=True, mode=0o700)
    settings, _ = usable_settings(home)
    chosen = settings.port if port is None else port
    with running_as(home, "serve"):
        signal.signal(signal.SIGTERM, _leave)
        app = create_locked_app(home, partial(_leave_soon, ANSWER_SECONDS))
        try:
            server = listen(app, settings.host, chosen, MOST_BODY)
        except OSError as error:
            raise PortTakenError(chosen, "another program") from error
        # the certificate of the home is locked too: this one is made for the while
        with TemporaryDirectory() as folder:
            _encrypt(server, Path(folder) / home.certificate.name, settings)
        try:
            server.run()
        finally:
            server.close()


def _encrypt(server: ListeningSocket | MultiSocketServer, path: Path, settings: Settings) -> None:
    """Encrypt the way to the node, where that is wanted, with the certificate in a file."""
    if is_encrypted(settings):
        encryption = Encryption(path, names_of(settings))
        log.info("Certificate, SHA-256: %s", encryption.certificate.fingerprint)
        encrypt(server, encryption)


def _leave_soon(seconds: float) -> None:
    """End this process, and with it the memory that the key was in, once the answer is out."""
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGTERM)).start()


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
