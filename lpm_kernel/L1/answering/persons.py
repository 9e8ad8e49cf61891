"""Questions about who somebody is: "Who is Conor?", "What is my wife's name?"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.entities.relations import Relation, relations

_WHO: Final = re.compile(
    r"(?:and |so |but )?who(?:['’]s| is| was) (?P<name>[^\W\d_][\w'’-]{0,30}\.?"
    r"(?: [\w'’-]{1,30}\.?){0,3}?)(?: again| anyway)?[?!]*",
    re.IGNORECASE,
)
_WHO_JA: Final = re.compile(
    r"(?P<name>[^\s、。?？はを]{1,16}?)(?:さん|ちゃん|くん|君|先生|氏|様)?(?:は|って|とは)(?:一体)?"
    r"(?:誰|だれ|どなた|何者|(?:どんな|どういう)(?:人|方))(?:です|でした|なの|なん|だっけ|だった)?"
    r"[かの]?[?？。]*"
)
_WHO_ZH: Final = re.compile(
    r"(?:(?:谁|誰)是(?P<name>[^\s，。、?？是]{1,12}?)"
    r"|(?P<of>[^\s，。、?？是]{1,12}?)(?:是(?:谁|誰|什么人|什麼人|哪位)))(?:呢|啊|呀|来着)?[?？。]*"
)
_NOBODY: Final = frozenset(
    "i you he she it we they this that these those there here who what my your his her our their"  # noqa: SIM905  a list this long reads better as prose
    " the a an 私 俺 僕 わたし あなた 君 この人 その人 あの人 彼 彼女 これ それ あれ"
    " 我 你 您 他 她 它 我们 你们 他们 这 那 这个 那个 这个人 那个人".split()
)


@dataclass(frozen=True)
class AskedPerson:
    """Who is asked about: somebody by name, or whoever is something to the person."""

    name: str = field(default="", repr=False)
    relation: Relation | None = None
    called: str = ""
    """The word that the question has for the relation."""


def asked_person(question: Question) -> AskedPerson | None:
    """Return who a question asks about, where it asks for nothing else.

    >>> [asked_person(Question(text)).name for text in ("Who is Conor Byrne?", "井出さんって誰？")]
    ['Conor Byrne', '井出']
    >>> [asked_person(Question(text)).name for text in ("谁是小敏？", "小敏是谁？")]
    ['小敏', '小敏']
    >>> asked_person(Question("What's my wife's name?")).called
    'wife'
    >>> asked_person(Question("我妹妹叫什么名字？")).called
    '妹妹'
    >>> [asked_person(Question(text)) for text in ("Who is my landlord's vet?", "Who are you?")]
    [None, None]
    """
    text = question.text.strip()
    for pattern, words in _relations_asked():
        if (match := pattern.fullmatch(text)) is not None:
            called = next(word for word in match.groups() if word is not None).casefold()
            return AskedPerson(relation=words[called], called=called)
    match = _WHO.fullmatch(text) or _WHO_JA.fullmatch(text) or _WHO_ZH.fullmatch(text)
    name = (match["name"] or match.groupdict().get("of")) if match else None
    if not name or name.split()[0].casefold() in _NOBODY:
        return None
    return AskedPerson(name)


_Asks = tuple[re.Pattern[str], dict[str, Relation]]


@lru_cache(maxsize=1)
def _relations_asked() -> tuple[_Asks, ...]:
    """Return what asks for whoever is something to the person, with what each word means."""
    english = dict(_words(lambda relation: relation.english))
    japanese = dict(_words(lambda relation: (*relation.japanese, relation.polite)))
    chinese = dict(_words(lambda relation: relation.chinese))
    one = _any(english)
    asks = (
        rf"(?:what(?:['’]s| is| was) (?:the name of (?:my|our) ({one})|(?:my|our) ({one})['’]s"
        rf" name|(?:my|our) ({one}) called)|who(?:['’]s| is) (?:my|our) ({one}))[?!.]*"
    )
    asks_ja = (
        rf"(?:(?:私|俺|僕|うち|わたし|自分)の)?({_any(japanese)})(?:の名前(?:は|って|を教えて)"
        r"[^、。?？]{0,8}|(?:は|って)(?:誰|だれ|どなた)[^、。?？]{0,6})[?？。]*"
    )
    asks_zh = (
        rf"(?:我们?家?|我們家?)的?({_any(chinese)})(?:叫什么|叫什麼|叫啥|的名字(?:是什么|是什麼|叫什么)"
        r"|是谁|是誰)(?:名字)?(?:呢|啊|来着)?[?？。]*"
    )
    return (
        (re.compile(asks, re.IGNORECASE), english),
        (re.compile(asks_ja), japanese),
        (re.compile(asks_zh), chinese),
    )


def _words(words_of: Callable[[Relation], tuple[str, ...]]) -> Iterator[tuple[str, Relation]]:
    for relation in relations().values():
        if relation.group not in {"kin", "pet", "tie", "role"}:
            continue
        for word in words_of(relation):
            yield word.casefold(), relation


def _any(words: dict[str, Relation]) -> str:
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
