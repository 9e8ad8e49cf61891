"""The process behind ``lpm serve``."""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import suppress
from types import FrameType

from lpm_kernel.api.app import FORM_OVERHEAD, create_app
from lpm_kernel.api.listening import listen
from lpm_kernel.config import Home
from lpm_kernel.errors import ConflictError, CorruptHomeError, PortTakenError
from lpm_kernel.node import Node
from lpm_kernel.usecases.processes import running_as
from lpm_kernel.usecases.share import passing


def serve(home: Home, port: int | None) -> None:
    """Answer until SIGTERM. Raises ``HomeLockedError`` and ``PortTakenError``."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every address that it asks
    passphrase = passing.given()
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


def _leave(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
