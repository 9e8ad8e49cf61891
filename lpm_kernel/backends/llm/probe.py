"""Try a model before it is chosen, and say in words what was found.

An endpoint is asked for its models and for a few words. A GGUF file is loaded by a child process,
so that a file that kills llama.cpp, or fills the memory, kills the child and nothing else:

    python -m lpm_kernel.backends.llm.probe FILE [--thinking]
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.domain.ports import ChatMessage, Endpoint, LanguageModel, ModelCard, Sampling
from lpm_kernel.errors import ModelUnavailableError, NodeError

ENDPOINT_SECONDS = 5.0
FILE_SECONDS = 60.0
"""A large file is read from the disk first."""

QUESTION = (ChatMessage("user", "Count from one to ten in words."),)
RIDDLE = (
    ChatMessage(
        "user", "Ada is older than Bo, and Bo is older than Cy. Who is the youngest? Think first."
    ),
)
THOUGHTS = 8
"""Pieces of a thought, after which it is clear that a model thinks."""
THINKING = "--thinking"
NO_THOUGHT = (
    "Choose one that thinks before it answers, such as Qwen3 or DeepSeek-R1. Where it does think,"
    " have its server tell thoughts apart (`reasoning_content`)."
)
GGUF_MAGIC = b"GGUF"


@dataclass(frozen=True)
class Probe:
    """What trying a model showed."""

    card: ModelCard
    words_per_second: float
    sentence: str


def probe(
    endpoint: Endpoint, seconds: float = ENDPOINT_SECONDS, *, thinking: bool = False
) -> Probe:
    """Try an endpoint, for at most ``seconds``. Raises ``ModelUnavailableError``, whose sentence
    says what is wrong with it; with ``thinking`` that is also an answer without a thought.
    """
    with closing(
        EndpointModel(endpoint, read_seconds=seconds * 0.8, connect_seconds=min(3.0, seconds * 0.5))
    ) as model:
        started = time.monotonic()
        card = model.card()
        return _try(model, card, started + seconds, thinking=thinking)


def probe_file(path: Path, seconds: float = FILE_SECONDS, *, thinking: bool = False) -> Probe:
    """Try a GGUF file in a child process. Raises ``ModelUnavailableError``, whose sentence says
    what is wrong with it; with ``thinking`` that is also an answer without a thought.
    """
    try:
        with path.open("rb") as handle:
            magic = handle.read(len(GGUF_MAGIC))
    except OSError as error:
        raise ModelUnavailableError(
            f"There is no file at {path} that can be read.", "Check the path."
        ) from error
    if magic != GGUF_MAGIC:
        raise ModelUnavailableError(
            f"“{path.name}” is not a GGUF file.",
            "Model pages offer files that end in .gguf; take one of these.",
        )
    command = [sys.executable, "-m", __name__, str(path), *([THINKING] if thinking else [])]
    try:
        child = subprocess.run(  # noqa: S603  our own module and the person's own file
            command, capture_output=True, text=True, timeout=seconds, check=False
        )
        found = json.loads(child.stdout)
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailableError(
            f"“{path.name}” did not answer within {seconds:.0f} seconds.",
            "It may be too large for this machine; take a smaller one.",
        ) from error
    except ValueError as error:
        raise ModelUnavailableError(
            f"“{path.name}” fails while loading.",
            "It may be incomplete, of a newer kind, or larger than the memory.",
        ) from error
    if "problem" in found:
        raise ModelUnavailableError(found["problem"], found["hint"])
    return Probe(ModelCard(**found["card"]), found["words_per_second"], found["sentence"])


def _try(
    model: LanguageModel, card: ModelCard, deadline: float, *, thinking: bool = False
) -> Probe:
    text, thoughts, first, last = "", 0, 0.0, time.monotonic()
    asked, most = (RIDDLE, 256) if thinking else (QUESTION, 32)
    for delta in model.stream(asked, Sampling(temperature=0.0, max_tokens=most)):
        last = time.monotonic()
        first = first or last
        text += delta.text + delta.thought
        thoughts += bool(delta.thought)
        if last > deadline or (thinking and thoughts == THOUGHTS):
            break
    words = len(text.split())
    if not words:
        raise ModelUnavailableError(
            f"The model {card.id} was asked for a few words and did not answer."
        )
    if thinking and not thoughts:
        raise ModelUnavailableError(f"{card.id} answers without a thought.", NO_THOUGHT)
    pace = max(words - 1, 1) / max(last - first, 0.001)
    place = "on this machine" if card.local else "on another machine"
    return Probe(
        card,
        round(pace, 1),
        f"{card.id} answers {place}, about {pace:.0f} words a second, and reads"
        f" {card.context_window:,} tokens at once."
        + (" It thinks before it answers." if thoughts else ""),
    )


def main(path: Path, *, thinking: bool = False) -> None:
    """Try a file in this process and print what was found as JSON."""
    from lpm_kernel.backends.llm.gguf_model import GgufModel

    try:
        with closing(GgufModel(path)) as model:
            until = time.monotonic() + FILE_SECONDS
            found = _try(model, model.card(), until, thinking=thinking)
    except NodeError as error:
        print(json.dumps({"problem": error.detail, "hint": error.hint}))  # noqa: T201 - the parent reads it
        return
    card = {
        "id": found.card.id,
        "context_window": found.card.context_window,
        "local": True,
        "description": found.card.description,
    }
    print(  # noqa: T201  as above
        json.dumps(
            {"card": card, "words_per_second": found.words_per_second, "sentence": found.sentence}
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), thinking=THINKING in sys.argv[2:])
