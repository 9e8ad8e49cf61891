"""What must not leave with an answer: secrets, ways to reach somebody, numbers of cards and
accounts.

A last guard for text that goes to somebody else, whatever let it through before. It masks by form,
not by meaning: it knows no names and no street addresses. Which forms keys and tokens have is known
to detect-secrets, telephone numbers to phonenumbers (Google's libphonenumber), check digits to
python-stdnum; dates, amounts and order numbers stay.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import phonenumbers
from detect_secrets.plugins import (
    aws,
    azure_storage_key,
    discord,
    github_token,
    gitlab_token,
    pypi_token,
    sendgrid,
    slack,
    square_oauth,
    stripe,
    telegram_token,
    twilio,
)
from stdnum import iban, luhn


class MaskKind(StrEnum):
    """What was masked."""

    SECRET = "secret"  # noqa: S105 - a word
    EMAIL = "e-mail"
    PHONE = "phone"
    CARD = "card"
    ACCOUNT = "account"
    ADDRESS = "address"
    """Of a machine in a network."""


@dataclass(frozen=True)
class Masked:
    """A stretch of the text as it was, in code points, end exclusive."""

    kind: MaskKind
    start: int
    end: int


@dataclass(frozen=True)
class Redacted:
    """A text with masks, and what stands behind them."""

    text: str
    masked: tuple[Masked, ...]


_EMAIL = re.compile(
    r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
    r"(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+",
    re.IGNORECASE | re.ASCII,
)
"""An address as a form on a web page takes it, with at least two labels: HTML, 4.10.5.1.5."""
_GROUPS = re.compile(r"(?<![\d.,])\d+(?:[ \u00a0-]\d+)*(?!\d|[.,]\d)")
"""Digits in groups: a card's number, or one beside another number."""
SHORTEST_CARD, LONGEST_CARD = 13, 19
_COUNTRY = re.compile(r"\b[A-Z]{2}\d{2}(?=[A-Z0-9 \u00a0])")
_IBAN = re.compile(r"[A-Z0-9 \u00a0]{15,42}")
"""Up to 34 letters and digits, in groups of four: ISO 13616."""
_NETWORK = re.compile(
    r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7})(?![\w:]|\.\d)",
    re.IGNORECASE,
)
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)", re.DOTALL
)
_TOLD = re.compile(
    r"(?:\b(?:pass(?:word|phrase|code)|pwd|pin(?: code)?|secret key|api[ _-]?key"
    r"|access[ _-]?token|bearer)\b(?:\s*(?:is|was|[:=\uff1a])\s*|\s+(?=\S*\d))"
    r"|(?:パスワード|暗証番号|合言葉|秘密鍵)\s*(?:は|[:=\uff1a])\s*)[\"'“「]?"
    r"(?P<secret>[^\s\"'”」、。,;]{3,200})",
    re.IGNORECASE,
)
"""A secret that is called one where it stands."""
_TAIL = re.compile(r"[A-Za-z0-9._~+/=-]*")
_OPAQUE = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9_+/=-]{24,}(?![\w/+=-])")
_BOUNDED = (
    re.compile(r"://[^:/?#\[\]@!$&'()*+,;=\s]{1,200}:[^:/?#\[\]@!$&'()*+,;=\s]{1,200}@"),
    re.compile(r"eyJ[A-Za-z0-9_=-]{1,500}\.[A-Za-z0-9_=-]"),
    re.compile(r"//.{1,200}/:_authToken=\s{0,20}(?:npm_.|[A-Fa-f0-9-]{36})"),
    re.compile(r"sk-[A-Za-z0-9_-]{0,200}[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"),
)
"""Passwords in addresses, JSON web tokens, keys of npm and OpenAI. Those of detect-secrets read on
without bound from each start.
"""
_KNOWN = _BOUNDED + tuple(
    pattern
    for detector in (
        aws.AWSKeyDetector,
        azure_storage_key.AzureStorageKeyDetector,
        discord.DiscordBotTokenDetector,
        github_token.GitHubTokenDetector,
        gitlab_token.GitLabTokenDetector,
        pypi_token.PypiTokenDetector,
        sendgrid.SendGridDetector,
        slack.SlackDetector,
        square_oauth.SquareOAuthDetector,
        stripe.StripeDetector,
        telegram_token.TelegramBotTokenDetector,
        twilio.TwilioKeyDetector,
    )
    for pattern in detector.denylist
)
ENTROPY = 4.0
"""Bits a character from which a long run of letters and digits is a key; detect-secrets takes 4.5
for base64 in source code, where names are long too.
"""
LONG = 16
"""Letters and digits in a row that a key has at least."""
REGIONS = {
    "en": ("GB", "US"),
    "ja": ("JP",),
    "de": ("DE", "AT", "CH"),
    "fr": ("FR",),
    "es": ("ES",),
    "zh": ("CN", "TW"),
}
"""Where somebody who speaks so may telephone without a country's code."""


def redact(text: str, languages: Sequence[str] = ()) -> Redacted:
    """Mask what must not leave. ``languages`` are those of the person: they say which telephone
    numbers are written without a country.

    >>> redact("Write to ida@example.org, or pay with 4111 1111 1111 1111; the lease of"
    ...     " 2024-04-06 stays.").text
    'Write to [e-mail], or pay with [card]; the lease of 2024-04-06 stays.'
    """
    found: list[Masked] = []
    for kind, look in _LOOKS:
        for start, end in look(text):
            if not any(start < masked.end and masked.start < end for masked in found):
                found.append(Masked(kind, start, end))
    for start, end in _phones(
        text,
        tuple(
            dict.fromkeys(
                region for language in languages for region in REGIONS.get(language[:2], ())
            )
        ),
    ):
        if not any(start < masked.end and masked.start < end for masked in found):
            found.append(Masked(MaskKind.PHONE, start, end))
    found.sort(key=lambda each: each.start)
    said, at = [], 0
    for each in found:
        said += [text[at : each.start], f"[{each.kind}]"]
        at = each.end
    return Redacted("".join([*said, text[at:]]), tuple(found))


def _secrets(text: str) -> Iterator[tuple[int, int]]:
    yield from (found.span() for found in _PEM.finditer(text))
    for pattern in _KNOWN:
        for found in pattern.finditer(text):
            # some patterns know how a token begins, not how it ends
            if found[0] and (whole := _TAIL.match(text, found.end())):
                yield found.start(), whole.end() if found[0][-1] != "@" else found.end()
    yield from (
        found.span("secret")
        for found in _TOLD.finditer(text)
        if not found["secret"].startswith("[")
    )
    for found in _OPAQUE.finditer(text):
        # words and dates that are joined are a name, not a key
        word = max(re.split(r"[-_/+=]", found[0]), key=len)
        if (
            len(word) >= LONG
            and any(each.isdigit() for each in word)
            and any(each.isalpha() for each in word)
            and _entropy(word) >= ENTROPY
        ):
            yield found.span()


def _entropy(word: str) -> float:
    """Return Shannon's entropy of a word, in bits a character.

    >>> _entropy("aaaa"), _entropy("abcd")
    (0.0, 2.0)
    """
    return sum(
        -count / len(word) * math.log2(count / len(word)) for count in Counter(word).values()
    )


def _emails(text: str) -> Iterator[tuple[int, int]]:
    yield from (found.span() for found in _EMAIL.finditer(text))


def _cards(text: str) -> Iterator[tuple[int, int]]:
    for found in _GROUPS.finditer(text):
        groups = [match.span() for match in re.finditer(r"\d+", found[0])]
        for at, (start, _) in enumerate(groups):
            ends = [end for _, end in groups[at : at + LONGEST_CARD]]
            for end in reversed(ends):
                digits = re.sub(r"\D", "", found[0][start:end])
                if (
                    SHORTEST_CARD <= len(digits) <= LONGEST_CARD
                    and len(set(digits)) > 1
                    and luhn.is_valid(digits)
                ):
                    yield found.start() + start, found.start() + end
                    break


def _accounts(text: str) -> Iterator[tuple[int, int]]:
    for begins in _COUNTRY.finditer(text):
        if found := _IBAN.match(text, begins.start()):
            ends = [match.end() for match in re.finditer(r"[A-Z0-9]+", found[0])]
            if end := max(
                (end for end in ends if iban.is_valid(found[0][:end].replace("\u00a0", " "))),
                default=0,
            ):
                yield found.start(), found.start() + end


def _networks(text: str) -> Iterator[tuple[int, int]]:
    for found in _NETWORK.finditer(text):
        try:
            ipaddress.ip_address(found[0])
        except ValueError:
            continue
        yield found.span()


def _phones(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for region in (None, *regions):
        for found in phonenumbers.PhoneNumberMatcher(text, region):
            yield found.start, found.end


_LOOKS: tuple[tuple[MaskKind, Callable[[str], Iterator[tuple[int, int]]]], ...] = (
    (MaskKind.SECRET, _secrets),
    (MaskKind.EMAIL, _emails),
    (MaskKind.CARD, _cards),
    (MaskKind.ACCOUNT, _accounts),
    (MaskKind.ADDRESS, _networks),
)
"""The surest first: what one found is not looked at by the next."""
