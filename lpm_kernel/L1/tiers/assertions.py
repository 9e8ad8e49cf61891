"""Whether somebody tells something in a chat, or only asks for something."""

from __future__ import annotations

import re
from typing import Final

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.language.analysis import terms, traits
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.text.sentences import sentences
from lpm_kernel.L1.answering.small_talk import small_talk

SHORTEST: Final = 2
"""Content words from which a sentence tells anything: "I'm vegetarian" has one, and is kept by its
first person.
"""
_BE: Final = (
    r"(?:do|does|did|is|are|was|were|am|has|have|had|can|could|will|would|should|shall|may|might)"
)
_ONE: Final = r"(?:I|you|he|she|it|we|they|there|this|that|these|those|the|an?|my|our|your|any)"
_ASKS: Final = re.compile(
    r"\W*(?:(?:and|so|but|then|ok(?:ay)?|now|also|please|could you|can you|would you|will you)"
    r"[,]? )*"
    r"(?:(?:tell|show|give|list|find|search|look up|write|draft|compose|rewrite|rephrase|shorten"
    r"|summari[sz]e|explain|describe|compare|translate|help|make|suggest|recommend|read|quote)\b"
    r"|(?:who|whom|whose)\b(?!['’]s\b)"
    rf"|(?:when|where|why|how|what|which)(?: (?!{_ONE}\b)\w+){{0,2}} {_BE}\b"
    rf"|(?:when|where|why|how|what|who)['’]s\b|{_BE}(?:n['’]t)? {_ONE}\b"
    r"|(?:do|does|did|is|are|was|were|has|have|had|could|would|should) (?-i:[A-Z]))",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    r"\W*(?:(?:please )?(?:remember|note|remind me|don['’]t forget|keep in mind|fyi|for the record)"
    r"\b|覚えて(?:おいて|て)|メモして|记住|記住|记一下|記一下)",
    re.IGNORECASE,
)
_ASKS_JA: Final = re.compile(
    r"(?:教えて|聞かせて|見せて|まとめて|書いて|探して|調べて|訳して|説明して|比べて|挙げて|選んで|直して|読んで)"
    r"(?:ください|下さい|くれ(?:る|ます(?:か)?|ない(?:か)?)?|もらえ(?:る|ます(?:か)?)|ほしい(?:です)?|欲しい(?:です)?|ね|よ)?"
    r"[。！!？?\s]*$"
    r"|(?:は|って|とは)[？?]\s*$|(?:いつ|誰|だれ|どこ|何|なに|どれ|いくつ|いくら)(?:だっけ|なの|ですか)?\s*$"
)
_ASKS_ZH: Final = re.compile(
    r"\s*(?:请|請|帮我|幫我|告诉我|告訴我|给我|給我|说说|說說|讲讲|講講|列出|总结|總結|解释|解釋|翻译|翻譯|写一|寫一)"
    r"|.*(?:是谁|是誰|哪里|哪裡|哪儿|什么|什麼|几点|幾點|多少|吗|嗎)\s*$"
)


_ENDS: Final = (".", "!", "。", "！", "…", "．")
_VERB: Final = re.compile(
    r"\b(?:I|we|he|she|they|it|there)\b|['’](?:s|m|re|ve|ll|d)\b"
    r"|\b(?:is|are|was|were|am|has|have|had|will|won['’]t|can|can['’]t|did|didn['’]t|does|doesn['’]t"
    r"|went|said|told|got|came|made|took|gave|[a-z]{2,}ed)\b",
)
_VERB_JA: Final = re.compile(r"(?:た|だ|る|い|す|う|く|む|ぶ|つ|ぐ|ん|よ|ね|な|か)[ー〜!！\s]*$")
_VERB_ZH: Final = re.compile("[了是在有会會要过過]")


_MAY_ASK: Final = re.compile(
    r"[?？]|\b(?:what|when|where|who|whom|whose|why|how|which|need|forgot|looking for|recap|check"
    r"|name)\b|誰|だれ|何|なに|いつ|どこ|どれ|なぜ|どう|知りたい|覚えて(?:る|い[るま])|谁|誰|什么|什麼|哪|怎么|怎麼"
    r"|几点|多少|想知道",
    re.IGNORECASE,
)
"""Words with which a sentence may ask in the form of a statement."""
_NOT_OWN: Final = re.compile(
    r"\n\s*\n|^\s*>|[:：]\s*\n|[“\"「『«][^”\"」』»\n]{12,}"
    r"|\b(?:wrote|writes|texted|e-?mailed|replied)\b(?! that\b)[^.\n]{0,40}:"
    r"|\b(?:translate|proof ?read|rewrite|rephrase|summari[sz]e|shorten|correct|reply to|respond to"
    r"|answer|improve|polish|edit) (?:this|these|the following|it|her|his|their|that)\b"
    r"|(?:次の|この|以下の)(?:文|文章|メール|手紙|メッセージ)|(?:翻訳|要約|添削|校正|返信|返事)して"
    r"|(?:翻译|翻譯|总结|總結|润色|潤色|改写|改寫|回复|回覆)(?:一下|下面|这|這|以下)",
    re.IGNORECASE | re.MULTILINE,
)
"""Signs that a text holds somebody else's words, or is handed over to be worked on."""
_OF_THE_NODE: Final = re.compile(
    r"\W*(?:(?:and|but|so|well|once|earlier|yesterday),? )*you(?:['’]ve| have| had)?"
    r"(?: (?:once|also|already|just|only))? (?:told|said|suggested|advised|mentioned|recommended"
    r"|guessed|thought|proposed|answered|replied|explained)\b"
    r"|(?:あなた|君|きみ)(?:は|が)[^。]*(?:言った|言いました|言ってた|勧めて|勧めた|提案)"
    r"|你(?:曾经|曾經|之前|上次|刚才|剛才)?(?:说|說|告诉|告訴|建议|建議)(?:过|過|了)",
    re.IGNORECASE,
)
"""What the node itself said is known from the chat, and is nothing that the person tells."""


def _is_sentence(text: str) -> bool:
    """Tell whether it is a sentence, and not a few words to be looked for."""
    plain = text.strip().rstrip('"”’」』）)')
    if plain.endswith(_ENDS):
        return True
    language = language_of(plain)
    if language == "ja":
        return bool(_VERB_JA.search(plain))
    return bool((_VERB_ZH if language == "zh" else _VERB).search(plain))


def asserts(text: str) -> bool:
    """Tell whether a text that a person says to the node tells something, beside what it asks for.

    >>> [asserts(text) for text in ("I sold the van to Conor.", "Who has the van?",
    ...     "Tell me about the van.", "Remember that Conor has the van.", "Thanks!")]
    [True, False, False, True, False]
    >>> [asserts(text)
    ...     for text in ("車はコナーに売った。", "車は誰が買った？", "車のことを教えて。")]
    [True, False, False]
    >>> [asserts(text) for text in ("When I was ten we lived in Galway.", "Will is my brother.",
    ...     "where did I leave the keys", "how many bees are in the hive")]
    [True, True, False, False]
    >>> [asserts(text) for text in ("blue van Conor", "my passport number", "美咲 結婚")]
    [False, False, False]
    """
    if small_talk(text) is not None:
        return False
    return any(_asserts(sentence) for sentence in sentences(text))


def only_asserts(text: str) -> bool:
    """Tell whether a text tells something and asks for nothing.

    >>> [only_asserts(text) for text in ("I sold the van. I miss it.", "I sold it. Who has it?")]
    [True, False]
    """
    if small_talk(text) is not None:
        return False
    said = [each for each in sentences(text) if small_talk(each) is None]
    return bool(said) and all(map(_asserts, said)) and not _MAY_ASK.search(text)


def told_in(text: str) -> str:
    """Return the sentences of a text in which the person tells something, in their words, with the
    short ones beside them; empty where it may be somebody else's: quoted, pasted, or to be worked
    on.

    >>> told_in("Hello! I sold the van to Conor. Who has the keys?")
    'I sold the van to Conor.'
    >>> told_in("They accepted! I cried in the car park.")
    'They accepted! I cried in the car park.'
    >>> told_in("You told me once how to stay fit. What was it?")
    ''
    >>> [told_in(text)
    ...     for text in ("Please translate this: I quit.", "Mai wrote: “I quit today, Sam.”")]
    ['', '']
    >>> told_in("Mai writes that the ferry is late: we come on Friday.")
    'Mai writes that the ferry is late: we come on Friday.'
    """
    if not is_own(text):
        return ""
    said = [sentence.strip() for sentence in sentences(text)]
    told = [_asserts(sentence) for sentence in said]
    if not any(told):
        return ""
    kept = (
        sentence
        for sentence, asserts_it in zip(said, told, strict=True)
        if asserts_it or _goes_along(sentence)
    )
    return " ".join(kept)


def is_own(text: str) -> bool:
    """Tell whether a text may be taken for the person's own words.

    >>> is_own("I quit."), is_own("Mai wrote: “I quit today, Sam.”")
    (True, False)
    """
    return _NOT_OWN.search(text) is None


def asks(sentence: str) -> bool:
    """Tell whether a sentence asks for something, or is a few words to be looked for.

    >>> [asks(text) for text in ("Who has the van?", "blue van Conor", "It had a dent.")]
    [True, True, False]
    """
    if small_talk(sentence) is not None:
        return False
    return _asks(sentence) or not (_is_sentence(sentence) or _TELLS.match(sentence))


def _asks(sentence: str) -> bool:
    if traits(sentence) & Trait.QUESTION or sentence.rstrip().endswith(("?", "？")):
        return True
    return bool(_ASKS.match(sentence) or _ASKS_JA.search(sentence) or _ASKS_ZH.match(sentence))


def _asserts(sentence: str) -> bool:
    if _TELLS.match(sentence):
        return bool(terms(sentence))
    if not _is_sentence(sentence) or _tells_nothing(sentence):
        return False
    said = len(set(terms(sentence)))
    return said >= SHORTEST or (said > 0 and bool(traits(sentence) & Trait.FIRST_PERSON))


def _tells_nothing(sentence: str) -> bool:
    """Tell whether a sentence asks for something, is only polite, or tells what the node said."""
    return bool(_asks(sentence) or _OF_THE_NODE.match(sentence) or small_talk(sentence) is not None)


def _goes_along(sentence: str) -> bool:
    """Tell whether a sentence says too little to be kept by itself, and belongs to one that is:
    without "They accepted!" nobody knows why somebody cried.
    """
    return sentence.endswith(_ENDS) and not _tells_nothing(sentence)
