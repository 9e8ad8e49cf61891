"""Which language a text is in, as far as the node has sentences of its own: English, Japanese,
Chinese.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

Language = Literal["en", "ja", "zh"]
NAMES: dict[Language, str] = {"en": "English", "ja": "Japanese", "zh": "Chinese"}

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ENGLISH = re.compile(
    r"\b(?:what|when|where|who|whom|whose|why|which|how|is|are|was|were|am|be|do|does|did|have"
    r"|has|had|can|could|will|would|should|the|an?|of|to|in|on|at|my|i|me|we|our|you|your|and|or"
    r"|about|for|from|with|tell|not)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[的了吗呢吧么什谁哪怎这那没您她们]|为什")


def language_of(text: str) -> Language:
    """Tell by the script; whatever is neither Japanese nor Chinese is answered in English
    sentences.

    >>> language_of("工房はいつ移った？"), language_of("你好"), language_of("When?")
    ('ja', 'zh', 'en')
    """
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else "en"


def is_clear(text: str, language: Language) -> bool:
    """Tell whether a text shows its language by more than its names and numbers.

    >>> (is_clear("Teramachi 2024?", "en"), is_clear("When was it?", "en"),
    ...  is_clear("寺町 二〇二四", "zh"), is_clear("いつ？", "ja"))
    (False, True, False, True)
    """
    signs = {"en": _ENGLISH, "ja": _KANA, "zh": _CHINESE}
    return bool(signs[language].search(text))


def day_in_words(moment: datetime, language: Language) -> str:
    """Write a day as one says it.

    >>> from datetime import UTC
    >>> (day_in_words(datetime(2025, 6, 1, tzinfo=UTC), "en"),
    ...  day_in_words(datetime(2025, 6, 1, tzinfo=UTC), "ja"))
    ('1 June 2025', '2025年6月1日')
    """
    return (
        f"{moment.day} {moment:%B %Y}"
        if language == "en"
        else f"{moment.year}年{moment.month}月{moment.day}日"
    )
