"""How bytes are written: base64url, base58btc, and the varint before a frame. One value has one
written form; others are refused.

Sources: RFC 4648 §5 (base64url), draft-msporny-base58 (the alphabet of Bitcoin), multiformats
unsigned-varint.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from protocol import limits
from protocol.refusals import Code, Refusal

_ALPHABET: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DIGITS: Final = {letter: value for value, letter in enumerate(_ALPHABET)}


def to_b64u(data: bytes) -> str:
    """Write bytes as base64url without padding.

    >>> to_b64u(b"ab")
    'YWI'
    """
    return urlsafe_b64encode(data).decode("ascii").rstrip("=")


def from_b64u(text: str) -> bytes:
    """Read base64url without padding; ``ValueError`` for anything but its one written form.

    >>> from_b64u("YWI")
    b'ab'
    >>> from_b64u("YWJ")  # the same two bytes, with unused bits that are not zero
    Traceback (most recent call last):
    ...
    ValueError: not base64url
    """
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise ValueError("not base64url") from None
    if to_b64u(data) != text:
        raise ValueError("not base64url")
    return data


def to_base58(data: bytes) -> str:
    r"""Write bytes in base58btc; each zero byte in front is a ``1``.

    >>> to_base58(b"\0hello")
    '1Cn8eVZg'
    """
    number, letters = int.from_bytes(data, "big"), []
    while number:
        number, digit = divmod(number, 58)
        letters.append(_ALPHABET[digit])
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + "".join(reversed(letters))


def from_base58(text: str, length: int) -> bytes:
    r"""Read so many bytes of base58btc; ``ValueError`` for anything else. Long texts are refused
    before any arithmetic.

    >>> from_base58("1Cn8eVZg", 6)
    b'\x00hello'
    """
    if len(text) > 2 * length:
        raise ValueError("not base58")
    number = 0
    for letter in text:
        if letter not in _DIGITS:
            raise ValueError("not base58")
        number = number * 58 + _DIGITS[letter]
    if number.bit_length() > 8 * length:
        raise ValueError("not base58")
    data = number.to_bytes(length, "big")
    if to_base58(data) != text:
        raise ValueError("not base58")
    return data


def frame(data: bytes) -> bytes:
    r"""Put its length before the bytes.

    >>> frame(b"x" * 300)[:3]
    b'\xac\x02x'
    """
    length, prefix = len(data), bytearray()
    while length >> 7:
        prefix.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([*prefix, length]) + data


def frame_length(start: bytes, most: int) -> tuple[int, int] | None:
    r"""Give the length of a frame and of its prefix; ``None`` while the prefix is not complete.
    Refuses what is longer than ``most``.

    >>> frame_length(b"\xac", 1000), frame_length(b"\xac\x02x", 1000)
    (None, (300, 2))
    """
    length = 0
    for at, byte in enumerate(start[: limits.VARINT]):
        length |= (byte & 0x7F) << (7 * at)
        if not byte & 0x80:
            if at and not byte:
                raise Refusal(Code.MALFORMED, "length")
            if length > most:
                raise Refusal(Code.TOO_LARGE, "length")
            return length, at + 1
    if len(start) >= limits.VARINT:
        raise Refusal(Code.TOO_LARGE, "length")
    return None
