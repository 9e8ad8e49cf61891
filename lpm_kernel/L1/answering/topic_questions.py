"""Questions about somebody or something as a whole: "What do you know about Olga?" Nothing in them
but the name says what is wanted, so what is told are the sentences that name it and say most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.analysis import MOST, terms, traits, unspaced
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.language.stopwords import ENGLISH
from lpm_kernel.L1.answering.reader import Pick, length
from lpm_kernel.L1.answering.sentences import PassageSentence, is_label, is_row, overlaps, sentences

MOST_WORDS: Final = 4
"""Words of a topic; a longer one asks for something particular."""
SENTENCES_SHOWN: Final = 3
WORDS_SHOWN: Final = 70
SAYS_SOMETHING: Final = 3
"""Content words beside the topic from which a sentence tells of it."""
ENOUGH: Final = 12
"""Content words beyond which more say no more."""

_ABOUT: Final = re.compile(
    r"(?:(?:what (?:else )?(?:do|can) (?:you|we|i) (?:know|remember|say|tell me|have)"
    r"|what (?:have i|did i|do i) (?:written|write|noted|note|said|say)|what is there"
    r"|(?:please )?tell me(?: more| something| everything| all)?|is there anything"
    r"|do you (?:know|remember) anything) (?:about|on)) (?P<topic>\S[^?!.,;:]{0,60})[?!.]{0,3}",
    re.IGNORECASE,
)
_ABOUT_JA: Final = re.compile(
    r"(?P<topic>[^\s、。?？はをが]{1,24}?)(?:について(?:は)?|のことを?|に関して)、?"
    r"(?:何を|何か|なにか|もっと|詳しく)?(?:知っていますか|知ってる|知っている|教えて|話して|聞かせて"
    r"|覚えていますか|覚えてる|書きましたか|書いた)(?:ください|くれますか|くれる|よ|の|こと|か)?[?？。]*"
)
_ABOUT_ZH: Final = re.compile(
    r"(?:[关關][于於](?P<topic>[^，。？?、]{1,20}?)，?(?:你|我)?(?:都|还|還)?(?:知道|[记記]得|了解|写过|寫過)"
    r"(?:些|点|點)?(?:什么|什麼|哪些)"
    r"|(?:跟我|给我|給我)?(?:说说|說說|讲讲|講講|介绍一下|介紹一下|谈谈|談談)(?:[关關][于於])?"
    r"(?P<of>[^，。？?、]{1,20}?)(?:的事情?)?)(?:吧|吗|呢)?[?？。]*"
)
_ARTICLE: Final = re.compile(r"(?:the|my|our|an?) ", re.IGNORECASE)
_TITLE_JA: Final = re.compile(r"(?<=[^\s]{2})(?:さん|先生|ちゃん|くん|君|氏|様)$")
"""A name of one sign keeps it: 林さん is not the wood."""
_BEFORE_SURNAME_ZH: Final = frozenset("小老大阿")
_NO_TOPIC: Final = ENGLISH | frozenset(
    """
    me myself you yourself us i life past everything anything work family friends
    私 俺 僕 自分 あなた 君 これ それ あれ 今日 昨日 今年 去年 家族 仕事 我 你 自己 今天 昨天
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Words that name nothing by themselves, or so much that no three sentences tell of it."""


def topic_asked(question: Question) -> str | None:
    """Return what a question asks about as a whole; ``None`` where it asks for anything else.

    >>> [topic_asked(Question(text))
    ...     for text in ("What do you know about Olga?", "Tell me about the heating risers.",
    ...         "名護について、何を知っていますか。", "说说小敏的事")]
    ['Olga', 'heating risers', '名護', '小敏']
    >>> [topic_asked(Question(text)) for text in ("What do you know about me?",
    ...     "What do you know about how Olga came to leave the school?")]
    [None, None]
    """
    text = question.text[:MOST].strip()
    match = _ABOUT.fullmatch(text) or _ABOUT_JA.fullmatch(text) or _ABOUT_ZH.fullmatch(text)
    if match is None:
        return None
    asked = match["topic"] or match.groupdict().get("of") or ""
    topic = _TITLE_JA.sub("", _ARTICLE.sub("", asked.strip(), count=1))
    words = topic.casefold().split()
    if not words or len(words) > MOST_WORDS or all(word in _NO_TOPIC for word in words):
        return None
    return topic if any(sign.isalpha() for sign in topic) else None


def told_about(items: Sequence[Recalled], topic: str, asked: Language) -> tuple[Pick, ...]:
    """Choose sentences that name a topic and say most: one of each document before a second one of
    any, in the language of the question before another, in the order in which they were said.
    """
    known = [
        each
        for each in sentences(items, len(items))
        if _names(each.text, topic)
        and not overlaps((*items[each.item].struck, *items[each.item].lapsed), each.start, each.end)
    ]
    ranked = sorted(
        known,
        key=lambda each: (
            language_of(each.text) != asked,
            -_telling(each, topic),
            each.item,
            each.start,
        ),
    )
    chosen: list[PassageSentence] = []
    room = float(WORDS_SHOWN)
    for again in (False, True):
        for each in ranked:
            documents = {items[other.item].chunk.document for other in chosen}
            if (
                len(chosen) < SENTENCES_SHOWN
                and each not in chosen
                and _telling(each, topic) > 0
                and length(each.text) <= room
                and (again or items[each.item].chunk.document not in documents)
            ):
                chosen.append(each)
                room -= length(each.text)
    in_order = sorted(chosen, key=lambda each: (_moment(items[each.item]), each.item, each.start))
    return tuple(Pick(each.item, each.start, each.end) for each in in_order)


def _names(text: str, topic: str) -> bool:
    """Tell whether a text has a topic as a word of its own; one with a capital is written with it.

    >>> _names("Olga’s piano stayed.", "Olga"), _names("Olgas came.", "Olga")
    (True, False)
    >>> _names("The price of bread rose again.", "Rose"), _names("小林さんが来た。", "林さん")
    (False, False)
    """
    plain, wanted = (text, topic) if topic != topic.lower() else (text.lower(), topic)
    at = plain.find(wanted)
    while at >= 0:
        if _stands_apart(plain, at, at + len(wanted)):
            return True
        at = plain.find(wanted, at + 1)
    return False


def _stands_apart(text: str, start: int, end: int) -> bool:
    """Tell whether a stretch of a text is cut out of no longer word. Chinese does not show it: a
    single sign stands for nothing there.
    """
    edges = ((text[start], text[start - 1 : start] if start else ""), (text[end - 1], text[end:]))
    if any(here.isascii() and there[:1].isalnum() and there[:1].isascii() for here, there in edges):
        return False
    if not unspaced(text[start:end]):
        return True
    if language_of(text) != "ja":
        return end - start > 1 and text[start - 1 : start] not in _BEFORE_SURNAME_ZH
    ends = list(accumulate(len(word.surface) for word in japanese.morphemes(text)))
    return start in {0, *ends} and end in ends


def _telling(sentence: PassageSentence, topic: str) -> float:
    says = min(ENOUGH, len(set(terms(sentence.text)) - set(terms(topic))))
    if (
        says < SAYS_SOMETHING
        or is_row(sentence.text)
        or traits(sentence.text) & Trait.QUESTION
        or is_label(sentence.text)
    ):
        return 0.0
    plain = sentence.text.lstrip(" -*•・#").casefold()
    leads = plain.startswith(topic.casefold())
    speaks = leads and plain[len(topic) :].lstrip()[:1] in {":", "："}
    return says / 4 if speaks else says + 3.0 * leads


def _moment(item: Recalled) -> float:
    return item.chunk.said_at.timestamp() if item.chunk.said_at else 0.0
