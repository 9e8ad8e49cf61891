"""The manner in which the node speaks to its person: in which language, how long, how formal.

The person's identity decides. What an answer rests on is not touched by it: the same evidence, told
in another voice. A large model is told so in its prompt; the node's own sentences, which lead a
small one, are chosen here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lpm_kernel.domain.chat.conversations import Identity, Length, Manner
from lpm_kernel.L0.language.identification import Language, is_clear
from lpm_kernel.L0.language.question import Question

Kind = TypeVar("Kind", Length, Manner)


@dataclass(frozen=True)
class Voice:
    """How the node says something."""

    language: Language = "en"
    length: Length = Length.NORMAL
    manner: Manner = Manner.USUAL


OwnStyle = Callable[[Voice], str]
"""Says for a prompt how the person writes themselves."""


def untold(_voice: Voice) -> str:
    """Say nothing of how the person writes."""
    return ""


_MANNERS: tuple[tuple[Manner, re.Pattern[str]], ...] = (
    (
        Manner.FORMAL,
        re.compile(
            r"(?<!in)(?<!not )(?<!not too )\bformal|\b(?:very )?polite|\bcourteous|敬語|丁寧|正式"
            r"|改まった|礼貌",
            re.IGNORECASE,
        ),
    ),
    (
        Manner.WARM,
        re.compile(
            r"\bwarm|\bfriendly|\bkindly?\b|\bgentl[ey]|\bcosy|親し|優し|やさし|温か|あたたか"
            r"|フレンドリー|亲切|热情",
            re.IGNORECASE,
        ),
    ),
    (
        Manner.PLAIN,
        re.compile(
            r"\bplain|\bblunt|\binformal|\bcasual|\bmatter.of.fact|だ体|である体|だ・である|常体"
            r"|タメ口|くだけた|淡々|直接",
            re.IGNORECASE,
        ),
    ),
)
_LENGTHS: tuple[tuple[Length, re.Pattern[str]], ...] = (
    (
        Length.FULL,
        re.compile(
            r"\b(?:in|with|more|every|much) (?:full |great |more )?detail|(?<!not )\bdetailed"
            r"|\bat length|\blong (?:answers|replies)|\bthorough|詳し|くわし|詳細|长一点",
            re.IGNORECASE,
        ),
    ),
    (
        Length.SHORT,
        re.compile(
            r"\bshort|\bbrief|\bconcise|\bterse|\bfew words|\bone sentence|短く|短い|簡潔|手短"
            r"|ひとこと|一言|简短|简洁",
            re.IGNORECASE,
        ),
    ),
)
"""What a person writes about style, where nothing was chosen; the first that fits."""


def voice_of(question: Question, identity: Identity) -> Voice:
    """Choose the voice: the question's language, or where it has none the first that the person
    speaks; length and manner as chosen or as described.

    >>> voice_of(Question("工房はいつ移った？"), Identity("Nagi", style="Short answers, please."))
    Voice(language='ja', length=<Length.SHORT: 'short'>, manner=<Manner.USUAL: 'usual'>)
    >>> voice_of(Question("Teramachi 2024?"), Identity("Nagi", languages=("ja", "en"))).language
    'ja'
    """
    spoken = [code for language in identity.languages if (code := _code(language))]
    asked = question.language
    if not is_clear(question.text, asked):
        # signs alone may be either
        possible: tuple[Language, ...] = ("ja", "zh") if asked == "zh" else ("en", "ja", "zh")
        asked = next((each for each in spoken if each in possible), asked)
    length = (
        identity.length
        if identity.length is not Length.NORMAL
        else _described(identity.style, _LENGTHS, Length.NORMAL)
    )
    manner = (
        identity.manner
        if identity.manner is not Manner.USUAL
        else _described(identity.style, _MANNERS, Manner.USUAL)
    )
    return Voice(asked, length, manner)


def _code(name: str) -> Language | None:
    short = name.strip().casefold().replace("_", "-").split("-")[0]
    return short if short in {"en", "ja", "zh"} else None  # type: ignore[return-value]  # one of the three


def _described(style: str, ways: tuple[tuple[Kind, re.Pattern[str]], ...], usual: Kind) -> Kind:
    return next((kind for kind, pattern in ways if pattern.search(style)), usual)


_BY_MANNER = Mapping[Language, Mapping[Manner, str]]

_HAS_NOTHING: _BY_MANNER = {
    "en": {
        Manner.USUAL: "I found nothing about that.",
        Manner.PLAIN: "Nothing about that.",
        Manner.WARM: "I found nothing about that in what you have added so far.",
        Manner.FORMAL: "There is no record of that.",
    },
    "ja": {
        Manner.USUAL: "それについての記憶はありません。",
        Manner.PLAIN: "それについての記録はない。",
        Manner.WARM: "それについての記憶はありません。よかったら、教えてください。",
        Manner.FORMAL: "その件に関する記録はございません。",
    },
    "zh": {
        Manner.USUAL: "关于这件事，我没有任何记录。",
        Manner.PLAIN: "没有相关记录。",
        Manner.WARM: "关于这件事，我还没有任何记录，欢迎告诉我。",
        Manner.FORMAL: "关于此事，没有任何记录。",
    },
}
_NOTHING_FROM: _BY_MANNER = {
    "en": dict.fromkeys(Manner, "There is nothing from {day}."),
    "ja": {
        Manner.USUAL: "{day}の記録はありません。",
        Manner.PLAIN: "{day}の記録はない。",
        Manner.WARM: "{day}の記録はありませんでした。",
        Manner.FORMAL: "{day}の記録はございません。",
    },
    "zh": dict.fromkeys(Manner, "没有{day}的记录。"),
}
_NEAREST: Mapping[Language, str] = {
    "en": " The nearest day is {day}.",
    "ja": "いちばん近い記録は{day}のものです。",
    "zh": "最近的记录是{day}的。",
}
_STANDS_THERE: _BY_MANNER = {
    "en": {
        Manner.USUAL: "From your notes:",
        Manner.PLAIN: "It says:",
        Manner.WARM: "Here is what you kept about it:",
        Manner.FORMAL: "The record states:",
    },
    "ja": {
        Manner.USUAL: "記録にはこうあります：",
        Manner.PLAIN: "記録にはこうある：",
        Manner.WARM: "記録には、こんなふうにありますよ：",
        Manner.FORMAL: "記録には次のとおりございます：",
    },
    "zh": dict.fromkeys(Manner, "记录里是这样写的："),
}
_NOT_SURE: _BY_MANNER = {
    "en": {
        Manner.USUAL: "The closest I found:",
        Manner.PLAIN: "Closest:",
        Manner.WARM: "This may not be it, but it comes close:",
        Manner.FORMAL: "The closest record found:",
    },
    "ja": {
        Manner.USUAL: "いちばん近い記録です：",
        Manner.PLAIN: "いちばん近い記録：",
        Manner.WARM: "これかどうか分かりませんが、近いものがありました：",
        Manner.FORMAL: "最も近い記録は次のとおりでございます：",
    },
    "zh": dict.fromkeys(Manner, "最接近的记录："),
}
_SAID_BY: _BY_MANNER = {
    "en": {
        Manner.USUAL: "{who}:",
        Manner.PLAIN: "{who}:",
        Manner.WARM: "This comes from {who}:",
        Manner.FORMAL: "According to the record of {who}:",
    },
    "ja": {
        Manner.USUAL: "{who}：",
        Manner.PLAIN: "{who}の記録だ：",
        Manner.WARM: "{who}には、こうありますよ：",
        Manner.FORMAL: "{who}の記録によりますと：",
    },
    "zh": dict.fromkeys(Manner, "{who}："),
}
_TWO_IN_ENGLISH = {
    Manner.WARM: "This comes from {speaker}, of {when}:",
    Manner.FORMAL: "According to {speaker}, on {when}:",
}


def has_nothing(voice: Voice) -> str:
    """Say that there is no memory of it."""
    return _HAS_NOTHING[voice.language][voice.manner]


def has_nothing_from(voice: Voice, day: str, nearest: str) -> str:
    """Say that nothing is from a day, and which day with something is ``nearest``, if any."""
    says = _NOTHING_FROM[voice.language][voice.manner].format(day=day)
    return says + _NEAREST[voice.language].format(day=nearest) if nearest else says


def not_sure(voice: Voice) -> str:
    """Say that what follows may be no answer."""
    return _NOT_SURE[voice.language][voice.manner]


def said_by(voice: Voice, speaker: str, when: str) -> str:
    """Lead a quotation: who said it, and when.

    >>> (said_by(Voice(manner=Manner.FORMAL), "", "30 August 2025"),
    ...  said_by(Voice("ja"), "Ren", "2025年8月30日"))
    ('According to the record of 30 August 2025:', 'Ren、2025年8月30日：')
    """
    if not speaker and not when:
        return _STANDS_THERE[voice.language][voice.manner]
    if (
        voice.language == "en"
        and voice.manner in _TWO_IN_ENGLISH
        and voice.length is not Length.SHORT
        and speaker
    ):
        return (_TWO_IN_ENGLISH[voice.manner] if when else _SAID_BY["en"][Manner.USUAL]).format(
            speaker=speaker, when=when, who=speaker
        )
    between = {"en": ", ", "ja": "、", "zh": "，"}[voice.language]
    who = between.join(part for part in (speaker, when) if part)
    manner = Manner.USUAL if voice.length is Length.SHORT else voice.manner
    return _SAID_BY[voice.language][manner].format(who=who)


_YOU_WROTE: Mapping[Language, Mapping[Manner, tuple[str, str]]] = {
    "en": {
        Manner.USUAL: ("You wrote on {when}:", "You wrote:"),
        Manner.PLAIN: ("You wrote on {when}:", "You wrote:"),
        Manner.WARM: ("You wrote this on {when}:", "You wrote this:"),
        Manner.FORMAL: ("According to what you wrote on {when}:", "According to what you wrote:"),
    },
    "ja": {
        Manner.USUAL: ("{when}に書いたもの：", "ご自分で書いたもの："),
        Manner.PLAIN: ("{when}に書いたもの：", "自分で書いたもの："),
        Manner.WARM: ("{when}に、こう書いていますよ：", "こう書いていますよ："),
        Manner.FORMAL: (
            "{when}にお書きになったものによりますと：",
            "お書きになったものによりますと：",
        ),
    },
    "zh": dict.fromkeys(Manner, ("你在{when}写道：", "你写道：")),
}
"""With the day and without."""
_TITLED: Mapping[Language, str] = {"en": "“{title}”", "ja": "「{title}」", "zh": "《{title}》"}


def you_wrote(voice: Voice, when: str) -> str:
    """Lead a quotation of the person's own words.

    >>> you_wrote(Voice(), "10 December 2024"), you_wrote(Voice("ja"), "2024年12月10日")
    ('You wrote on 10 December 2024:', '2024年12月10日に書いたもの：')
    """
    with_day, without = _YOU_WROTE[voice.language][voice.manner]
    return with_day.format(when=when) if when else without


def you_said(voice: Voice, chat: str, when: str) -> str:
    """Lead a quotation of what the person said in a chat with the node.

    >>> you_said(Voice(), "The van", "3 May 2026"), you_said(Voice("ja"), "車", "2026年5月3日")
    ('You said this on 3 May 2026 in the chat “The van”:', '2026年5月3日、チャット「車」での発言：')
    """
    language = voice.language
    named = _TITLED[language].format(title=chat) if chat else ""
    if language == "en":
        day, where = (
            f" on {when}" if when else "",
            f" in the chat {named}" if named else " in a chat",
        )
        return f"You said this{day}{where}:"
    if language == "zh":
        return f"你{f'在{when}' if when else ''}的对话{named}里说："
    return f"{f'{when}、' if when else ''}チャット{named}での発言："


def stands_in(voice: Voice, title: str, when: str) -> str:
    """Lead a quotation of which nothing shows who wrote it.

    >>> stands_in(Voice(), "Hidaka Life, issue 41", "")
    'From “Hidaka Life, issue 41”:'
    """
    named = _TITLED[voice.language].format(title=title)
    if voice.language == "en" and voice.manner in {Manner.USUAL, Manner.PLAIN}:
        named = f"From {named}"
    return said_by(voice, named, when)


_LENGTH_ASKED = {
    Length.SHORT: "one short sentence",
    Length.NORMAL: "one or two short sentences",
    Length.FULL: "up to six sentences, with the circumstances",
}
_MANNER_ASKED = {
    Manner.USUAL: "",
    Manner.PLAIN: " Speak plainly, as in a note; in Japanese in だ・である style.",
    Manner.WARM: " Speak warmly, as to a friend; in Japanese in です・ます style.",
    Manner.FORMAL: " Speak formally and politely; in Japanese in です・ます style.",
}


def wanted_length(voice: Voice) -> str:
    """Say in the prompt how long an answer is."""
    return _LENGTH_ASKED[voice.length]


def wanted_manner(voice: Voice) -> str:
    """Say in the prompt how to speak; empty where nothing was chosen."""
    return _MANNER_ASKED[voice.manner]
