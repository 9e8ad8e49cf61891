"""Who somebody is: what a text says in so many words, whose words they are, and how it is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.L1.entities.relations import OWN, Voice, facts, has_namesakes
from lpm_kernel.L1.statements import introductions
from lpm_kernel.L1.statements.authorship import authorship_of
from lpm_kernel.L1.statements.introductions import PassageVoices, ToldFact, introduce

DAY = datetime(2024, 5, 3, 12, tzinfo=UTC).timestamp()
OWNER = frozenset({"aoife", "aoife brannigan"})


def places(text: str, name: str) -> list[tuple[int, int]]:
    found, at = [], text.find(name)
    while at >= 0:
        found.append((at, at + len(name)))
        at = text.find(name, at + 1)
    return found


def passage(text: str, start: int = 0, speaker: str | None = None) -> Chunk:
    end = start + len(text)
    return Chunk(ChunkId("c"), DocumentId("d"), "1", start, end, text, "", speaker)


def voice_of(text: str, speaker: str | None = None) -> Voice:
    return PassageVoices(OWNER).of(passage(text, speaker=speaker), text)


def said(text: str, name: str, *, speaker: str | None = None) -> list[tuple[str, str, str | None]]:
    voice = voice_of(text, speaker)
    return [
        (fact.kind.value, fact.value, fact.whose) for fact in facts(text, places(text, name), voice)
    ]


def told(name: str, *texts: str, language: str = "en") -> list[str]:
    known = [
        ToldFact(fact, row, DAY)
        for row, text in enumerate(texts)
        for fact in facts(text, places(text, name), voice_of(text))
    ]
    return [each.text for each in introduce(name, known, "ja" if language == "ja" else "en")]


@pytest.mark.parametrize(
    ("text", "name", "fact"),
    [
        ("I rang my brother Conor.", "Conor", ("relation", "brother", OWN)),
        (
            "I rang Conor, my younger brother, about it.",
            "Conor",
            ("relation", "younger brother", OWN),
        ),
        ("Peggy (my niece) came in.", "Peggy", ("relation", "niece", OWN)),
        ("We rang Dr Byrne, the vet.", "Dr Byrne", ("relation", "vet", None)),
        ("Dr Byrne is the vet.", "Dr Byrne", ("relation", "vet", None)),
        ("Our neighbour's called Reg.", "Reg", ("relation", "neighbour", OWN)),
        ("Paid Yvon's cousin Rémi for it.", "Rémi", ("relation", "cousin", "Yvon")),
        (
            "It is Le Bihan's granddaughter, Maëlle.",
            "Maëlle",
            ("relation", "granddaughter", "Le Bihan"),
        ),
        ("I fed Blackie the cat.", "Blackie", ("relation", "cat", None)),
        ("I met Conor at the pier.", "Conor", ("met", "", None)),
        ("Conor lives in Cork now.", "Conor", ("lives", "Cork", None)),
        ("Talked with Mr Ide from the workshop.", "Mr Ide", ("works", "the workshop", None)),
        ("兄の健が来た。", "健", ("relation", "older brother", OWN)),
        ("本間健一さん(大工)と話した。", "本間健一", ("relation", "carpenter", None)),
        ("竹下さんは獣医。", "竹下", ("relation", "vet", None)),
        ("私の娘の由美さんが来た。", "由美", ("relation", "daughter", OWN)),
        ("農協の中川さんに見てもらう。", "中川", ("works", "農協", None)),
        ("カヤさんに会った。", "カヤ", ("met", "", None)),
        ("我妹妹小敏在上海上班。", "小敏", ("relation", "younger sister", OWN)),
        ("我妹妹叫小敏。", "小敏", ("relation", "younger sister", OWN)),
        ("小敏是我妹妹。", "小敏", ("relation", "younger sister", OWN)),
        ("我妹妹小敏说她要搬家。", "小敏", ("relation", "younger sister", OWN)),
    ],
)
def test_what_a_sentence_says(text: str, name: str, fact: tuple[str, str, str | None]) -> None:
    assert fact in said(text, name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Is Conor my brother?", "Conor"),
        ("Conor is not my brother.", "Conor"),
        ("I dreamt that my brother Conor flew.", "Conor"),
        ("She wrote “my brother Conor is ill” and I wept.", "Conor"),
        ("I rang my brother Conor's wife.", "Conor"),
        ("I rang Anna, the vet, and the priest.", "Anna"),
        ("I met Conor's wife.", "Conor"),
        ("Tomorrow no Goneril (dentist).", "Goneril"),
        ("The new neighbour's called Reg.", "Reg"),
        ("I collected Anna from the station.", "Anna"),
        ("息子の光男さんに電話した。", "光男"),
        ("田中さんの妹のカヤが来た。", "カヤ"),
        ("健は兄だろう。", "健"),
        ("She is not my sister Ann.", "Ann"),
        ("That isn’t my sister Ann.", "Ann"),
        ("She wrote ‘my brother Conor is ill’ and I wept.", "Conor"),
        ("我告诉我妹妹，王老师来电话了。", "王老师"),
        ("我告诉我妹妹王老师来电话了。", "王老师"),
        ("今天带了我儿子，小敏也来了。", "小敏"),
        ("如果小敏是我妹妹，就好了。", "小敏"),
        ("小敏是我妹妹，就好了。", "小敏"),
        ("他说小敏是我的女朋友。", "小敏"),
        ("我以为小敏是我的女朋友。", "小敏"),
        ("要是小敏是我妹妹。", "小敏"),
        ("好像小敏是我妹妹。", "小敏"),
    ],
)
def test_what_says_nothing(text: str, name: str) -> None:
    assert said(text, name) == []


def test_my_brother_is_the_persons_only_in_the_persons_words() -> None:
    talk = "Mam: I saw my brother Ian.\nAoife: I saw my brother Conor.\nMam: Good."
    assert said(talk, "Ian") == [("relation", "brother", "Mam")]
    assert said(talk, "Conor") == [("relation", "brother", OWN)]
    assert said("My brother Ian came.", "Ian", speaker="Mam") == [("relation", "brother", "Mam")]
    assert said("My brother Ian came.", "Ian", speaker="Aoife") == [("relation", "brother", OWN)]


@pytest.mark.parametrize(
    ("letter", "is_own"),
    [
        ("Dear Aoife,\nmy brother Ian is ill.\nNoreen", False),
        ("Dear Noreen,\nmy brother Ian is ill.\nAoife", True),
        ("Sis,\nmy brother Ian is ill.\nNoreen", False),
        ("Dear all, my brother Ian is ill.", False),
        ("Rained. My brother Ian is ill.", True),
    ],
)
def test_a_letter_is_the_persons_where_they_signed_it(letter: str, *, is_own: bool) -> None:
    assert bool(said(letter, "Ian")) is is_own


def test_nearest_first_and_never_more_than_two() -> None:
    texts = (
        "I met Conor at the pier.",
        "Conor lives in Cork now.",
        "Conor, the vet, came late.",
        "I rang my brother Conor.",
    )
    assert told("Conor", *texts) == ["Conor is your brother.", "Conor is a vet."]
    assert told("Conor", *texts[:2]) == [
        "As of May 2024, Conor lives in Cork.",
        "You met on 3 May 2024.",
    ]
    assert told("健", "兄の健が来た。", "健は大工だ。", language="ja") == [
        "健は、あなたのお兄さんです。",
        "健さんは、大工さんです。",
    ]
    assert told("Conor", "I rang my brother Conor.", language="ja") == [
        "Conorは、あなたのご兄弟です。"
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("I rang my brother Alex.", "I rang my sister Alex."),
        ("I rang my brother Alex.", "I rang my cousin Alex."),
        ("I rang my brother Alex.", "I fed Alex the cat."),
        ("It rained on Alex.",),
    ],
)
def test_what_is_at_odds_or_not_said_is_not_told(texts: tuple[str, ...]) -> None:
    assert told("Alex", *texts) == []


def test_dr_byrne_is_a_doctor_by_name() -> None:
    assert told("Dr Byrne", "Dr Byrne, the doctor, came.") == []
    assert told("Dr Byrne", "Dr Byrne, the vet, came.") == ["Dr Byrne is a vet."]


def test_an_older_brother_is_a_brother() -> None:
    assert told("Alex", "I rang my brother Alex.", "My older brother Alex came.") != []


@pytest.mark.parametrize(
    ("text", "name", "several"),
    [
        ("The other Peter laughed.", "Peter", True),
        ("Dr Tanaka and Tanaka argued.", "Tanaka", True),
        ("There are TWO Takedas. Dr Takeda is a vet.", "Takeda", True),
        ("武田さん(検査のほう)が来た。", "武田", True),
        ("Peter laughed. Peter left.", "Peter", False),
    ],
)
def test_whether_a_text_tells_of_namesakes(text: str, name: str, *, several: bool) -> None:
    assert has_namesakes(text, places(text, name)) is several


def test_who_wrote_a_long_document_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def counted(text: str, own: frozenset[str]) -> object:
        looked.append(len(text))
        return authorship_of(text, own)

    monkeypatch.setattr(introductions, "authorship_of", counted)
    lines = [f"Aoife: I keep hive {n}.\nMam: You keep too many, all {n}.\n" for n in range(50)]
    text, voices = "".join(lines), PassageVoices(OWNER)
    start, heard = 0, []
    for line in lines:
        voice = voices.of(passage(line, start), text)
        heard.append((voice(8), voice(line.index("You"))))
        start += len(line)
    assert heard == [(OWN, "Mam")] * 50
    assert looked == [len(text)]
