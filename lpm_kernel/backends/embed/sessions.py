"""How models are run in onnxruntime, and where what is derived for it is kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def default_cache() -> Path:
    """Return where derived model files are kept: `LPM_CACHE`, else the person's cache folder."""
    return Path(os.environ.get("LPM_CACHE") or user_cache_path("second-me")).expanduser()


def cpu_session(graph: Path, threads: int) -> InferenceSession:
    """Open a graph on the processor, with no more memory and no more threads than it needs."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps the largest batch for ever
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
