"""Pairs of a training in files: what is preferred to what, where it comes from, and how many there
are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, ReasoningVariant, Run
from lpm_kernel.L2.alignment.preferences import PairSet
from lpm_kernel.L2.reasoning import completion, pair_thought
from lpm_kernel.L2.render import messages_of_pair
from lpm_kernel.usecases.training.rows import cut_off, lines_in, write_lines
from lpm_kernel.usecases.training.striking import unwanted_pairs_in

PAIRS, PAIRS_HELD_OUT = "pairs.jsonl", "pairs_held_out.jsonl"
"""What is learned, and what is only asked about, as the recipe reads it."""
PREFERENCES = "preferences.jsonl"
"""All that were made, struck ones too, with where each comes from."""
INHERITED = "pairs_inherited.jsonl"
"""Those that were learned by what a training goes on from."""
OWN_ANSWERS = "own_answers.jsonl"
"""What a training said itself to the questions of its pairs, after its first stage."""
ON_POLICY = "pairs_on_policy.jsonl"
"""Pairs that are learned, with its own answers as rejected ones, as the recipe reads them."""
ADDED, SUMMARY = "pairs_added.jsonl", "pairs.json"


def pairs_in(file: Path) -> Iterator[PreferencePair]:
    """Read pairs as they were written with their sources."""
    for line in lines_in(file):
        row = json.loads(line)
        yield PreferencePair(
            PairRule(row["rule"]),
            row["question"],
            row["chosen"],
            row["rejected"],
            tuple(row["notes"]),
            row["asker"],
            tuple(map(MemoryId, row["memories"])),
            tuple(map(DocumentId, row["documents"])),
            tuple(map(ConversationId, row["conversations"])),
            tuple(map(TurnId, row["turns"])),
            row["private"],
            Maker(row["maker"]),
            row["held_out"],
        )


def as_learned(
    pair: PreferencePair, name: str, reasoning: ReasoningVariant = ReasoningVariant.NONE
) -> dict[str, Any]:
    """Give a pair as the recipe reads it: trl's conversational form, with id and rule. ``name`` is
    the person's. Where a training learns to think, both answers come after the same thought, which
    gives neither away: what is preferred is the answer.
    """
    kind = ExampleKind.NOTE if pair.notes else ExampleKind.FACT
    thought = pair_thought(pair, reasoning)
    chosen = Example(kind, pair.question, pair.chosen, pair.notes, thought=thought)
    rejected = replace(chosen, answer=pair.rejected)
    return {
        "id": pair.id,
        "rule": pair.rule.value,
        "prompt": [asdict(message) for message in messages_of_pair(pair, name)],
        "chosen": [{"role": "assistant", "content": completion(chosen)}],
        "rejected": [{"role": "assistant", "content": completion(rejected)}],
    }


def as_pair_row(pair: PreferencePair) -> dict[str, Any]:
    """Give a pair as it is kept and exported, with its sources."""
    return {
        "id": pair.id,
        "rule": pair.rule.value,
        "question": pair.question,
        "chosen": pair.chosen,
        "rejected": pair.rejected,
        "notes": list(pair.notes),
        "asker": pair.asker,
        "memories": list(pair.memories),
        "documents": list(pair.documents),
        "conversations": list(pair.conversations),
        "turns": list(pair.turns),
        "private": pair.private,
        "maker": pair.maker.value,
        "held_out": pair.held_out,
    }


def write_pairs(file: Path, pairs: Iterable[PreferencePair]) -> None:
    """Write pairs with their sources, one on a line."""
    write_lines(file, map(as_pair_row, pairs))


def write_pair_set(
    place: Path,
    pairs: PairSet,
    name: str,
    left_out: Mapping[str, int],
    reasoning: ReasoningVariant = ReasoningVariant.NONE,
) -> None:
    """Write what is learned, what is held out, where all of it comes from, and how much it is.
    ``name`` is the person's.
    """
    write_pairs(place / PREFERENCES, pairs.made)
    for file, its in ((PAIRS, pairs.learned), (PAIRS_HELD_OUT, pairs.held_out)):
        write_lines(place / file, (as_learned(pair, name, reasoning) for pair in its))
    chosen, rejected = pairs.lengths
    summary = {
        "counts": pairs.counts,
        "held_out": len(pairs.held_out),
        "chosen_characters": round(chosen, 1),
        "rejected_characters": round(rejected, 1),
        "left_out": {**left_out, **pairs.left_out},
    }
    _write_summary(place, summary)


def summary_in(place: Path) -> dict[str, Any] | None:
    """Return how many pairs a training has; ``None`` for one whose files are gone, or of an earlier
    release.
    """
    try:
        summary: dict[str, Any] = json.loads((place / SUMMARY).read_text("utf-8"))
    except FileNotFoundError:
        return None
    return summary


def used_in(place: Path) -> Sequence[PreferencePair]:
    """Return the pairs of a training that are learned or asked about: all but struck ones."""
    pairs = list(pairs_in(place / PREFERENCES))
    out = unwanted_pairs_in(place, pairs)
    return [pair for pair in pairs if pair.id not in out]


def inherit_pairs(folder: Path, start: Run, place: Path) -> None:
    """Note beside a training what pairs were learned by that from which it goes on (``start``), and
    by what that went on from: its weights hold them. ``folder`` is that of all trainings.
    """
    write_pairs(place / INHERITED, learned_in(folder, start))


def learned_in(folder: Path, run: Run) -> list[PreferencePair]:
    """Return the pairs that the weights of a training hold, inherited ones too. Where preferences
    were not asked for, pairs were made and are not learned.
    """
    place = folder / run.id
    own = used_in(place) if run.settings.get("dpo") else ()
    return [*own, *pairs_in(place / INHERITED)]


def leave_out(place: Path, gone: Callable[[PreferencePair], bool]) -> None:
    """Take out of the files of a training the pairs that are ``gone``: last where they stand with
    their sources, so that who goes on after a kill finds them again.
    """
    held = [*pairs_in(place / ADDED), *pairs_in(place / PREFERENCES)]
    dropped = {pair.id for pair in held if gone(pair)}
    if not dropped:
        return
    for name, key in (
        (PAIRS, "id"),
        (PAIRS_HELD_OUT, "id"),
        (ON_POLICY, "id"),
        (OWN_ANSWERS, "key"),
    ):
        if (place / name).exists():
            cut_off(place / name)
            rows = [json.loads(line) for line in lines_in(place / name)]
            write_lines(place / name, (row for row in rows if row[key] not in dropped))
    summary = summary_in(place)
    if summary is not None:
        _write_summary(place, {**summary, **_counted(_without(used_in(place), dropped))})
    for name in (ADDED, PREFERENCES):
        write_pairs(place / name, _without(list(pairs_in(place / name)), dropped))


def _without(pairs: Sequence[PreferencePair], dropped: Collection[str]) -> list[PreferencePair]:
    return [pair for pair in pairs if pair.id not in dropped]


def _counted(pairs: Sequence[PreferencePair]) -> dict[str, Any]:
    learned = Counter(pair.rule.value for pair in pairs if not pair.held_out)
    return {"counts": dict(learned), "held_out": sum(pair.held_out for pair in pairs)}


def _write_summary(place: Path, summary: Mapping[str, Any]) -> None:
    part = place / f"{SUMMARY}.part"
    part.write_text(json.dumps(summary), "utf-8")
    part.replace(place / SUMMARY)
