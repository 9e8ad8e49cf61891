"""Files that are read: JSON, safetensors, GGUF; what cannot be read is a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.utility import LocalTensor, SafetensorsLocal
from numpy.typing import NDArray

from lpm_kernel.errors import InvalidInputError

Weights = NDArray[np.float32]


def opened(path: Path) -> gguf.GGUFReader:
    """Open a GGUF file. Raises ``InvalidInputError``."""
    try:
        return gguf.GGUFReader(path)
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise InvalidInputError(
            f"“{path.name}” cannot be read as a GGUF file.",
            "It may be cut short; download it again.",
        ) from error


def value(file: gguf.GGUFReader, key: str) -> Any:  # noqa: ANN401 - whatever the file holds under that key, None for nothing
    """Return what a GGUF file says under a key."""
    field = file.get_field(key)
    return None if field is None else field.contents()


def tensors_of(files: Sequence[Path]) -> Iterator[tuple[str, LocalTensor]]:
    """Name every tensor of the safetensors files, in the order of their names within a file."""
    if not files:
        raise InvalidInputError(
            "The folder holds no model.safetensors.", "Download the model with its safetensors."
        )
    for file in files:
        try:
            yield from SafetensorsLocal(file).tensors.items()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInputError(
                f"“{file.name}” cannot be read.",
                "It may be missing or cut short; download it again, or train again.",
            ) from error


def numbers_of(tensor: LocalTensor) -> Weights:
    """Return the numbers of a tensor as float32, which holds each of the three kinds exactly."""
    try:
        raw = tensor.mmap_bytes()
        if tensor.dtype == "BF16":
            numbers = (raw.view("<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
        else:
            numbers = raw.view({"F32": "<f4", "F16": "<f2"}[tensor.dtype]).astype(np.float32)
        return np.asarray(numbers).reshape(tensor.shape)
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInputError(
            f"A tensor of the kind {tensor.dtype} cannot be read.",
            "Save it as float32, float16 or bfloat16.",
        ) from error


def read_json(path: Path) -> dict[str, Any]:
    """Read an object. Raises ``InvalidInputError``."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"“{path.parent.name}” has no {path.name} that can be read.",
            "Give the whole folder, as it was saved.",
        ) from error
    if not isinstance(content, dict):
        raise InvalidInputError(f"{path.name} holds no object.", "Give the folder as it was saved.")
    return content
