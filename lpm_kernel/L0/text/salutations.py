"""Where a sentence of a letter begins behind its salutation, in English, Japanese and Chinese:
"Dear Ann, I moved to Cork." tells from "I moved" on.
"""

from __future__ import annotations

import re
from typing import Final

_SPACES: Final = r"[ \t\u3000]{0,9}"
_NAMED: Final = (
    r"(?:[A-ZÀ-Þ][^\s,:;!?]{0,30}|(?i:all|both|everyone|everybody|sirs?|madam|friends?|colleagues?"
    r"|parents?|members?|neighbou?rs?|customers?|residents?|readers?|team|folks|there|and|or|&|de"
    r"|van|von))"
)
_ENGLISH: Final = re.compile(
    r"(?i:(?:my )?dear(?:est)?|hi|hello|hey|good (?:morning|afternoon|evening))"
    rf"(?: {_NAMED}){{1,6}}[,:!]"
    r"|(?i:hi|hello|hey|good (?:morning|afternoon|evening))[,:!]"
    r"|(?i:to whom it may concern)[,:.]"
    r"|(?i:dear (?:all|everyone|everybody|both|sirs?|madam)) ?[–—-]"
)
_GOES_ON: Final = re.compile(r"\s*(?:who|whose|whom|which)\b")
"""What is told of somebody dear is no salutation: dear old Rex, who slept on the stove."""
_NAME_JA: Final = r"[^\s、。,.:：「」はがをの]"
_JAPANESE: Final = re.compile(
    rf"(?:拝啓|謹啓|拝復|前略|冠省)[、。，,]?{_SPACES}"
    rf"|{_NAME_JA}{{1,20}}(?:[ \u3000]{_NAME_JA}{{1,12}})?"
    r"(?:(?<![有仕模同多異一王神奥])様|さま|(?<![宮神御沈])殿|各位|御中"
    r"|(?<![おみ])(?:皆さん|皆さま|みなさん))(?:へ)?"
    r"(?:[、，]|[ \t\u3000]{1,9}(?![はがをにもと])|\Z)"
    rf"|{_NAME_JA}{{1,20}}(?:さん|先生|くん|君|ちゃん)へ(?:[ \t\u3000]{{1,9}}|[、，]?\Z)"
    rf"|{_NAME_JA}{{1,8}}先生\Z"
    rf"|(?:こんにちは|こんばんは|おはようございます|はじめまして)[。、！!]"
)
_CHINESE: Final = re.compile(
    r"(?:尊敬的|敬爱的|敬愛的|亲爱的|親愛的)(?:[^，。：:！!]{1,16}[：:！!]|[^，。：:！!]{1,4}，)"
    r"|(?:[^\s，。：:！!说說对對]{0,12})(?:您好|你好|大家好)[，。！：!:]"
    r"|(?:敬启者|敬啟者)[^\s，。：:]{0,14}[：:]"
)
_SALUTATIONS: Final = (_ENGLISH, _JAPANESE, _CHINESE)
_SPACE: Final = re.compile(r"\s{1,9}")
MOST: Final = 3
"""Salutations that stand behind each other: 拝啓 田中様、, "Hi Ann, good morning,"."""


def past_salutation(text: str, start: int, end: int) -> int:
    """Return where the sentence at a stretch of a text begins behind its salutation, which is at
    ``start`` where it has none and at ``end`` where it is nothing else.

    >>> told = lambda text: text[past_salutation(text, 0, len(text)) :]
    >>> told("Dear Dr Moe, I am pleased to offer you the post."), told("Dear old Rex, who slept.")
    ('I am pleased to offer you the post.', 'Dear old Rex, who slept.')
    >>> told("拝啓　田中様、先日は妹が世話になりました。"), told("亲爱的小敏：我搬到上海了。")
    ('先日は妹が世話になりました。', '我搬到上海了。')
    """
    begins = start
    for _ in range(MOST):
        found = next(
            filter(None, (each.match(text, begins, end) for each in _SALUTATIONS)),
            None,
        )
        if found is None or _GOES_ON.match(text, found.end(), end):
            break
        space = _SPACE.match(text, found.end(), end)
        begins = space.end() if space else found.end()
    return begins
