"""Whether a Japanese word says which thing is meant, so that a question can ask about it: a common
noun by itself does not.
"""

from __future__ import annotations

from typing import Final

from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.glosses import meanings

_TIMES: Final = frozenset({"副詞可能", "助数詞可能"})
"""Kinds of noun that tell when, or count."""
_POSITIONS: Final = frozenset("前 後ろ 中 外 上 下 横 隣 右 左 奥 裏 表 近く".split())  # noqa: SIM905  a list reads better as prose


def is_particular(thing: str) -> bool:
    """Tell whether a Japanese word says which thing is meant: it is none that everybody's texts
    have, alone or behind a word for a time.

    >>> [is_particular(thing) for thing in ("両手", "会長", "明日会費", "急須", "引き継ぎ書")]
    [False, False, False, True, True]
    """
    return not (thing.isascii() or _counts_or_tells_when(thing) or meanings(thing))


def of_what(thing: str, sentence: str) -> str:
    """Return a common Japanese word with that which says which one is meant; nothing where nothing
    does.

    >>> of_what("屋根", "蔵の屋根が傷んだ。"), of_what("屋根", "今年の屋根は高い。")
    ('蔵の屋根', '')
    """
    at = sentence.find(f"の{thing}")
    before = next((noun for noun in japanese.nouns(sentence) if noun.end == at), None)
    if before is None or before.sort == "人名" or before.surface in _POSITIONS:
        return ""
    # what ends in hiragana is half a verb: 見分け
    if "ぁ" <= thing[-1] <= "ん" or _counts_or_tells_when(before.surface):
        return ""
    return f"{before.surface}の{thing}"


def _counts_or_tells_when(word: str) -> bool:
    first = japanese.grammar(word)[0].speech
    return first[1] == "数詞" or first[0] == "副詞" or first[2] in _TIMES
