"""The bundled sentence model as an ONNX graph, written straight from its weights.

all-MiniLM-L6-v2 comes as safetensors. Here it becomes a graph of a few dozen nodes with
onnxruntime's fused operators (`com.microsoft`), which is all that the node needs: no torch, no
exporter. It is built once, at set-up or at first use, and kept beside the other derived model
files; the name of the file carries the hash of what it was made from, so a new recipe or new
weights make a new file.

The model: Reimers and Gurevych 2019, Sentence-BERT; Wang et al. 2020, MiniLM. Six layers, 384 wide,
12 heads.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnx import ModelProto

    Weights = dict[str, NDArray[np.float32]]

RECIPE = 1
"""Counts up when the graph below changes."""

FUSED = "com.microsoft"


def graph_file(source: Path, cache: Path) -> Path:
    """Return the graph of the model folder ``source`` under ``cache``, built if it is not there yet
    (2 seconds, 90 MB).
    """
    weights = source / "model.safetensors"
    fingerprint = hashlib.sha256(f"{RECIPE}".encode())
    with weights.open("rb") as handle:
        fingerprint.update(hashlib.file_digest(handle, "sha256").digest())
    path = cache / f"minilm-{fingerprint.hexdigest()[:16]}" / "model.onnx"
    if not path.exists():
        write_graph(source, path)
    return path


def write_graph(source: Path, path: Path) -> None:
    """Write the graph and, beside it, its weights, which onnxruntime maps instead of reading. Whole
    or not at all.
    """
    import onnx
    from safetensors.numpy import load_file

    config = json.loads((source / "config.json").read_text("utf-8"))
    weights = {
        name.removeprefix("bert."): value
        for name, value in load_file(source / "model.safetensors").items()
    }
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent.parent, prefix=".building-") as scratch:
        model = _model(
            weights,
            heads=config["num_attention_heads"],
            layers=config["num_hidden_layers"],
            epsilon=config["layer_norm_eps"],
        )
        onnx.save_model(
            model,
            Path(scratch) / path.name,
            save_as_external_data=True,
            location="weights.bin",
            size_threshold=1024,
        )
        finished = Path(scratch) / "finished"
        finished.mkdir()
        for name in (path.name, "weights.bin"):
            (Path(scratch) / name).rename(finished / name)
        try:
            os.rename(finished, path.parent)  # noqa: PTH104 - Path.rename would do the same; this one fails when the folder is there
        except OSError:
            # another process finished first, which is fine; anything else is not
            if not path.exists():
                raise


def _model(weights: Weights, *, heads: int, layers: int, epsilon: float) -> ModelProto:
    """Build the graph: (ids, mask) of shape (texts, tokens) -> hidden states of shape (texts,
    tokens, width).
    """
    from onnx import TensorProto, helper, numpy_helper

    width = weights["embeddings.LayerNorm.weight"].shape[0]
    nodes, constants = [], []

    def constant(name: str, value: NDArray[np.float32]) -> str:
        constants.append(
            numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float32), name)
        )
        return name

    def norm(prefix: str) -> list[str]:
        return [
            constant(f"{prefix}.weight", weights[f"{prefix}.weight"]),
            constant(f"{prefix}.bias", weights[f"{prefix}.bias"]),
        ]

    def product(name: str, value: str) -> str:
        """Multiply by a layer's weights; its bias is added by the fused operator that follows."""
        nodes.append(
            helper.make_node(
                "MatMul",
                [value, constant(f"{name}.weight", weights[f"{name}.weight"].T)],
                [f"{name}.out"],
            )
        )
        return f"{name}.out"

    # Every text is of the same kind, so the embedding of that kind is added to the positions
    # beforehand.
    positions = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    words = constant("words", weights["embeddings.word_embeddings.weight"])
    embed = [
        "ids",
        "",
        words,
        constant("positions", positions),
        "",
        *norm("embeddings.LayerNorm"),
        "mask",
    ]
    nodes.append(
        helper.make_node(
            "EmbedLayerNormalization", embed, ["embedded", "lengths"], domain=FUSED, epsilon=epsilon
        )
    )

    state = "embedded"
    for index in range(layers):
        layer = f"encoder.layer.{index}"
        parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
        weight = constant(
            f"{layer}.qkv.weight",
            np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1),
        )
        bias = constant(
            f"{layer}.qkv.bias", np.concatenate([weights[f"{part}.bias"] for part in parts])
        )
        nodes.append(
            helper.make_node(
                "Attention",
                [state, weight, bias, "lengths"],
                [f"{layer}.seen"],
                domain=FUSED,
                num_heads=heads,
            )
        )
        for block, value in (
            (f"{layer}.attention.output", f"{layer}.seen"),
            (f"{layer}.output", ""),
        ):
            source = value
            if not source:
                inner = f"{layer}.intermediate.dense"
                wide = [product(inner, state), constant(f"{inner}.bias", weights[f"{inner}.bias"])]
                nodes.append(helper.make_node("BiasGelu", wide, [f"{inner}.gelu"], domain=FUSED))
                source = f"{inner}.gelu"
            dense = [
                product(f"{block}.dense", source),
                state,
                *norm(f"{block}.LayerNorm"),
                constant(f"{block}.dense.bias", weights[f"{block}.dense.bias"]),
            ]
            nodes.append(
                helper.make_node(
                    "SkipLayerNormalization",
                    dense,
                    [f"{block}.state"],
                    domain=FUSED,
                    epsilon=epsilon,
                )
            )
            state = f"{block}.state"
    nodes.append(helper.make_node("Identity", [state], ["hidden"]))

    graph = helper.make_graph(
        nodes,
        "all-MiniLM-L6-v2",
        [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"])
            for name in ("ids", "mask")
        ],
        [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["texts", "tokens", width])],
        constants,
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    return helper.make_model(graph, opset_imports=versions, ir_version=9, producer_name="second-me")
