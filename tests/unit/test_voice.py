"""The same question and two identities: another voice, the same facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity, Length, Manner, PartKind
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.ports import ModelCard
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import AnswerRequest, Draft, answer, compose
from lpm_kernel.L1.answering.reader import Pick, ReadingResult
from lpm_kernel.L1.answering.voice import (
    Voice,
    has_nothing,
    has_nothing_from,
    not_sure,
    said_by,
    voice_of,
)

pytestmark = pytest.mark.unit

MOVED = "It rained. I moved the workshop from Higashiyama to Teramachi. Ken drove the van."
PICK = Pick(0, MOVED.index("I moved"), MOVED.index(" Ken"))
ASKED = "Where did I move the workshop?"


class Small(ScriptedModel):
    """The scripted twin, said to be small."""

    def card(self) -> ModelCard:
        """Describe it."""
        return replace(super().card(), parameters=500_000_000)


def recalled() -> Recollection:
    chunk = Chunk(
        ChunkId("c"),
        DocumentId("d"),
        "text-1",
        0,
        len(MOVED),
        MOVED,
        "part-1",
        said_at=datetime(2024, 4, 7, tzinfo=UTC),
    )
    return Recollection(
        (Recalled(chunk, 1.0, Signals(), matched=("move", "workshop")),), Level.WORDS, 20, 1, 0.9
    )


NO_READING = ReadingResult((), 0.0)


def asking(question: str, identity: Identity, reading: ReadingResult = NO_READING) -> AnswerRequest:
    return AnswerRequest(Question(question), Question(question), recalled(), reading, identity)


def answered(
    identity: Identity,
    *,
    question: str = ASKED,
    chance: float = 0.9,
    picks: Iterable[Pick] = (PICK,),
) -> Draft:
    draft = Draft()
    list(
        answer(
            asking(question, identity, ReadingResult(tuple(picks), chance)),
            Small(),
            draft,
        )
    )
    return draft


@pytest.mark.parametrize(
    ("one", "other"),
    [(Manner.PLAIN, Manner.FORMAL), (Manner.WARM, Manner.PLAIN), (Manner.USUAL, Manner.WARM)],
)
def test_two_identities_hear_the_same_facts_in_different_sentences(
    one: Manner, other: Manner
) -> None:
    first, second = (
        answered(Identity("Nagi", manner=one)),
        answered(Identity("Ottilie", manner=other)),
    )
    assert first.citations == second.citations
    quoted = [
        [part for part in draft.parts if part.kind is PartKind.QUOTATION]
        for draft in (first, second)
    ]
    assert quoted[0] == quoted[1]
    notes = [
        [part.text for part in draft.parts if part.kind is PartKind.NOTE]
        for draft in (first, second)
    ]
    assert notes[0]
    assert notes[0] != notes[1]


def test_who_wants_the_circumstances_reads_the_sentences_around_it() -> None:
    assert [
        part.text
        for part in answered(Identity("N", length=Length.FULL)).parts
        if part.kind is PartKind.QUOTATION
    ] == [MOVED]


@pytest.mark.parametrize(
    ("style", "length", "manner"),
    [
        ("", Length.NORMAL, Manner.USUAL),
        ("Keep it brief and warm.", Length.SHORT, Manner.WARM),
        ("Formal, please, and in detail.", Length.FULL, Manner.FORMAL),
        ("informal", Length.NORMAL, Manner.PLAIN),
        ("短く、敬語で。", Length.SHORT, Manner.FORMAL),
        ("だ・である調で、詳しく。", Length.FULL, Manner.PLAIN),
    ],
)
def test_what_was_not_chosen_is_read_from_the_style(
    style: str, length: Length, manner: Manner
) -> None:
    voice = voice_of(Question(ASKED), Identity("N", style=style))
    assert (voice.length, voice.manner) == (length, manner)
    chosen = voice_of(
        Question(ASKED), Identity("N", style=style, length=Length.FULL, manner=Manner.WARM)
    )
    assert (chosen.length, chosen.manner) == (Length.FULL, Manner.WARM)


@pytest.mark.parametrize(
    ("question", "languages", "spoken"),
    [
        ("Teramachi 2024?", ("ja", "en"), "ja"),
        ("Teramachi 2024?", (), "en"),
        ("Where is Teramachi?", ("ja",), "en"),
        ("寺町はどこ？", ("en",), "ja"),
        ("寺町 移転", ("en", "ja"), "ja"),
        ("你的工作室在哪里？", ("ja",), "zh"),
        ("Ottilie?", ("de", "ja-JP"), "ja"),
    ],
)
def test_the_answer_is_in_the_language_of_the_question_else_in_the_first_that_is_spoken(
    question: str, languages: tuple[str, ...], spoken: str
) -> None:
    assert voice_of(Question(question), Identity("N", languages=languages)).language == spoken


def test_a_large_model_sees_in_its_prompt_whom_it_speaks_to_and_how() -> None:
    one = Identity(
        "Nagi",
        "I restore violins.",
        "Dry humour.",
        ("en",),
        "Quiet mornings.",
        Length.SHORT,
        Manner.PLAIN,
    )
    other = Identity(
        "Ottilie",
        "I play the cello.",
        "Long walks through a thought.",
        ("en",),
        "Honesty.",
        Length.FULL,
        Manner.FORMAL,
    )
    first, second = (
        compose(asking(ASKED, each), recalled().items)[0].content for each in (one, other)
    )
    for each, prompt in ((one, first), (other, second)):
        assert all(
            words in prompt for words in (each.name, each.introduction, each.style, each.values)
        )
    assert "one short sentence" in first
    assert "plainly" in first
    assert "up to six sentences" in second
    assert "formally" in second


def test_having_nothing_is_said_in_the_same_voice() -> None:
    said = {manner: answered(Identity("N", manner=manner), picks=()).text for manner in Manner}
    assert len(set(said.values())) == len(Manner)


@given(
    st.sampled_from(["en", "ja", "zh"]),
    st.sampled_from(Length),
    st.sampled_from(Manner),
    st.sampled_from(["", "Ren"]),
    st.sampled_from(["", "7 April 2024"]),
)
def test_every_voice_has_every_sentence(
    language: str, length: Length, manner: Manner, speaker: str, when: str
) -> None:
    voice = Voice(language, length, manner)  # type: ignore[arg-type]  # one of the three
    lead = said_by(voice, speaker, when)
    assert speaker in lead
    assert when in lead
    assert lead.endswith((":", "："))
    assert not_sure(voice)
    assert "{" not in has_nothing(voice) + has_nothing_from(voice, "1", "2")


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4), st.text(max_size=60))
def test_whatever_is_written_gives_a_voice(question: str, languages: list[str], style: str) -> None:
    voice = voice_of(Question(question), Identity("N", style=style, languages=tuple(languages)))
    assert voice.language in {"en", "ja", "zh"}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Who is 小敏?", "en"),
        ("What did 吉田さん say about the roof?", "en"),
        ("Conorって誰？", "ja"),
        ("ハナの部屋はどこ？", "ja"),
        ("カヤ是谁？", "zh"),
        ("Conor 什么时候来？", "zh"),
    ],
)
@pytest.mark.parametrize("spoken", [("en",), ("ja", "en"), ("zh",)])
def test_a_name_in_another_script_changes_no_language_of_an_answer(
    question: str, language: str, spoken: tuple[str, ...]
) -> None:
    identity = Identity("Nagi", "", "", spoken)
    assert voice_of(Question(question), identity).language == language
