"""By whom a text is that is no letter: the by-line of a column, the office that signs a notice."""

from __future__ import annotations

import re
from typing import Final

from lpm_kernel.L0.language import japanese

HEAD: Final = 400
"""Characters within which a text says whose it is."""
FOOT: Final = 80
"""Characters within which a column says so at its end."""
LEAST_LINES: Final = 2

_OFFICE: Final = re.compile(
    r"(?:The )?(?:[A-Z][\w&'’-]* (?:of |and |for |the ){0,2}){0,5}"
    r"(?:Office|Department|Registrar|Bursar|Secretariat|Committee|Council|Board"
    r"|Administration|Admissions|Management|Team|Services?|Clerk|Headteacher"
    r"|Principal|Governors|Reception|Authority|Association|Surgery|Clinic"
    r"|Personnel|Editors?)"
)
"""Who signs without a name."""
_OFFICE_JA: Final = re.compile(
    r"[^\s、。:：]{0,12}(?:課|係|部|局|事務室|委員会|組合|協会|自治会|町内会|管理室|窓口|センター"
    r"|株式会社|有限会社|校長|園長|院長|理事長|組合長|館長|所長|局長|担当|一同)"
    r"(?:[ \u3000:：]{1,3}[^\s、。:：\u3000]{1,8}(?:[ \u3000][^\s、。:：\u3000]{1,6})?)?"
)
_NOTICE_JA: Final = re.compile(
    r"各位|(?:の|に関する)(?:お知らせ|ご案内)|下記の(?:とおり|通り)|通知(?:書|します|いたします)"
)
"""A notice is signed by an office, with or without a name."""
_BYLINES: Final = (
    re.compile(
        r"^[ \t*_—–-]{0,4}(?i:(?:written|words|text|story|report(?:ed)?|column) )?[Bb](?i:y):? "
        r"(?!\w+day\b)(?P<who>[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){1,3})"
        r"(?:,[^\n.]{0,40})?[ \t]*$",
        re.MULTILINE,
    ),
    re.compile(
        r"^[ \u3000（(]{0,3}(?:文|文章|執筆|寄稿|取材|筆者|著者?)(?:・写真|と写真)?"
        r"[ \u3000]?[・:：＝=／/\u3000][ \u3000]?(?P<who>[^\s、。:：）)]{1,8}"
        r"(?:[ \u3000][^\s、。:：）)]{1,6})?)(?:さん)?[）)]?[ \u3000]*$",
        re.MULTILINE,
    ),
    re.compile(
        r"\A\s*【[^】\n]{1,24}】[^\n。、]{0,24}[ \u3000]"
        r"(?P<who>[^\s、。（）()]{1,4}[ \u3000]?[^\s、。（）()]{1,4})[ \u3000]*$",
        re.MULTILINE,
    ),
)
"""Whose a column is, as its head or its foot says."""


def byline(text: str) -> str | None:
    """Return who is said to have written a column, at its head or its foot."""
    body = text.strip()
    for part in (body[:HEAD], body[-FOOT:]):
        for pattern in _BYLINES:
            found = pattern.search(part)
            if found is not None and (found["who"].isascii() or is_person(found["who"])):
                return found["who"]
    return None


def is_person(name: str) -> bool:
    """Tell whether a Japanese word is listed as somebody's name, or holds one."""
    return any(noun.sort == "人名" for noun in japanese.nouns(name))


def signing_office(text: str) -> str:
    r"""Return the office that is the last line of a notice; nothing where none is.

    >>> signing_office("The kerb is yellow from May.\nThe Parking Office")
    'The Parking Office'
    """
    lines = text.rstrip().split("\n")
    last = lines[-1].strip()
    if len(lines) < LEAST_LINES:
        return ""
    english = _OFFICE.fullmatch(last)
    notice = _NOTICE_JA.search(text[:HEAD]) and _OFFICE_JA.fullmatch(last)
    return last if english or notice else ""
