"""Who the person is, in their own sentences, and how that page read before."""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.library.version_schemas import DiffOut
from lpm_kernel.api.library.version_serialisers import serialise_diff
from lpm_kernel.api.memory.biography_schemas import (
    BiographyOut,
    BiographyQuery,
    ByNumber,
    ByTopic,
    NumberedVersion,
    NumberedVersions,
    SentenceOut,
    TopicOut,
    TopicPageOut,
)
from lpm_kernel.api.memory.memory_serialisers import serialise_evidence
from lpm_kernel.api.memory.workspace_schemas import Written
from lpm_kernel.api.memory.workspace_serialisers import serialise_change
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.memory.workspace import BIOGRAPHY, topic_path
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.answering.perspective import GrammaticalPerson
from lpm_kernel.usecases.library.versions import Version
from lpm_kernel.usecases.memory.pages import BiographySentence
from lpm_kernel.usecases.memory.reflection import MOST_TOPICS

api = APIBlueprint(
    "biography",
    __name__,
    url_prefix="/api/biography",
    abp_tags=[Tag(name="biography", description="Who the person is")],
)

NAMES = 6


@api.get("", summary="Who the person is", responses={200: BiographyOut})
def biography(query: BiographyQuery) -> Response:
    """Show the page in the first, second or third person, each sentence with what it rests on, and
    the topics of a life.
    """
    here = node()
    known = here.reflection.biography(GrammaticalPerson(query.person))
    shown, pages = here.graph.named(), set(here.ports.reflections.paths())
    topics = [
        TopicOut(
            id=community.id,
            title=community.title,
            names=[shown.entity(slug).name for slug in community.members[:NAMES]],
            slugs=list(community.members[:NAMES]),
            size=len(community.members),
            path=path if (path := topic_path(community.id)) in pages else None,
        )
        for community in shown.communities[:MOST_TOPICS]
    ]
    return json_response(
        BiographyOut(
            name=known.name,
            path=BIOGRAPHY,
            document=known.document.id if known.document else None,
            written_at=known.document.added_at if known.document else None,
            short=list(known.short),
            sentences=[_sentence(sentence) for sentence in known.sentences],
            by_hand=list(known.by_hand),
            left_out=known.left_out,
            topics=topics,
        )
    )


@api.get(
    "/topics/<string:id>",
    summary="What one topic of a life is about",
    responses={200: TopicPageOut},
)
def topic(path: ByTopic) -> Response:
    """Show the page of a topic, each sentence with what it rests on."""
    known = node().reflection.topic(path.id)
    return json_response(
        TopicPageOut(
            id=path.id,
            title=known.name,
            path=topic_path(path.id),
            document=known.document.id if known.document else None,
            sentences=[_sentence(sentence) for sentence in known.sentences],
            by_hand=list(known.by_hand),
        )
    )


@api.get("/versions", summary="How the page read before", responses={200: NumberedVersions})
def versions() -> Response:
    """List every version, the newest first; none where nothing was written yet."""
    return json_response(
        NumberedVersions(
            items=[
                NumberedVersion(number=v.number, document=v.document, at=v.at, current=v.current)
                for v in _versions()
            ]
        )
    )


@api.get("/versions/<int:n>/diff", summary="What a version changed", responses={200: DiffOut})
def diff(path: ByNumber) -> Response:
    """Show what changed from the version before it; the first one is all new."""
    known = {version.number: version for version in _versions()}
    after, before = known.get(path.n), known.get(path.n - 1)
    if after is None:
        raise NotFoundError("version of the biography", str(path.n))
    return json_response(
        serialise_diff(
            node().workspace.changed_between(
                BIOGRAPHY, before.document if before else None, after.document
            )
        )
    )


@api.post(
    "/versions/<int:n>/restore",
    summary="Have the page read as it did",
    responses={202: Written},
)
def restore(path: ByNumber) -> Response:
    """Keep what it says now as a version as well."""
    known = next((version for version in _versions() if version.number == path.n), None)
    if known is None:
        raise NotFoundError("version of the biography", str(path.n))
    return serialise_change(node().workspace.restore_version(BIOGRAPHY, known.document))


def _versions() -> list[Version]:
    try:
        return node().workspace.versions(BIOGRAPHY)
    except NotFoundError:
        return []


def _sentence(told: BiographySentence) -> SentenceOut:
    return SentenceOut(
        id=told.line.mark,
        section=told.line.section,
        text=told.text,
        line=told.raw,
        evidence=serialise_evidence(node(), told.evidence),
    )
