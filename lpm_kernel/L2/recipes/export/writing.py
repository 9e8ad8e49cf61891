"""A GGUF file that is written: announced tensor by tensor, made one after the other, whole or not
there at all.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.reading import Weights

TYPES = {
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}


@dataclass(frozen=True)
class Tensor:
    """A tensor to be written: announced with its shape, made when its turn comes."""

    name: str
    shape: tuple[int, ...]
    kind: gguf.GGMLQuantizationType
    make: Callable[[], NDArray[Any]]


def whole(name: str, numbers: Weights) -> Tensor:
    """Announce a tensor as it is."""
    return Tensor(
        name, numbers.shape, gguf.GGMLQuantizationType.F32, lambda: np.ascontiguousarray(numbers)
    )


def packed(
    name: str, shape: tuple[int, ...], kind: gguf.GGMLQuantizationType, make: Callable[[], Weights]
) -> Tensor:
    """Announce a tensor in that type; rows that do not divide into its blocks are written as
    f16.
    """
    if shape[-1] % gguf.GGML_QUANT_SIZES[kind][0]:
        kind = gguf.GGMLQuantizationType.F16
    return Tensor(name, shape, kind, lambda: gguf.quantize(make(), kind))


@contextmanager
def written(out: Path, architecture: str) -> Iterator[tuple[gguf.GGUFWriter, list[Tensor]]]:
    """Collect keys and tensors, then write them to a scratch file that takes its name when it is
    whole and on the disk.
    """
    scratch = out.with_name(f".{out.name}.{os.getpid()}.part")
    writer = gguf.GGUFWriter(scratch, architecture)
    tensors: list[Tensor] = []
    try:
        yield writer, tensors
        for tensor in tensors:
            block, size = gguf.GGML_QUANT_SIZES[tensor.kind]
            writer.add_tensor_info(
                tensor.name,
                tensor.shape,
                np.dtype(np.float32),
                math.prod(tensor.shape) // block * size,
                raw_dtype=tensor.kind,
            )
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        for tensor in tensors:
            writer.write_tensor_data(tensor.make())
        writer.close()
        for place in (scratch, out.parent):
            handle = os.open(place, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        scratch.replace(out)
    finally:
        writer.close()
        scratch.unlink(missing_ok=True)


def copy_keys(file: gguf.GGUFReader, writer: gguf.GGUFWriter, but: Iterable[str]) -> None:
    """Take the keys of one file over into another. Raises ``InvalidInputError`` for one part of
    several.
    """
    left_out = {"general.architecture", *but}
    for name, field in file.fields.items():
        if name.startswith("GGUF.") or name in left_out:
            continue
        if name == "split.count" and field.contents() > 1:
            raise InvalidInputError(
                "The base comes in several files.", "Join them with llama.cpp's gguf-split first."
            )
        if name == "general.alignment":
            writer.add_custom_alignment(field.contents())
            continue
        writer.add_key_value(
            name,
            field.contents(),
            field.types[0],
            sub_type=field.types[-1] if len(field.types) > 1 else None,
        )
