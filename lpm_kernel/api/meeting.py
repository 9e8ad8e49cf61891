"""Other people: inviting them, what they may ask, what they asked, and what left for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TypeVar

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas
from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.schemas import meeting as shape
from lpm_kernel.api.streams import json_response
from lpm_kernel.backends.qr import draw
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.network import Contact, ContactId, InboxRow, InboxState, Invite, InviteState, OutboxRow, OutboxState, Sent
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import grants, reading
from lpm_kernel.usecases.share.asking import Question
from lpm_kernel.usecases.share.people import look_for, places
from lpm_kernel.usecases.share.reach import Reach
from lpm_kernel.usecases.share.view import Preview

api = APIBlueprint("people", __name__, url_prefix="/api", abp_tags=[Tag(name="people", description="Other people, and what they may ask")])

EXCHANGED = 50
"""Messages each way that come with a contact."""
PURPOSE = "questions"
"""What a grant is for that names neither a purpose nor a tag."""
EVERY = frozenset({"*"})
GREETING = "hello"
Row = TypeVar("Row")


# --- invites ---------------------------------------------------------------------------------------


@api.post("/invites", summary="Invite somebody", responses={201: shape.InviteOut})
def invite(body: shape.InviteIn) -> Response:
    """Make a link by which one person can become a contact, once. Send it only to them."""
    made = node().meeting.invite(body.label, body.addresses, body.expires_in)
    return json_response(_invite(made, {}), HTTPStatus.CREATED)


@api.get("/invites/<string:id>/code", summary="An invite as a QR code", responses={200: shape.CodeOut})
def draw_invite(path: schemas.ById) -> Response:
    """Draw the link of an invite that can still be used, for a telephone to read."""
    drawn = draw(node().meeting.open_invite(path.id).link)
    return json_response(shape.CodeOut(size=drawn.size, path=drawn.path))


@api.get("/invites", summary="Every invite", responses={200: shape.InviteList})
def list_invites(query: schemas.Page) -> Response:
    """List them, newest first, with what became of them."""
    known = {each.id: each for each in node().contacts.all()}
    items, following = _paged(lambda: [_invite(each, known) for each in node().contacts.invites()], query)
    return json_response(shape.InviteList(items=items, next_cursor=following))


@api.delete("/invites/<string:id>", summary="Withdraw an invite", responses={204: None})
def withdraw(path: schemas.ById) -> Response:
    """End a link that nobody used."""
    node().meeting.withdraw(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


# --- contacts --------------------------------------------------------------------------------------


@api.post("/contacts", summary="Accept an invite", responses={202: shape.GreetingOut})
def accept_invite(body: shape.GreetingIn) -> Response:
    """Say hello to whoever made the link. It waits until their node answers, a day at most; then they are a contact."""
    return json_response(_greeting(node().meeting.greet(body.invite, body.name)), HTTPStatus.ACCEPTED)


@api.get("/greetings", summary="Greetings on their way", responses={200: shape.GreetingList})
def list_greetings() -> Response:
    """List the invites that were accepted and met nobody yet, with what came of each try."""
    return json_response(shape.GreetingList(items=[_greeting(each) for each in node().meeting.greetings()]))


@api.get("/greetings/<string:id>", summary="One greeting", responses={200: shape.GreetingOut})
def get_greeting(path: schemas.ById) -> Response:
    """Show how far a greeting has come, and whom it met."""
    row = node().post.outgoing(path.id)
    if row is None or row.verb != GREETING:
        raise NotFoundError("greeting", path.id)
    return json_response(_greeting(row))


@api.delete("/greetings/<string:id>", summary="Stop saying hello", responses={204: None})
def drop_greeting(path: schemas.ById) -> Response:
    """Send it no more, or put one out of sight that met nobody."""
    node().meeting.drop_greeting(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/contacts", summary="Contacts", responses={200: shape.ContactList})
def list_contacts(query: shape.ContactQuery) -> Response:
    """List the people whom this node knows, those met last first."""
    page, following = _paged(lambda: look_for(node().contacts, query.text) if query.text.strip() else node().contacts.all(), query)
    return json_response(shape.ContactList(items=[shape.ContactOut(**each) for each in _contacts(page)], next_cursor=following))


@api.get("/contacts/<string:id>", summary="One contact", responses={200: shape.ContactWhole})
def get_contact(path: shape.ByContact) -> Response:
    """Show somebody with grants both ways and what was exchanged."""
    here, known = node(), node().contacts.get(ContactId(path.id))
    [fields] = _contacts([known])
    came, _ = here.post.inbox(limit=EXCHANGED, contact=known.id)
    went, _ = here.post.outbox(limit=EXCHANGED, contact=known.id)
    return json_response(
        shape.ContactWhole(
            **fields,
            peer=known.peer,
            addresses=here.contacts.addresses(known.id),
            next_name=here.meeting.own_name(known, other=True),
            grants=_grants(known.id),
            sent=[_sent(each, here.meeting.named) for each in here.post.all_left() if each.contact == known.id],
            inbox=[_request(here, each) for each in came],
            outbox=[_message(each, here.meeting.named) for each in went],
        )
    )


@api.patch("/contacts/<string:id>", summary="Name somebody, or keep notes", responses={200: shape.ContactOut})
def change_contact(path: shape.ByContact, body: shape.ContactPatch) -> Response:
    """Change what you say of them; nothing goes out. An empty name is the one that their card has."""
    return _contact(node().meeting.change(ContactId(path.id), name=body.name, notes=body.notes))


@api.post("/contacts/<string:id>/words", summary="Say that the words match", responses={200: shape.ContactOut})
def compare_words(path: shape.ByContact, body: shape.WordsIn) -> Response:
    """Note that both read the same six words to each other, or take that back."""
    return _contact(node().meeting.verify(ContactId(path.id), body.words, same=body.same))


@api.post("/contacts/<string:id>/ask", summary="Ask somebody's second self", responses={202: shape.PeerQuestionOut})
def ask(path: shape.ByContact, body: shape.PeerQuestionIn) -> Response:
    """Put a question into the outbox, under a grant of theirs. What comes back stands at the question; it reaches memory only if you keep it."""
    return json_response(_question(ContactId(path.id), node().meeting.ask(ContactId(path.id), body.question, body.grant)), HTTPStatus.ACCEPTED)


@api.get("/contacts/<string:id>/questions", summary="What you asked somebody", responses={200: shape.PeerQuestionList})
def list_questions(path: shape.ByContact, query: schemas.Page) -> Response:
    """List your questions to a contact, newest first, with what came back."""
    contact = ContactId(path.id)
    page, following = _paged(lambda: node().meeting.questions(node().contacts.get(contact).id), query)
    return json_response(shape.PeerQuestionList(items=[_question(contact, each) for each in page], next_cursor=following))


@api.delete("/contacts/<string:id>/questions/<string:question>", summary="Take a question back", responses={200: shape.PeerQuestionOut})
def take_back(path: shape.ByPeerQuestion) -> Response:
    """Send it no more. They may have it already; what they answer then is not taken."""
    contact = ContactId(path.id)
    return json_response(_question(contact, node().meeting.take_back(contact, path.question)))


@api.post("/contacts/<string:id>/questions/<string:question>/keep", summary="Keep an answer", responses={200: shape.PeerQuestionOut})
def keep_answer(path: shape.ByPeerQuestion) -> Response:
    """Make a document of it that says whose words they are, and that nobody checked them."""
    contact = ContactId(path.id)
    return json_response(_question(contact, node().meeting.keep_answer(contact, path.question)))


@api.delete("/contacts/<string:id>", summary="Forget somebody", responses={204: None})
def delete_contact(path: shape.ByContact) -> Response:
    """Forget their card, words, notes, grants both ways, and everything exchanged. How many bytes left stays, without their name."""
    node().meeting.delete(ContactId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/contacts/<string:id>/block", summary="Block somebody", responses={200: shape.ContactOut})
def block(path: shape.ByContact) -> Response:
    """Close the door to them at once, in the middle of an answer too. Grants stay, and rest."""
    return _contact(node().meeting.block(ContactId(path.id)))


@api.post("/contacts/<string:id>/unblock", summary="Open to somebody again", responses={200: shape.ContactOut})
def unblock(path: shape.ByContact) -> Response:
    """Open the door again: what was granted is granted again."""
    return _contact(node().meeting.unblock(ContactId(path.id)))


@api.post("/contacts/<string:id>/end", summary="End a contact", responses={200: shape.ContactOut})
def end(path: shape.ByContact) -> Response:
    """End it with all grants both ways, and tell them. It needs another invite to begin again."""
    return _contact(node().meeting.end(ContactId(path.id)))


@api.post("/contacts/<string:id>/accept", summary="Believe that it is them", responses={200: shape.ContactOut})
def accept(path: shape.ByContact) -> Response:
    """Go on with somebody whose identity changed. Grants named the one before, so they are given anew."""
    return _contact(node().meeting.accept(ContactId(path.id)))


@api.post("/contacts/<string:id>/decline", summary="Do not believe that it is them", responses={200: shape.ContactOut})
def decline(path: shape.ByContact) -> Response:
    """End the contact whose identity changed."""
    return _contact(node().meeting.decline(ContactId(path.id)))


# --- grants ----------------------------------------------------------------------------------------


@api.get("/grants", summary="What may be asked, both ways", responses={200: shape.GrantList})
def list_grants(query: shape.GrantQuery) -> Response:
    """List the grants that you gave, then those that others gave you; those that are over, too."""
    items, following = _paged(lambda: _grants(None if query.contact is None else ContactId(query.contact), query.direction), query)
    return json_response(shape.GrantList(items=items, next_cursor=following))


@api.post("/grants", summary="Give a grant", responses={201: shape.GrantOut})
def give(body: shape.GrantIn) -> Response:
    """Sign it, keep it, and have the contact told. It holds from now on."""
    here = node().meeting
    made = here.give(ContactId(body.contact), _wanted(body))
    return json_response(_given(made, here.covers([made])), HTTPStatus.CREATED)


@api.get("/grants/templates", summary="What a grant begins with", responses={200: shape.TemplateList})
def list_templates() -> Response:
    """List the templates; everything in them can be changed before a grant is given."""
    items = [
        shape.TemplateOut.model_validate(
            {
                "name": name,
                "verbs": sorted(each.verbs),
                "layers": sorted(each.layers),
                "form": each.form,
                "daily": {"calls": each.daily.calls, "bytes": each.daily.bytes, "tokens": each.daily.tokens},
                "consent": each.consent,
                "days": each.days,
                "tagged": name in grants.TAGGED,
            }
        )
        for name, each in grants.TEMPLATES.items()
    ]
    return json_response(shape.TemplateList(items=items))


@api.post("/grants/preview", summary="See what a grant would cover", responses={200: shape.PreviewOfGrant})
def preview(body: shape.GrantWish) -> Response:
    """Count the rows, by kind and by document, show the first ones, and say what stays outside and why. Nothing is given."""
    return json_response(_preview(node().meeting.preview(_wanted(body))))


@api.delete("/grants/<string:id>", summary="Revoke a grant", responses={204: None})
def revoke(path: schemas.ById) -> Response:
    """Take it back now, with all that was passed on from it. What was told already stays told."""
    node().meeting.revoke(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


# --- what came in, and what left -------------------------------------------------------------------


@api.get("/inbox", summary="What others asked", responses={200: shape.InboxList})
def list_inbox(query: shape.InboxQuery) -> Response:
    """List what came in, newest first, or what waits for your word."""
    here = node()
    waiting = here.meeting.waiting()
    contact = None if query.contact is None else ContactId(query.contact)
    following: str | None
    if query.waiting:
        found, following = _paged(lambda: [each for each in waiting if contact in (None, each.contact)], query)
    else:
        found, following = here.post.inbox(limit=query.limit, cursor=query.cursor, contact=contact)
    return json_response(shape.InboxList(items=[_request(here, each) for each in found], next_cursor=following, waiting=len(waiting)))


@api.post("/inbox/<string:id>/approve", summary="Say yes", responses={200: shape.RequestOut})
def approve(path: shape.ByRequest) -> Response:
    """Let a request be answered, this once and within its grant."""
    return json_response(_request(node(), node().meeting.decide(path.id, yes=True)))


@api.post("/inbox/<string:id>/refuse", summary="Say no", responses={200: shape.RequestOut})
def refuse(path: shape.ByRequest) -> Response:
    """Refuse a request. They learn that no grant covers it, and not why."""
    return json_response(_request(node(), node().meeting.decide(path.id, yes=False)))


@api.get("/network/reach", summary="Whether others reach this node", responses={200: shape.ReachOut})
def get_reach() -> Response:
    """Say whether contacts can reach this node, where, and what stands in the way."""
    return _reach(node().meeting.reached())


@api.put("/network/reach", summary="Let others reach this node, or nobody", responses={200: shape.ReachOut})
def put_reach(body: shape.ReachIn) -> Response:
    """Have a host listen for contacts from now on, or end it. It listens a moment later."""
    return _reach(node().meeting.switch(on=body.on, everywhere=body.everywhere))


@api.get("/network", summary="What left this machine", responses={200: shape.NetworkOut})
def network() -> Response:
    """Say what left, by day, person and kind, what waits to be sent, and what was decided. Never a word of it."""
    here = node().meeting
    found = here.network()
    entries = []
    for each in found.entries:
        facts = json.loads(each.facts)
        under = here.held(facts.get("grant", ""))
        who = ContactId(facts["contact"]) if facts.get("contact") else under.contact if under else None
        entries.append(shape.PeerEntry(number=each.number, at=datetime.fromisoformat(each.at), kind=each.kind, contact=who, name=here.named(who), facts=facts))
    return json_response(
        shape.NetworkOut(
            sent=[_sent(each, here.named) for each in found.sent],
            bytes=sum(each.bytes for each in found.sent),
            elsewhere=found.elsewhere,
            hosts=list(found.hosts),
            outbox=[_message(each, here.named) for each in found.outbox],
            entries=entries,
        )
    )


# --- shapes ----------------------------------------------------------------------------------------


def _paged(find: Callable[[], Sequence[Row]], query: schemas.Page) -> tuple[list[Row], str | None]:
    """Give one page. A cursor that was made up is said before anything is looked for, as in every list."""
    start = number(query.cursor) or 0
    found, last = find(), start + query.limit
    return list(found[start:last]), str(last) if last < len(found) else None


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _invite(row: Invite, known: dict[ContactId, Contact]) -> shape.InviteOut:
    over = row.state is InviteState.OPEN and row.expires <= node().clock.now().timestamp()
    who = known.get(row.contact) if row.contact else None
    return shape.InviteOut(
        id=row.id,
        invite=row.link if row.link and not over else None,
        label=row.note,
        state="expired" if over else row.state.value,
        made_at=row.made_at,
        expires_at=_moment(row.expires),
        contact=who.id if who else None,
        words=list(who.words) if who else [],
        addresses=[] if over else places(row),
    )


def _reach(known: Reach) -> Response:
    return json_response(shape.ReachOut(on=known.on, everywhere=known.everywhere, state=known.state.value, addresses=list(known.addresses)))


def _next_try(row: OutboxRow) -> datetime | None:
    return _moment(row.next_try) if row.state is OutboxState.WAITING else None


def _greeting(row: OutboxRow) -> shape.GreetingOut:
    return shape.GreetingOut(
        id=row.id,
        name=row.name,
        state=row.state.value,
        made_at=row.made_at,
        until=_moment(row.until),
        tries=row.tries,
        next_try=_next_try(row),
        code=row.code,
        contact=row.contact,
    )


def _question(contact: ContactId, asked: Question) -> shape.PeerQuestionOut:
    row = asked.row
    return shape.PeerQuestionOut(
        id=row.id,
        contact=contact,
        question=asked.words,
        purpose=asked.purpose,
        grant=asked.grant,
        state=row.state.value,
        made_at=row.made_at,
        until=_moment(row.until),
        tries=row.tries,
        next_try=_next_try(row),
        code=row.code,
        answer=asked.answer,
        abstained=asked.abstained,
        quotes=list(asked.quotes),
        kept=row.kept if row.kept and node().documents.many([DocumentId(row.kept)]) else None,
    )


def _contact(known: Contact) -> Response:
    [fields] = _contacts([known])
    return json_response(shape.ContactOut(**fields))


def _contacts(found: Sequence[Contact]) -> list[dict[str, object]]:
    here = node().meeting
    seen, now = here.last_seen(), node().clock.now().timestamp()
    given, had = here.given(), here.had()
    return [
        {
            "id": each.id,
            "did": each.did,
            "name": each.name or here.own_name(each),
            "own_name": here.own_name(each),
            "state": each.state.value,
            "online": None,
            "last_seen": seen[each.id].came_at if each.id in seen else None,
            "met_at": each.met_at,
            "words": list(each.words),
            "verified_at": each.verified_at,
            "notes": each.notes,
            "given": sum(one.row.contact == each.id and here.holds(one) for one in given),
            "had": sum(one.row.contact == each.id and one.row.ended_at is None and one.grant.exp > now for one in had),
        }
        for each in found
    ]


def _wanted(body: shape.GrantWish) -> grants.Wanted:
    return grants.Wanted(
        body.template,
        body.purpose or ", ".join(body.tags)[:80].strip() or PURPOSE,
        tags=tuple(body.tags),
        kinds=tuple(body.kinds),
        since=body.since,
        until=body.until,
        form=body.form,
        daily=grants.daily(body.template, body.calls_per_day, body.bytes_per_day, body.tokens_per_day),
        consent=body.consent,
        passed_on=body.passed_on,
        verbs=tuple(body.verbs),
        layers=tuple(body.layers),
        expires=body.expires_at,
        words=body.words,
    )


def _grants(contact: ContactId | None, direction: str | None = None) -> list[shape.GrantOut]:
    here = node().meeting
    given = here.given(contact) if direction != "had" else []
    covers = here.covers(given)
    had = here.had(contact) if direction != "given" else []
    asked = {who: here.asked_today(who) for who in {each.row.contact for each in had}}
    return [*(_given(each, covers) for each in given), *(_had(each, asked[each.row.contact].get(each.row.id, 0)) for each in had)]


def _given(each: grants.Standing, covers: dict[str, int]) -> shape.GrantOut:
    row, spent = each.row, each.row.spent
    state = "revoked" if row.revoked_at else "expired" if _over(row.expires) else "holds" if row.active else "resting"
    return shape.GrantOut.model_validate(
        {
            **_signed(each),
            "direction": "given",
            "contact": row.contact,
            "name": node().meeting.named(row.contact),
            "state": state,
            "template": row.template,
            "spent": {"calls": spent.calls, "bytes": spent.bytes, "tokens": spent.tokens},
            "given_at": row.given_at,
            "ended_at": row.revoked_at,
            "words": row.words,
            "covers": covers.get(row.id),
        }
    )


def _had(each: grants.Had, asked: int) -> shape.GrantOut:
    row = each.row
    return shape.GrantOut.model_validate(
        {
            **_signed(each),
            "direction": "had",
            "contact": row.contact,
            "name": node().meeting.named(row.contact),
            "state": "revoked" if row.ended_at else "expired" if _over(each.grant.exp) else "holds",
            "template": "",
            "spent": {"calls": asked, "bytes": 0, "tokens": 0},
            "given_at": row.received_at,
            "ended_at": row.ended_at,
            "words": "",
            "covers": None,
        }
    )


def _over(seconds: int) -> bool:
    return seconds <= node().clock.now().timestamp()


def _signed(each: grants.Standing | grants.Had) -> dict[str, object]:
    """Show what the grant itself says."""
    grant, scope = each.grant, each.grant.scope
    return {
        "id": grant.id,
        "verbs": sorted(grant.verbs),
        "layers": sorted(scope.layers),
        "tags": [] if scope.tags == EVERY else sorted(scope.tags),
        "kinds": sorted(scope.kinds),
        "since": None if scope.since is None else _moment(scope.since),
        "until": None if scope.until is None else _moment(scope.until),
        "form": scope.form,
        "daily": {"calls": grant.daily.calls, "bytes": grant.daily.bytes, "tokens": grant.daily.tokens},
        "purpose": scope.purpose,
        "consent": grant.consent,
        "expires_at": _moment(grant.exp),
        "passed_on": grant.depth > 0,
        "parent": grant.parent,
    }


def _preview(found: Preview) -> shape.PreviewOfGrant:
    return shape.PreviewOfGrant(
        rows=found.passages + found.statements,
        documents=found.documents,
        passages=found.passages,
        statements=found.statements,
        private_documents=found.private,
        kinds={kind.value: count for kind, count in found.kinds.items()},
        by_document=[shape.DocumentRows(id=document.id, title=document.title, rows=rows) for document, rows in found.by_document],
        first=[
            shape.CoveredOut(
                document=each.document.id,
                title=each.document.title,
                kind=each.chunk.kind.value if each.chunk.kind else "passage",
                text=each.text,
                at=each.chunk.said_at or each.document.created_at,
                start=each.chunk.start,
                end=each.chunk.end,
            )
            for each in found.first
        ],
        left_out=[shape.LeftOutRows(reason=why.value, rows=rows) for why, rows in sorted(found.left_out.items(), key=lambda pair: -pair[1])],
    )


def _request(here: Node, row: InboxRow) -> shape.RequestOut:
    said, under = reading.said(row), here.meeting.held(row.grant)
    over = row.state is InboxState.WAITING and _over(row.until)
    return shape.RequestOut(
        id=reading.handle(row),
        contact=row.contact,
        name=here.meeting.named(row.contact),
        verb=row.verb,
        words=said.words,
        purpose=said.purpose,
        grant=row.grant or None,
        grant_words=under.words if under else "",
        state="expired" if over else row.state.value,
        came_at=row.came_at,
        until=_moment(row.until),
        decided_at=row.decided_at,
        answered_at=row.answered_at,
        answer=str((row.answer or {}).get("text", "")),
        code=row.code,
    )


def _message(row: OutboxRow, named: Callable[[ContactId | None], str]) -> shape.MessageOut:
    return shape.MessageOut(
        id=row.id,
        contact=row.contact,
        name=named(row.contact),
        verb=row.verb,
        state=row.state.value,
        made_at=row.made_at,
        until=_moment(row.until),
        tries=row.tries,
        next_try=_next_try(row),
        code=row.code,
        bytes=len(row.signed),
    )


def _sent(each: Sent, named: Callable[[ContactId | None], str]) -> shape.SentOut:
    day = datetime.fromtimestamp(each.day * shape.DAY_SECONDS, UTC).date().isoformat()
    return shape.SentOut(day=day, contact=each.contact, name=named(each.contact), category=each.category, bytes=each.bytes)
