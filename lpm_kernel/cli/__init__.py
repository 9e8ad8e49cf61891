"""The ``lpm`` command. It imports what a command needs when that command runs, so that ``lpm
--help`` is quick.

Every command takes ``--json``, exits 0 on success, 1 when it could not do it (one sentence on
standard error), 2 on wrong usage. ``frame.py`` says how a command is made; the other modules hold
them.
"""

from __future__ import annotations

import os
import sys

# In the order in which the commands are listed.
# isort: off
from lpm_kernel.cli import running
from lpm_kernel.cli import library
from lpm_kernel.cli import memories
from lpm_kernel.cli import suggestions
from lpm_kernel.cli import profile
from lpm_kernel.cli import people
from lpm_kernel.cli import peer
from lpm_kernel.cli import offers
from lpm_kernel.cli import reaching
from lpm_kernel.cli import reflecting
from lpm_kernel.cli import roles
from lpm_kernel.cli import tables
from lpm_kernel.cli import training
from lpm_kernel.cli import comparing
from lpm_kernel.cli import reader
from lpm_kernel.cli import workspace
from lpm_kernel.cli import home
from lpm_kernel.cli import lock
from lpm_kernel.cli import access

# isort: on
from lpm_kernel.cli.frame import app
from lpm_kernel.config import close_to_others
from lpm_kernel.errors import NodeError

__all__ = [
    "access",
    "app",
    "comparing",
    "home",
    "library",
    "lock",
    "main",
    "memories",
    "offers",
    "peer",
    "people",
    "profile",
    "reaching",
    "reader",
    "reflecting",
    "roles",
    "running",
    "suggestions",
    "tables",
    "training",
    "workspace",
]


def main() -> None:
    """Run the command line; an error is one sentence on standard error."""
    close_to_others()
    # a model in this process must not spin on cores that others use
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # numpy's threads spin too: twice the processor time, and no sooner done
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        app()
    except NodeError as error:
        print(" ".join(part for part in (error.detail, error.hint) if part), file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("LPM_DEBUG"):
            raise
        print(_sentence(error), file=sys.stderr)
        sys.exit(1)


def _sentence(error: Exception) -> str:
    from lpm_kernel.config import default_home
    from lpm_kernel.usecases.mishaps import told

    known = told(error, default_home())
    if known is not None:
        return " ".join(part for part in (known.detail, known.hint) if part)
    return f"Something went wrong: {type(error).__name__}. LPM_DEBUG=1 shows where it happened."
