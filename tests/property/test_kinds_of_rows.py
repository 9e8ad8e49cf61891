"""Rows that make a request fuller, judge a draft, and say the same in another manner."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Taught
from lpm_kernel.L0.language.analysis import names, terms, unspaced
from lpm_kernel.L2 import bridge_rows, dataset, exam, exam_bridge
from lpm_kernel.L2.alignment.voices import LET_IN, STOCK, STRANGERS
from lpm_kernel.L2.dataset import Dataset, DatasetMix, RowWorld, build, general
from lpm_kernel.L2.exam import Draw, examination
from lpm_kernel.L2.exam_bridge import VERDICTS, bridge_items, invented
from lpm_kernel.L2.manners import ASKED, RowManner
from lpm_kernel.L2.templates import Templates
from lpm_kernel.L2.told import beside, people, unheard

pytestmark = pytest.mark.property

OF_MEMORY = (
    ExampleKind.ENHANCE,
    ExampleKind.CRITIC,
    ExampleKind.DIVERSITY,
    ExampleKind.DISCRETION,
)
"""Kinds of which nothing may be made of a statement with a held-out question."""
OF_ONE = (ExampleKind.FACT, ExampleKind.THIRD)
"""Kinds that ask for one statement."""
LIFE = [
    ("I moved my workshop from Higashiyama to Teramachi on 6 April 2024.", ()),
    ("Kuri, my dog, cannot eat chicken.", ("Kuri",)),
    ("@Kuri: my dog, brown, with one white sock.", ("Kuri",)),
    ("My rent in Teramachi is 62,000 yen a month.", ()),
    ("@Mai Kurose: the person I ask about weather.", ("Mai Kurose",)),
    ("I drink hojicha instead of coffee.", ()),
    ("I finished the cello of Ottilie in November 2025 because she travels in May.", ()),
    ("The summer course takes eight people since 2025.", ()),
    ("昨年、金沢の工房で三味線の棹を直した。棹は紅木だった。", ()),
    ("My sister Yuka lives in Kanazawa since 2019.", ("Yuka",)),
    ("I sold my bicycle to Haru Tanabe for 9000 yen in May 2023.", ("Haru Tanabe",)),
    ("I do not eat meat, except at my sister's.", ()),
]
WORLD = RowWorld("Nagi Sorrel", {"Mai Kurose": ("Mai", "黒瀬")})
LIVES = st.lists(st.sampled_from(LIFE), unique=True, max_size=len(LIFE)).map(
    lambda chosen: [
        Taught(MemoryId(f"m{number}"), text, entities)
        for number, (text, entities) in enumerate(chosen)
    ]
)


def _made(
    taught: Sequence[Taught],
    seed: int = 1,
    questions: int = 8,
    *,
    world: RowWorld = WORLD,
    struck: Sequence[str] = (),
) -> Dataset:
    wanted = DatasetMix(
        questions, enhance=0.4, critic=0.4, diversity=0.4, discretion=0.4, seed=seed
    )
    return build(taught, Templates(WORLD.called), wanted, world=world, struck=struck)


ALL = [
    Taught(MemoryId(f"m{number}"), text, entities) for number, (text, entities) in enumerate(LIFE)
]


@settings(max_examples=40, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_nothing_but_facts_and_notes_is_made_of_what_a_held_out_question_is_about(
    taught: list[Taught], seed: int
) -> None:
    made = _made(taught, seed)
    asked_about = {memory for row in made.held_out for memory in row.memories}
    texts = {each.memory: " ".join(terms(each.text)) for each in taught}
    for row in made.made:
        if row.kind in OF_MEMORY:
            assert not asked_about & set(row.memories)
            said = " ".join(terms(" ".join((row.question, row.answer, *row.notes))))
            assert not any(texts[memory] in said for memory in asked_about)


def test_something_is_held_out_and_something_is_left_to_make_rows_of() -> None:
    for seed in range(20):
        made = _made(ALL, seed)
        about = {row.memories[0] for row in made.held_out}
        assert len(about) == 3  # a quarter
        assert 4 <= len(made.held_out) <= 0.06 * len(made.made)
        asked = Counter(row.memories[0] for row in made.made if row.kind in OF_ONE)
        back = Counter(row.memories[0] for row in made.held_out)
        assert all(2 * back[memory] <= asked[memory] for memory in about)
        assert set(made.counts) == {kind.value for kind in ExampleKind}


@settings(max_examples=40, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_every_row_names_what_it_was_made_of(taught: list[Taught], seed: int) -> None:
    made = _made(taught, seed)
    known = {each.memory for each in taught}
    for row in made.made:
        assert set(row.memories) <= known
        assert row.memories or row.shipped
        assert bool(row.searched) is any(each.startswith("unknown.txt:") for each in row.shipped)
    ids = [row.id for row in made.made]
    assert len(ids) == len(set(ids))


def test_a_line_that_is_named_says_it() -> None:
    things = {thing.shipped: thing for thing in unheard()}
    lines = {row.shipped: row for row in general()}
    assert len(lines) == len(general())
    made = _made(ALL)
    for row in made.made:
        if row.kind is ExampleKind.UNKNOWN:
            thing = things[row.shipped[0]]
            asked = row.question.casefold()
            assert thing.english.casefold() in asked or thing.japanese in asked
            assert row.searched == len(ALL)
        elif row.kind is ExampleKind.GENERAL:
            assert lines[row.shipped].answer == row.answer


@settings(max_examples=40, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_whoever_is_named_is_named_by_a_statement_of_the_row(
    taught: list[Taught], seed: int
) -> None:
    texts = {each.memory: each.text for each in taught}
    for row in _made(taught, seed).made:
        own = " ".join(texts[memory] for memory in row.memories)
        said = " ".join((row.question, row.answer, *row.notes))
        for name in ("Kuri", "Yuka", "Ottilie", "Haru Tanabe", "Teramachi", "Mai Kurose"):
            assert name not in said or name in own
        if re.search(r"\bMai\b|黒瀬", said):
            assert "Mai Kurose" in own


def test_of_whom_no_statement_speaks_nothing_is_asked() -> None:
    called = {"Mai Kurose": ("Mai",), "Someone Private": ("Shade",)}
    assert set(people(ALL, called)) >= {"Mai Kurose", "Mai", "Kuri"}
    assert not {"Someone Private", "Shade"} & set(people(ALL, called))


@settings(max_examples=40, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_nothing_is_added_to_a_request_that_is_not_told(taught: list[Taught], seed: int) -> None:
    texts = {each.memory: each.text for each in taught}
    for row in _made(taught, seed).made:
        if row.kind is not ExampleKind.ENHANCE:
            continue
        request = _quoted(row)
        assert row.answer.startswith(request)
        added = row.answer.removeprefix(request).strip()
        known = " ".join((row.question, *row.notes, *(texts[each] for each in row.memories)))
        assert not invented(row.answer, known)
        if row.shipped:
            assert not added
        else:
            assert len(set(terms(added)) - set(terms(request))) >= bridge_rows.LEFT_TO_SAY
        if added and row.notes:
            assert added in row.notes


def _quoted(row: Example) -> str:
    found = re.search(r"“(.*)”|「(.*)」", row.question)
    assert found is not None
    return found[1] or found[2]


@settings(max_examples=40, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_half_of_the_drafts_are_wrong_and_all_are_put_right(
    taught: list[Taught], seed: int
) -> None:
    texts = {each.text.removeprefix("@") for each in taught}
    verdicts: Counter[bool] = Counter()
    for row in _made(taught, seed).made:
        if row.kind is not ExampleKind.CRITIC:
            continue
        holds, differs = bridge_rows.HOLDS[unspaced(row.answer)]
        right = row.answer.startswith(holds)
        statement = row.answer.removeprefix(holds if right else differs)
        assert statement in texts
        assert (f"“{statement}”" in row.question or f"「{statement}」" in row.question) is right
        assert not row.notes or statement in row.notes
        verdicts[right] += 1
    assert abs(verdicts[True] - verdicts[False]) <= 1


def test_every_manner_is_there_and_says_what_was_told() -> None:
    seen: set[RowManner] = set()
    texts = {each.memory: each.text.removeprefix("@") for each in ALL}
    for seed in range(12):
        for row in _made(ALL, seed).made:
            if row.kind is not ExampleKind.DIVERSITY:
                continue
            manner = _manner(row)
            seen.add(manner)
            told = [texts[memory] for memory in row.memories]
            if manner is RowManner.PASSING:
                assert row.answer == told[0]
            elif manner is RowManner.SHORT:
                assert len(row.answer) < len(told[0])
                assert set(terms(row.answer)) < set(terms(told[0]))
            elif manner is RowManner.LONG:
                assert row.answer == " ".join(told)
                assert len(told) == 2
            else:
                assert row.answer != told[0]
    assert seen == set(RowManner)


def _manner(row: Example) -> RowManner:
    for manner, frames in ASKED.items():
        for frame in frames[unspaced(row.answer)]:
            pattern = re.escape(frame).replace(r"\{question\}", ".+")
            if re.fullmatch(pattern.replace(r"\{name\}", "Nagi Sorrel"), row.question):
                return manner
    raise AssertionError(row.question)


def test_what_belongs_together_shares_a_bearer_or_rare_words() -> None:
    near = beside(ALL)
    assert {near[MemoryId("m1")].memory, near[MemoryId("m2")].memory} == {"m2", "m1"}
    assert MemoryId("m4") not in near


def _frames_of_the_examination() -> Iterator[str]:
    yield from exam._FRAMES
    yield from exam._FRAMES_WIDE
    yield from exam_bridge._REQUESTS
    yield from exam_bridge._REQUESTS_WIDE
    yield exam_bridge._DRAFT
    yield exam_bridge._DRAFT_WIDE
    yield from (verdict for both in VERDICTS.values() for verdict in both)


def _frames_of_the_rows() -> Iterator[str]:
    for frames in (bridge_rows.WISHES, bridge_rows.REQUESTS, bridge_rows.DRAFTS, bridge_rows.HOLDS):
        for each in frames.values():
            yield from each
    for manners in ASKED.values():
        for each in manners.values():
            yield from each


def _runs(frame: str) -> set[str]:
    """Cut a frame into runs of four words, or of seven letters of Japanese; what is filled in parts
    them.
    """
    found: set[str] = set()
    for piece in re.split(r"\{\w+\}|[“”「」]", frame):
        if unspaced(piece):
            found |= {piece[at : at + 7] for at in range(len(piece) - 6)}
        else:
            words = re.findall(r"\w+", piece.lower())
            found |= {" ".join(words[at : at + 4]) for at in range(len(words) - 3)}
    return found


def test_no_row_has_the_words_of_the_examination() -> None:
    theirs = {run for frame in _frames_of_the_examination() for run in _runs(frame)}
    assert theirs
    for frame in _frames_of_the_rows():
        assert not theirs & _runs(frame), frame
    verdicts = {verdict for both in VERDICTS.values() for verdict in both}
    mine = {verdict.strip() for both in bridge_rows.HOLDS.values() for verdict in both}
    assert not verdicts & mine


@settings(max_examples=25, deadline=None)
@given(LIVES, st.integers(0, 50))
def test_the_examination_asks_nothing_that_a_row_asked_or_said(
    taught: list[Taught], seed: int
) -> None:
    rows = _made(taught, seed).made
    asked = {row.question for row in rows}
    said = " ".join(row.answer for row in rows)
    for item in (*examination(taught, [], Draw(seed)), *bridge_items(taught, Draw(seed))):
        assert item.question not in asked
    assert not any(verdict in said for both in VERDICTS.values() for verdict in both)


def test_a_frame_names_nobody() -> None:
    for frame in _frames_of_the_rows():
        asked = "何ですか。" if unspaced(frame) else "what is it?"
        said = "それです。" if unspaced(frame) else "it is red."
        filled = frame.format(
            request=said, a="ladder", b="shed", question=asked, draft=said, name="nagi"
        )
        assert set(names(filled)) <= bridge_rows.OPENING, frame


def test_a_share_of_nothing_makes_nothing() -> None:
    made = build(
        ALL, Templates(), DatasetMix(4, enhance=0, critic=0, diversity=0, discretion=0), world=WORLD
    )
    assert not set(made.counts) & {kind.value for kind in OF_MEMORY}
    assert dataset.SHARE_OF_ENHANCE > 0


@pytest.mark.parametrize("statements", [5, 10, 24])
def test_a_small_life_learns_who_may_ask_too(statements: int) -> None:
    few = [
        Taught(MemoryId(f"m{number}"), text, entities)
        for number, (text, entities) in enumerate((LIFE * 2)[:statements])
    ]
    usual = build(few, Templates(WORLD.called), DatasetMix(1), world=WORLD)
    assert usual.counts[ExampleKind.FACT.value] <= 25
    assert usual.counts[ExampleKind.DISCRETION.value] >= 4
    without = build(few, Templates(WORLD.called), DatasetMix(1, discretion=0), world=WORLD)
    assert ExampleKind.DISCRETION.value not in without.counts


@settings(max_examples=30, deadline=None)
@given(LIVES, st.integers(0, 50), st.data())
def test_of_what_was_struck_whole_nothing_is_left(
    taught: list[Taught], seed: int, data: st.DataObject
) -> None:
    """The list that is read stays as it is; of the rest, what is learned stays learned."""
    whole = _made(taught, seed)
    chosen = {each.memory for each in taught if data.draw(st.booleans())}
    struck = [
        row.id
        for row in whole.made
        if row.kind in dataset.OF_A_STATEMENT and row.memories[0] in chosen
    ]
    gone = {row.memories[0] for row in whole.made if row.id in struck}
    left = _made(taught, seed, struck=struck)
    assert left.made == whole.made
    learned = (*left.examples, *left.held_out)
    assert not any(gone & set(row.memories) for row in learned)
    assert {row.id for row in left.made if not gone & set(row.memories)} == {
        row.id for row in learned
    }
    later = _made(taught, seed + 1, world=replace(WORLD, struck=gone))
    assert not gone & set(later.memories)


@settings(max_examples=30, deadline=None)
@given(LIVES, st.integers(0, 50), st.data())
def test_who_asks_decides_and_nothing_else(
    taught: list[Taught], seed: int, data: st.DataObject
) -> None:
    """Each question comes twice, and neither of what is shared, private or held out in a pair."""
    documents = [DocumentId(f"d{at}") for at in range(3)]
    taught = [
        replace(each, document=documents[at % 3], private=at % 5 == 4)
        for at, each in enumerate(taught)
    ]
    back = frozenset(each.memory for each in taught if data.draw(st.integers(0, 4)) == 0)
    world = replace(WORLD, shared=documents[:1], kept_back=back)
    mix = DatasetMix(8, discretion=0.4, seed=seed)
    made = build(taught, Templates(WORLD.called), mix, world=world).made
    rows = [row for row in made if row.kind is ExampleKind.DISCRETION]
    texts = {each.memory: each for each in taught}
    told = Counter(row.question for row in rows if row.asker in LET_IN)
    kept = Counter(row.question for row in rows if row.asker in STRANGERS)
    assert told == kept
    assert len(rows) == told.total() + kept.total()
    for row in rows:
        of = texts[row.memories[0]]
        assert not of.private
        assert of.document not in documents[:1]
        assert of.memory not in back
        assert (row.answer in STOCK) == (row.asker in STRANGERS)
    assert all(row.asker == "" for row in made if row.kind is not ExampleKind.DISCRETION)
