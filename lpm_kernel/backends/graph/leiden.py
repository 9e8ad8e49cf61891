"""graphrag's communities (hierarchical Leiden), found by a child process: importing graphrag takes
seconds and hundreds of megabytes that the node need not keep.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence

from lpm_kernel.errors import UnavailableError

SECONDS = 600.0
"""How long the child may take."""


class Leiden:
    """Groups by graphrag."""

    name = "graphrag-3"

    @staticmethod
    def is_there() -> bool:
        """Tell whether graphrag is installed, without importing it."""
        return importlib.util.find_spec("graphrag") is not None

    def groups(self, edges: Sequence[tuple[str, str, float]]) -> list[list[str]]:
        """Divide the nodes of these edges. Raises ``UnavailableError``."""
        if not edges:
            return []
        names = sorted({name for source, target, _ in edges for name in (source, target)})
        numbers = {name: number for number, name in enumerate(names)}
        asked = json.dumps(
            [[numbers[source], numbers[target], weight] for source, target, weight in sorted(edges)]
        )
        # Numbers go over, not names: nothing of the person's is in the child's memory, messages or
        # files.
        try:
            done = subprocess.run(
                (sys.executable, "-m", "lpm_kernel.backends.graph.child"),
                input=asked.encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=SECONDS,
                check=True,
                env=os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
            )
            found: list[list[int]] = json.loads(done.stdout)
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            raise UnavailableError(
                "The map could not be drawn: graphrag found no communities.",
                "The previous map is still shown. Try again.",
            ) from error
        return sorted(
            (sorted(names[number] for number in group) for group in found),
            key=lambda group: (-len(group), group),
        )
