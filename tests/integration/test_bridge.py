"""A request made complete from memory, and a reply held against it."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.node import Node
from tests.integration.test_api import add

REQUEST = (
    "Please plan a birthday dinner for my mother in Kanazawa for 6 people, at most 40,000 yen."
)
WALNUTS = "My mother is allergic to walnuts and cannot eat them."
STAIRS = "My mother walks with a stick and cannot climb the stairs to a dinner upstairs."
SECRET = "My mother does not know that her birthday dinner is paid from the violin fund."


@pytest.fixture
def remembered(client: FlaskClient, node: Node) -> dict[str, str]:
    """What the person wrote of her mother, some of it private."""
    made = {
        name: add(client, node, f"{name}.txt", text)["id"]
        for name, text in (("walnuts", WALNUTS), ("stairs", STAIRS))
    }
    made["secret"] = add(client, node, "secret.txt", SECRET, private="true")["id"]
    return made


def enhance(
    client: FlaskClient, request: str = REQUEST, strike: tuple[str, ...] = ()
) -> dict[str, Any]:
    answer = client.post("/api/bridge/enhance", json={"request": request, "strike": list(strike)})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.get_json()
    return made


def critique(
    client: FlaskClient, reply: str, request: str = REQUEST
) -> tuple[str, dict[str, list[dict[str, Any]]]]:
    made = client.post("/api/bridge/critique", json={"request": request, "reply": reply}).get_json()
    kinds: dict[str, list[dict[str, Any]]] = {}
    for point in made["points"]:
        if point["reply_span"] is not None:
            start, end = point["reply_span"]
            point["words"] = reply[start:end]
        kinds.setdefault(point["kind"], []).append(point)
    return made["verdict"], kinds


class TestEnhancing:
    def test_what_was_written_follows_the_request_word_for_word_with_its_source(
        self, client: FlaskClient, remembered: dict[str, str]
    ) -> None:
        made = enhance(client)
        assert made["request"].startswith(REQUEST)
        assert {fact["text"] for fact in made["facts"]} == {WALNUTS, STAIRS}
        for fact in made["facts"]:
            assert f"- {fact['text']}" in made["request"]
            assert fact["why"]
            text = client.get(
                f"/api/documents/{fact['document']}/text?start={fact['start']}&end={fact['end']}"
            ).get_json()["text"]
            assert text == fact["text"]
        assert {fact["document"] for fact in made["facts"]} == {
            remembered["walnuts"],
            remembered["stairs"],
        }

    @pytest.mark.usefixtures("remembered")
    def test_what_is_private_is_never_used(self, client: FlaskClient) -> None:
        for request in (REQUEST, "Who pays for the birthday dinner of my mother? The violin fund?"):
            assert "violin fund is" not in enhance(client, request)["request"]
            assert SECRET not in enhance(client, request)["request"]

    def test_what_became_private_meanwhile_is_not_used_either(
        self, client: FlaskClient, remembered: dict[str, str]
    ) -> None:
        client.patch(f"/api/documents/{remembered['walnuts']}", json={"private": True})
        assert "walnut" not in enhance(client)["request"]

    @pytest.mark.usefixtures("remembered")
    def test_what_is_struck_goes_with_what_says_the_same(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(
            client,
            node,
            "again.txt",
            "Mother: allergic to walnuts, cannot eat them at any birthday dinner.",
        )
        (walnuts,) = [fact for fact in enhance(client)["facts"] if fact["text"] == WALNUTS]
        made = enhance(client, strike=(walnuts["id"],))
        assert "walnut" not in made["request"]
        assert STAIRS in made["request"]

    def test_a_larger_model_words_it_and_is_held_to_what_stands_there(
        self, client: FlaskClient, remembered: dict[str, str], scripted: ScriptedModel
    ) -> None:
        assert remembered
        worded = f"{REQUEST} My mother is allergic to walnuts. My mother has been to Paris."
        scripted.script = ScriptedModel([("expert", worded)]).script
        made = enhance(client)["request"]
        assert "allergic to walnuts" in made
        assert "Paris" not in made
        assert STAIRS in made

    def test_a_model_that_loses_the_request_is_not_listened_to(
        self, client: FlaskClient, remembered: dict[str, str], scripted: ScriptedModel
    ) -> None:
        assert remembered
        scripted.script = ScriptedModel([("expert", "My mother is allergic to walnuts.")]).script
        assert enhance(client)["request"].startswith(REQUEST)

    def test_a_model_never_sees_what_was_struck(
        self, client: FlaskClient, remembered: dict[str, str], scripted: ScriptedModel
    ) -> None:
        assert remembered
        facts = enhance(client)["facts"]
        scripted.seen.clear()
        enhance(client, strike=tuple(fact["id"] for fact in facts if fact["text"] == WALNUTS))
        assert scripted.seen
        assert not [
            message for prompt in scripted.seen for message in prompt if "walnut" in message.content
        ]

    def test_japanese_in_japanese(self, client: FlaskClient, node: Node) -> None:
        add(client, node, "母.txt", "母はくるみアレルギーで、くるみは食べられない。")
        made = enhance(client, "母の誕生日の夕食の献立を考えてください。")
        assert "母はくるみアレルギーで" in made["request"]
        assert "お伝えしておきたいこと" in made["request"]

    @pytest.mark.parametrize(
        "body",
        [
            {"request": " "},
            {"request": "x" * 20_001},
            {"request": "a", "strike": ["c_nothing.0.99999999999999999999", "..", "x"]},
        ],
    )
    def test_nothing_breaks_it(self, client: FlaskClient, body: dict[str, Any]) -> None:
        assert client.post("/api/bridge/enhance", json=body).status_code in {200, 422}


class TestHolding:
    @pytest.mark.usefixtures("remembered")
    def test_an_allergy_that_the_reply_forgets_is_named_with_its_source(
        self, client: FlaskClient, remembered: dict[str, str]
    ) -> None:
        verdict, kinds = critique(
            client,
            "A birthday dinner in Kanazawa for 6 people costs 36,000 yen. For dessert there is a"
            " walnut cake.",
        )
        assert verdict == "against"
        (point,) = kinds["against"]
        assert (point["words"], point["want"], point["source"]["document"]) == (
            "For dessert there is a walnut cake.",
            WALNUTS,
            remembered["walnuts"],
        )
        assert [each["want"] for each in kinds["met"]] == [REQUEST]

    @pytest.mark.usefixtures("remembered")
    def test_above_the_limit_is_against_below_it_is_met(self, client: FlaskClient) -> None:
        dear, _ = critique(client, "The birthday dinner in Kanazawa for 6 people is 52,000 yen.")
        _, cheap = critique(client, "The birthday dinner in Kanazawa for 6 people is 32,000 yen.")
        assert dear == "against"
        assert [point["want"] for point in cheap["met"]] == [REQUEST]

    @pytest.mark.usefixtures("remembered")
    def test_without_walnuts_is_not_against(self, client: FlaskClient) -> None:
        _, kinds = critique(
            client,
            "The birthday dinner in Kanazawa for 6 people is 32,000 yen. The cake is made without"
            " walnuts.",
        )
        assert "against" not in kinds

    def test_what_is_left_out_and_what_cannot_be_told(self, client: FlaskClient) -> None:
        request = "I need new strings for my viola. Tell me how long the delivery to Norway takes."
        verdict, kinds = critique(client, "These strings for the viola are in stock.", request)
        assert verdict == "partly"
        assert [point["want"] for point in kinds["missed"]] == [
            "Tell me how long the delivery to Norway takes."
        ]
        assert critique(client, "We open at ten.", request)[0] == "missed"

    def test_another_day_is_against(self, client: FlaskClient) -> None:
        request = "Please deliver the cello case to the workshop on 12 December 2025."
        verdict, kinds = critique(client, "We deliver the cello case on 19 December 2025.", request)
        assert verdict == "against"
        assert kinds["against"][0]["words"] == "We deliver the cello case on 19 December 2025."

    def test_a_larger_model_is_believed_where_it_quotes_the_reply(
        self, client: FlaskClient, scripted: ScriptedModel
    ) -> None:
        request = "Tell me how long the delivery to Norway takes."
        reply = "Parcels to Oslo arrive within nine days."
        scripted.script = ScriptedModel(
            [("numbered|write one line", "1 | met | arrive within nine days")]
        ).script
        verdict, kinds = critique(client, reply, request)
        assert (verdict, kinds["met"][0]["words"]) == ("met", "arrive within nine days")
        scripted.script = ScriptedModel(
            [("numbered|write one line", "1 | met | arrive tomorrow morning")]
        ).script
        assert "met" not in critique(client, reply, request)[1]

    def test_japanese_replies(self, client: FlaskClient, node: Node) -> None:
        add(client, node, "母.txt", "母はくるみアレルギーで、くるみは食べられない。")
        verdict, kinds = critique(
            client, "デザートはくるみのケーキです。", "母の誕生日のケーキを選んでください。"
        )
        assert verdict == "against"
        assert kinds["against"][0]["words"] == "デザートはくるみのケーキです。"

    @pytest.mark.parametrize(
        "reply", ["…", "1.2.3.4 yen, 9" * 50, "no " * 300, "\u0000a", "9" * 400 + " yen"]
    )
    def test_nothing_breaks_it(self, client: FlaskClient, reply: str) -> None:
        assert (
            client.post(
                "/api/bridge/critique", json={"request": REQUEST, "reply": reply}
            ).status_code
            == 200
        )


def test_erased_words_are_not_found_for_a_request(
    client: FlaskClient, node: Node, remembered: dict[str, str]
) -> None:
    node.home.confirm_erasure(node.home.propose_erasure([DocumentId(remembered["walnuts"])]).token)
    assert "walnut" not in enhance(client)["request"]


class TestWhatBelongs:
    """A fact has evidence that it is about the request, and reads as said by the person to somebody
    who knows neither them nor their notes.
    """

    @pytest.fixture
    def life(self, client: FlaskClient, node: Node) -> None:
        for number in range(12):
            add(
                client,
                node,
                f"club-{number}.txt",
                f"The club met again on evening number {number}. We drank tea and counted the"
                " frames.",
            )
        add(
            client,
            node,
            "stove.txt",
            "The tiled stove in the parlour smokes when the wind is in the east. The sweep comes in"
            " May.",
        )
        add(client, node, "炉.txt", "東風の日は居間の暖炉が煙る。煙突掃除は五月に来る。")

    @pytest.mark.usefixtures("life")
    @pytest.mark.parametrize(
        "request_",
        [
            "Recommend a tennis club for beginners.",
            "How do I appeal a speeding fine in Texas?",
            "水泳の会を紹介してください。",
            "Ask the airline for my ticket.",
        ],
    )
    def test_one_plain_word_is_no_evidence(self, client: FlaskClient, request_: str) -> None:
        made = enhance(client, request_)
        assert made == {"request": request_, "facts": []}

    @pytest.mark.usefixtures("life")
    @pytest.mark.parametrize(
        ("request_", "fact"),
        [
            (
                "Who mends a tiled stove that smokes in an east wind?",
                "The tiled stove in the parlour smokes when the wind is in the east.",
            ),
            ("煙る暖炉を直してくれる人を紹介してください。", "東風の日は居間の暖炉が煙る。"),
        ],
    )
    def test_rare_words_are(self, client: FlaskClient, request_: str, fact: str) -> None:
        made = enhance(client, request_)
        assert fact in [each["text"] for each in made["facts"]]
        assert not [each for each in made["facts"] if "club" in each["text"]]

    def test_the_reason_names_the_words_of_the_request(
        self, client: FlaskClient, node: Node
    ) -> None:
        add(client, node, "母.txt", "母はくるみアレルギーで、くるみは食べられない。")
        (fact,) = enhance(client, "母の誕生日の夕食の献立を考えてください。")["facts"]
        assert fact["why"].endswith("“母”")

    def test_what_others_wrote_is_quoted_as_theirs_and_nobody_is_addressed(
        self, client: FlaskClient, node: Node
    ) -> None:
        client.put("/api/identity", json={"name": "Ada"})
        lines = [
            ("Ada", "My knee hurts on the stairs since the hike."),
            ("Bo", "Ada's knee hurts after every hike."),
            ("Bo", "You should rest your knee after the hike."),
        ]
        talk = "\n".join(
            f'{{"speaker": "{who}", "text": "{text}", "timestamp": "2025-03-0{n + 1}T09:00:00"}}'
            for n, (who, text) in enumerate(lines)
        )
        add(client, node, "talk.jsonl", talk)
        made = enhance(client, "Which doctor looks at a knee that hurts after a hike?")["request"]
        assert "- My knee hurts on the stairs since the hike. (2025-03-01)" in made
        assert "- Bo wrote: “Ada's knee hurts after every hike.” (2025-03-02)" in made
        assert "You should" not in made
        assert "your notes" not in made
