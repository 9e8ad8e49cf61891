"""The rows of a training, as clients see them and as they send them."""

from __future__ import annotations

import json

from lpm_kernel.api.context import node
from lpm_kernel.api.training.row_schemas import RowIn, RowOut
from lpm_kernel.api.training.run_files import json_lines
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.thoughts import without_thoughts
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, RunId
from lpm_kernel.L2.render import messages
from lpm_kernel.usecases.training.rows import as_row, examples_in, lines_in
from lpm_kernel.usecases.training.striking import unwanted_rows_in


def parse_row(row: RowIn) -> Example:
    """Read a row that the person wrote."""
    return Example(
        ExampleKind.FACT,
        row.question,
        row.answer,
        memories=(MemoryId(row.memory),) if row.memory else (),
        maker=Maker.PERSON,
    )


def serialise_rows(identifier: RunId) -> list[RowOut]:
    """Show the rows of a training, struck ones too."""
    run = node().ports.runs.get(identifier)
    place = node().ports.home.versions / run.id
    if not place.is_dir():
        return []
    rows = list(examples_in(place / "rows.jsonl"))
    struck = unwanted_rows_in(place, rows)
    held = {
        (row["prompt"][-1]["content"], without_thoughts(row["completion"][0]["content"]))
        for row in json_lines(place / "held_out.jsonl")
    }
    told = map(json.loads, lines_in(place / "material.jsonl"))
    where = {row["memory"]: row["document"] for row in told}
    return [
        RowOut(
            **{"shipped": [], "searched": 0, **as_row(example)},
            documents=list(dict.fromkeys(filter(None, map(where.get, example.memories)))),
            struck=example.id in struck,
            held_out=(messages(example, "")[-1].content, example.answer) in held,
        )
        for example in rows
    ]
