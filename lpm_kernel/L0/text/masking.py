"""What is masked before anything is indexed: e-mail addresses, payment cards and secrets in web
addresses.

The original keeps every byte; the canonical text, and so the index, the model and every citation,
sees the mask. Segments are moved along, so spans stay right.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from lpm_kernel.domain.library.documents import ParsedText

E_MAIL = "[e-mail]"
CARD = "[card]"
SECRET = "hidden"  # noqa: S105  what stands in place of a secret

# Japanese and Chinese stand beside a word without a space, so they end an address or a number as a
# space does.
_LATIN = r"A-Za-z0-9_\u00aa-\u052f"  # of the Latin, Greek and Cyrillic scripts
_E_MAIL = re.compile(
    rf"(?:(?<![{_LATIN}.+-])[{_LATIN}.+-]{{1,64}}|(?<![\w.+-])[\w.+-]{{0,63}}[^\W{_LATIN}])"
    rf"[@＠](?:[\w-]{{1,63}}\.){{1,8}}[A-Za-z]{{2,24}}(?![{_LATIN}-])"
)
_DIGITS = re.compile(rf"(?<![{_LATIN}\d.,/-])\d(?:[ \u3000‐－−–ー-]?\d){{12,18}}(?![{_LATIN}\d/-])")
_URL = re.compile(r"(?:https?://|\bwww\.)[^\s<>\"'（）「」]{1,2000}", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:^|[_.-])(?:token|secret|password|passwd|pwd|auth|authorization|session|sessionid|sid|sig"
    r"|signature|apikey|api[_-]?key|access[_-]?key|jsessionid|phpsessid|code|otp|ticket|jwt|key)"
    r"(?:$|[_.-])",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RANDOM = re.compile(r"[A-Za-z0-9_~+=-]{20,}")
_TOKEN = re.compile(r"[A-Za-z0-9_~+=-]{10,19}")
_HEXADECIMAL = re.compile(r"[0-9a-f]{12,19}|[0-9A-F]{12,19}")
_TOKEN_COMES = re.compile(
    r"activat\w*|auth\w*|confirm\w*|invit\w*|join|key|login|magic\w*|otp|pass\w*|recover\w*"
    r"|reset\w*|"
    r"session\w*|share\w*|sign-?in|signup|sso|token|unlock|unsubscribe|verif\w*",
    re.IGNORECASE,
)
"""A step of a path after which a token stands: `/reset/…`."""
_SHORTEST_TOKEN = 6
_WORD = re.compile(r"[a-z]{4}")
_CHANGES = 0.45
"""Share of neighbouring signs of another kind (small letter, capital, digit); 0.62 on the mean
where they are drawn by chance.
"""
_CARD_LENGTHS = range(13, 20)


def sanitise(parsed: ParsedText) -> ParsedText:
    """Mask what must not go further, and move the segments along.

    >>> sanitise(ParsedText("Write to mai@example.org today.", ())).text
    'Write to [e-mail] today.'
    """
    parsed = _names_masked(parsed)
    masks = sorted(find(parsed.text))
    if not masks:
        return parsed
    pieces: list[str] = []
    edges: list[tuple[int, int, int, int]] = []  # old start, old end, new start, new end
    done = length = 0
    for start, end, instead in masks:
        if start < done:  # inside a longer mask
            continue
        length += start - done
        pieces += [parsed.text[done:start], instead]
        edges.append((start, end, length, length + len(instead)))
        length += len(instead)
        done = end
    pieces.append(parsed.text[done:])
    segments = []
    cursor, shift = 0, 0
    for segment in parsed.segments:  # in order, so one walk moves them all
        start, cursor, shift = _move(segment.start, edges, cursor, shift)
        end, cursor, shift = _move(segment.end, edges, cursor, shift)
        segments.append(replace(segment, start=start, end=end))
    return replace(parsed, text="".join(pieces), segments=tuple(segments))


def _names_masked(parsed: ParsedText) -> ParsedText:
    """Mask the title and the names of speakers and sessions too: a subject line or a phone may hold
    an address.
    """
    title = _masked(parsed.title)
    known: dict[str | None, str | None] = {}
    for segment in parsed.segments:
        for name in (segment.speaker, segment.session):
            if name not in known:
                known[name] = _masked(name)
    if title == parsed.title and all(name == masked for name, masked in known.items()):
        return parsed
    segments = tuple(
        replace(segment, speaker=known[segment.speaker], session=known[segment.session])
        for segment in parsed.segments
    )
    return replace(parsed, title=title, segments=segments)


def _masked(text: str | None) -> str | None:
    for start, end, instead in sorted(find(text), reverse=True) if text else ():
        text = f"{text[:start]}{instead}{text[end:]}" if text else text
    return text


def _move(
    position: int, edges: list[tuple[int, int, int, int]], cursor: int, shift: int
) -> tuple[int, int, int]:
    while cursor < len(edges) and edges[cursor][1] <= position:
        shift = edges[cursor][3] - edges[cursor][1]
        cursor += 1
    if cursor < len(edges) and edges[cursor][0] < position:
        return edges[cursor][2], cursor, shift
    return position + shift, cursor, shift


def find(text: str) -> list[tuple[int, int, str]]:
    """Return ``(start, end, mask)`` of everything to be masked."""
    found: list[tuple[int, int, str]] = []
    for match in _URL.finditer(text):
        address = match[0].rstrip(".,;:!?)]}")
        masked = mask_url(address)
        if masked != address:
            found.append((match.start(), match.start() + len(address), masked))
    taken = [(start, end) for start, end, _ in found]
    found += [(m.start(), m.end(), E_MAIL) for m in _E_MAIL.finditer(text)]
    found += [(m.start(), m.end(), CARD) for m in _DIGITS.finditer(text) if is_card(m[0])]
    return [
        mask
        for mask in found
        if (mask[0], mask[1]) in taken or not any(start <= mask[0] < end for start, end in taken)
    ]


def is_card(text: str) -> bool:
    """Tell whether digits pass as a payment card: length, and the Luhn sum (ISO/IEC 7812-1, annex
    B).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(character) for character in text if character.isdigit()]
    if len(digits) not in _CARD_LENGTHS or len(set(digits)) == 1:
        return False
    doubled = [
        d if place % 2 == 0 else d * 2 - 9 * (d > 4)  # noqa: PLR2004  doubled, it has two digits
        for place, d in enumerate(reversed(digits))
    ]
    return sum(doubled) % 10 == 0


def mask_url(address: str) -> str:
    """Hide user names, tokens and session ids of a web address; the page stays recognisable.

    >>> mask_url("https://shop.example/cart?item=7&token=abc123")
    'https://shop.example/cart?item=7&token=hidden'
    >>> mask_url("https://shop.example/u/0f8fad5b-d9cb-469f-a165-70867728950e/orders")
    'https://shop.example/u/hidden/orders'
    """
    try:
        parts = urlsplit(address)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:  # not an address after all
        return address
    host = parts.netloc.rpartition("@")[2]
    query = parts.query
    if any(_hides(name, value) for name, value in pairs):
        query = urlencode(
            [(name, SECRET if _hides(name, value) else value) for name, value in pairs]
        )
    steps = parts.path.split("/")
    path = "/".join(_step(step, before) for before, step in zip(["", *steps], steps, strict=False))
    fragment = (
        SECRET
        if "=" in parts.fragment and any(_hides(n, v) for n, v in parse_qsl(parts.fragment))
        else parts.fragment
    )
    return urlunsplit(SplitResult(parts.scheme, host, path, query, fragment))


def _hides(name: str, value: str) -> bool:
    return bool(value) and (
        bool(_SECRET_NAME.search(name)) or (looks_random(value) and not _TOKEN.fullmatch(value))
    )


def _step(step: str, before: str) -> str:
    name, separator, value = step.partition(";")
    if separator and "=" in value:  # ;jsessionid=…
        step = f"{name};{value.partition('=')[0]}={SECRET}"
    written = re.match(r"[!-~]*", step)
    # an address ends where Japanese or Chinese goes on without a space
    token = written[0] if written else ""
    follows = bool(_TOKEN_COMES.fullmatch(before)) and _may_be_token(token)
    return SECRET + step[len(token) :] if follows or looks_random(token) else step


def _may_be_token(text: str) -> bool:
    """Tell whether a part of an address is no word: letters and digits, and no four small letters
    in a row.
    """
    digits = any(character.isdigit() for character in text)
    letters = any(character.isalpha() for character in text)
    return len(text) >= _SHORTEST_TOKEN and digits and letters and not _WORD.search(text)


def looks_random(text: str) -> bool:
    """Tell whether a part of an address is an id or a token and no word that a person would know.

    >>> looks_random("iPhone15ProMax"), looks_random("Zq81KfPw9xTt2m")
    (False, True)
    >>> looks_random("a-quiet-week-in-the-workshop"), looks_random("eyJhbGciOiJIUzI1NiJ9aQ")
    (False, True)
    """
    if _UUID.fullmatch(text):
        return True
    if _TOKEN.fullmatch(text):
        return _is_mixed(text)
    if not _RANDOM.fullmatch(text):
        return False
    digits = sum(character.isdigit() for character in text)
    mixed = any(c.islower() for c in text) and any(c.isupper() for c in text)
    return digits >= len(text) / 4 or (mixed and digits > 0 and "-" not in text)


def _is_mixed(text: str) -> bool:
    """Tell whether a short text changes between letters and digits, or capitals and small letters,
    as no name does.
    """
    kinds = [
        "0" if character.isdigit() else "A" if character.isupper() else "a" for character in text
    ]
    changes = sum(one != other for one, other in pairwise(kinds))
    if _HEXADECIMAL.fullmatch(text):
        return len(set(kinds)) > 1 and changes >= 4  # noqa: PLR2004  a name with a year changes once or twice
    longest = max(len(run) for run in re.findall(r"a*", "".join(kinds)))
    return len(set(kinds)) == 3 and longest <= 3 and changes >= _CHANGES * (len(text) - 1)  # noqa: PLR2004  all three kinds, and no word
