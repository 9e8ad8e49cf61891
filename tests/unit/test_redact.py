"""What is masked in text that leaves, and what stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.L1.answering.redaction import MaskKind, redact
from tests.lives import archive

PEM = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAA\n-----END OPENSSH"
    " PRIVATE KEY-----"
)
MASKED = {
    "ida@example.org": MaskKind.EMAIL,
    "ida.strand+boats@mail.example.co.uk": MaskKind.EMAIL,
    "4111 1111 1111 1111": MaskKind.CARD,
    "5500-0000-0000-0004": MaskKind.CARD,
    "DE89 3704 0044 0532 0130 00": MaskKind.ACCOUNT,
    "GB82WEST12345698765432": MaskKind.ACCOUNT,
    "+81 76 234 5678": MaskKind.PHONE,
    "076-234-5678": MaskKind.PHONE,
    "192.168.1.20": MaskKind.ADDRESS,
    "fe80::1:2:3:4": MaskKind.ADDRESS,
    PEM: MaskKind.SECRET,
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789": MaskKind.SECRET,
    "AKIAIOSFODNN7EXAMPLE": MaskKind.SECRET,
    "sk-proj-abc123def456ghi789jkl012mno345pqr": MaskKind.SECRET,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk": MaskKind.SECRET,  # noqa: E501  a token as it stands
    "c2VjcmV0LWtleS1mb3ItdGhlLW5vZGU4": MaskKind.SECRET,
}
TOLD = {
    "my password is hunter2": "hunter2",
    "PIN: 4471": "4471",
    "パスワードは tanuki88": "tanuki88",
    "API key = abc123": "abc123",
}
KEPT = (
    "The lease began on 2024-04-06 and ran to 2029-03-31.",
    "Order 1234567890123 came on 6 April 2024 at 14:05.",
    "Twelve boards at ¥12,400, in all 148,800; the moisture was 58.4 per cent.",
    "See workshop-diary/2025-09-03 and mail/2024-03-18-removal-van-reply.",
    "トヨタの白いバンで、能登まで 2 時間 40 分かかった。",
    "The strings are a 0.26, a 0.34 and two of 0.48 mm.",
    "My memory m0123abcd4567 says so; the meeting is in room 4111.",
    "I forgot the password again, and the pin fell out of the hinge.",
)


@pytest.mark.parametrize(("said", "kind"), MASKED.items(), ids=lambda value: str(value)[:24])
def test_it_is_masked_and_its_neighbours_stay(said: str, kind: MaskKind) -> None:
    done = redact(f"Before it, {said} and after it.", ("en", "ja"))
    assert done.text == f"Before it, [{kind}] and after it."
    assert [(each.kind, each.start, each.end) for each in done.masked] == [
        (kind, 11, 11 + len(said))
    ]


@pytest.mark.parametrize(("said", "secret"), TOLD.items())
def test_a_secret_that_is_called_one_is_masked_however_short(said: str, secret: str) -> None:
    assert redact(said).text == said.replace(secret, "[secret]")


@pytest.mark.parametrize("said", KEPT)
def test_dates_amounts_numbers_and_names_stay(said: str) -> None:
    assert redact(said, ("en", "ja")) == redact(said)
    assert redact(said).text == said


def test_prose_of_whole_lives_stays_as_it_is() -> None:
    for path in [
        *(archive("nagi") / "memory").glob("*.md"),
        *(archive("marit") / "notes").glob("*.md"),
    ]:
        text = path.read_text("utf-8")
        assert {each.kind for each in redact(text, ("en", "ja")).masked} <= {MaskKind.EMAIL}, (
            path.name
        )


@given(st.lists(st.one_of(st.text(max_size=30), st.sampled_from([*MASKED, *TOLD])), max_size=6))
def test_what_is_not_masked_is_untouched_and_what_is_does_not_survive_beside_anything(
    parts: list[str],
) -> None:
    text = " ".join(parts)
    done = redact(text, ("en", "ja"))
    rest, at = [], 0
    for each in done.masked:
        assert at <= each.start < each.end <= len(text)
        rest += [text[at : each.start], f"[{each.kind}]"]
        at = each.end
    assert "".join([*rest, text[at:]]) == done.text
    assert not [each for each in parts if each in MASKED and each in done.text]
