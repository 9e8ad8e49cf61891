"""What two made sentences of a biography say is the same, whatever their words."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.statements.fact_keys import fact_key

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "said",
    [
        ("In September 2020 I was editor.", "In November 2023 I was editor."),
        ("In May 2020 I was offered work as a Cook.", "In June 2023 I was promoted to Cook."),
        ("My brother was called Colm.", "My older brother is called Colm Byrne."),
        ("In March 2024 Mr Ide was my boss.", "In May 2025 Ide was my boss."),
        ("I have been in touch with Mira.", "I have been in touch with my mother, Mira and Ben."),
        ("弟の名は克也だ。", "弟の名は克也だった。"),
        ("2024年3月、副会長を務めていた。", "2025年10月、副会長を務めていた。"),
        ("2024年3月、上司は菅原さんだった。", "2025年3月、上司は菅原さんだった。"),
        ("美雪と連絡を取り合ってきた。", "美雪、健と連絡を取り合ってきた。"),
    ],
)
def test_what_says_the_same_has_one_key(said: tuple[str, str]) -> None:
    one, other = map(fact_key, said)
    assert one is not None
    assert one == other


@pytest.mark.parametrize(
    "said",
    [
        ("In May 2020 I was editor.", "In May 2020 I was deputy editor."),
        ("My brother is called Colm.", "My brother is called Ian."),
        ("My brother is called Colm.", "My cousin is called Colm."),
        ("弟の名は克也だ。", "妹の名は克也だ。"),
    ],
)
def test_what_says_something_else_has_another(said: tuple[str, str]) -> None:
    one, other = map(fact_key, said)
    assert one != other


@pytest.mark.parametrize("text", ["I was born in Cork.", "I am an editor.", "弟の克也が来た。"])
def test_what_the_person_said_has_none(text: str) -> None:
    assert fact_key(text) is None
