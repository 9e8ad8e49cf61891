"""Other people over HTTP: invites, contacts, grants with their preview, what waits for the person's
word, and what left.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.share.network import DAY, Arrived, ContactId, OutboxState, ReceivedGrant
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from lpm_kernel.usecases.share import decisions
from lpm_kernel.usecases.share.people import card_row
from protocol.card import Card
from protocol.contact import Invite, spell
from protocol.grants import Cost, Grant
from protocol.identity import Identity, peer_of, public_of
from protocol.messages import Message, Verb
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope
from tests.conftest import MORNING

NOW = int(MORNING.timestamp())
MAI = Identity(b"m" * 32)
WALK = (
    "The ridge was icy above the hut.\n\n## Retain\n\n- B We turned back above the hut.\n- O(c=0.9)"
    " @Noto: the best walk of the year.\n"
)


def card_of(who: Identity, name: str, seq: int = NOW) -> Card:
    return Card.write(
        who,
        peer=peer_of(public_of(Identity(who.did.encode()[-32:]).did)),
        box=b"b" * 32,
        name=name,
        verbs=("ask",),
        seq=seq,
        exp=NOW + 20 * DAY,
    )


@pytest.fixture
def mai(node: Node) -> str:
    return node.ports.contacts.keep(
        card_row(card_of(MAI, "Mai Kurose")), node.ports.clock.now(), spell(b"\x1f" * 12)
    ).id


@pytest.fixture
def life(node: Node) -> None:
    node.library.add_bytes("walk.md", WALK.encode(), title="Walk", tags=("walks",))
    node.library.add_text(
        "The doctor said it is nothing.", title="Doctor", tags=("walks",), private=True
    )
    node.library.add_text("The garden needs lime.", title="Garden", tags=("garden",))
    node.run_jobs()


def asks(
    node: Node, grant: str, message: str = "AAAAAAAAAAAAAAAAAAAAAA", question: str = "Was it icy?"
) -> str:
    """A question of Mai's that waits for the person."""
    me = node.meeting.keystore.keys.identity.did
    body = {"question": question, "purpose": "a visit", "tokens": 200, "bytes": 20_000}
    said = Message(message, MAI.did, me, NOW, NOW + DAY, Verb.ASK, body, grant).json().decode()
    node.ports.post.claim(
        Arrived(MAI.did, message, b"d" * 32, NOW + DAY, "ask", said, grant), node.ports.clock.now()
    )
    decisions.wait(node.ports.post, node.ports.audit, node.ports.clock, MAI.did, message)
    return f"{MAI.did}.{message}"


@pytest.fixture(autouse=True)
def named(node: Node) -> None:
    node.ports.conversations.set_identity(replace(node.ports.conversations.identity(), name="Nagi"))


class TestInvites:
    def test_who_has_no_name_is_told_where_to_write_it(
        self, client: FlaskClient, node: Node
    ) -> None:
        node.ports.conversations.set_identity(replace(node.ports.conversations.identity(), name=""))
        answer = client.post("/api/invites", json={})
        assert answer.status_code == 422
        assert "Settings" in answer.get_json()["hint"]

    def test_one_is_made_listed_and_withdrawn(self, client: FlaskClient, node: Node) -> None:
        answer = client.post(
            "/api/invites",
            json={"label": "for Mai", "expires_in": 3600, "addresses": ["/ip4/192.0.2.7/tcp/4001"]},
        )
        made = answer.get_json()
        assert answer.status_code == 201
        read = Invite.read(made["invite"])
        assert (read.exp, read.addrs) == (NOW + 3600, ("/ip4/192.0.2.7/tcp/4001",))
        assert client.get("/api/invites").get_json()["items"] == [made]
        assert client.delete(f"/api/invites/{made['id']}").status_code == 204
        [gone] = client.get("/api/invites").get_json()["items"]
        assert (gone["state"], gone["invite"], gone["label"]) == ("withdrawn", None, "for Mai")
        assert client.delete(f"/api/invites/{made['id']}").status_code == 404
        assert made["invite"] not in json.dumps([each.facts for each in node.ports.audit.all()])

    def test_one_that_ran_out_shows_no_link(
        self, client: FlaskClient, frozen_clock: FrozenClock
    ) -> None:
        client.post("/api/invites", json={"expires_in": 60})
        frozen_clock.advance(timedelta(seconds=61))
        [over] = client.get("/api/invites").get_json()["items"]
        assert (over["state"], over["invite"]) == ("expired", None)

    def test_who_used_it_stands_there_with_the_words(self, client: FlaskClient, node: Node) -> None:
        made = client.post("/api/invites", json={}).get_json()
        met = node.ports.contacts.use(
            made["id"], card_row(card_of(MAI, "Mai")), node.ports.clock.now()
        )
        assert met is not None
        node.ports.contacts.change(met.id, words=("kasa", "nara"))
        [used] = client.get("/api/invites").get_json()["items"]
        assert (used["state"], used["contact"], used["words"], used["invite"]) == (
            "used",
            met.id,
            ["kasa", "nara"],
            None,
        )

    @pytest.mark.parametrize(
        "body",
        [
            {"expires_in": 90_000},
            {"expires_in": 1},
            {"label": "x" * 4001},
            {"addresses": ["x" * 200]},
            {"to": "Mai"},
        ],
    )
    def test_what_cannot_be_is_refused_with_a_sentence(
        self, client: FlaskClient, body: dict[str, object]
    ) -> None:
        answer = client.post("/api/invites", json=body)
        assert answer.status_code == 422
        assert answer.get_json()["detail"]
        assert client.get("/api/invites").get_json()["items"] == []


class TestContacts:
    def test_somebody_is_named_noted_blocked_and_ended(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        [known] = client.get("/api/contacts").get_json()["items"]
        assert (known["id"], known["did"], known["name"], known["state"], len(known["words"])) == (
            mai,
            MAI.did,
            "Mai Kurose",
            "active",
            6,
        )
        changed = client.patch(
            f"/api/contacts/{mai}", json={"name": "Mai", "notes": "met on the ridge"}
        ).get_json()
        assert (changed["name"], changed["own_name"], changed["notes"]) == (
            "Mai",
            "Mai Kurose",
            "met on the ridge",
        )
        assert client.post(f"/api/contacts/{mai}/block").get_json()["state"] == "blocked"
        again = client.post(f"/api/contacts/{mai}/block")
        assert again.status_code == 409
        assert "blocked" in again.get_json()["detail"]
        assert client.post(f"/api/contacts/{mai}/unblock").get_json()["state"] == "active"
        assert client.post(f"/api/contacts/{mai}/end").get_json()["state"] == "ended"
        assert [each.verb for each in node.ports.post.due(NOW)] == ["bye"]
        assert client.post(f"/api/contacts/{mai}/unblock").status_code == 409

    def test_forgetting_somebody_leaves_bytes_without_a_name(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        node.ports.post.left(ContactId(mai), NOW // DAY, "answer", 1200)
        assert client.delete(f"/api/contacts/{mai}").status_code == 204
        assert client.get(f"/api/contacts/{mai}").status_code == 404
        assert client.get("/api/contacts").get_json()["items"] == []
        [left] = client.get("/api/network").get_json()["sent"]
        assert (left["contact"], left["name"], left["bytes"], left["day"]) == (
            None,
            "",
            1200,
            "2026-03-14",
        )

    def test_whose_identity_goes_on_is_for_the_person_to_say(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        from lpm_kernel.domain.share.network import ContactState

        other = card_of(Identity(b"n" * 32), "Mai K.")
        node.ports.contacts.move(
            ContactId(mai),
            ContactState.ACTIVE,
            ContactState.CHANGED,
            node.ports.clock.now(),
            other.text,
        )
        assert client.get(f"/api/contacts/{mai}").get_json()["next_name"] == "Mai K."
        assert client.post(f"/api/contacts/{mai}/accept").get_json()["did"] == other.did
        assert client.post(f"/api/contacts/{mai}/decline").status_code == 409

    @pytest.mark.parametrize("verb", ["block", "unblock", "end", "accept", "decline"])
    def test_nobody_cannot_be_decided_about(self, client: FlaskClient, verb: str) -> None:
        assert client.post(f"/api/contacts/p_none/{verb}").status_code == 404

    def test_a_name_can_be_too_long(self, client: FlaskClient, mai: str) -> None:
        assert client.patch(f"/api/contacts/{mai}", json={"name": "x" * 81}).status_code == 422
        assert client.patch(f"/api/contacts/{mai}", json={"state": "blocked"}).status_code == 422


class TestComparing:
    def test_words_that_match_are_marked_and_other_words_are_not(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        words = client.get(f"/api/contacts/{mai}").get_json()["words"]
        assert (
            client.post(
                f"/api/contacts/{mai}/words", json={"words": words, "same": True}
            ).get_json()["verified_at"]
            == "2026-03-14T09:26:53Z"
        )
        assert (
            client.post(
                f"/api/contacts/{mai}/words", json={"words": words[:5], "same": True}
            ).status_code
            == 409
        )
        assert (
            client.post(
                f"/api/contacts/{mai}/words", json={"words": words, "same": False}
            ).get_json()["verified_at"]
            is None
        )
        client.post(f"/api/contacts/{mai}/words", json={"words": words, "same": True})
        # met again: other words
        node.ports.contacts.keep(
            card_row(card_of(MAI, "Mai Kurose")), node.ports.clock.now(), spell(b"\x07" * 12)
        )
        assert client.get(f"/api/contacts/{mai}").get_json()["verified_at"] is None

    def test_somebody_is_found_by_name_identity_and_address(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        node.ports.contacts.found(ContactId(mai), ["/ip4/192.0.2.9/tcp/4001"])
        for text in ("kurose", "192.0.2.9", MAI.did[-12:]):
            assert [
                each["id"]
                for each in client.get("/api/contacts", query_string={"text": text}).get_json()[
                    "items"
                ]
            ] == [mai]
        assert client.get("/api/contacts?text=nobody").get_json()["items"] == []
        assert client.get(f"/api/contacts/{mai}").get_json()["addresses"] == [
            "/ip4/192.0.2.9/tcp/4001"
        ]


class TestReach:
    def test_nothing_listens_until_the_person_wants_it_and_the_first_invite_says_so(
        self, client: FlaskClient, node: Node
    ) -> None:
        assert client.get("/api/network/reach").get_json() == {
            "on": False,
            "everywhere": True,
            "state": "off",
            "addresses": [],
            "locked": False,
            "relays": [],
            "relays_for_contacts": False,
            "find_on_network": False,
            "rendezvous": "",
            "map_port": False,
            "port_mapping": "off",
        }
        client.post("/api/invites", json={})
        assert node.ports.settings.peers
        assert client.get("/api/network/reach").get_json()["state"] in {"stopped", "missing"}
        off = client.put("/api/network/reach", json={"on": False, "everywhere": False}).get_json()
        assert (off["on"], off["everywhere"], off["state"]) == (False, False, "off")
        assert node.ports.settings.peers_host == "127.0.0.1"

    def test_relays_are_the_person_s_to_name_and_to_be(
        self, client: FlaskClient, node: Node
    ) -> None:
        relay = f"/ip4/192.0.2.5/tcp/4002/p2p/{card_of(MAI, 'Mai').peer}"
        node.ports.change_settings(relays=(relay, "contacts"))
        body = {"on": False, "relays_for_contacts": True}
        now = client.put("/api/network/reach", json=body).get_json()
        assert now["relays"] == [{"address": relay, "kept": False, "contact": False}]
        assert now["relays_for_contacts"]
        assert client.put("/api/network/reach", json={"on": False}).get_json()[
            "relays_for_contacts"
        ]
        assert node.ports.settings.relay_for_contacts
        found = client.put("/api/network/reach", json={"on": False, "find_on_network": True})
        assert found.get_json()["find_on_network"]
        assert node.ports.settings.find_on_network
        assert found.get_json()["relays_for_contacts"]
        mapped = client.put("/api/network/reach", json={"on": False, "map_port": True})
        assert (mapped.get_json()["map_port"], node.ports.settings.map_port) == (True, True)
        node.ports.change_settings(rendezvous=relay)
        assert client.get("/api/network/reach").get_json()["rendezvous"] == relay
        with pytest.raises(InvalidInputError):
            node.ports.change_settings(rendezvous="contacts")
        for wrong in ("192.0.2.5:4002", "/ip4/192.0.2.5/tcp/4002", relay + "/p2p-circuit"):
            with pytest.raises(InvalidInputError):
                node.ports.change_settings(relays=(wrong,))
        made = client.post("/api/invites", json={"addresses": [relay + "/p2p-circuit"]}).get_json()
        assert Invite.read(made["invite"]).relay == relay
        assert made["addresses"] == [relay + "/p2p-circuit"]

    def test_a_link_without_an_address_says_so(self, client: FlaskClient) -> None:
        assert client.post("/api/invites", json={}).get_json()["addresses"] == []
        made = client.post(
            "/api/invites", json={"addresses": ["/ip4/192.0.2.7/tcp/4001"]}
        ).get_json()
        assert made["addresses"] == ["/ip4/192.0.2.7/tcp/4001"]

    def test_the_code_of_an_open_invite_is_drawn(self, client: FlaskClient) -> None:
        made = client.post(
            "/api/invites", json={"addresses": ["/ip4/192.0.2.7/tcp/4001"]}
        ).get_json()
        drawn = client.get(f"/api/invites/{made['id']}/code").get_json()
        assert drawn["size"] > 40
        assert drawn["path"].startswith("M4 4h7v1h-7z")
        client.delete(f"/api/invites/{made['id']}")
        assert client.get(f"/api/invites/{made['id']}/code").status_code == 404


class TestGreetings:
    def link(self, expires: int = NOW + DAY) -> str:
        card = card_of(MAI, "Mai Kurose")
        return Invite.make(card, ("/ip4/192.0.2.9/tcp/4001",), NOW, life=expires - NOW).link

    def test_one_waits_switches_the_host_on_and_is_dropped(
        self, client: FlaskClient, node: Node
    ) -> None:
        link = self.link()
        answer = client.post("/api/contacts", json={"invite": f" {link}\n", "name": "Mai"})
        assert answer.status_code == 202
        made = answer.get_json()
        assert (made["name"], made["state"], made["tries"], made["contact"]) == (
            "Mai",
            "waiting",
            0,
            None,
        )
        assert node.ports.settings.peers
        assert client.get("/api/greetings").get_json()["items"] == [made]
        assert client.get(f"/api/greetings/{made['id']}").get_json() == made
        assert client.get("/api/network").get_json()["outbox"][0]["contact"] is None
        assert client.post("/api/contacts", json={"invite": link}).status_code == 409
        assert client.delete(f"/api/greetings/{made['id']}").status_code == 204
        assert client.get("/api/greetings").get_json()["items"] == []
        assert client.delete(f"/api/greetings/{made['id']}").status_code == 404
        assert link not in json.dumps([each.facts for each in node.ports.audit.all()])

    def test_one_that_was_refused_is_put_out_of_sight(
        self, client: FlaskClient, node: Node
    ) -> None:
        made = client.post("/api/contacts", json={"invite": self.link()}).get_json()
        node.ports.post.settle(made["id"], OutboxState.REFUSED, code="expired")
        [refused] = client.get("/api/greetings").get_json()["items"]
        assert (refused["state"], refused["code"], refused["next_try"]) == (
            "refused",
            "expired",
            None,
        )
        assert client.delete(f"/api/greetings/{made['id']}").status_code == 204
        assert client.get("/api/greetings").get_json()["items"] == []

    @pytest.mark.parametrize("link", ["smp://i/nonsense", "https://example.org", ""])
    def test_what_is_no_link_is_refused_with_a_sentence(
        self, client: FlaskClient, link: str
    ) -> None:
        answer = client.post("/api/contacts", json={"invite": link})
        assert answer.status_code == 422
        assert answer.get_json()["detail"]

    def test_one_s_own_one_that_is_over_and_a_person_without_a_name(
        self, client: FlaskClient, node: Node, frozen_clock: FrozenClock
    ) -> None:
        own = client.post("/api/invites", json={}).get_json()["invite"]
        assert "your own" in client.post("/api/contacts", json={"invite": own}).get_json()["detail"]
        over = self.link(NOW + 60)
        frozen_clock.advance(timedelta(seconds=61))
        assert "expired" in client.post("/api/contacts", json={"invite": over}).get_json()["detail"]
        node.ports.conversations.set_identity(replace(node.ports.conversations.identity(), name=""))
        nameless = client.post("/api/contacts", json={"invite": self.link()})
        assert nameless.status_code == 422
        assert "Settings" in nameless.get_json()["hint"]


class TestAsking:
    @pytest.fixture
    def grant(self, node: Node, mai: str) -> str:
        scope = Scope(
            EVERY_TAG,
            frozenset({RowKind.WORLD}),
            frozenset({Layer.WORDS}),
            None,
            None,
            Form.ANSWER,
            "a visit",
        )
        me = node.meeting.keystore.keys.identity.did
        made = Grant(
            "aWQ" + "A" * 19,
            MAI.did,
            me,
            NOW,
            NOW + DAY,
            frozenset({Verb.ASK}),
            scope,
            Cost(2, 10_000, 1_000),
        )
        node.ports.permissions.receive(
            ReceivedGrant(made.id, MAI.did, ContactId(mai), made.write(MAI), node.ports.clock.now())
        )
        return made.id

    def test_nothing_is_asked_without_a_grant(self, client: FlaskClient, mai: str) -> None:
        answer = client.post(f"/api/contacts/{mai}/ask", json={"question": "Was it icy?"})
        assert answer.status_code == 409
        assert "Mai Kurose" in answer.get_json()["detail"]

    def test_a_question_waits_says_when_it_is_tried_again_and_is_taken_back(
        self, client: FlaskClient, node: Node, mai: str, grant: str
    ) -> None:
        answer = client.post(f"/api/contacts/{mai}/ask", json={"question": " Was it icy? "})
        assert answer.status_code == 202
        made = answer.get_json()
        assert (
            made["question"],
            made["purpose"],
            made["grant"],
            made["state"],
            made["answer"],
        ) == ("Was it icy?", "a visit", grant, "waiting", "")
        node.ports.post.tried(made["id"], NOW + 30, "busy")
        [now] = client.get(f"/api/contacts/{mai}/questions").get_json()["items"]
        assert (now["state"], now["code"], now["tries"], now["next_try"]) == (
            "waiting",
            "busy",
            1,
            "2026-03-14T09:27:23Z",
        )
        assert (
            client.get(f"/api/grants?contact={mai}&direction=had").get_json()["items"][0]["spent"][
                "calls"
            ]
            == 1
        )
        assert (
            client.delete(f"/api/contacts/{mai}/questions/{made['id']}").get_json()["state"]
            == "withdrawn"
        )
        assert client.delete(f"/api/contacts/{mai}/questions/{made['id']}").status_code == 409
        assert node.ports.post.due(NOW + 60) == []
        assert (
            client.get(f"/api/grants?contact={mai}&direction=had").get_json()["items"][0]["spent"][
                "calls"
            ]
            == 0
        )

    def test_the_day_of_a_grant_is_used_up_and_its_end_is_the_end_of_asking(
        self, client: FlaskClient, node: Node, mai: str, grant: str, frozen_clock: FrozenClock
    ) -> None:
        for _ in range(2):
            assert (
                client.post(
                    f"/api/contacts/{mai}/ask", json={"question": "Was it icy?", "grant": grant}
                ).status_code
                == 202
            )
        assert (
            "used up"
            in client.post(f"/api/contacts/{mai}/ask", json={"question": "And now?"}).get_json()[
                "detail"
            ]
        )
        assert {each.until for each in node.ports.post.outbox(limit=9)[0]} == {NOW + DAY}
        frozen_clock.advance(timedelta(days=1))
        assert (
            client.post(f"/api/contacts/{mai}/ask", json={"question": "And now?"}).status_code
            == 409
        )

    @pytest.mark.usefixtures("grant")
    def test_an_answer_is_theirs_until_it_is_kept_and_then_a_document_that_says_so(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        made = client.post(f"/api/contacts/{mai}/ask", json={"question": "Was it icy?"}).get_json()
        place = f"/api/contacts/{mai}/questions/{made['id']}"
        assert client.post(f"{place}/keep").status_code == 409
        cites = [
            {
                "item": "aWQ",
                "layer": "L1",
                "kind": "world",
                "at": None,
                "quote": "The ridge was icy.",
            }
        ]
        node.ports.post.settle(
            made["id"],
            OutboxState.ANSWERED,
            {
                "text": "I found it icy above the hut.",
                "abstained": False,
                "form": "answer",
                "cites": cites,
                "tokens": 9,
            },
        )
        [got] = client.get(f"/api/contacts/{mai}/questions").get_json()["items"]
        assert (got["answer"], got["quotes"], got["kept"]) == (
            "I found it icy above the hut.",
            ["The ridge was icy."],
            None,
        )
        assert node.ports.documents.count() == 0
        kept = client.post(f"{place}/keep").get_json()["kept"]
        assert client.post(f"{place}/keep").get_json()["kept"] == kept
        node.run_jobs()
        document = node.ports.documents.get(kept)
        assert (document.title, document.folder, node.ports.documents.count()) == (
            "Mai Kurose: Was it icy?",
            "from others",
            1,
        )
        [found] = node.memory.recall("icy above the hut").items
        assert found.chunk.speaker == "Mai Kurose (second self)"

    @pytest.mark.parametrize("path", ["ask", "questions/none/keep"])
    def test_nobody_is_asked(self, client: FlaskClient, path: str) -> None:
        assert (
            client.post(
                f"/api/contacts/p_none/{path}",
                json={"question": "Was it icy?"} if path == "ask" else None,
            ).status_code
            == 404
        )


class TestGrants:
    @pytest.mark.usefixtures("life")
    def test_the_preview_says_what_is_covered_and_what_is_not_and_why(
        self, client: FlaskClient, node: Node
    ) -> None:
        seen = client.post(
            "/api/grants/preview", json={"template": "topic", "tags": ["walks"]}
        ).get_json()
        walk = next(each for each in node.ports.documents.all() if each.title == "Walk")
        assert seen["rows"] == seen["passages"] + seen["statements"] == len(seen["first"])
        assert seen["statements"] == 2
        assert sum(seen["kinds"].values()) == seen["rows"]
        assert seen["by_document"] == [{"id": walk.id, "title": "Walk", "rows": seen["rows"]}]
        assert (seen["documents"], seen["private_documents"]) == (1, 1)
        assert {each["reason"] for each in seen["left_out"]} == {"private", "tag"}
        assert not [word for word in ("doctor", "lime") if word in json.dumps(seen).lower()]
        assert any("turned back" in each["text"] for each in seen["first"])

    @pytest.mark.usefixtures("life")
    def test_the_preview_follows_every_choice(self, client: FlaskClient) -> None:
        def rows(**wish: object) -> tuple[int, dict[str, int]]:
            seen = client.post("/api/grants/preview", json=wish).get_json()
            return seen["rows"], {each["reason"]: each["rows"] for each in seen["left_out"]}

        statements, left_out = rows()
        assert statements == 2
        assert left_out["layer"] >= 2
        opinions, left_out = rows(kinds=["opinion"])
        assert (opinions, left_out["kind"]) == (1, 1)
        later, left_out = rows(since="2030-01-01T00:00:00+00:00")
        assert later == 0
        assert left_out.get("time", 0) + left_out.get("undated", 0) == 2
        assert rows(layers=["L0", "L1"])[0] > statements

    @pytest.mark.usefixtures("life")
    def test_one_is_given_and_covers_what_was_seen_and_is_revoked(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        wish = {
            "template": "topic",
            "tags": ["walks"],
            "form": "summary",
            "calls_per_day": 10,
            "consent": "ask",
            "words": "for her visit",
        }
        seen = client.post("/api/grants/preview", json=wish).get_json()
        answer = client.post(
            "/api/grants",
            json={
                **wish,
                "contact": mai,
                "verbs": ["ask"],
                "expires_at": "2026-03-20T00:00:00+09:00",
            },
        )
        assert answer.status_code == 201
        made = answer.get_json()
        assert made["covers"] == seen["rows"] > 0
        assert (made["contact"], made["name"], made["state"], made["verbs"], made["tags"]) == (
            mai,
            "Mai Kurose",
            "holds",
            ["ask"],
            ["walks"],
        )
        assert (made["form"], made["purpose"], made["consent"], made["words"]) == (
            "summary",
            "walks",
            "ask",
            "for her visit",
        )
        assert made["daily"] == {"calls": 10, "bytes": 2_000_000, "tokens": 50_000}
        assert made["expires_at"] == "2026-03-19T15:00:00Z"
        assert client.get("/api/grants").get_json()["items"] == [made]
        assert client.get("/api/contacts").get_json()["items"][0]["given"] == 1
        assert client.get(f"/api/contacts/{mai}").get_json()["grants"] == [made]
        assert [each.verb for each in node.ports.post.due(NOW)] == ["grant"]
        assert client.delete(f"/api/grants/{made['id']}").status_code == 204
        [gone] = client.get(f"/api/grants?contact={mai}").get_json()["items"]
        assert (gone["state"], gone["covers"]) == ("revoked", None)
        assert client.delete("/api/grants/none").status_code == 404

    def test_a_grant_rests_while_the_contact_is_blocked_and_ends_with_its_time(
        self, client: FlaskClient, mai: str, frozen_clock: FrozenClock
    ) -> None:
        client.post("/api/grants", json={"contact": mai, "purpose": "a visit"})
        client.post(f"/api/contacts/{mai}/block")
        assert [each["state"] for each in client.get("/api/grants").get_json()["items"]] == [
            "resting"
        ]
        client.post(f"/api/contacts/{mai}/unblock")
        frozen_clock.advance(timedelta(days=31))
        assert [each["state"] for each in client.get("/api/grants").get_json()["items"]] == [
            "expired"
        ]

    def test_what_others_gave_is_listed_beside(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        scope = Scope(
            EVERY_TAG,
            frozenset({RowKind.WORLD}),
            frozenset({Layer.WORDS}),
            None,
            None,
            Form.ANSWER,
            "a visit",
        )
        me = node.meeting.keystore.keys.identity.did
        text = Grant(
            "aWQ" + "A" * 19,
            MAI.did,
            me,
            NOW,
            NOW + DAY,
            frozenset({Verb.ASK}),
            scope,
            Cost(5, 10_000, 1_000),
        ).write(MAI)
        node.ports.permissions.receive(
            ReceivedGrant("aWQ" + "A" * 19, MAI.did, ContactId(mai), text, node.ports.clock.now())
        )
        [had] = client.get("/api/grants?direction=had").get_json()["items"]
        assert (
            had["direction"],
            had["contact"],
            had["kinds"],
            had["covers"],
            had["daily"]["calls"],
        ) == ("had", mai, ["world"], None, 5)
        assert client.get("/api/grants?direction=given").get_json()["items"] == []
        assert client.get("/api/contacts").get_json()["items"][0]["had"] == 1

    @pytest.mark.parametrize(
        ("wish", "says"),
        [
            ({"template": "topic"}, "at least one tag"),
            ({"tags": ["*"]}, "as a tag"),
            ({"template": "all"}, "template"),
            ({"kinds": ["secret"]}, "kinds"),
            ({"verbs": ["hello"]}, "verbs"),
            (
                {"since": "2026-01-01T00:00:00Z", "until": "2025-01-01T00:00:00Z"},
                "ends before it begins",
            ),
            ({"since": "2026-01-01T00:00:00"}, "since"),
            ({"expires_at": "2020-01-01T00:00:00Z"}, "cannot last until then"),
            ({"expires_at": "2029-01-01T00:00:00Z"}, "cannot last until then"),
            ({"everything": True}, "Unknown field: everything"),
        ],
    )
    def test_what_cannot_be_is_refused_with_a_sentence(
        self, client: FlaskClient, mai: str, wish: dict[str, object], says: str
    ) -> None:
        answer = client.post("/api/grants", json={"contact": mai, **wish})
        assert answer.status_code == 422
        assert says in answer.get_json()["detail"]
        assert client.get("/api/grants").get_json()["items"] == []

    def test_every_template_says_what_it_begins_with(self, client: FlaskClient, mai: str) -> None:
        for each in client.get("/api/grants/templates").get_json()["items"]:
            wish = {"contact": mai, "template": each["name"], "tags": ["walks"]}
            made = client.post("/api/grants", json=wish).get_json()
            assert each["consent"] == "ask"  # nothing leaves unread unless the person chooses so
            assert {
                name: made[name] for name in ("verbs", "layers", "form", "daily", "consent")
            } == {name: each[name] for name in ("verbs", "layers", "form", "daily", "consent")}
            refused = (
                client.post("/api/grants/preview", json={"template": each["name"]}).status_code
                == 422
            )
            assert refused == each["tagged"]

    def test_nobody_and_who_is_blocked_get_none(self, client: FlaskClient, mai: str) -> None:
        assert client.post("/api/grants", json={"contact": "p_none"}).status_code == 404
        client.post(f"/api/contacts/{mai}/block")
        assert client.post("/api/grants", json={"contact": mai}).status_code == 409

    def test_the_list_goes_on_from_its_cursor(self, client: FlaskClient, mai: str) -> None:
        made = [
            client.post("/api/grants", json={"contact": mai}).get_json()["id"] for _ in range(3)
        ]
        first = client.get("/api/grants?limit=2").get_json()
        second = client.get(f"/api/grants?limit=2&cursor={first['next_cursor']}").get_json()
        assert {each["id"] for each in first["items"] + second["items"]} == set(made)
        assert second["next_cursor"] is None


class TestInbox:
    @pytest.fixture
    def grant(self, client: FlaskClient, mai: str) -> str:
        return str(
            client.post(
                "/api/grants",
                json={"contact": mai, "purpose": "a visit", "words": "her visit in May"},
            ).get_json()["id"]
        )

    def test_a_question_waits_for_yes(
        self, client: FlaskClient, node: Node, mai: str, grant: str
    ) -> None:
        name = asks(node, grant)
        listed = client.get("/api/inbox").get_json()
        [one] = listed["items"]
        assert listed["waiting"] == 1
        assert client.get("/api/status").get_json()["waiting"] == {"people": 1, "table": 0}
        assert (
            one["id"],
            one["contact"],
            one["name"],
            one["words"],
            one["purpose"],
            one["grant_words"],
        ) == (
            name,
            mai,
            "Mai Kurose",
            "Was it icy?",
            "a visit",
            "her visit in May",
        )
        assert client.get("/api/inbox?waiting=true").get_json()["items"] == [one]
        draft = client.post(f"/api/inbox/{name}/draft").get_json()["draft"]
        assert (
            client.post(f"/api/inbox/{name}/approve", json={"draft": draft["id"]}).get_json()[
                "state"
            ]
            == "decided"
        )
        assert client.get("/api/inbox?waiting=true").get_json() == {
            "items": [],
            "next_cursor": None,
            "waiting": 0,
        }
        assert client.get("/api/status").get_json()["waiting"]["people"] == 0
        assert client.post(f"/api/inbox/{name}/approve").status_code == 409

    def test_no_is_kept_as_a_refusal_that_says_nothing(
        self, client: FlaskClient, node: Node, grant: str
    ) -> None:
        refused = client.post(f"/api/inbox/{asks(node, grant)}/refuse").get_json()
        assert (refused["state"], refused["code"]) == ("answered", "no_grant")

    def test_what_came_too_late_does_not_wait(
        self, client: FlaskClient, node: Node, grant: str, frozen_clock: FrozenClock
    ) -> None:
        name = asks(node, grant)
        draft = client.post(f"/api/inbox/{name}/draft").get_json()["draft"]
        frozen_clock.advance(timedelta(days=2))
        listed = client.get("/api/inbox").get_json()
        assert (listed["waiting"], listed["items"][0]["state"]) == (0, "expired")
        assert (
            client.post(f"/api/inbox/{name}/approve", json={"draft": draft["id"]}).status_code
            == 409
        )

    @pytest.mark.parametrize("name", ["none", "did:key:z1.none", "."])
    def test_there_is_no_such_request(self, client: FlaskClient, name: str) -> None:
        assert client.post(f"/api/inbox/{name}/approve").status_code == 404


class TestNetwork:
    def test_every_kind_that_left_is_named_and_no_word(
        self, client: FlaskClient, node: Node, mai: str
    ) -> None:
        grant = client.post("/api/grants", json={"contact": mai, "purpose": "a visit"}).get_json()[
            "id"
        ]
        asks(node, grant, question="Where is the kingfisher?")
        node.ports.post.left(ContactId(mai), NOW // DAY, "answer", 1200)
        node.ports.post.left(ContactId(mai), NOW // DAY, "receipt", 300)
        node.ports.departures.record(node.ports.clock.now(), "models.example:443", 50, "model")
        answer = client.get("/api/network")
        found = answer.get_json()
        assert found["sent"] == [
            {
                "day": "2026-03-14",
                "contact": mai,
                "name": "Mai Kurose",
                "category": kind,
                "bytes": size,
            }
            for kind, size in (("answer", 1200), ("receipt", 300))
        ]
        assert (found["bytes"], found["elsewhere"], found["hosts"]) == (
            1500,
            50,
            ["models.example:443"],
        )
        assert [(each["verb"], each["state"]) for each in found["outbox"]] == [("grant", "waiting")]
        assert {each["kind"] for each in found["entries"]} == {
            "contact-met",
            "grant-given",
            "peer-decided",
        }
        client.delete(f"/api/grants/{grant}")
        newest = client.get("/api/network").get_json()["entries"][0]
        assert (newest["kind"], newest["name"]) == ("grant-revoked", "Mai Kurose")
        assert "kingfisher" not in answer.text
        whole = client.get(f"/api/contacts/{mai}").get_json()
        assert sum(each["bytes"] for each in whole["sent"]) == 1500
        assert [each["words"] for each in whole["inbox"]] == ["Where is the kingfisher?"]

    def test_nothing_left_is_nothing(self, client: FlaskClient) -> None:
        assert client.get("/api/network").get_json() == {
            "sent": [],
            "bytes": 0,
            "elsewhere": 0,
            "hosts": [],
            "outbox": [],
            "entries": [],
        }


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(
            ("get", f"/api/{name}")
            for name in (
                "invites",
                "contacts",
                "grants",
                "grants/templates",
                "inbox",
                "network",
                "contacts/p_1",
            )
        ),
        *(
            ("post", f"/api/{name}")
            for name in (
                "invites",
                "grants",
                "grants/preview",
                "inbox/a.b/approve",
                "inbox/a.b/refuse",
                "contacts/p_1/block",
            )
        ),
        *(("delete", f"/api/{name}/x") for name in ("invites", "contacts", "grants")),
        ("patch", "/api/contacts/p_1"),
    ],
)
def test_another_program_is_refused(
    client: FlaskClient, node: Node, method: str, path: str
) -> None:
    _, made = create_key(
        node.ports.access, node.ports.clock, "another program", ["recall", "chat", "write"]
    )
    body: dict[str, object] = {} if method == "get" else {"json": {}}
    assert (
        getattr(client, method)(
            path, headers={"Authorization": f"Bearer {made}"}, **body
        ).status_code
        == 403
    )
    assert node.ports.contacts.invites() == []
