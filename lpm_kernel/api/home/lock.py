"""The lock of the home: on the open node and on the one that serves nothing else."""

from __future__ import annotations

import threading
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Response, current_app

from lpm_kernel.api.context import home
from lpm_kernel.api.home.lock_schemas import HomeUnlocked, HomeUnlockIn, LockIn, LockOut, PlainOut
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.errors import ConflictError, NodeError
from lpm_kernel.node import Node
from lpm_kernel.node.home_lock import home_lock
from lpm_kernel.usecases.home.access import new_login_code

api = HOME.blueprint("lock", __name__)

UNLOCKED = "second-me-unlocked"
"""What the application of a locked home is told when it was unlocked."""
_one_at_a_time = threading.Lock()
"""Each try takes 256 MiB for half a second."""


@api.get("/home/lock", summary="How the home is locked", responses={200: LockOut})
def get_lock() -> Response:
    """Say whether it has a passphrase, whether it is locked, and what can be read without it."""
    return _told()


@api.put(
    "/home/lock",
    summary="Set a passphrase for the home, or another one",
    responses={200: LockOut},
)
def put_lock(body: LockIn) -> Response:
    """Have the home locked by it whenever the node ends. It is not locked yet. Nobody can open it
    for a person who has forgotten the passphrase.
    """
    with _one_at_a_time:
        home_lock(home()).set(body.passphrase, body.before)
    return _told()


@api.delete("/home/lock", summary="Have no passphrase any more", responses={200: LockOut})
def delete_lock(body: HomeUnlockIn) -> Response:
    """Leave the home open from now on, as it is without a passphrase."""
    with _one_at_a_time:
        home_lock(home()).remove(body.passphrase)
    return _told()


@api.post("/home/lock", summary="Lock the home now", responses={202: LockOut})
def lock() -> Response:
    """End all work and seal everything; jobs go on where they were once it is unlocked. The screen
    that unlocks it answers a moment later.
    """
    home_lock(home()).ask()
    return _told(HTTPStatus.ACCEPTED)


@api.post("/home/unlock", summary="Unlock the home", responses={200: HomeUnlocked})
def unlock(body: HomeUnlockIn) -> Response:
    """Open what is sealed; the node starts a moment later. The passphrase and the key that it opens
    are in memory alone, until that is done.
    """
    told = current_app.extensions.get(UNLOCKED)
    if told is None:
        raise ConflictError("The home is open.", "There is nothing to unlock.")
    with _one_at_a_time:
        home_lock(home()).open(body.passphrase)
    link = _link()
    told()
    return json_response(HomeUnlocked(link=link))


def _link() -> str:
    """Return a login link: whoever has the passphrase is the person."""
    try:
        with Node(home(), in_process=False) as node:
            return (
                f"/login?{urlencode({'code': new_login_code(node.ports.access, node.ports.clock)})}"
            )
    except NodeError:  # who starts the node next says what is wrong
        return "/"


def _told(status: int = HTTPStatus.OK) -> Response:
    known = home_lock(home()).look()
    plain = [PlainOut.model_validate(each, from_attributes=True) for each in known.plain]
    return json_response(LockOut(state=known.state, plain=plain, trouble=known.trouble), status)
