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
_BEGINS = re.compile(
    r"\W{0,4}(?:and |so |but |please )?(?:what|when|where|who|whom|whose|why|which|how|is|are|was"
    r"|were|do|does|did|have|has|had|can|could|will|would|should|tell|show|find|list|give|describe"
    r"|explain|remember|summari[sz]e|in what|at what|on which)\b",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_CHINESE = re.compile(
    r"[的了吗呢吧么什谁哪怎这那没您她们，说话请让还给从对过时间开关车东钱岁见买卖头发书乐爱]|为什"
)
"""Words that hold a sentence together, and signs that Japanese writes otherwise."""


def language_of(text: str) -> Language:
    """Tell by the script; whatever is neither Japanese nor Chinese is answered in English
    sentences.

    >>> language_of("工房はいつ移った？"), language_of("你好"), language_of("When?")
    ('ja', 'zh', 'en')
    """
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else "en"


def language_asked_in(question: str) -> Language:
    """Tell in which language a question is asked, whatever names it has in others.

    >>> [language_asked_in(text) for text in ("Who is 小敏?", "Who is 吉田さん?", "カヤ是谁？",
    ...     "Noreenって誰？", "iPhoneのin the boxって何？")]
    ['en', 'en', 'zh', 'ja', 'ja']
    """
    language = language_of(question)
    if language == "en":
        return language
    wide = len(_HAN.findall(question)) + len(_KANA.findall(question))
    words = _ENGLISH.findall(question)
    if len(words) > 1 and _BEGINS.match(question) and len(_LATIN.findall(question)) > wide:
        return "en"
    if language == "ja" and not _HIRAGANA.search(question) and _CHINESE.search(question):
        return "zh"
    return language


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
