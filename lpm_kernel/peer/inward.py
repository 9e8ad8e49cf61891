"""The running node, asked for the answer to a message: this process has neither the index nor a
model, and a bound on its memory.

It asks over loopback with a key of this home, and says only which message of the inbox is meant.
The node reads it, and the grant, itself.
"""

from __future__ import annotations

import http.client
import json
import logging
import ssl
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final
from urllib.parse import urlsplit

from lpm_kernel.config import Home
from lpm_kernel.peer.speaker import Answer, Composed
from lpm_kernel.usecases.processes import address
from protocol import limits
from protocol.events import Asked
from protocol.refusals import Code, Refusal

logger = logging.getLogger(__name__)

PATIENCE: Final = 110.0
"""Seconds; who asked waits for 120 and then comes again."""
PATH: Final = "/inward/replies"
KEY: Final = "inward-key"
LONGEST: Final = 2 * limits.BODY
"""Bytes of what the node says; an answer has half of them at most."""


def through_node(
    home: Home, where: Callable[[Home], str | None] = address, patience: float = PATIENCE
) -> Answer:
    """Return what has the running node answer. Where none runs, or it takes too long, it refuses as
    busy: the same message may come again.
    """

    def answer(asked: Asked, _now: int) -> Composed:
        url = where(home)
        if url is None:
            raise Refusal(Code.BUSY, "node")
        try:
            said = _ask(
                url,
                home,
                {"issuer": asked.message.iss, "message": asked.message.id},
                patience,
            )
        except (OSError, http.client.HTTPException, ValueError) as error:
            logger.warning("The node did not answer for another one: %s", type(error).__name__)
            raise Refusal(Code.BUSY, "node") from None
        if said["code"]:
            raise Refusal(Code(said["code"]), "node")
        return Composed(said["body"], tuple(said["documents"]))

    return answer


def _ask(url: str, home: Home, asked: dict[str, str], patience: float) -> Any:  # noqa: ANN401  JSON
    place = urlsplit(url)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(  # noqa: S104  compared, not bound
        place.hostname or "", place.hostname or "127.0.0.1"
    )
    connected = (
        http.client.HTTPSConnection(host, place.port, timeout=patience, context=_only(home))
        if place.scheme == "https"
        else http.client.HTTPConnection(host, place.port, timeout=patience)
    )
    with closing(connected) as connection:
        headers = {
            "Host": f"localhost:{place.port}",
            "Authorization": f"Bearer {home.secret(KEY)}",
            "Content-Type": "application/json",
        }
        connection.request("POST", PATH, json.dumps(asked).encode(), headers)
        came = connection.getresponse()
        data = came.read(LONGEST + 1)
    if came.status != http.HTTPStatus.OK or len(data) > LONGEST:
        message = f"status {came.status}"
        raise ValueError(message)
    return json.loads(data)


def _only(home: Home) -> ssl.SSLContext:
    """Believe nobody but who has the certificate of this home, under whatever name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(home.certificate)
    return context
