"""Asking a training what its pairs ask, after its first stage, and having the pairs reject what it
says itself where that is not the better answer.

Each answer is kept as it comes; killed, it goes on where it stood.
"""

from __future__ import annotations

import json
from pathlib import Path

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.training.runs import ReasoningVariant, Run
from lpm_kernel.L2.alignment.on_policy import on_policy
from lpm_kernel.L2.render import messages_of_pair
from lpm_kernel.usecases.training.examination import ExaminedModel
from lpm_kernel.usecases.training.pair_rows import (
    ON_POLICY,
    OWN_ANSWERS,
    as_learned,
    used_in,
)
from lpm_kernel.usecases.training.rows import cut_off, wordings_in, write_lines


def ask_itself(
    place: Path, run: Run, mind: ExaminedModel, name: str, progress: Progress
) -> dict[str, int]:
    """Ask what the learned pairs ask, write the pairs with its own answers, and return how many
    pairs there are and how many reject what it said. ``name`` is the person's. Raises
    ``ModelUnavailableError``.
    """
    pairs = [pair for pair in used_in(place) if not pair.held_out]
    cut_off(place / OWN_ANSWERS)
    said = wordings_in(place, OWN_ANSWERS)
    with (place / OWN_ANSWERS).open("a", encoding="utf-8") as handle:
        for done, pair in enumerate(pairs):
            progress(0.6, "ask", f"Its own answers to {done} of {len(pairs)} questions")
            if pair.id in said:
                continue
            said[pair.id] = mind.answer(messages_of_pair(pair, name), trained=True)
            row = {"key": pair.id, "answer": said[pair.id]}
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")
            handle.flush()
    learned = on_policy(pairs, said)
    reasoning = ReasoningVariant(run.settings.get("reasoning", "none"))
    write_lines(
        place / ON_POLICY,
        (as_learned(pair, name, reasoning) | {"id": known} for known, pair in learned),
    )
    return {"pairs": len(learned), "own": sum(pair.id != known for known, pair in learned)}
