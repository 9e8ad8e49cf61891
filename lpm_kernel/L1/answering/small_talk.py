"""Small talk: a greeting, thanks, or a question about the node itself. Memory is not asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from lpm_kernel.domain.chat.conversations import Identity, Manner
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.answering.voice import Voice


class SmallTalk(StrEnum):
    """What somebody says who asks nothing of memory."""

    GREETING = "greeting"
    WELL = "well"
    """How the other is."""
    THANKS = "thanks"
    FAREWELL = "farewell"
    WHO = "who"
    """Who is speaking, and what they can do."""
    OUTSIDE = "outside"
    """What goes on outside just now: the weather, the news, the time."""


_SAYS: Final = {
    SmallTalk.WHO: re.compile(
        r"(?:(?:and|so|but) )?(?:who|what) (?:are|r) (?:you|u)(?: exactly)?"
        r"|what(?:'s| is) your name"
        r"|are you (?:a (?:bot|robot|machine|person|human)|an ai|human|real)"
        r"|what (?:can|do) you do|what are you for|how do you work|introduce yourself"
        r"|(?:あなた|君|きみ)(?:は|って)?(?:いったい)?(?:誰|だれ|何者|何|なに)(?:です|なの)?(?:か|の)?"
        r"|(?:お?名前は)(?:何|なん)?(?:ですか|でしょうか)?|(?:何|なに)が?(?:できますか|できるの|できる)"
        r"|自己紹介(?:して)?(?:ください|下さい)?"
        r"|你是谁|你是什么|您是谁|你叫什么(?:名字)?|你能做什么|你会做什么",
        re.IGNORECASE,
    ),
    SmallTalk.WELL: re.compile(
        r"how(?:'s| is) (?:it going|everything|life)|how are (?:you|things)(?: (?:doing|today))?"
        r"|what(?:'s| is) up|(?:お)?元気(?:ですか|かい|でしたか)?|調子は?(?:どう)?(?:ですか)?"
        r"|你好吗|最近怎么样",
        re.IGNORECASE,
    ),
    SmallTalk.OUTSIDE: re.compile(
        r"(?:how|what)(?:'s| is| will be) the weather(?: like)?(?: (?:today|tomorrow|now|outside))?"
        r"|(?:will it|is it going to) (?:rain|snow|be sunny)(?: (?:today|tomorrow|tonight))?"
        r"|is it (?:raining|snowing)(?: (?:now|outside|today))?"
        r"|what(?:'s| is) (?:in |on )?the news(?: today)?|what(?:'s| is) the time|what time is it"
        r"(?: now)?"
        r"|(?:今日|きょう|明日|あした|今|いま|外)の?お?天気は?(?:どう|何)?(?:です|なの)?か?"
        r"|(?:今日|きょう|明日|あした)は?雨(?:が|は)?(?:降る|降ります|ふる)(?:の|か)?"
        r"|(?:今|いま)は?何時(?:です|なの)?か?|(?:今日|きょう)のニュースは?(?:何(?:ですか)?)?"
        r"|(?:今天|明天|现在|外面)的?天气(?:怎么样|如何|好吗)?|(?:今天|明天)会?下雨吗|现在几点(?:了|钟)?",
        re.IGNORECASE,
    ),
    SmallTalk.THANKS: re.compile(
        r"(?:many |ok |okay |great |perfect )?(?:thanks?|thank you|thx|cheers|ta)"
        r"(?: (?:a lot|so much|very much|again|you|for (?:that|your help|everything)))*"
        r"|(?:どうも)?(?:ありがとう|有難う|有り難う)(?:ございます|ございました)?|助かりました|感謝します"
        r"|(?:多)?谢谢(?:你|您)?|多谢|感谢",
        re.IGNORECASE,
    ),
    SmallTalk.FAREWELL: re.compile(
        r"(?:good)?bye(?: bye)?|good night|see (?:you|ya)(?: (?:later|soon|tomorrow))?|so long"
        r"|さようなら|さよなら|またね|では?また|じゃあ?(?:また)?(?:ね)?|お?やすみ(?:なさい)?"
        r"|再见|拜拜|晚安",
        re.IGNORECASE,
    ),
    SmallTalk.GREETING: re.compile(
        r"(?:hello|hi|hey|hiya|howdy|good (?:morning|day|afternoon|evening)|greetings)"
        r"(?: (?:there|again|you|all))?|yo|nice to meet you|test(?:ing)?"
        r"|こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?|はじめまして|初めまして|やあ"
        r"|よろしく(?:お願いします|お願いいたします)?|もしもし|ただいま"
        r"|(?:你|您)好(?:啊|呀)?|大家好|嗨|早上好|早安|下午好|晚上好|喂",
        re.IGNORECASE,
    ),
}
"""What a phrase is as a whole; the first that fits."""
_PARTS: Final = re.compile(r"[,，、。．.!！?？~～…\n;；:：]")
_FACES: Final = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]|[:;]-?[)(DP]|\\^_?\\^")
_MOST: Final = 80
"""Characters beyond which something is asked."""


def small_talk(text: str) -> SmallTalk | None:
    """Tell what sort of small talk a text is; ``None`` where any of it is something else.

    >>> [small_talk(text) for text in ("Hello, who are you?", "Thanks!", "Hi Mai, when is it?")]
    [<SmallTalk.WHO: 'who'>, <SmallTalk.THANKS: 'thanks'>, None]
    """
    if len(text) > _MOST:
        return None
    plain = _FACES.sub(" ", text.replace("’", "'")).strip()
    parts = [part.strip() for part in _PARTS.split(plain) if part.strip()]
    kinds = [
        next((kind for kind, says in _SAYS.items() if says.fullmatch(part)), None) for part in parts
    ]
    if not kinds or None in kinds:
        return None
    return next(kind for kind in _SAYS if kind in kinds)


_ByLanguage = Mapping[Language, str]
_ANSWERS: Final[Mapping[SmallTalk, _ByLanguage]] = {
    SmallTalk.GREETING: {
        "en": "Hello. What would you like to know?",
        "ja": "こんにちは。何についてお調べしましょうか。",
        "zh": "你好。想问些什么？",
    },
    SmallTalk.WELL: {
        "en": "All is well here, thank you. What would you like to know?",
        "ja": "おかげさまで、変わりありません。何についてお調べしましょうか。",
        "zh": "一切都好，谢谢。想问些什么？",
    },
    SmallTalk.THANKS: {
        "en": "You’re welcome.",
        "ja": "どういたしまして。",
        "zh": "不客气。",
    },
    SmallTalk.FAREWELL: {
        "en": "Goodbye.",
        "ja": "では、また。",
        "zh": "再见。",
    },
    SmallTalk.WHO: {
        "en": "I’m {whose} second self: I answer from what was added here, and show where it"
        " stands. I know nothing else.",
        "ja": "{whose}分身です。ここに追加された記録から、その箇所を示してお答えします。"
        "それ以外のことは知りません。",
        "zh": "我是{whose}分身：只根据这里添加的内容回答，并注明出处。别的我一概不知。",
    },
    SmallTalk.OUTSIDE: {
        "en": "I can’t see outside: I know only what was added here.",
        "ja": "外のことは分かりません。知っているのは、ここに追加された記録だけです。",
        "zh": "外面的事我看不到：我只知道这里添加的内容。",
    },
}
_PLAIN_JAPANESE: Final[Mapping[SmallTalk, str]] = {
    SmallTalk.GREETING: "やあ。何を調べようか。",
    SmallTalk.WELL: "変わりない。何を調べようか。",
    SmallTalk.THANKS: "どういたしまして。",
    SmallTalk.FAREWELL: "じゃあ、また。",
    SmallTalk.WHO: "{whose}分身だ。ここに追加された記録から、その箇所を示して答える。"
    "それ以外は知らない。",
    SmallTalk.OUTSIDE: "外のことは分からない。知っているのは、ここに追加された記録だけ。",
}
_WHOSE: Final[_ByLanguage] = {"en": "{name}’s", "ja": "{name}さんの", "zh": "{name}的"}
_NOBODYS: Final[_ByLanguage] = {"en": "your", "ja": "あなたの", "zh": "你的"}


def reply_to(kind: SmallTalk, voice: Voice, identity: Identity) -> str:
    """Answer small talk in the person's manner.

    >>> reply_to(SmallTalk.THANKS, Voice("ja"), Identity("Nagi"))
    'どういたしまして。'
    """
    language = voice.language
    said = _ANSWERS[kind][language]
    if language == "ja" and voice.manner is Manner.PLAIN:
        said = _PLAIN_JAPANESE[kind]
    name = identity.name.strip()
    whose = _WHOSE[language].format(name=name) if name else _NOBODYS[language]
    return said.replace("{whose}", whose)
