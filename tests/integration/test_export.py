"""What is exported is what llama.cpp's own converter makes of it, and llama.cpp says with it what
torch says.

Two tiny random models, one of each family, with a random adapter each; the vocabulary is the
bundled model's beginning. Random weights are no harder than trained ones, and an adapter that
changes every layer shows every mistake in their order.
"""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gguf
import llama_cpp
import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lpm_kernel.backends.llm.weights import bundled_gguf, default_cache
from lpm_kernel.L2.recipes.export.__main__ import main
from lpm_kernel.L2.recipes.export.base import LINEAR
from lpm_kernel.L2.recipes.export.tokens import cut
from tests.adapters import write_tokenizer

ROOT = Path(__file__).parents[2]
CONVERTER = default_cache() / f"converter-{version('llama_cpp_python')}"
FAMILIES = {"llama": "smollm", "qwen2": "qwen2"}
"""The family, and how its texts are cut before pairs are joined."""

TOLERANCE = {"f16": (0.1, 0.02), "q8_0": (1.5, 0.15)}
"""How far log-probabilities may be from torch's in float32, where they spread over about 20: the
worst of 400,000, and their root mean square. llama.cpp rounds what a layer is given as it rounds
the layer's weights, to 11 bits or to 8, and rows of 64 leave that little room to even out.
Measured: 0.05 and 0.005, 0.81 and 0.08; rows in the wrong order make it more than 1.
"""

Numbers = NDArray[np.float32]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("torch") is None or find_spec("peft") is None:
        pytest.skip("torch and peft are not installed: `make setup` installs them")
    folder = tmp_path_factory.mktemp("tiny")
    write_tokenizer(folder / "whole", whole=True)
    for family, cut_as in FAMILIES.items():
        write_tokenizer(folder / family / "tokenizer", whole=False, cut_as=cut_as)
    converter = [str(CONVERTER)] if CONVERTER.is_dir() else []
    made = subprocess.run(
        [sys.executable, "-m", "tests.tiny_models", str(folder), *converter],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    for family in FAMILIES:
        run("model", folder / family / "base", folder / family / "base-f16.gguf", "--type", "f16")
        run(
            "adapter",
            folder / family / "adapter",
            folder / family / "adapter.gguf",
            "--base",
            folder / family / "base",
            "--name",
            "Adapter",
        )
    return folder


def run(*arguments: object) -> None:
    assert main([str(argument) for argument in arguments]) == 0


def keys(file: gguf.GGUFReader) -> dict[str, Any]:
    return {
        name: field.contents()
        for name, field in file.fields.items()
        if not name.startswith("GGUF.")
    }


def log_probabilities(
    path: Path, prompts: NDArray[np.int64], adapter: Path | None = None, scale: float = 1.0
) -> Numbers:
    """Return what llama.cpp thinks of every next token, shape (prompts, places, vocabulary)."""
    with closing(
        llama_cpp.Llama(
            str(path), n_ctx=64, n_threads=1, n_threads_batch=1, logits_all=True, verbose=False
        )
    ) as llama:
        if adapter is not None:
            loaded = llama_cpp.llama_adapter_lora_init(llama.model, str(adapter).encode())
            assert loaded
            llama_cpp.llama_set_adapters_lora(
                llama.ctx, (type(loaded) * 1)(loaded), 1, (ctypes.c_float * 1)(scale)
            )
        every = []
        for prompt in prompts:
            llama.reset()
            llama.eval(prompt.tolist())
            logits = llama.scores[: len(prompt)].astype(np.float64)
            every.append(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))
    return np.stack(every).astype(np.float32)


def agree(found: Numbers, wanted: Numbers, kind: str) -> None:
    """Log-probabilities are near, and so is the choice of a greedy reader wherever the first is
    clearly ahead.
    """
    worst, typical = TOLERANCE[kind]
    far = np.abs(found - wanted)
    assert far.max() < worst
    assert np.sqrt(np.square(far).mean()) < typical
    second, first = np.partition(wanted, -2, axis=-1)[..., -2:].transpose(2, 0, 1)
    clear = first - second > 2 * typical
    assert clear.mean() > 0.3
    assert (found.argmax(-1) == wanted.argmax(-1))[clear].all()


# --- against llama.cpp's own converter ----------------------------------------------------------

has_converter = pytest.mark.skipif(
    not CONVERTER.is_dir(),
    reason="llama.cpp's converter is not in the cache: `make setup` puts it there",
)


@has_converter
@pytest.mark.parametrize("family", FAMILIES)
def test_an_adapter_is_the_converters_byte_for_byte(tiny: Path, family: str) -> None:
    assert (tiny / family / "adapter.gguf").read_bytes() == (
        tiny / family / "theirs-adapter.gguf"
    ).read_bytes()


@has_converter
@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_has_the_converters_tensors_and_keys(
    tiny: Path, family: str, tmp_path: Path
) -> None:
    run("model", tiny / family / "base", tmp_path / "ours.gguf", "--type", "q8_0", "--name", "Base")
    theirs = gguf.GGUFReader(tiny / family / "theirs-model.gguf")
    ours = gguf.GGUFReader(tmp_path / "ours.gguf")
    assert [(tensor.name, tensor.tensor_type) for tensor in ours.tensors] == [
        (tensor.name, tensor.tensor_type) for tensor in theirs.tensors
    ]
    assert all(
        np.array_equal(left.data, right.data)
        for left, right in zip(ours.tensors, theirs.tensors, strict=True)
    )
    said, wanted = keys(ours), keys(theirs)
    # A word for the size, made of the number of weights, is not written; the rest, the tokenizer
    # included, is the same.
    del wanted["general.size_label"]
    assert {key: said[key] for key in wanted} == wanted
    # What llama.cpp would conclude by itself is said; and that no mark is put before a text, which
    # it would not conclude.
    concluded = {
        "qwen2.vocab_size",
        "qwen2.rope.dimension_count",
        "qwen2.attention.key_length",
        "qwen2.attention.value_length",
    }
    assert said.keys() - wanted.keys() <= {*concluded, "tokenizer.ggml.add_bos_token"}


@has_converter
def test_the_way_of_cutting_texts_has_the_converters_name(tiny: Path) -> None:
    tokenizer = json.loads((tiny / "whole" / "tokenizer.json").read_text("utf-8"))
    assert (
        cut(tokenizer["pre_tokenizer"])
        == (tiny / "whole" / "theirs-pre").read_text("utf-8")
        == "smollm"
    )


# --- against torch ------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_says_what_torch_says(tiny: Path, family: str) -> None:
    expected = np.load(tiny / family / "expected.npz")
    agree(
        log_probabilities(tiny / family / "base-f16.gguf", expected["prompts"]),
        expected["base"],
        "f16",
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_an_adapter_beside_its_base_says_what_torch_says(tiny: Path, family: str) -> None:
    expected = np.load(tiny / family / "expected.npz")
    found = log_probabilities(
        tiny / family / "base-f16.gguf", expected["prompts"], tiny / family / "adapter.gguf"
    )
    assert np.abs(found - expected["base"]).mean() > 0.5  # it does change what is said
    agree(found, expected["adapted"], "f16")


@pytest.mark.parametrize("kind", ["f16", "q8_0"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_merged_model_says_what_torch_says(
    tiny: Path, family: str, kind: str, tmp_path: Path
) -> None:
    expected = np.load(tiny / family / "expected.npz")
    run(
        "merge",
        tiny / family / "adapter",
        tiny / family / "base-f16.gguf",
        tmp_path / "merged.gguf",
        "--type",
        kind,
    )
    agree(
        log_probabilities(tmp_path / "merged.gguf", expected["prompts"]), expected["adapted"], kind
    )


def test_half_an_adapter_merged_is_half_an_adapter_served(tiny: Path, tmp_path: Path) -> None:
    folder = tiny / "qwen2"
    prompts = np.load(folder / "expected.npz")["prompts"]
    run(
        "merge",
        folder / "adapter",
        folder / "base-f16.gguf",
        tmp_path / "half.gguf",
        "--type",
        "f16",
        "--scale",
        "0.5",
    )
    served = log_probabilities(folder / "base-f16.gguf", prompts, folder / "adapter.gguf", 0.5)
    agree(log_probabilities(tmp_path / "half.gguf", prompts), served, "f16")


@pytest.mark.parametrize("family", FAMILIES)
def test_texts_are_cut_into_the_same_tokens(tiny: Path, family: str) -> None:
    ours = llama_cpp.Llama(str(tiny / family / "base-f16.gguf"), vocab_only=True, verbose=False)
    theirs = Tokenizer.from_file(str(tiny / family / "base" / "tokenizer.json"))
    for text in (
        "We'll meet at 10:30 on 3 May 2024.",
        "  two  spaces\n\nand\ta tab",
        "川沿いを歩く。",
        "<|im_start|>user\nHi!<|im_end|>\n",
        "naïve café 🦊",
    ):
        assert (
            ours.tokenize(text.encode(), add_bos=False, special=True)
            == theirs.encode(text, add_special_tokens=False).ids
        )


# --- what is kept, and what is refused ----------------------------------------------------------


def test_a_merged_model_keeps_what_the_adapter_does_not_change(tiny: Path, tmp_path: Path) -> None:
    base = tmp_path / "small.gguf"
    run("model", tiny / "qwen2" / "base", base, "--type", "q8_0", "--name", "Small")
    run(
        "merge",
        tiny / "qwen2" / "adapter",
        base,
        tmp_path / "merged.gguf",
        "--type",
        "f16",
        "--name",
        "run-7",
    )
    source, merged = gguf.GGUFReader(base), gguf.GGUFReader(tmp_path / "merged.gguf")
    before, after = keys(source), keys(merged)
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {"general.name", "general.file_type"}
    assert after.keys() - before.keys() == {"general.description"}
    assert after["general.name"] == "Small with run-7"
    assert "merged with the LoRA adapter run-7" in after["general.description"]
    same = {
        left.name
        for left, right in zip(source.tensors, merged.tensors, strict=True)
        if left.tensor_type == right.tensor_type
    }
    assert {
        "token_embd.weight",
        "output.weight",
        "blk.0.attn_norm.weight",
        "blk.0.attn_q.bias",
    } <= same
    assert len(source.tensors) - len(same) == 2 * len(LINEAR)
    assert all(
        np.array_equal(left.data, right.data)
        for left, right in zip(source.tensors, merged.tensors, strict=True)
        if left.name in same
    )


def test_the_base_may_be_given_as_folder_or_as_file(tiny: Path, tmp_path: Path) -> None:
    run(
        "adapter",
        tiny / "qwen2" / "adapter",
        tmp_path / "by-file.gguf",
        "--base",
        tiny / "qwen2" / "base-f16.gguf",
        "--name",
        "Adapter",
    )
    assert (tmp_path / "by-file.gguf").read_bytes() == (
        tiny / "qwen2" / "adapter.gguf"
    ).read_bytes()


def test_a_rank_stabilised_adapter_keeps_its_weight(tiny: Path, tmp_path: Path) -> None:
    folder = changed(tiny, tmp_path, use_rslora=True)
    run("adapter", folder, tmp_path / "out.gguf", "--base", tiny / "llama" / "base")
    rank, alpha = 4, 8
    assert (
        keys(gguf.GGUFReader(tmp_path / "out.gguf"))["adapter.lora.alpha"] / rank
        == alpha / rank**0.5
    )


def changed(tiny: Path, tmp_path: Path, **settings: object) -> Path:
    folder = tmp_path / "changed"
    shutil.copytree(tiny / "llama" / "adapter", folder)
    config = json.loads((folder / "adapter_config.json").read_text("utf-8"))
    (folder / "adapter_config.json").write_text(json.dumps({**config, **settings}), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"use_dora": True}, "use_dora=False"),
        ({"rank_pattern": {"q_proj": 8}}, "one rank"),
        ({"alpha_pattern": {"q_proj": 8}}, "one lora_alpha"),
        ({"modules_to_save": ["lm_head"]}, "without modules_to_save"),
        ({"bias": "all"}, "bias=none"),
        ({"lora_alpha": 0}, "changes nothing"),
        ({"init_lora_weights": "pissa_niter_4"}, "changes its base"),
        ({"peft_type": "IA3"}, "no LoRA adapter"),
        ({"r": 5}, "settings say rank 5"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(
    tiny: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    settings: dict[str, object],
    sentence: str,
) -> None:
    folder = changed(tiny, tmp_path, **settings)
    assert (
        main(
            [
                "adapter",
                str(folder),
                str(tmp_path / "out.gguf"),
                "--base",
                str(tiny / "llama" / "base"),
            ]
        )
        == 1
    )
    assert sentence in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["changed"]


def test_another_base_is_refused(
    tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.gguf"
    assert main(["merge", str(tiny / "llama" / "adapter"), str(bundled_gguf()), str(out)]) == 1
    assert "Give the base model that the adapter was trained on" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


def test_another_family_is_refused(
    tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gemma"
    folder.mkdir()
    (folder / "config.json").write_text(
        json.dumps({"architectures": ["GemmaForCausalLM"]}), "utf-8"
    )
    assert main(["model", str(folder), str(tmp_path / "out.gguf")]) == 1
    assert "“GemmaForCausalLM” are not exported" in capfd.readouterr().err
    assert (
        main(
            [
                "adapter",
                str(tiny / "llama" / "adapter"),
                str(tmp_path / "out.gguf"),
                "--base",
                str(folder),
            ]
        )
        == 1
    )


def test_files_that_are_cut_short_leave_nothing(
    tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = changed(tiny, tmp_path)
    weights = folder / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    half = tmp_path / "half.gguf"
    half.write_bytes((tiny / "llama" / "base-f16.gguf").read_bytes()[:100_000])
    assert (
        main(
            [
                "adapter",
                str(folder),
                str(tmp_path / "out.gguf"),
                "--base",
                str(tiny / "llama" / "base"),
            ]
        )
        == 1
    )
    assert (
        main(["merge", str(tiny / "llama" / "adapter"), str(half), str(tmp_path / "out.gguf")]) == 1
    )
    assert "cut short" in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["changed", "half.gguf"]


def test_what_cannot_be_written_is_a_sentence(
    tiny: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "missing" / "out.gguf"
    assert (
        main(
            [
                "adapter",
                str(tiny / "llama" / "adapter"),
                str(out),
                "--base",
                str(tiny / "llama" / "base"),
            ]
        )
        == 1
    )
    assert "could not be written" in capfd.readouterr().err
