"""Make two tiny random models with an adapter each, and say what torch makes of them. A process of
its own: torch is slow to import.

    python -m tests.tiny_models OUT [CONVERTER]

OUT holds a folder `tokenizer` for each family already, and the bundled model's in `whole`. There
will be `base` and `adapter` as transformers and peft save them, `expected.npz` with prompts and
torch's log-probabilities, and, where the folder of llama.cpp's converter is given, what that makes
of both.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

RANK = 4
ALPHA = 8


def main(out: Path, converter: Path | None) -> None:
    measures: dict[str, Any] = {
        "vocab_size": len(
            json.loads((out / "llama" / "tokenizer" / "tokenizer.json").read_text("utf-8"))[
                "model"
            ]["vocab"]
        ),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.2,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
        "tie_word_embeddings": False,
    }
    stretched = {
        "rope_type": "llama3",
        "rope_theta": 10_000.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    torch.set_num_threads(1)
    torch.manual_seed(5)
    made = {
        "llama": LlamaForCausalLM(
            LlamaConfig(**measures, attention_bias=True, rope_parameters=stretched)
        ),
        "qwen2": Qwen2ForCausalLM(
            Qwen2Config(
                **measures, rope_parameters={"rope_type": "default", "rope_theta": 10_000.0}
            )
        ),
    }
    for family, model in made.items():
        # One is kept in each of the short forms; both are exact in f16, so that the base costs
        # nothing in a comparison.
        save(model, out / family, torch.bfloat16 if family == "qwen2" else torch.float16)
    if converter is not None:
        prepare(converter)
        (out / "whole" / "theirs-pre").write_text(cut(out / "whole"), "utf-8")
        for family in made:
            convert(converter, out / family)


def save(model: Any, folder: Path, kind: torch.dtype) -> None:  # noqa: ANN401 - a model of transformers, whose types are half there

    base = folder / "base"
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.normal_(1.0 if parameter.mean() > 0.5 else 0.0, 0.2)
            parameter.copy_(parameter.to(kind).float())
    model.to(kind).save_pretrained(base)
    model.float().eval()
    shutil.copytree(folder / "tokenizer", base, dirs_exist_ok=True)
    prompts = torch.randint(20, model.config.vocab_size, (4, 24))
    with torch.no_grad():
        plain = model(prompts).logits.log_softmax(-1)
        adapted = get_peft_model(
            model, LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules="all-linear")
        ).eval()
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.normal_(0.0, 0.15)
        both = adapted(prompts).logits.log_softmax(-1)
    adapted.save_pretrained(str(folder / "adapter"))
    (folder / "adapter" / "README.md").unlink()  # the converter would take keys from it
    np.savez(
        folder / "expected.npz", prompts=prompts.numpy(), base=plain.numpy(), adapted=both.numpy()
    )


def prepare(converter: Path) -> None:
    sys.path.insert(0, str(converter))
    # Looked for before the converter looks whether there is a file that it would read.
    unused: Any = module_from_spec(ModuleSpec("sentencepiece", None))
    unused.SentencePieceProcessor = None
    sys.modules.setdefault("sentencepiece", unused)


def cut(folder: Path) -> str:
    """Say what the converter calls the whole vocabulary's way of cutting texts; it knows it by what
    becomes of one text.
    """
    from conversion.base import TextModel
    from transformers import PreTrainedTokenizerFast

    return str(TextModel.get_vocab_base_pre(None, PreTrainedTokenizerFast.from_pretrained(folder)))


def convert(converter: Path, folder: Path) -> None:
    from conversion.base import TextModel

    # The beginning of a vocabulary is none that it knows.
    TextModel.get_vocab_base_pre = lambda *_: {"llama": "smollm"}.get(folder.name, folder.name)
    commands = {
        "convert_lora_to_gguf.py": [
            "--outfile",
            str(folder / "theirs-adapter.gguf"),
            "--base",
            str(folder / "base"),
            str(folder / "adapter"),
        ],
        "convert_hf_to_gguf.py": [
            "--outfile",
            str(folder / "theirs-model.gguf"),
            "--outtype",
            "q8_0",
            str(folder / "base"),
        ],
    }
    for script, arguments in commands.items():
        sys.argv = [script, *arguments]
        runpy.run_path(str(converter / script), run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
