"""The running node, asked for the answer to a message: this process has neither the index nor a
model, and a bound on its memory.

It asks over loopback with a key of this home, and says only which message of the inbox is meant.
The node reads it, and the grant, itself.
"""

from __future__ import annotations

import http.client
import json
import logging
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
                home.secret(KEY),
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


def _ask(url: str, key: str, asked: dict[str, str], patience: float) -> Any:  # noqa: ANN401  JSON
    place = urlsplit(url)
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(  # noqa: S104  compared, not bound
        place.hostname or "", place.hostname or "127.0.0.1"
    )
    with closing(http.client.HTTPConnection(host, place.port, timeout=patience)) as connection:
        headers = {
            "Host": f"localhost:{place.port}",
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
        }
        connection.request("POST", PATH, json.dumps(asked).encode(), headers)
        came = connection.getresponse()
        data = came.read(LONGEST + 1)
    if came.status != http.HTTPStatus.OK or len(data) > LONGEST:
        message = f"status {came.status}"
        raise ValueError(message)
    return json.loads(data)
