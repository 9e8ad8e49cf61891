"""Roles: a manner in which the second self speaks, with a limit on what it sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.role_schemas import (
    RoleFile,
    RoleIn,
    RoleList,
    RoleNew,
    RoleOut,
    SeesIO,
    SightOut,
    SightQuery,
    SpeechIO,
    StarterList,
    StarterOut,
    StartersQuery,
    TogetherIn,
    TogetherOut,
    TrialFailedData,
    TrialFailedEvent,
    TriedData,
    TriedEvent,
    TryIn,
)
from lpm_kernel.api.chat.turn_serialisers import serialise_citation, serialise_token
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.recall_serialisers import serialise_items
from lpm_kernel.api.moments import aware
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.serialisers import serialise_problem
from lpm_kernel.api.streams import event, event_stream, json_response, listener_gone, to_the_end
from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.chat.roles import Origin, Role, RoleId, Sees, Speech
from lpm_kernel.domain.library.documents import DocumentKind, Problem
from lpm_kernel.L1.answering.answer import AnswerEvent, AnswerStretch, Cited, Ended
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import casting, roles
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask

api = APIBlueprint(
    "roles",
    __name__,
    url_prefix="/api/roles",
    abp_tags=[Tag(name="roles", description="Manners, each with a limit on what it sees")],
)


@api.get("", summary="List the roles", responses={200: RoleList})
def list_roles() -> Response:
    """List every role with how much it may see, and those that can be brought back for 30 days
    after they were deleted.
    """
    here = node()
    return json_response(
        RoleList(
            items=[_shown(here, role) for role in here.ports.roles.all()],
            deleted=[_shown(here, role) for role in here.ports.roles.all(put_away=True)],
        )
    )


@api.post("", summary="Create a role", responses={201: RoleOut})
def add_role(body: RoleNew) -> Response:
    """Keep a new role, written from nothing or begun from a starter."""
    here = node()
    origin = Origin.STARTER if body.starter else Origin.WRITTEN
    if body.starter:
        roles.starter(body.starter, "en")
    return json_response(
        _shown(
            here,
            roles.add(here.ports.roles, here.ports.clock, _parsed(body, RoleId(body.id), origin)),
        ),
        HTTPStatus.CREATED,
    )


@api.get("/starters", summary="Roles to begin from", responses={200: StarterList})
def list_starters(query: StartersQuery) -> Response:
    """List the roles that are shipped, in a language."""
    begun = [starter.role(query.language) for starter in roles.starters()]
    return json_response(
        StarterList(
            items=[
                StarterOut(
                    id=role.id,
                    name=role.name,
                    purpose=role.purpose,
                    prompt=role.prompt,
                    seal=role.seal,
                    speech=_speech(role),
                )
                for role in begun
            ]
        )
    )


@api.post("/import", summary="Import a role", responses={201: RoleOut})
def import_role(body: RoleFile) -> Response:
    """Keep a role that somebody handed on; a field that is not known is refused by its name, and
    what is private stays closed to it.
    """
    here = node()
    made = roles.from_file(body.model_dump(mode="json"))
    return json_response(
        _shown(here, roles.add(here.ports.roles, here.ports.clock, made)), HTTPStatus.CREATED
    )


@api.post("/sees", summary="See what a scope lets in", responses={200: SightOut})
def see(query: SightQuery, body: SeesIO) -> Response:
    """Count it, and show the newest of it, before a role with this scope is kept."""
    here, sees = node(), roles.checked_sees(_sees(body))
    sight = here.chat.sight(sees, most=query.limit, owner=is_owner())
    return json_response(
        SightOut(
            passages=sight.passages,
            documents=sight.documents,
            of=sight.of,
            without_private=sight.without_private,
            items=serialise_items(here, sight.first, explain=False),
        )
    )


@api.post("/together", summary="See what several roles see together", responses={200: TogetherOut})
def together(body: TogetherIn) -> Response:
    """Count what every one of them may see, and each by itself: in a chat with several, each hears
    what the others say, so that none sees more.
    """
    here = node()
    cast = [
        here.ports.roles.get(role_id) for role_id in casting.cast_of(here.ports.roles, body.roles)
    ]
    sight = here.chat.sight(*(role.sees for role in cast), most=0, owner=is_owner())
    return json_response(
        TogetherOut(passages=sight.passages, documents=sight.documents, of=sight.of)
    )


@api.post("/try", summary="Try a role")
def try_role(body: TryIn) -> Response:
    """Stream its answer as in a chat: `token`, `citation`, then `done` or `failed`. Nothing is
    kept.
    """
    here = node()
    role = roles.checked(_parsed(body.role, RoleId("")))
    speaks = here.chat.speaks(role, owner=is_owner())
    me = here.ports.conversations.identity()
    told = ask(speaks, me, SingleQuestion(body.text), gone=listener_gone())
    return event_stream(to_the_end(_told(here, told), _failed))


@api.get("/<string:id>", summary="Show a role", responses={200: RoleOut})
def get_role(path: ById) -> Response:
    """Show one."""
    return json_response(_shown(node(), node().ports.roles.get(RoleId(path.id))))


@api.put("/<string:id>", summary="Change a role", responses={200: RoleOut})
def change_role(path: ById, body: RoleIn) -> Response:
    """Keep how it reads now; its chats go on with it."""
    here = node()
    return json_response(
        _shown(
            here, roles.change(here.ports.roles, here.ports.clock, _parsed(body, RoleId(path.id)))
        )
    )


@api.delete("/<string:id>", summary="Delete a role", responses={204: None})
def delete_role(path: ById) -> Response:
    """Put it away: it can be brought back for 30 days. Its chats stay and can be read."""
    node().ports.roles.put_away(RoleId(path.id), node().ports.clock.now())
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/<string:id>/restore", summary="Restore a deleted role", responses={200: RoleOut})
def restore_role(path: ById) -> Response:
    """Bring it back as it was."""
    return json_response(_shown(node(), node().ports.roles.bring_back(RoleId(path.id))))


@api.get("/<string:id>/export", summary="Export a role", responses={200: RoleFile})
def export_role(path: ById) -> Response:
    """Write it as a small file: what it is and which tags and folder it looks at, never what it
    saw, and not the right to see what is private.
    """
    known = node().ports.roles.get(RoleId(path.id))
    answer = json_response(RoleFile.model_validate(roles.to_file(known)))
    answer.headers["Content-Disposition"] = f'attachment; filename="{known.id}.role.json"'
    return answer


def _parsed(body: RoleIn, identifier: RoleId, origin: Origin = Origin.WRITTEN) -> Role:
    speech = Speech(
        body.speech.style,
        Length(body.speech.length),
        Manner(body.speech.manner),
        body.speech.temperature,
    )
    return Role(
        identifier,
        body.name,
        body.purpose,
        body.prompt,
        body.seal,
        speech,
        _sees(body.sees),
        origin,
    )


def _sees(body: SeesIO) -> Sees:
    since, until = (None if each is None else aware(each) for each in (body.since, body.until))
    return Sees(
        tuple(body.tags),
        tuple(map(DocumentKind, body.kinds)),
        tuple(body.memory_kinds),
        body.folder,
        since,
        until,
        body.private,
    )


def _speech(role: Role) -> SpeechIO:
    return SpeechIO.model_validate(roles.to_file(role)["speech"])


def _shown(here: Node, role: Role) -> RoleOut:
    written = roles.to_file(role)
    sight = here.chat.sight(role.sees, most=0, owner=is_owner())
    return RoleOut.model_validate(
        {name: written[name] for name in ("id", "name", "purpose", "prompt", "seal", "speech")}
        | {
            "sees": written["sees"] | {"private": role.sees.private},
            "origin": role.origin.value,
            "model": f"second-me/{role.id}",
        }
        | {
            "passages": sight.passages,
            "of": sight.of,
            "created_at": role.created_at,
            "updated_at": role.updated_at,
        }
    )


def _told(here: Node, told: Iterator[AnswerEvent]) -> Iterator[str]:
    with closing(told):  # type: ignore[type-var]  # a generator; the type says no more than an iterator
        for each in told:
            match each:
                case AnswerStretch() as said:
                    yield event(serialise_token(said))
                case Cited() as cited:
                    yield event(serialise_citation(here, cited))
                case Ended() as end:
                    data = TriedData(abstained=end.abstained, outcome=end.outcome.value)
                    yield event(TriedEvent(event="done", data=data))


def _failed(problem: Problem) -> str:
    data = TrialFailedData(problem=serialise_problem(problem))
    return event(TrialFailedEvent(event="failed", data=data))
