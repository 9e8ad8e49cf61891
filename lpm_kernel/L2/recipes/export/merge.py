"""A base with an adapter in its weights."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.adapter import Pair, read_adapter
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from lpm_kernel.L2.recipes.export.reading import Weights, opened, value
from lpm_kernel.L2.recipes.export.writing import TYPES, Tensor, copy_keys, packed, written


def export_merged(
    folder: Path, source: Path, out: Path, kind: str, scale: float, name: str
) -> None:
    """Write the base with the adapter in its weights. What the adapter does not change stays as it
    is, in its own type.
    """
    file = opened(source)
    base = BaseMeasures.of_file(file)
    lora = read_adapter(folder, base)
    changes = {pair.tensor: pair for pair in lora.pairs}
    if missing := sorted(changes.keys() - {tensor.name for tensor in file.tensors}):
        raise InvalidInputError(
            f"The base file has no “{missing[0]}”.",
            "Give the whole base model; a file in several parts has to be joined first.",
        )
    wanted, file_type = TYPES[kind]
    with written(out, base.architecture) as (writer, tensors):
        called = value(file, "general.name") or source.stem
        copy_keys(
            file,
            writer,
            {
                "general.name",
                "general.description",
                "general.file_type",
                "general.quantization_version",
            },
        )
        writer.add_name(f"{called} with {name}")
        writer.add_description(f"{called}, merged with the LoRA adapter {name} at scale {scale:g}")
        writer.add_file_type(file_type)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for tensor in file.tensors:
            shape = tuple(int(length) for length in reversed(tensor.shape))
            pair = changes.get(tensor.name)
            if pair is None:
                tensors.append(
                    Tensor(tensor.name, shape, tensor.tensor_type, partial(_as_it_is, tensor))
                )
            else:
                tensors.append(
                    packed(
                        tensor.name,
                        shape,
                        wanted,
                        partial(_merged, tensor, pair, scale * lora.alpha / lora.rank),
                    )
                )


def _as_it_is(tensor: gguf.ReaderTensor) -> NDArray[Any]:
    return np.asarray(tensor.data)


def _merged(tensor: gguf.ReaderTensor, pair: Pair, weight: float) -> Weights:
    try:
        weights: Weights = gguf.dequantize(tensor.data, tensor.tensor_type)
    except NotImplementedError as error:
        raise InvalidInputError(
            f"The base keeps its weights as {tensor.tensor_type.name}, which is not read.",
            "Take the base in f16 or q8_0.",
        ) from error
    return weights + np.float32(weight) * (pair.up @ pair.down)
