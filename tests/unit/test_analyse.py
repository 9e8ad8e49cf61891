"""Words: what the index and the question are compared by."""

from __future__ import annotations

import subprocess
import sys
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import Asks, asks, names, spoken, terms, traits
from lpm_kernel.L0.language.question import Question

pytestmark = pytest.mark.unit


def shared(asked: str, said: str) -> set[str]:
    return set(Question(asked).search_terms) & set(terms(said))


@pytest.mark.parametrize(
    ("asked", "said", "word"),
    [
        ("What did Isolde buy?", "I bought elm from the yard", "bui"),
        ("Where are the children?", "The kids are in the garden", "child"),
        ("Who paid for the café?", "Jory pays at the cafe", "pai"),
        ("Mai’s cousins", "one cousin of Mai's", "cousin"),
        ("FULL　WIDTH ＡＢＣ", "abc width", "abc"),
        ("Straße", "in der STRASSE", "strass"),
    ],
)
def test_forms_of_one_word_meet(asked: str, said: str, word: str) -> None:
    assert word in shared(asked, said)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("仕事", "彼女は新しい仕事を始めた。"),
        ("東京", "先週、東京都庁の前で会いました。"),
        ("引越", "去年の夏に引越しをした"),
        ("目的", "这次旅行的目的是看海。"),
        ("上海", "我们住在上海。"),
        ("是非", "他不管是非。"),
        ("ギター", "ギターを弾く"),
        ("猫", "我的猫很大"),
        ("猫", "三毛猫を拾った"),
        ("麒麟", "麒麟在哪里"),
    ],
)
def test_a_two_character_word_is_found_in_japanese_and_chinese(word: str, said: str) -> None:
    assert shared(word, said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("千紗は賞与で何を買った?", "わたし、賞与で炬燵買った。"),
        ("彼女はいつ仕事をやめましたか?", "しごとを辞めたのは三月だった。"),
        ("我的猫叫什么名字?", "给猫取了个名字，叫豆豆。"),
        ("你们去年夏天去了哪里旅行?", "夏天我们去旅行了。"),
    ],
)
def test_a_whole_question_finds_its_answer_in_either(asked: str, said: str) -> None:
    assert shared(asked, said)


def test_function_words_of_a_question_are_not_asked_for() -> None:
    assert not set(Question("彼女は何の仕事をしていますか?").search_terms) & {
        "何",
        "為る",
        "居る",
        "彼女",
    }
    assert not set(Question("我的猫叫什么名字?").search_terms) & {"什么", "的猫", "我的"}
    assert Question("What is the name of it?").search_terms == ("name",)


def test_a_question_of_function_words_alone_still_asks_for_something() -> None:
    assert Question("who what").search_terms
    assert Question("什么").search_terms


@pytest.mark.parametrize(
    "text",
    ["", " ", "?", "😀", "\x00", '"', "*", "NEAR(", "^", "-", "\u200b", "\ud800", "か", "的"],
)
def test_what_has_no_words_is_no_error(text: str) -> None:
    assert all(term and not term.isspace() for term in Question(text).search_terms)
    terms(text)
    names(text)
    traits(text)


def test_a_pasted_book_is_read_in_part() -> None:
    assert len(Question("千紗は賞与で炬燵を買った。" * 10_000).search_terms) < 50


def test_no_term_holds_a_blank_or_a_quote() -> None:
    said = 'He said "no, THANKS" — 「コーヒー・紅茶」 と 3,5 €/kg, x86_64 & foo_bar  a\tb'
    assert not [term for term in terms(said) if any(sign in term for sign in " \"'\t,.")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("When did Mai move?", Asks.WHEN),
        ("In which year did it start?", Asks.WHEN),
        ("How many jars?", Asks.COUNT),
        ("Who is Abena?", Asks.NAME),
        ("煙突が壊れたのはいつ?", Asks.WHEN),
        ("柚葉は紙風船をいくつ割った?", Asks.COUNT),
        ("个展是什么时候?", Asks.WHEN),
        ("Wann fand es statt?", Asks.WHEN),
        ("Where does he live now?", Asks.NOW),
    ],
)
def test_a_question_says_what_answer_it_wants(text: str, wanted: Asks) -> None:
    assert wanted in asks(text)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("How's Porthgarrow?", Trait.QUESTION),
        ("もう行った?", Trait.QUESTION),
        ("Look? [shares a photo of a goat]", Trait.QUESTION),
        ("She had it last Tuesday.", Trait.TIME),
        ("先週、田んぼに落ちた。", Trait.TIME),
        ("上周去了上海", Trait.TIME),
        ("Six planks, maybe seven.", Trait.NUMBER),
        ("家賃は四万二千円", Trait.NUMBER),
        ("I've put it away.", Trait.FIRST_PERSON),
        ("わたしは無事。", Trait.FIRST_PERSON),
    ],
)
def test_the_form_of_a_text_is_seen(text: str, trait: Trait) -> None:
    assert trait in traits(text)


def test_names_by_rule() -> None:
    assert names("We saw Mr Ide at Last Mountain Lake. Lovely. I met @mai-k on Monday.") == [
        "Mr Ide",
        "Last Mountain Lake",
        "mai-k",
    ]
    assert names("能條さんとコンサートへ行った") == ["能條", "コンサート"]
    assert names("nothing of the kind") == []


def test_the_dictionary_is_read_when_the_first_kana_are_met_and_not_before() -> None:
    code = (
        "import sys\n"
        "from lpm_kernel.L0.language.analysis import terms\n"
        "terms('plain words 上海')\n"
        "assert 'sudachipy' not in sys.modules\n"
        "terms('ねこ')\n"
        "assert 'sudachipy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_may_share_the_tokenizer() -> None:
    wrong: list[list[str]] = []

    def work() -> None:
        for _ in range(50):
            found = japanese.words("去年の夏、しごとを辞めました")
            if found != ["去年", "夏", "仕事", "辞める"]:
                wrong.append(found)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@given(text=st.text(st.sampled_from("aZ'09_ -.\n\t@#!(\x00") | st.characters(max_codepoint=127)))
def test_plain_letters_give_the_same_words_in_whatever_company(text: str) -> None:
    assert spoken(f"{text} é") == [*spoken(text), "e"]
