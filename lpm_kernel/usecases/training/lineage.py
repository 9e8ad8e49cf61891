"""What a training learned from: statements as they were learned and as they read now, the texts in
which they stood, by their hashes, and the trainings that it went on from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.runs import LearnedFrom, LearnedText, Run, RunId, Taught
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L2.told import spoken
from lpm_kernel.usecases.training.material import material
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.rows import lines_in
from lpm_kernel.usecases.training.settings import DEFAULTS


def learned_from(ports: TrainingPorts, run: Run) -> list[LearnedFrom]:
    """Return what a training learned from, each statement as it was learned and as it reads now,
    with whom it is about; what fades reads as it did.
    """
    unfaded = replace(ports, fading=lambda _: ())
    found = material(unfaded, private=True, documents=run.settings.get("documents", ()))
    now = {taught.memory: taught for taught in found.taught}
    then = {}
    for row in map(json.loads, lines_in(ports.folder / run.id / "material.jsonl")):
        known = now.get(row["memory"])
        entities = row.get("entities", () if known is None else known.entities)
        then[row["memory"]] = Taught(row["memory"], row["text"], tuple(entities))
    # one that reads otherwise since has a source of each
    sources = {source.memory: source for source in ports.runs.sources(run.id)}
    return [
        LearnedFrom(
            source.memory,
            source.document,
            _said(then.get(source.memory)),
            _said(now.get(source.memory)),
        )
        for source in sources.values()
    ]


def _said(taught: Taught | None) -> str | None:
    return None if taught is None else spoken(taught).text


def learned_texts(ports: TrainingPorts, run: Run) -> list[LearnedText]:
    """Return the texts that a training learned from, one of each document and of each hash, and
    whether the document reads so still.
    """
    learned = {
        (source.document, source.sha256)
        for source in ports.runs.sources(run.id)
        if source.document is not None and source.sha256
    }
    now = text_hashes(ports, [document for document, _ in learned])
    return [
        LearnedText(document, sha256, now.get(document) == sha256)
        for document, sha256 in sorted(learned)
    ]


def settings_again(ports: TrainingPorts, run: Run) -> dict[str, Any]:
    """Return the settings with which to learn again what a training knew: of one that grew, those
    of the training that the first week went on from.
    """
    first = [run, *ancestors(ports.runs, run.id)][-1]
    return {name: value for name, value in first.settings.items() if name in DEFAULTS}


def ancestors(runs: Runs, identifier: RunId | None) -> Iterator[Run]:
    """Give what a training went on from, the nearest first, as far as it is known."""
    seen: set[RunId] = set()
    while identifier is not None and identifier not in seen:
        seen.add(identifier)
        try:
            start = runs.get(identifier).settings.get("start")
            if start is None:
                return
            identifier = RunId(str(start))
            yield runs.get(identifier)
        except NotFoundError:
            return


def text_hashes(ports: TrainingPorts, documents: Iterable[DocumentId | None]) -> dict[str, str]:
    """Return the SHA-256 of the canonical text of these documents as it is served, in hexadecimal;
    of those that are gone or not read, nothing.
    """
    named = sorted({document for document in documents if document is not None})
    found: dict[str, str] = {}
    for document in ports.documents.many(named):
        text = ports.text_of(document)
        if text is not None:
            found[document.id] = hashlib.sha256(text.encode()).hexdigest()
    return found
