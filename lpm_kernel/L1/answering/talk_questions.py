"""Questions about what was talked of in chats: "What did we talk about on Tuesday?" What answers
them are the threads of that time, by what the person spoke of in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from lpm_kernel.domain.chat.conversations import Keeping
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.analysis import MOST
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L0.language.question import Question

MOST_TALKS: Final = 6
"""Threads that an answer names."""
MOST_SAID: Final = 2
"""What was said that is named of each."""
LONGEST: Final = 72
"""Characters of it."""
LONGEST_ANSWER: Final = 240
"""Characters of an answer that is told again."""

_TALKED: Final = re.compile(
    r"(?:so )?what (?:did|have|had) (?:we|you and i|i and you) (?:last )?"
    r"(?:talk|talked|speak|spoke|spoken|chat|chatted|discuss|discussed)(?: (?:about|of)\b)?"
    r"|what (?:were|was) (?:we|i) (?:talking|chatting|speaking)(?: to you| with you)? (?:about|of)"
    r"|what did (?:i|we) (?:ask|tell|say to|talk to|talk with|go over with) you(?: about)?"
    r"|what (?:came up|was (?:it )?(?:on my mind|said|talked of|talked about)"
    r"|did (?:i|we) (?:bring up|go over|mention|raise)) (?:in|during) (?:our|the|my|that)"
    r" (?:chats?|conversations?|talks?)(?: with you)?"
    r"|(?:私たち?|僕ら|僕たち|君と|あなたと)?(?:は|って)?"
    r"(?:(?:何を|何について|どんなことを)(?:話した|話しました|話してた|話していた|相談した|相談しました)"
    r"|(?:何の|どんな)話を(?:した|しました))(?:っけ|の|か|のか|んだっけ)?"
    r"|(?:我们|咱们|我和你|我跟你)?(?:都)?(?:聊|谈|談|说|說)(?:了|过|過)?(?:些)?(?:什么|什麼)",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(r"[\s,.;:!?、。！？]+")
_LAST: Final = re.compile(
    r"\b(?:last time|the other day|recently|lately|most recently|so far|before)\b"
    r"|前回|この前|この間|最近|上次|最近",
    re.IGNORECASE,
)
_SMALL: Final = re.compile(
    r"\b(?:on|in|at|during|last|this|the|together|here)\b|[にはでの]|在", re.IGNORECASE
)


@dataclass(frozen=True)
class Talk:
    """A thread, as it is told of."""

    at: datetime
    said: tuple[str, ...] = field(repr=False)
    """What the person told first in it; nothing where they only asked."""
    more: int = 0
    """What they told besides."""


def talk_asked(question: Question, now: datetime) -> tuple[Span, ...] | None:
    """Return the times of which a question asks what was talked of, the likeliest first; empty
    where it names none, ``None`` where it asks for anything else.

    >>> now = datetime(2026, 11, 26, 9).astimezone()
    >>> [spans and str(spans[0].start.date()) for spans in (
    ...     talk_asked(Question(text), now) for text in ("What did we talk about on 24 November?",
    ...     "What did we discuss last time?", "What did Mai talk about on 24 November?"))]
    ['2026-11-24', (), None]
    """
    text = question.text[:MOST]
    mentions = dates.named(text, now)
    if len(mentions) > 1:
        return None
    rest = text
    for named in mentions:
        rest = f"{text[: named.start]} {text[named.end :]}"
    match = _TALKED.search(rest)
    if match is None:
        return None
    beside = f"{rest[: match.start()]} {rest[match.end() :]}"
    if _MARKS.sub("", _SMALL.sub("", _LAST.sub("", beside))):
        return None
    return tuple(span for named in mentions for span in named.spans if not span.open)


def talked_of(talks: Sequence[Talk], span: Span | None, language: Language) -> str:
    """Tell what was talked of in a time, or last.

    >>> from datetime import UTC
    >>> talk = Talk(datetime(2026, 11, 24, tzinfo=UTC), ("I sold the van.", "I miss it."), 1)
    >>> talked_of([talk], None, "en")
    '24 November 2026: “I sold the van”, “I miss it” and 1 more.'
    """
    if not talks:
        when = day_in_words(span.start, language) if span is not None and span.days <= 1 else ""
        return _NOTHING[language][bool(when)].format(when=when)
    told = [talk for talk in talks if talk.said]
    if not told:
        when = day_in_words(talks[-1].at, language)
        return _ONLY_ASKED[language].format(when=when)
    days: dict[str, list[str]] = {}
    for talk in told[:MOST_TALKS]:
        days.setdefault(day_in_words(talk.at, language), []).append(_line(talk, language))
    lines = [
        _LINE[language].format(when=when, said=_APART[language].join(said))
        for when, said in days.items()
    ]
    more = len(told) - MOST_TALKS
    return " ".join([*lines, *([_MORE[language].format(n=more)] if more > 0 else [])])


def _line(talk: Talk, language: Language) -> str:
    """Tell of one thread what was said first."""
    shown = [_QUOTED[language].format(said=_short(said)) for said in talk.said[:MOST_SAID]]
    rest = _REST[language].format(n=talk.more) if talk.more > 0 else ""
    return _AND[language].join(shown) + rest


def _short(said: str, longest: int = LONGEST) -> str:
    plain = " ".join(said.split())
    plain = plain.rstrip(".。")
    return plain if len(plain) <= longest else f"{plain[: longest - 1].rstrip()}…"


_AND: Final[dict[Language, str]] = {"en": ", ", "ja": "", "zh": "、"}
_QUOTED: Final[dict[Language, str]] = {"en": "“{said}”", "ja": "「{said}」", "zh": "“{said}”"}
_REST: Final[dict[Language, str]] = {
    "en": " and {n} more",
    "ja": "ほか{n}件",
    "zh": "等，另有{n}句",
}
_LINE: Final[dict[Language, str]] = {
    "en": "{when}: {said}.",
    "ja": "{when}：{said}。",
    "zh": "{when}：{said}。",
}
_APART: Final[dict[Language, str]] = {"en": "; ", "ja": "、", "zh": "；"}
_MORE: Final[dict[Language, str]] = {
    "en": "And {n} more talks.",
    "ja": "ほかに{n}回。",
    "zh": "另外还聊过{n}次。",
}
_ONLY_ASKED: Final[dict[Language, str]] = {
    "en": "{when}: you only asked questions.",
    "ja": "{when}は質問だけでした。",
    "zh": "{when}你只提了问题。",
}
_NOTHING: Final[dict[Language, tuple[str, str]]] = {
    "en": ("We didn’t talk then.", "We didn’t talk on {when}."),
    "ja": ("その頃の会話はありません。", "{when}の会話はありません。"),
    "zh": ("那时没有聊过。", "{when}没有聊过。"),
}
_NOTED: Final[dict[Keeping, dict[Language, str]]] = {
    Keeping.FULL: {
        "en": "Noted. You can ask me about it in any chat.",
        "ja": "覚えておきます。どのチャットでも聞いてください。",
        "zh": "记下了。以后在任何对话里都可以问我。",
    },
    Keeping.SUMMARY: {
        "en": "Noted, as far as it is in the summary that this chat keeps.",
        "ja": "このチャットに残る要約に入るものだけ、覚えておきます。",
        "zh": "记下了，但只限于这个对话保留的摘要里的内容。",
    },
    Keeping.NONE: {
        "en": "All right. This chat is private: I will not remember it.",
        "ja": "わかりました。プライベートなチャットなので、覚えておきません。",
        "zh": "好的。这是私密对话，我不会记住。",
    },
}


_SAID: Final = re.compile(
    r"(?:so |and )?what (?:did|have|had) you (?:ever )?(?:say|said|(?:tell|told) me(?: to)?"
    r"|answer(?:ed)?|repl(?:y|ied)|recommend(?:ed)?|suggest(?:ed)?|advise[d]?|propose[d]?"
    r"|guess(?:ed)?)(?: to me| me to| me)?(?: that)?(?: i (?:should|could|can|must))?"
    r"(?: about| on| regarding| concerning| for)? (?!to )(?P<en>\S.+)"
    r"|what (?:was|were) your (?:advice|answers?|recommendations?|suggestions?|opinion|view)"
    r" (?:about|on|regarding|concerning|for|to) (?P<was>\S.+)"
    r"|(?P<ja>\S.+?)(?:について|のことで|に関して)(?:は)?、?(?:君|あなた|そっち)?(?:は|が)?、?"
    r"(?:前に|以前|この前)?(?:何て|なんて|何と|なんと|何を|どう)"
    r"(?:言った|言いました|言っていた|言ってた|言ってくれた|答えた|答えました|答えてくれた|勧めた|すすめた"
    r"|勧めました|勧めてくれた|すすめてくれた|提案した|提案しました|提案してくれた|アドバイスした"
    r"|アドバイスしてくれた)"
    r"(?:っけ|の|か|のか|んだっけ)?"
    r"|(?:关于|關於)(?P<zh>\S.+?)[，,]?你(?:之前|上次|以前)?(?:说|說|回答|推荐|推薦|建议|建議)"
    r"(?:了|过|過)?(?:什么|什麼|些什么)",
    re.IGNORECASE,
)
MOST_ANSWERS: Final = 2
"""Answers that are told again."""


def said_asked(question: Question, now: datetime) -> str | None:
    """Return of what a question asks what the second self said; ``None`` where it asks for anything
    else, or names a time and nothing besides.

    >>> now = datetime(2026, 11, 26, 9).astimezone()
    >>> [said_asked(Question(text), now) for text in ("What did you tell me about the boiler?",
    ...     "ボイラーについて何て言ったっけ？", "What did Mai say about the boiler?")]
    ['the boiler', 'ボイラー', None]
    """
    text = question.text[:MOST]
    for named in reversed(dates.named(text, now)):
        text = f"{text[: named.start]} {text[named.end :]}"
    plain = " ".join(text.strip().rstrip("?？。.!").split())
    plain = re.sub(r" (?:on|in|at|during)$|^[、,\s]+", "", plain)
    plain = re.sub(r"^(?:あなた|君|きみ)[はが]、?", "", plain)
    match = _SAID.fullmatch(plain)
    if match is None:
        return None
    about = next((text.strip() for text in match.groupdict().values() if text), "")
    # 「母はボイラーについて…」 asks what somebody else said
    return about if about and not re.search(r"[はが]", match["ja"] or "") else None


def said_of(answers: Sequence[Talk], language: Language) -> str:
    """Tell what the second self said, and that it is no more than that.

    >>> from datetime import UTC
    >>> said_of([Talk(datetime(2026, 11, 24, tzinfo=UTC), ("Ask a plumber.",))], "en")
    'On 24 November 2026 I said: “Ask a plumber”. Those are my words, not something you told me.'
    """
    lines = [
        _SAID_LINE[language].format(
            when=day_in_words(each.at, language), said=_short(each.said[0], LONGEST_ANSWER)
        )
        for each in answers
    ]
    apart = " " if language == "en" else ""
    return apart.join([*lines, _MY_WORDS[language]])


_SAID_LINE: Final[dict[Language, str]] = {
    "en": "On {when} I said: “{said}”.",
    "ja": "{when}に「{said}」と答えました。",
    "zh": "{when}我说：“{said}”。",
}
_MY_WORDS: Final[dict[Language, str]] = {
    "en": "Those are my words, not something you told me.",
    "ja": "私の言葉で、あなたから聞いたことではありません。",
    "zh": "这是我说的，不是你告诉我的。",
}


def noted(keeping: Keeping, language: Language) -> str:
    """Say what becomes of what the person told, in a chat that keeps this.

    >>> noted(Keeping.FULL, "en"), noted(Keeping.NONE, "en")[:31]
    ('Noted. You can ask me about it in any chat.', 'All right. This chat is private')
    """
    return _NOTED[keeping][language]
