"""What a recipe writes into the folder of its training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def json_lines(file: Path) -> list[dict[str, Any]]:
    """Read JSON lines; one that is being written does not count yet."""
    if not file.exists():
        return []
    whole = file.read_text("utf-8", "replace").rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines() if line.strip()]
