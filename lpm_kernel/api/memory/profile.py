"""The profile: what the person speaks of in their chats, of whom, and whom they ask. For nobody but
the person.
"""

from __future__ import annotations

from collections import Counter

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.memory.profile_schemas import (
    CountedTurnList,
    CountedTurnOut,
    LinePatch,
    LinePath,
    MergedLineOut,
    ProfileEditOut,
    ProfileLineOut,
    ProfileOut,
    ProfileQuery,
    TopicShareOut,
)
from lpm_kernel.api.schemas import ById, Page
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.chat.profile import LineKind, OwnTurn, ProfileEdit
from lpm_kernel.domain.ids import TurnId
from lpm_kernel.L1.tiers.profile import Line, Profile, month_of
from lpm_kernel.usecases.chat.profile import ProfileChange, line_of, turns_of

api = APIBlueprint(
    "profile",
    __name__,
    url_prefix="/api/profile",
    abp_tags=[Tag(name="profile", description="What you speak of, of whom, and whom you ask")],
)

FIRST_WORDS = 160
"""Characters of a turn that are shown."""


@api.get("", summary="What the person speaks of, counted", responses={200: ProfileOut})
def get_profile(query: ProfileQuery) -> Response:
    """Count topics, people, places and who is asked by the person's own turns in the chats that are
    there.
    """
    shown = node().profile.now()
    last = {turn.id: turn for turn in shown.turns}
    most = shown.most_by_month(LineKind.PERSON)
    said = Counter(month_of(turn.at) for turn in shown.turns)
    seen = [line for kind in LineKind for line in shown.of(kind)[: query.limit]]
    hidden = [line for line in shown.lines if line.hidden]
    return json_response(
        ProfileOut(
            turns=len(shown.turns),
            months=list(shown.months),
            by_month=[said[month] for month in shown.months],
            lines=[_line(shown, line, last, most) for line in seen],
            totals={kind.value: len(shown.of(kind)) for kind in LineKind},
            hidden=[_line(shown, line, last, most) for line in hidden],
            vector=[
                TopicShareOut(line=line.id, name=line.name, share=share)
                for line, share in shown.vector()
            ],
            edits=[_edit(each) for each in node().profile.edits()],
        )
    )


@api.get(
    "/<string:line>/turns",
    summary="The turns that a line counts",
    responses={200: CountedTurnList},
)
def list_counted_turns(path: LinePath, query: Page) -> Response:
    """List every turn that a line counts, the newest first, each with where it was said."""
    first = number(query.cursor) or 0
    shown = node().profile.now()
    found = turns_of(shown, line_of(shown, path.line))
    last = first + query.limit
    items = [
        CountedTurnOut(
            conversation=turn.conversation,
            title=turn.title,
            turn=turn.id,
            number=turn.number,
            at=turn.at,
            text=_beginning(turn.text),
        )
        for turn in found[first:last]
    ]
    return json_response(
        CountedTurnList(
            items=items, total=len(found), next=str(last) if last < len(found) else None
        )
    )


@api.patch(
    "/<string:line>",
    summary="Hide, pin, rename or merge a line",
    responses={200: ProfileEditOut},
)
def change_line(path: LinePath, body: LinePatch) -> Response:
    """Change a line from now on; taking the change back brings back what was before."""
    wanted = ProfileChange(body.hidden, body.pinned, body.name, body.into)
    return json_response(_edit(node().profile.change(path.line, wanted)))


@api.delete("/edits/<string:id>", summary="Take a change back", responses={204: None})
def undo_change(path: ById) -> Response:
    """Bring back what was before it."""
    node().profile.undo(path.id)
    return Response(status=204)


def _line(
    shown: Profile, line: Line, turns: dict[TurnId, OwnTurn], most: list[int]
) -> ProfileLineOut:
    named = line.kind in {LineKind.PERSON, LineKind.PLACE}
    has_page = named and node().graph.named().found.find(line.key) is not None
    return ProfileLineOut(
        id=line.id,
        kind=line.kind.value,
        name=line.name,
        written=line.written,
        count=line.count,
        months=shown.by_month(line),
        depth=[round(each, 4) for each in shown.depth(line, most)]
        if line.kind is LineKind.PERSON
        else [],
        last=max(turns[turn].at for turn in line.turns),
        pinned=line.pinned,
        hidden=line.hidden,
        slug=line.key if has_page else None,
        role=line.key if line.kind is LineKind.ASKED else None,
        merged=[
            MergedLineOut(id=each.id, name=each.name, count=each.count) for each in line.merged
        ],
    )


def _edit(known: ProfileEdit) -> ProfileEditOut:
    return ProfileEditOut(**vars(known))


def _beginning(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= FIRST_WORDS else plain[: FIRST_WORDS - 1].rstrip() + "…"
