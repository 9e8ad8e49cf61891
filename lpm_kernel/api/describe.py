"""Write ``openapi.json`` from the signatures: ``python -m lpm_kernel.api.describe [FILE]``, or
``make schema``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from lpm_kernel.api.app import create_app
from lpm_kernel.api.contract import description
from lpm_kernel.node import Node

FILE = Path(__file__).with_name("openapi.json")


def text() -> str:
    """Return the description as it is checked in."""
    with tempfile.TemporaryDirectory() as home, Node.open(home) as node:
        return (
            json.dumps(description(create_app(node)), ensure_ascii=False, indent=1, sort_keys=True)
            + "\n"
        )


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else FILE).write_text(text(), "utf-8")
