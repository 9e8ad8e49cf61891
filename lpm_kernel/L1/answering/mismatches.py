"""What a question asks for that its quotation plainly does not speak of: of a husband, where the
passage tells of a father; for a promise, where none is made; for what a dog is called, where the
passage names no dog.

By rule. It never finds another answer: what is quoted is then said to be no more than what comes
closest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from lpm_kernel.L0.language.analysis import names, terms, unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH
from lpm_kernel.L1.entities.relations import relations

_HAN: Final = "\u4e00-\u9fff"
_PROMISE: Final = re.compile(
    r"\bpromis\w{0,4}\b|\b(?:vow|pledge)(?:s|d|ed)?\b|\b(?:swear|swore|sworn)\b"
    r"|\b(?:my|your|our|his|her|their) word\b"
    r"|\b(?:I|we)(?:['’]ll| will| shall| won['’]t)\b"
    r"|約束|誓[いうっわ]|答应|答應|承诺|承諾|保证|保證",
    re.IGNORECASE,
)
_PROMISE_ASKED: Final = re.compile(
    r"\b(?:I|we) (?:promised?|vow(?:ed)?|pledged?)\b"
    r"|(?:何|なに|どんなこと)(?:を|て|と).{0,12}約束|どんな約束|约定了什么"
    r"|(?:答应|答應|承诺|承諾|保证|保證)(?:了|过|過)?.{0,12}(?:什么|什麼)",
    re.IGNORECASE,
)
_CALLED: Final = re.compile(
    r"\bwhat(?:['’]?s| is| was| are| were) (?P<what>[^?.!]{1,60}?) (?:called|named)"
    r"(?! (?:after|for|off|on|out)\b)\b"
    r"|\bname of (?P<of>[^?.!]{1,60})"
    r"|\bwhat(?:['’]?s| is| was| are| were) (?P<whose>[^?.!]{1,60}?)['’]s? name\b",
    re.IGNORECASE,
)
_CALLED_WIDE: Final = re.compile(r"名前|何という|なんていう|何て呼|なんて呼|叫什么|叫什麼|名字")
_NAMING: Final = re.compile(
    r"\b(?:call(?:s|ed)?|nam(?:e|es|ed|ing)|nicknam\w{1,4}|known as)\b|[\"“”„«‘]", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_][\w'’-]*")
_NEAR: Final = 4
"""Words between a thing and its name, at most: “my dog, as ever, Kuri”."""
_KANA: Final = re.compile("[\u3041-\u30ff]")
_CAPITAL: Final = re.compile(r"\b[A-Z][a-z]{2,}\b")
_COUPLE: Final = frozenset(
    ("husband", "wife", "partner", "girlfriend", "boyfriend", "fiancé", "fiancée")
)


def is_another(question: str, quoted: str, passage: str) -> bool:
    """Tell whether what is ``quoted`` of a ``passage`` speaks plainly of another than is asked.

    >>> his = "Bram wept. Her father was a tuner."
    >>> is_another("What does Mai's husband do?", "Her father was a tuner.", his)
    True
    >>> is_another("What did her dad do?", "Her father was a tuner.", his)
    False
    >>> is_another("What did I promise Ana?", "I said to Ana that I'd rather be cross.", "")
    True
    >>> is_another("What did I promise Ana?", "I'll bring the keys on Friday.", "")
    False
    >>> is_another("What is my dog called?", "A hair came off the dog.", "")
    True
    """
    if _PROMISE_ASKED.search(question) and not _PROMISE.search(quoted):
        return True
    if _is_unnamed(question, quoted):
        return True
    asked = _kin(question)
    told = _kin(quoted)
    if not asked or asked & (told | _kin(passage)):
        return False
    asks_name = _CALLED.search(question) or _CALLED_WIDE.search(question)
    if asks_name or not told:  # whatever is named, nothing says that it is hers
        return bool(asks_name)
    # whoever is asked about may be told of by name
    named = {*names(quoted), *_CAPITAL.findall(quoted)}
    return not any(name not in question and not _is_plain(name) for name in named)


def _is_unnamed(question: str, quoted: str) -> bool:
    """Tell whether a question asks what something is called, and a quotation speaks of it and gives
    no name near it. Where the thing is not spoken of, the name alone may be the answer.
    """
    asked = _CALLED.search(question)
    if asked is None or unspaced(quoted) or _NAMING.search(quoted):
        return False
    wanted = frozenset(terms(asked["what"] or asked["of"] or asked["whose"]))
    words = _WORD.findall(quoted)
    things = [at for at, word in enumerate(words) if not wanted.isdisjoint(terms(word))]
    # a month is none, nor is what the question names itself
    named = [
        at
        for at, word in enumerate(words)
        if any(name not in question and not _is_plain(name) for name in names(f"of {word}"))
    ]
    return bool(things) and not any(abs(at - of) <= _NEAR for at in named for of in things)


_RANKED: Final = re.compile(
    r"\b(?:(?P<first>first|earliest)|(?P<last>last|latest|final|most recent))"
    r" (?P<what>[a-z-]{2,40})"
    rf"|(?:(?P<first_wide>最初|初めて|第一回)|(?P<last_wide>最後|最新|最近))の(?P<what_wide>[{_HAN}ァ-ヶー]{{1,12}})",
    re.IGNORECASE,
)


def is_contrary(question: str, sentence: str) -> bool:
    """Tell whether a question asks for the last of something and a sentence tells of the first, or
    the other way round.

    >>> is_contrary("How cold was my last swim?", "First swim of the year, 8 degrees.")
    True
    >>> is_contrary("How cold was my last swim?", "First coffee, then the last swim.")
    False
    """
    asked, told = _ranked(question), _ranked(sentence)
    return any(
        what in told and told[what].isdisjoint(wanted) for what, wanted in asked.items() if what
    )


def _ranked(text: str) -> dict[str, set[str]]:
    """Give for what a text calls first or last which of the two it is."""
    found: dict[str, set[str]] = {}
    for match in _RANKED.finditer(text):
        rank = "first" if match["first"] or match["first_wide"] else "last"
        stem = next(iter(terms(match["what"] or match["what_wide"])), "")
        found.setdefault(stem, set()).add(rank)
    return found


def _is_plain(name: str) -> bool:
    return name.casefold() in ENGLISH or bool(_kin(name) or _kin(f"{name}さん"))


def _kin(text: str) -> frozenset[str]:
    """Return the relatives that a text names, a couple as one."""
    pattern, words = _words(kana=_KANA.search(text) is not None)
    found = {words[match[0].casefold()] for match in pattern.finditer(text)}
    return frozenset("couple" if name in _COUPLE else name for name in found)


@lru_cache(maxsize=2)
def _words(*, kana: bool) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return what finds relatives, and what each word means; ``kana``: in a Japanese text, where a
    single ideograph counts if no other stands beside it (工夫 is no 夫).
    """
    kin = [relation for relation in relations().values() if relation.group == "kin"]
    latin = {word: each.plain for each in kin for word in each.english}
    wide = {word: each.plain for each in kin for word in (each.japanese if kana else each.chinese)}
    single = "".join(word for word in wide if len(word) == 1) if kana else ""
    alone = rf"|(?<![{_HAN}])[{single}](?![{_HAN}])" if single else ""
    pattern = rf"\b(?:{_any(latin)})(?=s?\b)|{_any(word for word in wide if len(word) > 1)}{alone}"
    return re.compile(pattern, re.IGNORECASE), latin | wide


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
