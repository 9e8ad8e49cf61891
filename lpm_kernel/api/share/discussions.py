"""Tables at which the second self, roles and people who type talk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http import HTTPStatus
from threading import BoundedSemaphore

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.role_schemas import StartersQuery
from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import ById, Page
from lpm_kernel.api.share.discussion_schemas import (
    AfterQuery,
    ByMember,
    ByTableTurn,
    DiscussionDetail,
    DiscussionEvent,
    DiscussionIn,
    DiscussionList,
    DiscussionOut,
    KeptTurnOut,
    ReadyTableList,
    TableAcceptIn,
    TableTurnIn,
    WatchedData,
)
from lpm_kernel.api.share.discussion_serialisers import (
    serialise_broken,
    serialise_entry,
    serialise_ready,
    serialise_sitting,
    serialise_table,
)
from lpm_kernel.api.streams import event, event_stream, json_response, listener_gone
from lpm_kernel.domain.share.discussions import Discussion, DiscussionId, DiscussionState
from lpm_kernel.errors import CorruptHomeError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.ready_tables import ready_tables
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.tables import NewSeat, Sitting, Typed

api = APIBlueprint(
    "discussions",
    __name__,
    url_prefix="/api/discussions",
    abp_tags=[Tag(name="discussions", description="Several at one table, with a signed record")],
)

LOOK_EVERY = 0.25
"""Seconds between two looks at a table that somebody watches."""
WATCH_AT_MOST = 30.0
"""Seconds after which a watcher has to ask again."""
WATCHERS = 4
"""Who may watch at once: each holds a thread of the server."""
_watching = BoundedSemaphore(WATCHERS)


@api.get("", summary="List the tables", responses={200: DiscussionList})
def list_discussions(query: Page) -> Response:
    """List them newest first, without what was said."""
    page, following = node().discussing.page(query.limit, query.cursor)
    items = [shown for each in page if (shown := _in_list(each)) is not None]
    here = node().discussing
    return json_response(
        DiscussionList(
            items=items,
            next_cursor=following,
            with_contacts=here.with_contacts,
            stopped=here.stopped,
        )
    )


def _in_list(known: Discussion) -> DiscussionOut | None:
    """Show a table among others, also one whose record is broken; ``None`` for one that was deleted
    meanwhile.
    """
    try:
        return serialise_table(node(), node().discussing.get(known.id))
    except CorruptHomeError:
        return serialise_broken(known)
    except NotFoundError:
        return None


@api.post("", summary="Open a table", responses={201: DiscussionDetail})
def open_discussion(body: DiscussionIn) -> Response:
    """Open one, as a template has it or as you say; from then on those at it speak by themselves,
    turn by turn, until it is paused or ends.
    """
    seats = [NewSeat(each.kind, each.role, each.name, each.contact) for each in body.seats]
    given: dict[str, object] = {"strategy": body.strategy, "rounds": body.rounds, "stop": body.stop}
    rules = {name: value for name, value in given.items() if value is not None}
    rules |= {"minutes": body.minutes, "tags": body.tags}
    sitting = node().discussing.begin(body.aim, seats, body.template, body.language, rules)
    return json_response(serialise_sitting(node(), sitting), HTTPStatus.CREATED)


@api.get("/ready", summary="Tables to begin from", responses={200: ReadyTableList})
def list_ready(query: StartersQuery) -> Response:
    """List the tables that are shipped, in a language."""
    items = [serialise_ready(each, query.language) for each in ready_tables()]
    return json_response(ReadyTableList(items=items))


@api.get("/<string:id>", summary="Show a table", responses={200: DiscussionDetail})
def get_discussion(path: ById) -> Response:
    """Show who sits there and what was said, each entry with its hash and what it rests on."""
    return _shown(node().discussing.get(DiscussionId(path.id)))


@api.get("/<string:id>/events", summary="Watch a table")
def watch_discussion(path: ById, query: AfterQuery) -> Response:
    """Stream `entry` events, one for each entry after `after`, until the table is closed, or for
    half a minute.
    """
    known = DiscussionId(path.id)
    node().ports.discussions.get(known)
    gone, here = listener_gone(), node()

    def entries() -> Iterator[str]:
        after, alone = query.after, not _watching.acquire(blocking=False)
        until = time.monotonic() + WATCH_AT_MOST
        try:
            while not gone() and time.monotonic() < until:
                # first, so that what closed it is among what is sent
                over = here.ports.discussions.get(known).state is DiscussionState.CLOSED
                if here.ports.discussions.entries(known, after):
                    sitting = here.discussing.get(known)
                    yield from _news(here, sitting, after)
                    after = len(sitting.said) - 1
                # all places are taken: how it is now, and ask again
                if alone or over:
                    return
                time.sleep(LOOK_EVERY)
        finally:
            if not alone:
                _watching.release()

    return event_stream(entries())


def _news(here: Node, sitting: Sitting, after: int) -> Iterator[str]:
    table = serialise_table(here, sitting)
    for n in range(after + 1, len(sitting.said)):
        data = WatchedData(discussion=table, entry=serialise_entry(here, sitting, n))
        yield event(DiscussionEvent(event="entry", data=data))


@api.post("/<string:id>/accept", summary="Sit down", responses={200: DiscussionDetail})
def accept(path: ById, body: TableAcceptIn) -> Response:
    """Sit down at the table of a contact: your second self speaks there from what you name, for as
    many turns, and only at this table.
    """
    form = TableForm(tuple(body.tags), body.form, body.turns, tuple(body.kinds))
    return _shown(node().discussing.company.accept(DiscussionId(path.id), form))


@api.post("/<string:id>/decline", summary="Do not sit down", responses={200: DiscussionDetail})
def decline(path: ById) -> Response:
    """Say no to an invitation."""
    return _shown(node().discussing.company.decline(DiscussionId(path.id)))


@api.post("/<string:id>/turns", summary="Say something", responses={200: DiscussionDetail})
def say(path: ById, body: TableTurnIn) -> Response:
    """Say it at any moment, also while the table is paused; it is signed as whoever typed it."""
    typed = Typed(body.text, body.by, body.on, body.stance)
    return _shown(node().discussing.say(DiscussionId(path.id), typed))


@api.post("/<string:id>/next", summary="Take the next step", responses={200: DiscussionDetail})
def take_step(path: ById) -> Response:
    """Have whoever is due speak now, and wait for it; nothing happens where the table is paused or
    closed.
    """
    known = DiscussionId(path.id)
    return _shown(node().discussing.step(known) or node().discussing.get(known))


@api.post("/<string:id>/pause", summary="Pause a table", responses={200: DiscussionDetail})
def pause(path: ById) -> Response:
    """Have only those speak who type."""
    return _shown(node().discussing.pause(DiscussionId(path.id)))


@api.post("/<string:id>/resume", summary="Go on", responses={200: DiscussionDetail})
def resume(path: ById) -> Response:
    """Have the others speak again; who failed is asked once more."""
    return _shown(node().discussing.resume(DiscussionId(path.id)))


@api.post("/<string:id>/close", summary="End a table", responses={200: DiscussionDetail})
def close(path: ById) -> Response:
    """Sum up who said and who agreed to what, and end it."""
    return _shown(node().discussing.close(DiscussionId(path.id)))


@api.post(
    "/<string:id>/members/<string:member>/leave",
    summary="Have a member go",
    responses={200: DiscussionDetail},
)
def leave(path: ByMember) -> Response:
    """Have somebody go; the rest go on."""
    return _shown(node().discussing.leave(DiscussionId(path.id), path.member))


@api.post(
    "/<string:id>/turns/<int:n>/strike", summary="Strike words", responses={200: DiscussionDetail}
)
def strike(path: ByTableTurn) -> Response:
    """Erase the words of an entry, and of those that quote it. The entry and its hash stay."""
    return _shown(node().discussing.strike(DiscussionId(path.id), path.n))


@api.post("/<string:id>/turns/<int:n>/keep", summary="Keep a turn", responses={200: KeptTurnOut})
def keep(path: ByTableTurn) -> Response:
    """Make a document of it that says whose words they are; before that it is no memory."""
    return json_response(
        KeptTurnOut(document=node().discussing.keep(DiscussionId(path.id), path.n))
    )


@api.delete("/<string:id>/turns/<int:n>/keep", summary="Keep a turn no more", responses={204: None})
def let_go(path: ByTableTurn) -> Response:
    """Put the document away that was made of it; it can be brought back for 30 days."""
    node().discussing.let_go(DiscussionId(path.id), path.n)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/<string:id>/export", summary="Export a table as Markdown")
def export(path: ById) -> Response:
    """Write who said what, what it rests on, and who agreed to what."""
    text = node().discussing.markdown(DiscussionId(path.id))
    return Response(text, content_type="text/markdown; charset=utf-8")


@api.delete("/<string:id>", summary="Delete a table", responses={204: None})
def delete(path: ById) -> Response:
    """Delete it with all that was said there; what you kept stays a document."""
    node().discussing.delete(DiscussionId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


def _shown(sitting: Sitting) -> Response:
    return json_response(serialise_sitting(node(), sitting))
