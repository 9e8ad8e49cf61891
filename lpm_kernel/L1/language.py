"""Which language a text is in, as far as the node has sentences of its own: English, Japanese, Chinese."""

from __future__ import annotations

import re
from typing import Literal

Language = Literal["en", "ja", "zh"]
NAMES: dict[Language, str] = {"en": "English", "ja": "Japanese", "zh": "Chinese"}

_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> Language:
    """Tell by the script; whatever is neither Japanese nor Chinese is answered in English sentences.

    >>> language_of("工房はいつ移った？"), language_of("你好"), language_of("When?")
    ('ja', 'zh', 'en')
    """
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else "en"
