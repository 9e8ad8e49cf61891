"""Other people: inviting them, what they may ask, what they asked, and what left for them."""

from __future__ import annotations

import json
from datetime import datetime
from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import meeting_shapes as shapes
from lpm_kernel.api import schemas
from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.schemas import meeting as shape
from lpm_kernel.api.streams import json_response
from lpm_kernel.backends.qr import draw
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.share import grants
from lpm_kernel.usecases.share.people import look_for
from lpm_kernel.usecases.share.reading import handled

api = APIBlueprint(
    "people",
    __name__,
    url_prefix="/api",
    abp_tags=[Tag(name="people", description="Other people, and what they may ask")],
)

EXCHANGED = 50
"""Messages each way that come with a contact."""
GREETING = "hello"


# --- invites ------------------------------------------------------------------------------------


@api.post("/invites", summary="Invite somebody", responses={201: shape.InviteOut})
def invite(body: shape.InviteIn) -> Response:
    """Make a link by which one person can become a contact, once. Send it only to them."""
    made = node().meeting.invite(body.label, body.addresses, body.expires_in)
    return json_response(shapes.invite(made, {}), HTTPStatus.CREATED)


@api.get(
    "/invites/<string:id>/code", summary="An invite as a QR code", responses={200: shape.CodeOut}
)
def draw_invite(path: schemas.ById) -> Response:
    """Draw the link of an invite that can still be used, for a telephone to read."""
    drawn = draw(node().meeting.open_invite(path.id).link)
    return json_response(shape.CodeOut(size=drawn.size, path=drawn.path))


@api.get("/invites", summary="Every invite", responses={200: shape.InviteList})
def list_invites(query: schemas.Page) -> Response:
    """List them, newest first, with what became of them."""
    known = {each.id: each for each in node().ports.contacts.all()}
    items, following = paged(
        lambda: [shapes.invite(each, known) for each in node().ports.contacts.invites()], query
    )
    return json_response(shape.InviteList(items=items, next_cursor=following))


@api.delete("/invites/<string:id>", summary="Withdraw an invite", responses={204: None})
def withdraw(path: schemas.ById) -> Response:
    """End a link that nobody used."""
    node().meeting.withdraw(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


# --- contacts -----------------------------------------------------------------------------------


@api.post("/contacts", summary="Accept an invite", responses={202: shape.GreetingOut})
def accept_invite(body: shape.GreetingIn) -> Response:
    """Say hello to whoever made the link. It waits until their node answers, a day at most; then
    they are a contact.
    """
    return json_response(
        shapes.greeting(node().meeting.greet(body.invite, body.name)), HTTPStatus.ACCEPTED
    )


@api.get("/greetings", summary="Greetings on their way", responses={200: shape.GreetingList})
def list_greetings() -> Response:
    """List the invites that were accepted and met nobody yet, with what came of each try."""
    return json_response(
        shape.GreetingList(items=[shapes.greeting(each) for each in node().meeting.greetings()])
    )


@api.get("/greetings/<string:id>", summary="One greeting", responses={200: shape.GreetingOut})
def get_greeting(path: schemas.ById) -> Response:
    """Show how far a greeting has come, and whom it met."""
    row = node().ports.post.outgoing(path.id)
    if row is None or row.verb != GREETING:
        raise NotFoundError("greeting", path.id)
    return json_response(shapes.greeting(row))


@api.delete("/greetings/<string:id>", summary="Stop saying hello", responses={204: None})
def drop_greeting(path: schemas.ById) -> Response:
    """Send it no more, or put one out of sight that met nobody."""
    node().meeting.drop_greeting(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/contacts", summary="Contacts", responses={200: shape.ContactList})
def list_contacts(query: shape.ContactQuery) -> Response:
    """List the people whom this node knows, those met last first."""
    page, following = paged(
        lambda: (
            look_for(node().ports.contacts, query.text)
            if query.text.strip()
            else node().ports.contacts.all()
        ),
        query,
    )
    return json_response(
        shape.ContactList(
            items=[shape.ContactOut(**each) for each in shapes.contacts(page)],
            next_cursor=following,
        )
    )


@api.get("/contacts/<string:id>", summary="One contact", responses={200: shape.ContactWhole})
def get_contact(path: shape.ByContact) -> Response:
    """Show somebody with grants both ways and what was exchanged."""
    here, known = node(), node().ports.contacts.get(ContactId(path.id))
    [fields] = shapes.contacts([known])
    came, _ = here.ports.post.inbox(limit=EXCHANGED, contact=known.id)
    went, _ = here.ports.post.outbox(limit=EXCHANGED, contact=known.id)
    return json_response(
        shape.ContactWhole(
            **fields,
            peer=known.peer,
            addresses=here.ports.contacts.addresses(known.id),
            next_name=here.meeting.own_name(known, other=True),
            grants=shapes.all_grants(known.id),
            sent=[
                shapes.sent(each, here.meeting.named)
                for each in here.ports.post.all_left()
                if each.contact == known.id
            ],
            inbox=[shapes.request(here, each) for each in came],
            outbox=[shapes.message(each, here.meeting.named) for each in went],
        )
    )


@api.patch(
    "/contacts/<string:id>",
    summary="Name somebody, or keep notes",
    responses={200: shape.ContactOut},
)
def change_contact(path: shape.ByContact, body: shape.ContactPatch) -> Response:
    """Change what you say of them; nothing goes out. An empty name is the one that their card
    has.
    """
    return json_response(
        shapes.contact(node().meeting.change(ContactId(path.id), name=body.name, notes=body.notes))
    )


@api.post(
    "/contacts/<string:id>/words",
    summary="Say that the words match",
    responses={200: shape.ContactOut},
)
def compare_words(path: shape.ByContact, body: shape.WordsIn) -> Response:
    """Note that both read the same six words to each other, or take that back."""
    return json_response(
        shapes.contact(node().meeting.verify(ContactId(path.id), body.words, same=body.same))
    )


@api.post(
    "/contacts/<string:id>/ask",
    summary="Ask somebody's second self",
    responses={202: shape.PeerQuestionOut},
)
def ask(path: shape.ByContact, body: shape.PeerQuestionIn) -> Response:
    """Put a question into the outbox, under a grant of theirs. What comes back stands at the
    question; it reaches memory only if you keep it.
    """
    return json_response(
        shapes.question(
            ContactId(path.id), node().meeting.ask(ContactId(path.id), body.question, body.grant)
        ),
        HTTPStatus.ACCEPTED,
    )


@api.get(
    "/contacts/<string:id>/questions",
    summary="What you asked somebody",
    responses={200: shape.PeerQuestionList},
)
def list_questions(path: shape.ByContact, query: schemas.Page) -> Response:
    """List your questions to a contact, newest first, with what came back."""
    contact = ContactId(path.id)
    page, following = paged(
        lambda: node().meeting.questions(node().ports.contacts.get(contact).id), query
    )
    return json_response(
        shape.PeerQuestionList(
            items=[shapes.question(contact, each) for each in page], next_cursor=following
        )
    )


@api.delete(
    "/contacts/<string:id>/questions/<string:question>",
    summary="Take a question back",
    responses={200: shape.PeerQuestionOut},
)
def take_back(path: shape.ByPeerQuestion) -> Response:
    """Send it no more. They may have it already; what they answer then is not taken."""
    contact = ContactId(path.id)
    return json_response(shapes.question(contact, node().meeting.take_back(contact, path.question)))


@api.post(
    "/contacts/<string:id>/questions/<string:question>/keep",
    summary="Keep an answer",
    responses={200: shape.PeerQuestionOut},
)
def keep_answer(path: shape.ByPeerQuestion) -> Response:
    """Make a document of it that says whose words they are, and that nobody checked them."""
    contact = ContactId(path.id)
    return json_response(
        shapes.question(contact, node().meeting.keep_answer(contact, path.question))
    )


@api.delete("/contacts/<string:id>", summary="Forget somebody", responses={204: None})
def delete_contact(path: shape.ByContact) -> Response:
    """Forget their card, words, notes, grants both ways, and everything exchanged. How many bytes
    left stays, without their name.
    """
    node().meeting.delete(ContactId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/contacts/<string:id>/block", summary="Block somebody", responses={200: shape.ContactOut}
)
def block(path: shape.ByContact) -> Response:
    """Close the door to them at once, in the middle of an answer too. Grants stay, and rest."""
    return json_response(shapes.contact(node().meeting.block(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/unblock",
    summary="Open to somebody again",
    responses={200: shape.ContactOut},
)
def unblock(path: shape.ByContact) -> Response:
    """Open the door again: what was granted is granted again."""
    return json_response(shapes.contact(node().meeting.unblock(ContactId(path.id))))


@api.post("/contacts/<string:id>/end", summary="End a contact", responses={200: shape.ContactOut})
def end(path: shape.ByContact) -> Response:
    """End it with all grants both ways, and tell them. It needs another invite to begin again."""
    return json_response(shapes.contact(node().meeting.end(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/accept",
    summary="Believe that it is them",
    responses={200: shape.ContactOut},
)
def accept(path: shape.ByContact) -> Response:
    """Go on with somebody whose identity changed. Grants named the one before, so they are given
    anew.
    """
    return json_response(shapes.contact(node().meeting.accept(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/decline",
    summary="Do not believe that it is them",
    responses={200: shape.ContactOut},
)
def decline(path: shape.ByContact) -> Response:
    """End the contact whose identity changed."""
    return json_response(shapes.contact(node().meeting.decline(ContactId(path.id))))


# --- grants -------------------------------------------------------------------------------------


@api.get("/grants", summary="What may be asked, both ways", responses={200: shape.GrantList})
def list_grants(query: shape.GrantQuery) -> Response:
    """List the grants that you gave, then those that others gave you; those that are over, too."""
    items, following = paged(
        lambda: shapes.all_grants(
            None if query.contact is None else ContactId(query.contact), query.direction
        ),
        query,
    )
    return json_response(shape.GrantList(items=items, next_cursor=following))


@api.post("/grants", summary="Give a grant", responses={201: shape.GrantOut})
def give(body: shape.GrantIn) -> Response:
    """Sign it, keep it, and have the contact told. It holds from now on."""
    here = node().meeting
    made = here.give(ContactId(body.contact), shapes.wanted(body))
    return json_response(shapes.given_grant(made, here.covers([made])), HTTPStatus.CREATED)


@api.get(
    "/grants/templates", summary="What a grant begins with", responses={200: shape.TemplateList}
)
def list_templates() -> Response:
    """List the templates; everything in them can be changed before a grant is given."""
    items = [
        shape.TemplateOut.model_validate(
            {
                "name": name,
                "verbs": sorted(each.verbs),
                "layers": sorted(each.layers),
                "form": each.form,
                "daily": {
                    "calls": each.daily.calls,
                    "bytes": each.daily.bytes,
                    "tokens": each.daily.tokens,
                },
                "consent": each.consent,
                "days": each.days,
                "tagged": name in grants.TAGGED,
            }
        )
        for name, each in grants.TEMPLATES.items()
    ]
    return json_response(shape.TemplateList(items=items))


@api.post(
    "/grants/preview", summary="See what a grant would cover", responses={200: shape.PreviewOfGrant}
)
def preview(body: shape.GrantWish) -> Response:
    """Count the rows, by kind and by document, show the first ones, and say what stays outside and
    why. Nothing is given.
    """
    return json_response(shapes.preview(node().meeting.preview(shapes.wanted(body)), body.allow))


@api.get("/grants/secrets", summary="What looks like a secret", responses={200: shape.SuspectList})
def list_secrets(query: shape.SuspectQuery) -> Response:
    """List what lies inside your grants and looks like a secret, or what came since and waits for
    your word. A contact sees nothing of it.
    """
    found = node().meeting.suspects()
    waiting = [each for each in found if each.allowed is None]
    shown = waiting if query.waiting else found
    items, following = paged(lambda: shapes.suspects(shown), query)
    return json_response(
        shape.SuspectList(items=items, next_cursor=following, waiting=len(waiting))
    )


@api.put(
    "/grants/<string:id>/secrets",
    summary="Allow what looks like a secret, or leave it out",
    responses={204: None},
)
def decide_secrets(path: schemas.ById, body: shape.SecretsIn) -> Response:
    """Say of rows whether they may be used under a grant; from now on."""
    said = dict.fromkeys(body.allow, True) | dict.fromkeys(body.leave_out, False)
    node().meeting.decide_secrets(path.id, said)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.delete("/grants/<string:id>", summary="Revoke a grant", responses={204: None})
def revoke(path: schemas.ById) -> Response:
    """Take it back now, with all that was passed on from it. What was told already stays told."""
    node().meeting.revoke(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


# --- what came in, and what left ----------------------------------------------------------------


@api.get("/inbox", summary="What others asked", responses={200: shape.InboxList})
def list_inbox(query: shape.InboxQuery) -> Response:
    """List what came in, newest first, or what waits for your word."""
    here = node()
    waiting = here.meeting.waiting()
    contact = None if query.contact is None else ContactId(query.contact)
    following: str | None
    if query.waiting:
        found, following = paged(
            lambda: [each for each in waiting if contact in (None, each.contact)], query
        )
    else:
        found, following = here.ports.post.inbox(
            limit=query.limit, cursor=query.cursor, contact=contact
        )
    return json_response(
        shape.InboxList(
            items=[shapes.request(here, each) for each in found],
            next_cursor=following,
            waiting=len(waiting),
        )
    )


@api.post(
    "/inbox/<string:id>/draft",
    summary="Read the answer before it leaves",
    responses={200: shape.RequestOut},
)
def draft_answer(path: shape.ByRequest) -> Response:
    """Write the answer to a request that waits as it would leave, with what it rests on and what is
    held back. Nothing leaves.
    """
    return json_response(shapes.request(node(), node().replying.draft(handled(path.id))))


@api.post("/inbox/<string:id>/approve", summary="Say yes", responses={200: shape.RequestOut})
def approve(path: shape.ByRequest, body: shape.ApproveIn) -> Response:
    """Send the draft that you read, word for word, or your own words in its place. Nothing leaves
    unread.
    """
    here = node()
    chosen = here.replying.sendable(handled(path.id), (body.draft, body.text))
    return json_response(shapes.request(here, here.meeting.approve(path.id, chosen)))


@api.post("/inbox/<string:id>/refuse", summary="Say no", responses={200: shape.RequestOut})
def refuse(path: shape.ByRequest) -> Response:
    """Refuse a request. They learn that no grant covers it, and not why."""
    return json_response(shapes.request(node(), node().meeting.refuse(path.id)))


@api.get(
    "/network/reach", summary="Whether others reach this node", responses={200: shape.ReachOut}
)
def get_reach() -> Response:
    """Say whether contacts can reach this node, where, and what stands in the way."""
    return json_response(shapes.reach(node().meeting.reached()))


@api.put(
    "/network/reach",
    summary="Let others reach this node, or nobody",
    responses={200: shape.ReachOut},
)
def put_reach(body: shape.ReachIn) -> Response:
    """Have a host listen for contacts from now on, or end it. It listens a moment later."""
    return json_response(
        shapes.reach(node().meeting.switch(on=body.on, everywhere=body.everywhere))
    )


@api.post("/network/unlock", summary="Open the keys", responses={200: shape.ReachOut})
def unlock(body: shape.UnlockIn) -> Response:
    """Open the keys that a passphrase locks, until the node ends. It is kept in memory alone, and
    the host starts with it.
    """
    return json_response(shapes.reach(node().meeting.unlock(body.passphrase)))


@api.get("/network", summary="What left this machine", responses={200: shape.NetworkOut})
def network() -> Response:
    """Say what left, by day, person and kind, what waits to be sent, and what was decided. Never a
    word of it.
    """
    here = node().meeting
    found = here.network()
    entries = []
    for each in found.entries:
        facts = json.loads(each.facts)
        under = here.held(facts.get("grant", ""))
        who = (
            ContactId(facts["contact"])
            if facts.get("contact")
            else under.contact
            if under
            else None
        )
        entries.append(
            shape.PeerEntry(
                number=each.number,
                at=datetime.fromisoformat(each.at),
                kind=each.kind,
                contact=who,
                name=here.named(who),
                facts=facts,
            )
        )
    return json_response(
        shape.NetworkOut(
            sent=[shapes.sent(each, here.named) for each in found.sent],
            bytes=sum(each.bytes for each in found.sent),
            elsewhere=found.elsewhere,
            hosts=list(found.hosts),
            outbox=[shapes.message(each, here.named) for each in found.outbox],
            entries=entries,
        )
    )
