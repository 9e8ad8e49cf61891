"""What trains reaches nobody: trl reports each trainer that is made, unless it is told not to
before it is imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

pytestmark = [
    pytest.mark.unit,
    pytest.mark.skipif(
        find_spec("huggingface_hub") is None, reason="huggingface_hub is not installed"
    ),
]

AS_A_RECIPE_BEGINS = """
import json, sys
from lpm_kernel.L2.recipes import dpo, sft
from lpm_kernel.L2.recipes.loop.machine import stay_offline
early = "huggingface_hub" in sys.modules
stay_offline()
from huggingface_hub import constants
print(json.dumps([early, constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY]))
"""


def test_a_recipe_is_offline_before_anything_that_could_tell_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AS_A_RECIPE_BEGINS],
        env={"PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [False, True, True]
