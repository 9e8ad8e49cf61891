"""The tokenizer: its vocabulary, its joins, and how it cuts a text, in llama.cpp's words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L2.recipes.export.reading import read_json

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
OTHERS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CUTS = {
    ("digits", "bytes and words"): "smollm",
    ("bytes and words",): "gpt-2",
    (CONTRACTIONS + r"\p{N}" + OTHERS, "bytes"): "qwen2",
    (CONTRACTIONS + r"\p{N}{1,3}" + OTHERS, "bytes"): "llama-bpe",
}
"""How a text is cut before pairs are joined, by the steps that `tokenizer.json` names, and
llama.cpp's word for it.
"""


def add_tokenizer(writer: gguf.GGUFWriter, folder: Path, size: int) -> None:
    """Write the vocabulary, the joins and the marks. Raises ``InvalidInputError`` for a tokenizer
    of another kind.
    """
    tokenizer = read_json(folder / "tokenizer.json")
    model = tokenizer.get("model") or {}
    if model.get("type") != "BPE" or model.get("byte_fallback"):
        raise InvalidInputError(
            "The model's tokenizer is no byte-level BPE.",
            "Take a model that has one, such as SmolLM2 or Qwen2.5.",
        )
    tokens, kinds = vocabulary(tokenizer, size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(cut(tokenizer.get("pre_tokenizer") or {}))
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    marks = gguf.SpecialVocab(folder, load_merges=True, n_vocab=size)
    # llama.cpp would put a mark before every text where Hugging Face puts none
    marks.add_special_token.setdefault("bos", False)
    marks.add_to_gguf(writer, quiet=True)


def vocabulary(tokenizer: Mapping[str, Any], size: int) -> tuple[list[str], list[int]]:
    """Return every token and of which kind it is, places without a token included. Raises
    ``InvalidInputError``.

    >>> added = [{"id": 1, "content": "<|end|>", "special": False}]
    >>> words, kinds = vocabulary({"model": {"vocab": {"a": 0}}, "added_tokens": added}, 3)
    >>> words, [kind.name for kind in kinds]
    (['a', '<|end|>', '[PAD2]'], ['NORMAL', 'CONTROL', 'UNUSED'])
    """
    tokens = [f"[PAD{place}]" for place in range(size)]
    kinds: list[int] = [gguf.TokenType.UNUSED] * size
    try:
        for token, place in tokenizer["model"]["vocab"].items():
            tokens[place], kinds[place] = token, gguf.TokenType.NORMAL
        for added in tokenizer["added_tokens"]:
            text, place = added["content"], added["id"]
            control = added["special"] or (text.startswith("<|") and text.endswith("|>"))
            tokens[place], kinds[place] = (
                text,
                gguf.TokenType.CONTROL if control else gguf.TokenType.USER_DEFINED,
            )
    except (IndexError, KeyError, TypeError) as error:
        raise InvalidInputError(
            "The tokenizer does not belong to the weights: they have no row for a token.",
            "Download the folder again.",
        ) from error
    return tokens, kinds


def cut(step: Mapping[str, Any]) -> str:
    """Return llama.cpp's word for what `pre_tokenizer` says. Raises ``InvalidInputError`` for a way
    that it may not know.

    >>> cut({"type": "ByteLevel", "add_prefix_space": False})
    'gpt-2'
    """
    steps = tuple(_step(each) for each in step.get("pretokenizers") or [step])
    if steps not in CUTS:
        raise InvalidInputError(
            "The tokenizer cuts texts in a way that is not known here.",
            f"Known are those of {', '.join(CUTS.values())}.",
        )
    return CUTS[steps]


def _step(step: Mapping[str, Any]) -> str:
    kind = step.get("type")
    if kind == "Digits" and step.get("individual_digits"):
        return "digits"
    if kind == "ByteLevel" and not step.get("add_prefix_space"):
        return "bytes and words" if step.get("use_regex", True) else "bytes"
    if kind == "Split" and step.get("behavior") == "Isolated":
        return str((step.get("pattern") or {}).get("Regex"))
    return f"unknown: {kind}"
