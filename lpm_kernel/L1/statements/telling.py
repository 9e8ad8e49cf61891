"""Whether a stretch of a text is a sentence that tells something, and not the head of a mail, a
salutation, a row of a table, or a shred.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from lpm_kernel.L0.language.english import tagged
from lpm_kernel.L0.language.identification import language_of

LEAST_WORDS = 4
LEAST_SIGNS = 7
"""Of a Japanese or Chinese sentence."""

_HEAD = re.compile(
    r"\s*(?:from|to|cc|bcc|date|sent|subject|re|fwd?|attachments?|件名|差出人|宛先|日付|送信日時"
    r"|主题|发件人|收件人)\s*[:：]",
    re.IGNORECASE,
)
_SALUTES = re.compile(
    r"\s*(?:(?:dear|hi|hello|hey) [^,.!?]{1,40}[,!:]"
    r"|(?:hi|hello|hey|good (?:morning|evening|afternoon))\b[^.!?]{0,20}[,!:.]?\s*$"
    r"|to (?:the|all|our|whom) [^,.!?:]{1,40}[,:]\s*$"
    r"|(?:yours|best|kind|warm|love|regards|cheers|thanks|many thanks|sincerely|take care"
    r"|with love)\b[^.?]{0,30}$)"
    r"|\s*\S{1,12}(?:様|さま|殿|各位|御中)\s*$"
    r"|\s*(?:拝啓|敬具|草々|かしこ|お世話になっております|よろしく)"
    r"|[^。]{0,24}(?:ますます(?:ご|御)|(?:ご|御)(?:清栄|清祥|健勝|隆盛)のこと|お(?:慶|喜)び申し)",
    re.IGNORECASE,
)
_CELL = re.compile(r"\s*[,;|\t]\s*|\s{3,}")
_COLUMNS = re.compile(r"(?:[^,\s]{1,16},){2,12}[^,\s]{0,16}")
_LABELLED = re.compile(r"[^:：;；]{1,24}[:：][^:：;；]{0,60}[;；]\s*[^:：;；]{1,24}[:：]")
_MARKED = re.compile(r"\s*(?:#{1,6}\s|\||[□☑☐◆■●▼]|https?://|\d{1,2}[.)、]\s*$)")
_ASKS = ("?", "？")
_OPENS, _CLOSES = '"“「『', '"”」』'
_STAMP = re.compile(r"\[?\d{1,2}[:.]\d\d\]?\s*")
_SPEAKER = re.compile(r"[^\s:：。、][^:：\n。]{0,23}?[:：]\s*(?=\S)")
_LEANS = re.compile(
    r"\W*(?:it|its|it's|this|that|that's|these|those|there|here|so|but|and|or|then|also|again|yet"
    r"|too|because|which|who|not|no|yes|ok)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:he|she|they|him|her|them|his|hers|their|we|us|our|you|your|yours|he's|she's|they're"
    r"|they'll|we're|we'll|you're|you'll)\b",
    re.IGNORECASE,
)
_OF_WHOM = re.compile(
    r"(?<=.)\b(?!I\b)[A-ZÀ-Þ][\w'’-]{1,24}\b|^(?!(?:We|He|She|They|You|Your|Our|His|Her"
    r"|Their|The|An?|In|On|At|For|To|From|By|With|When|As|If|After|Before|Then)\b)"
    r"[A-ZÀ-Þ][a-zà-ÿ]+ |\b[Mm]y \w{3,}"
)
_LEANS_JA = re.compile(
    r"^(?:でも|しかし|だから|けれど|だが|そして|また|なお|ただ|すると|それで)|それ|これ|あれ|そこ|ここ"
    r"|その|この|あの|彼|そう|こう"
)
_PIECED = re.compile(r"[;:()\[\]\"“”=→+#*|]")
"""It is pieced together of notes, or quotes."""
_YOU = re.compile(r"\b(?:you|your|yours|you're|you'll)\b", re.IGNORECASE)
_THINGS = frozenset({"it", "them", "one", "ones", "thats"})
_OF_WHAT = frozenset({"NN", "NP", "AJ", "AV", "OR", "CR", "PR"})
"""Tags behind "that" and "one" which tell of what: that boat, one of us."""
LEAST_CELLS = 3
LEAST_LISTED, MOST_LISTED = 4, 3
"""Cells of a heading of columns, and words of one."""


def is_row(text: str) -> bool:
    """Tell whether it is a row of a table: cells of which one is a figure alone, or labelled.

    >>> [is_row(text) for text in ("Sat, 22, 51, 390, Ola", "who: Ann; where: Cork; price: 40",
    ...     "On Saturday, 22 May, Ola and I sold 51 loaves.")]
    [True, True, False]
    """
    plain = text.strip()
    if _LABELLED.match(plain):
        return True
    cells = _CELL.split(plain.rstrip("."))
    return len(cells) >= LEAST_CELLS and any(
        any(sign.isdigit() for sign in cell)
        and not any(sign.isalpha() for sign in cell.replace("円", ""))
        for cell in cells
    )


def _is_list(text: str) -> bool:
    """Tell whether it is a run of short names without a verb, as columns are headed."""
    if _COLUMNS.fullmatch(text.strip()):
        return True
    cells = _CELL.split(text.strip())
    return (
        len(cells) >= LEAST_LISTED
        and not text.rstrip().endswith((".", "!", "。"))
        and all(len(cell.split()) <= MOST_LISTED for cell in cells)
    )


def is_head(text: str) -> bool:
    """Tell whether it is a line of the head of a mail."""
    return _HEAD.match(text) is not None


def is_telling(text: str) -> bool:
    """Tell whether it is a sentence that tells something.

    >>> [is_telling(text) for text in ("I moved to Cork in May.", "Date: 2024-03-19 09:00",
    ...     "Dear Ann,", "guy called Brendan", "Are you there?", "10/09,rice cooker,shop,12800")]
    [True, False, False, False, False, False]
    """
    plain = _STAMP.sub("", text.strip(), count=1) if _STAMP.match(text) else text.strip()
    if (
        is_head(plain)
        or _SALUTES.match(plain)
        or _MARKED.match(plain)
        or plain.rstrip(_CLOSES).endswith(_ASKS)
        or (plain[:1] in _OPENS and plain.rstrip(".。").endswith(tuple(_CLOSES)))
        or is_row(plain)
        or _is_list(plain)
    ):
        return False
    speaks = _SPEAKER.match(plain)
    said = plain[speaks.end() :] if speaks else plain
    if language_of(said) == "en":
        return len(said.split()) >= LEAST_WORDS
    return len(said.strip()) >= LEAST_SIGNS


def needs_context(text: str) -> bool:
    """Tell whether a sentence means somebody or something that stands elsewhere: it leans on the
    one before it, says "she" or "we" of nobody whom it names, speaks to somebody, is a line of a
    talk, or is none that is whole.

    >>> [needs_context(text) for text in ("It leaks.", "She moved to Cork.", "Ann said she moved.",
    ...     "Mam: I have the bag packed.", "The course has six places.", "その人は来なかった。")]
    [True, True, False, True, False, True]
    """
    plain = " ".join(text.split()).replace("’", "'")
    if _SPEAKER.match(plain):
        return True
    if language_of(plain) != "en":
        return _LEANS_JA.search(plain) is not None or not plain.endswith(("。", "！", "!", "."))
    means = _MEANS.search(plain)
    return (
        not plain[:1].isupper()
        or not plain.endswith((".", "!"))
        or _PIECED.search(plain) is not None
        or _LEANS.match(plain) is not None
        or _YOU.search(plain) is not None
        or (means is not None and _OF_WHOM.search(plain[: means.start()]) is None)
    )


def means_it_elsewhere(text: str) -> bool:
    """Tell whether an English sentence says "it", "that" or "one" of a thing that another sentence
    names.

    >>> [means_it_elsewhere(text) for text in ("Alphonse painted it yellow.", "I bought one.",
    ...     "I like that.", "The boat leaks, and I caulk it.", "I read one chapter a week.")]
    [True, True, True, False, False]
    """
    if language_of(text) != "en":
        return False
    named, tokens = False, tagged(text)
    for token, behind in zip_longest(tokens, tokens[1:]):
        points = token.tag == "DT0" or token.text.lower() in _THINGS
        tells = token.tag in {"CRD", "DT0"} and behind is not None and behind.tag[:2] in _OF_WHAT
        if points and not tells and not named:
            return True
        named = named or (token.noun and not token.named)
    return False
