"""The invented life that the demonstration, the pictures and the tests show: Nagi Sorrel, who
restores violins.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.stores import Conversations
from lpm_kernel.errors import NotFoundError, UnsupportedFileError
from lpm_kernel.usecases.library.intake import NewDocument, Received, walk
from lpm_kernel.usecases.processes import address, running

SAMPLE = Path(__file__).resolve().parents[2] / "sample" / "nagi"
NAGI = Identity(
    "Nagi Sorrel（ソレル 凪）",
    "I restore violins in Kanazawa and write too many letters.",
    "Short sentences, plain words.",
    ("en", "ja"),
)


def add_sample_life(
    receive: Callable[[NewDocument], Received], conversations: Conversations
) -> int:
    """Add her archive; what is there already stays as it is. Returns how many files are of kinds
    that are not read yet.
    """
    if not conversations.identity().name:
        conversations.set_identity(NAGI)
    left_out = 0
    for path in walk([SAMPLE]):
        try:
            receive(NewDocument(path.name, path.read_bytes(), tags=(path.parent.name,)))
        except UnsupportedFileError:
            left_out += 1
    return left_out


def is_here() -> bool:
    """Tell whether the sample life came along with this node."""
    return SAMPLE.exists()


def sample_home(home: Home) -> Home:
    """Return the home of the sample life: beside the person's own, never in it."""
    return Home(home.root.with_name(f"{home.root.name}-demo"))


class Beside:
    """The sample life in a node of its own, begun and ended from the person's."""

    def __init__(self, home: Home) -> None:
        self.home = sample_home(home)
        self._own = home
        self._begun: threading.Thread | None = None

    def state(self) -> Literal["absent", "stopped", "starting", "running"]:
        """Say how it is; ``absent`` is a node that came without the sample life."""
        if not is_here():
            return "absent"
        if self.address():
            return "running"
        return "starting" if self._begun is not None and self._begun.is_alive() else "stopped"

    def address(self) -> str | None:
        """Return where it answers."""
        return address(self.home, "serve")

    def begin(self) -> None:
        """Start it, unless it runs or starts already. Raises ``NotFoundError`` where there is
        none.
        """
        if self.state() == "absent":
            raise NotFoundError("sample life", "nagi")
        if self.state() != "stopped":
            return
        self.home.make()
        self._begun = threading.Thread(target=self._start, name="sample", daemon=True)
        self._begun.start()

    def _start(self) -> None:
        with (self.home.logs / "demo.log").open("ab") as log:
            subprocess.run(
                [sys.executable, "-m", "lpm_kernel", "demo", "--detach"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"LPM_HOME": str(self._own.root), "LPM_OPEN": "0"},
                check=False,
            )

    def end(self) -> None:
        """Stop it; its home stays."""
        pid = dict(running(self.home)).get("node") if self.home.run.exists() else None
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
