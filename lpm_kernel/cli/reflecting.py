"""Commands about what the node writes by itself: go over what is new, undo it, read who you are."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lpm_kernel.cli.frame import AsJson, app, command, follow, opened, say
from lpm_kernel.errors import NodeError, NotFoundError


class GrammaticalPersonOption(StrEnum):
    """Who speaks."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


@command(app)
def reflect(
    since: Annotated[
        str | None, typer.Option(help="Include what is from then on: 7d, or a date.")
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo the last reflection: the pages read as before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Reflect on what is new, and update the pages of the workspace from it."""
    with opened() as node:
        if undo:
            last = next(
                (
                    reflection
                    for reflection in node.ports.reflections.latest(10)
                    if reflection.pages and reflection.undone_at is None
                ),
                None,
            )
            if last is None:
                raise NotFoundError("reflection to undo", "")
            undone = node.reflection.undo_reflection(last.id)
            paths = [change.path for change in undone.pages]
            say(
                {"undone": undone.id, "pages": paths},
                [f"{len(paths)} page{'' if len(paths) == 1 else 's'} as before:", *paths],
                as_json=as_json,
            )
            return
        done = follow(node, node.reflection.queue_reflection(since), "Reflecting", quiet=as_json)
        if done.error is not None:
            raise NodeError(done.error.detail, done.error.hint)
        say({"reflection": done.id, **(done.result or {})}, done.message, as_json=as_json)


@command(app)
def biography(
    person: Annotated[
        GrammaticalPersonOption, typer.Option(help="Told as I, or as you.")
    ] = GrammaticalPersonOption.FIRST,
    as_json: AsJson = False,
) -> None:
    """Read your biography, in your own sentences."""
    from lpm_kernel.L1.answering.perspective import GrammaticalPerson
    from lpm_kernel.L1.statements.reflection import HEADINGS, PageSection

    with opened() as node:
        known = node.reflection.biography(GrammaticalPerson(person.value))
        rows = [
            {
                "section": sentence.line.section,
                "text": sentence.text,
                "evidence": [place.document for place, _, _ in sentence.evidence],
            }
            for sentence in known.sentences
        ]
        lines: list[str] = []
        for section in dict.fromkeys(sentence.line.section for sentence in known.sentences):
            lines += [
                "",
                HEADINGS[PageSection(section)]["en"],
                *(
                    f"  {sentence.text}"
                    for sentence in known.sentences
                    if sentence.line.section == section
                ),
            ]
        lines += [f"  {each}" for each in known.by_hand]
        say(
            {
                "name": known.name,
                "short": list(known.short),
                "sentences": rows,
                "by_hand": list(known.by_hand),
            },
            lines[1:] or "Nothing is written yet. Run `lpm reflect`.",
            as_json=as_json,
        )


@command(app)
def opinions(as_json: AsJson = False) -> None:
    """List your opinions, how sure you are of each, and how much speaks for and against it; then
    what your texts say that you think.
    """
    from lpm_kernel.L1.statements.reflection import day
    from lpm_kernel.L1.statements.stance import Stance

    with opened() as node:
        rows, lines = [], []
        held = node.reflection.opinions()
        stated = node.reflection.stated_views(held)
        for opinion_view in held:
            said = opinion_view.belief.statement
            count = {
                stance.value: sum(speak.stance is stance for speak in opinion_view.opinion.speaks)
                for stance in Stance
            }
            rows.append(
                {
                    "id": opinion_view.belief.memory,
                    "content": said.text,
                    "entities": list(said.entities),
                    "confidence": opinion_view.opinion.confidence,
                    **count,
                }
            )
            about = f"{', '.join(said.entities)}: " if said.entities else ""
            lines.append(
                f"{opinion_view.opinion.confidence:5.0%}  {about}{said.text}  (+{count['supports']}"
                f" -{count['contradicts']})"
            )
        lines += [
            f"  {day(view.since)}  {view.now.text}" + ("  (once otherwise)" if view.turned else "")
            for view in stated
        ]
        found = [
            {
                "content": view.now.text,
                "since": day(view.since),
                "words": [claim.text for claim in view.words],
            }
            for view in stated
        ]
        say(
            {"opinions": rows, "stated": found},
            lines
            or 'No opinions yet. Add one: `lpm retain "O(c=0.9) @Peter: prefers short replies"`.',
            as_json=as_json,
        )
