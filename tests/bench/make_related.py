"""Make `lpm_kernel/L0/language/related.npy` and `related.txt.xz`: the commoner English words, and
where each lies among the others.

    python -m tests.bench.make_related

Each whole word of the bundled sentence model's vocabulary, which lists the commoner ones first, is
embedded by itself; forms with one stem share a vector, the first counting most. What all words have
in common is taken away, and what is left is kept in the directions in which words differ most. The
model is all-MiniLM-L6-v2 (Apache 2.0).
"""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np

from lpm_kernel.backends.embed.minilm import MiniLmEmbedder, bundled_weights
from lpm_kernel.L0.language import related
from lpm_kernel.L0.language.analysis import terms

TO = Path(related.__file__).parent
SHORTEST = 3
"""Letters of a word."""

FORMS = 4
"""Forms of one stem that are embedded."""

WORDS = 14_000
WIDTH = 128
CODE = 127


def main() -> None:
    """Embed the words and write both files."""
    forms: dict[str, list[str]] = {}
    for word in (bundled_weights() / "vocab.txt").read_text("utf-8").split():
        if (
            word.isascii()
            and word.isalpha()
            and len(word) >= SHORTEST
            and len(found := terms(word)) == 1
        ):
            forms.setdefault(found[0], []).append(word)
    every = [word for words in forms.values() for word in words[:FORMS]]
    known = dict(zip(every, MiniLmEmbedder().embed(every), strict=True))
    vectors = np.stack(
        [
            np.average(
                [known[word] for word in words[:FORMS]],
                axis=0,
                weights=[1 / (1 + i) for i in range(len(words[:FORMS]))],
            )
            for words in forms.values()
        ]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors -= vectors.mean(axis=0)
    spread, directions = np.linalg.eigh(np.cov(vectors.T))
    narrow = vectors[:WORDS] @ directions[:, np.argsort(-spread)[:WIDTH]]
    codes = np.round(narrow * CODE / np.abs(narrow).max(axis=1, keepdims=True)).astype(np.int8)
    np.save(TO / "related.npy", codes)
    (TO / "related.txt.xz").write_bytes(
        lzma.compress("\n".join(list(forms)[:WORDS]).encode(), preset=9 | lzma.PRESET_EXTREME)
    )
    print(
        f"{len(codes):,} of {len(forms):,} stems,"
        f" {sum(file.stat().st_size for file in TO.glob('related.[nt]*')) / 1000:.0f} kB"
    )


if __name__ == "__main__":
    main()
