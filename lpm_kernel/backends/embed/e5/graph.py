"""The reader as an ONNX graph: the vocabulary of multilingual-e5-small as it came, in four bits;
the layers and the heads as they were learned, in eight. A layer that was not is taken as it came.

onnxruntime's fused operators (`com.microsoft`) are all that it needs. It is built once, at set-up
or at first use, and kept beside the other derived model files under a name that carries the hash
of what it was made from.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lpm_kernel.backends.embed.e5.weights import E5Weights

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray
    from onnx import ModelProto

    Matrix = tuple[NDArray[np.int8], NDArray[np.float32]]
    """Weights of shape (inputs, outputs), and the scale of each output."""

RECIPE: Final = 1
"""Counts up when the graph below changes."""
FUSED: Final = "com.microsoft"
ONE: Final = 127
PARTS: Final = {"q": "q", "k": "k", "v": "v", "o": "ao", "fi": "fi", "fo": "fo"}
"""Matrices of a layer: their name in what was learned, and in the package."""
NORMS: Final = ("aln", "oln")
HEADS: Final = ("span", "relevance", "support")
LEARNED: Final = Path(__file__).with_name("reader.npz")
"""The layers that were taught, and the heads (`L2/recipes/reader.py`)."""


def graph_file(source: Path, cache: Path, learned: Path = LEARNED) -> Path:
    """Return the graph of the reader under ``cache``, built if it is not there yet (3 seconds, 75
    MB).
    """
    fingerprint = hashlib.sha256(f"{RECIPE}".encode())
    for path in (source, learned):
        with path.open("rb") as handle:
            fingerprint.update(hashlib.file_digest(handle, "sha256").digest())
    path = cache / f"reader-{fingerprint.hexdigest()[:16]}" / "model.onnx"
    if not path.exists():
        _build(source, learned, path)
    return path


def _build(source: Path, learned: Path, path: Path) -> None:
    """Write the graph and, beside it, its weights, which onnxruntime maps instead of reading. Whole
    or not at all.
    """
    import onnx

    path.parent.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent.parent, prefix=".building-") as scratch:
        finished = Path(scratch) / "finished"
        finished.mkdir()
        with np.load(learned) as upper:
            model = reader_graph(E5Weights(source), dict(upper))
        onnx.save_model(
            model,
            finished / path.name,
            save_as_external_data=True,
            location="weights.bin",
            size_threshold=1024,
        )
        try:
            os.rename(finished, path.parent)  # noqa: PTH104 - fails when the folder is there
        except OSError:
            # another process finished first, which is fine; anything else is not
            if not path.exists():
                raise


def quantize(matrix: NDArray[np.float32]) -> Matrix:
    """Give a matrix of shape (outputs, inputs) in eight bits, with a scale for each output."""
    turned = matrix.T
    scale = np.maximum(np.abs(turned).max(0) / ONE, np.finfo(np.float32).tiny).astype(np.float32)
    return np.round(turned / scale).astype(np.int8), scale


@dataclass
class _Graph:
    """A graph as it grows."""

    weights: E5Weights
    upper: Mapping[str, NDArray[Any]]
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(self, kind: str, given: list[str], out: str, domain: str = FUSED, **how: float) -> str:
        from onnx import helper

        made = helper.make_node(kind, given, [out], domain=domain)
        made.attribute.extend(helper.make_attribute(name, value) for name, value in how.items())
        self.nodes.append(made)
        return out

    def numbers(self, layer: int, name: str) -> NDArray[np.float32]:
        """Return a bias or a norm of a layer, learned where it was learned."""
        key = f"{layer}.{name}"
        if key in self.upper:
            return np.asarray(self.upper[key], np.float32)
        stem, _, kind = name.rpartition(".")
        return self.weights.numbers(f"l{layer}.{PARTS.get(stem, stem)}.{kind}")

    def matrix(self, layer: int, name: str) -> Matrix:
        """Return a matrix of a layer, learned where it was learned."""
        key = f"{layer}.{name}.w"
        if key in self.upper:
            return self.upper[key], np.asarray(self.upper[f"{layer}.{name}.scale"], np.float32)
        inputs = self.weights.shape.inner if name == "fo" else self.weights.shape.width
        return quantize(self.weights.matrix(f"l{layer}.{PARTS[name]}.w", inputs))

    def product(self, layer: int, name: str, value: str) -> str:
        """Multiply by a matrix; its bias is added by the fused operator that follows."""
        numbers, scale = self.matrix(layer, name)
        stem = f"{layer}.{name}"
        given = [
            value,
            self.constant(f"{stem}.w", numbers),
            self.constant(f"{stem}.scale", scale),
            self.constant(f"{stem}.zero", np.zeros(numbers.shape[1], np.int8)),
        ]
        return self.node("DynamicQuantizeMatMul", given, f"{stem}.out")

    def of_layer(self, layer: int, name: str) -> str:
        return self.constant(f"{layer}.{name}", self.numbers(layer, name))


def reader_graph(weights: E5Weights, upper: Mapping[str, NDArray[Any]]) -> ModelProto:
    """Build the graph: ids (texts, tokens) and their lengths (texts,) -> ``spans`` of shape (texts,
    tokens, 2), logits of begin and end, and ``whole`` of shape (texts, 2), logits of relevance and
    support.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights, upper)
    state = _embedded(graph)
    for layer in range(weights.shape.layers):
        state = _layer(graph, layer, state)
    _heads(graph, state)
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT32, ["texts", "tokens"]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["texts"]),
    ]
    outputs = [
        helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["texts", "tokens", 2]),
        helper.make_tensor_value_info("whole", TensorProto.FLOAT, ["texts", 2]),
    ]
    made = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.constants)
    versions = [helper.make_opsetid("", 21), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=10, producer_name="second-me")


def _embedded(graph: _Graph) -> str:
    """Words, which stay in four bits, and their places."""
    from onnx import TensorProto, helper

    weights = graph.weights
    scales, words = weights.quantized("emb.word", weights.shape.width)
    signed = ((words.astype(np.int8) - 8).view(np.uint8)) & 15
    packed = (signed[..., 0::2] | (signed[..., 1::2] << 4)).astype(np.uint8)
    graph.constants.append(
        helper.make_tensor("words", TensorProto.INT4, list(words.shape), packed.tobytes(), raw=True)
    )
    graph.constant("words.scale", scales.astype(np.float32))
    graph.node(
        "GatherBlockQuantized",
        ["words", "ids", "words.scale"],
        "words.out",
        gather_axis=0,
        quantize_axis=1,
        block_size=32,
    )
    positions = weights.numbers("emb.pos").reshape(-1, weights.shape.width)
    kind = weights.numbers("emb.type").reshape(-1, weights.shape.width)[0]
    graph.constant("positions", positions + kind)
    graph.constant("zero", np.array([0], np.int64))
    graph.node("Shape", ["ids"], "count", domain="", start=1, end=2)
    graph.node("Slice", ["positions", "zero", "count", "zero"], "places", domain="")
    graph.node("Unsqueeze", ["places", "zero"], "places.out", domain="")
    norm = [graph.constant(f"embedded.{part}", weights.numbers(f"emb.ln.{part}")) for part in "wb"]
    return graph.node(
        "SkipLayerNormalization",
        ["words.out", "places.out", *norm],
        "embedded",
        epsilon=weights.shape.epsilon,
    )


def _layer(graph: _Graph, layer: int, state: str) -> str:
    shape = graph.weights.shape
    bias = graph.constant(
        f"{layer}.qkv.b", np.concatenate([graph.numbers(layer, f"{part}.b") for part in "qkv"])
    )
    parts = [graph.product(layer, part, state) for part in "qkv"]
    seen = graph.node(
        "MultiHeadAttention", [*parts, bias, "lengths"], f"{layer}.seen", num_heads=shape.heads
    )

    def added(dense: str, beside: str, norm: str, out: str) -> str:
        given = [graph.product(layer, dense, out), beside]
        given += [graph.of_layer(layer, f"{norm}.{part}") for part in "wb"]
        given.append(graph.of_layer(layer, f"{dense}.b"))
        return graph.node("SkipLayerNormalization", given, f"{layer}.{norm}", epsilon=shape.epsilon)

    middle = added("o", state, "aln", seen)
    inner = graph.product(layer, "fi", middle)
    wide = graph.node("BiasGelu", [inner, graph.of_layer(layer, "fi.b")], f"{layer}.wide")
    return added("fo", middle, "oln", wide)


def _heads(graph: _Graph, state: str) -> None:
    upper = graph.upper

    def dense(name: str, value: str, out: str) -> str:
        weight = graph.constant(f"{name}.w", np.asarray(upper[f"{name}.w"], np.float32).T)
        graph.node("MatMul", [value, weight], f"{name}.product", domain="")
        bias = graph.constant(f"{name}.b", np.asarray(upper[f"{name}.b"], np.float32))
        return graph.node("Add", [f"{name}.product", bias], out, domain="")

    dense("span", state, "spans")
    graph.constant("first", np.array(0, np.int64))
    graph.node("Gather", [state, "first"], "head", domain="", axis=1)
    dense("whole", "head", "whole")
