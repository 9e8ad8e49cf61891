"""What embedding costs: processor seconds for a megabyte of notes, and the memory of the whole
embedder.
"""

from __future__ import annotations

import random
import time

from lpm_kernel.backends.embed.minilm import MiniLmEmbedder

PROSE = """
We were out past the harbour wall before the fog lifted, Mr Ide and I, and neither of us said anything for a quarter of an hour. Then he told me
about the winter of 1987, when the whole estuary froze and his father walked across it to borrow a bandsaw blade. I did not believe him. He took a
photograph out of his wallet, creased four ways, and there was the man, halfway across, holding the blade over his shoulder like a fishing rod.
I have begun to repair the 1911 cello again. The lower bout had opened along an old glue line; hide glue, two clamps, nineteen hours. Ottilie wrote
from Bremen that the exhibition moved to October, which gives me another five weeks for the bench, and that her sister's knee is mending at last.
"""  # noqa: E501  a text as it stands

CHUNK = 400
"""Characters, about what a note is cut into."""


def notes(size: int) -> list[str]:
    """Return ``size`` characters of invented prose in chunks, its sentences shuffled so that no two
    chunks are alike.
    """
    dice = random.Random(7)
    sentences = " ".join(PROSE.split()).split(". ")
    text = ""
    while len(text) < size:
        text += ". ".join(dice.sample(sentences, len(sentences))) + ". "
    return [text[start : start + CHUNK] for start in range(0, size, CHUNK)]


def test_a_megabyte_of_notes() -> None:
    embedder = MiniLmEmbedder()
    sample = notes(100_000)
    embedder.embed(sample[:4])
    started = time.process_time()
    embedder.embed(sample)
    seconds = (time.process_time() - started) * 10
    print(f"\nembedding: {seconds:.0f} processor seconds a megabyte (wanted: at most 100)")
    assert seconds <= 100
