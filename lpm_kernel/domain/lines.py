"""Names as they are shown, logged and sent: one line, which looks like what it is."""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
    "\U000e0020-\U000e007f\U000f0000-\U000ffffd\U00100000-\U0010fffd]"
)
"""What the protocol lets no name have, but for what ends a line: signs that turn the direction of
what follows, and those that nobody sees. The joiners of scripts and emoji may stay.
"""
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def plain_line(text: str) -> str:
    r"""Give a name on one line, without control characters and what turns or hides text.

    >>> plain_line(" Asako\r\n\x1b[31m \u202eoknaB\u2069 ")
    'Asako [31m oknaB'
    """
    return " ".join(_HIDDEN.sub("", _CONTROLS.sub(" ", text)).split())
