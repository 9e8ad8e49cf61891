"""Any text is read without a fault, and what is written is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.retain import line_of, parse
from lpm_kernel.domain.statements import Statement, StatementKind

names = st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?|[舞凪蓮]{1,3}", fullmatch=True)
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="@＠^:："),
    min_size=1,
    max_size=12,
)
statements = st.builds(
    Statement,
    st.sampled_from(StatementKind),
    st.lists(words, min_size=1, max_size=6).map(" ".join),
    st.lists(names, max_size=3, unique=True).map(tuple),
    st.none() | st.integers(0, 1000).map(lambda n: n / 1000),
    st.none() | st.from_regex(r"m[0-9a-z]{4,12}", fullmatch=True),
)


@given(st.lists(statements, max_size=8))
def test_what_is_written_is_read_back(known: list[Statement]) -> None:
    text = "# Day\n\n## Retain\n" + "\n".join(line_of(each) for each in known)
    found = parse(text)
    assert [each.statement for each in found.statements] == known
    assert not found.bad
    assert [text[each.start : each.end] for each in found.statements] == [
        each.text for each in known
    ]
    assert [text.splitlines()[each.line - 1] for each in found.statements] == [
        line_of(each) for each in known
    ]


@given(
    st.text(
        st.sampled_from("#- WBOSX(c=0.9)@:：＠^m12\n\r\u2028 Retainé舞\t\u3000[]"), max_size=200
    )
)
def test_any_text_is_read_line_by_line(noise: str) -> None:
    text = f"## Retain\n{noise}"
    found = parse(text)
    lines = [*(each.line for each in found.statements), *(each.line for each in found.bad)]
    assert len(lines) == len(set(lines))
    assert all(text[each.start : each.end] == each.statement.text for each in found.statements)
    assert all(each.reason for each in found.bad)
    assert all(
        each.statement.confidence is None or 0 <= each.statement.confidence <= 1
        for each in found.statements
    )
