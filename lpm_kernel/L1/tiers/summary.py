"""The summary of a thread: the most telling of its sentences, as they were said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lpm_kernel.domain.chat.conversations import PartKind, Turn, TurnState
from lpm_kernel.domain.chat.threads import SentenceKind, ThreadSentence
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.text.sentences import sentences
from lpm_kernel.L1.answering.small_talk import small_talk
from lpm_kernel.L1.tiers.assertions import asks, asserts, is_own

MOST: Final = 6
"""Sentences of a summary."""
LONGEST: Final = 600
"""Characters of a sentence that a summary takes: what is longer was no sentence, but pasted."""
PERSON: Final = "user"
"""Who speaks to the node (``Thread.spoken``)."""

_RANK: Final = {
    SentenceKind.DECIDED: 0,
    SentenceKind.PROMISED: 0,
    SentenceKind.TOLD: 1,
    SentenceKind.ASKED: 2,
    SentenceKind.ANSWERED: 3,
}

_AT_FIRST: Final = (
    r"(?:^[\s*•–—-]*|[,;—–]\s*|\b(?:and|but|so|then|ok|okay|yes|sure|well|today|tomorrow|tonight"
    r"|yesterday|finally|in the end|at last|last night|this morning)[,]? )"
)
_CHOSEN: Final = (
    r"(?:the|this|that|these|those|option|plan|number)(?! (?:flow|kids?|children|boys?|girls?"
    r"|family|others?|dogs?|choir|team|crowd|neighbou?rs?)\b) "
)
_DECIDED: Final = re.compile(
    rf"{_AT_FIRST}(?:I|we)(?:['’]ve| have)?(?: (?:just|finally|now|both|also|already))*"
    r" (?:decided(?= (?:that|to|on|upon|against|not|never|for|in favou?r|I|we|it)\b|\W*$|:)"
    r"|made up (?:my|our) minds?|settled on|chose to|opted (?:for|to))\b"
    rf"|{_AT_FIRST}we(?:['’]ve| have)? agreed (?:to|on|that)\b"
    rf"|{_AT_FIRST}(?:let['’]s|let us|(?:I|we)(?:['’]ll| will)|(?:I['’]m|I am|we['’]re|we are))"
    rf" (?:go(?:ing)?|stick(?:ing)?) with {_CHOSEN}(?![^,.;]{{0,60}} to\b)"
    rf"|{_AT_FIRST}(?:let['’]s|let us|(?:I|we)(?:['’]ll| will)|(?:I['’]m|I am|we['’]re|we are))"
    r" go(?:ing)? for the (?:\w+ ){0,2}(?:ones?|option|offer|plan|version|colou?r|model|design)\b"
    rf"|{_AT_FIRST}(?:(?:my|our|the) (?:final )?decision is (?:to|that|final|made)\b"
    r"|decision made\b|it['’]s (?:decided|settled)\b|that['’]s (?:decided|settled)\b|decided:)",
    re.IGNORECASE,
)
_SOMETHING: Final = (
    r"(?= (?:\w+ ){0,2}(?:you|him|her|them|it|the|your|his|their|this|these|those|back"
    r"|(?-i:[A-Z])\w+)\b)"
)
"""Somebody or something that both know."""
_DOES: Final = (
    r"(?:(?:bring|send|phone|ring|text|e-?mail|mail|repay|return(?! to)|fix|repair|mend|fetch|pay"
    r"(?! (?:for (?:it|that|this)\b|dearly))|give(?! (?:up|in\b|birth|way))|help(?! myself)|pick"
    r"|collect|book|order|buy|cook(?! the books)|finish|write|deliver|post|water|feed|clean"
    r"|drop(?! the ball)|check(?! (?:out|in)\b)|ask(?! for trouble)|show|lend|prepare|take care of"
    r"|look (?:after|into)|see to|sort|get back to|call(?! (?:it|in sick)\b)"
    r"(?! \w+ (?:an?|names)\b)"
    rf"|tell(?! you (?:what|something|this))){_SOMETHING}"
    r"|drive (?:(?!each|one)\w+ ){1,2}(?:to|home|back|there|over)\b|let (?:\w+ ){1,2}know\b"
    r"|come (?:over|by|along|home|and|to your)\b)"
)
"""What one does for somebody when one has said so."""
_PROMISED: Final = re.compile(
    rf"{_AT_FIRST}(?:I|we)(?:['’]ll| will| shall)"
    rf"(?: (?:definitely|certainly|also|then|always|gladly))? {_DOES}"
    rf"|{_AT_FIRST}(?:I|we)(?:['’]ll| will) never (?:smoke|drink|lie|cheat|gamble|do (?:that|it))\b"
    r"[^,.;]{0,30} again\b"
    rf"|{_AT_FIRST}(?:I|we) (?:won['’]t|will not) (?:tell|let (?:you|him|her|them) down)\b"
    rf"|{_AT_FIRST}(?:I|we) (?:promise|swear|vow|commit to|give (?:you )?(?:my|our) word)\b"
    rf"|{_AT_FIRST}(?:I|we)(?:['’]ve| have)? promised (?:\w+ ){{0,2}}(?:to|that|I|we)\b"
    r"|\byou have my word\b",
    re.IGNORECASE,
)
_REPORTED: Final = re.compile(
    r"\b(?:says?|said|wr(?:ote|ites)|told|tells|whisper(?:ed|s)|shout(?:ed|s)|repl(?:ied|ies)"
    r"|answer(?:ed|s)|add(?:ed|s)|claim(?:ed|s)|thinks?|thought|swore|texted|asked|dream\w*"
    r"|wish|imagine|pretend\w*|if|unless|maybe|perhaps)\b",
    re.IGNORECASE,
)
"""Before what is said: somebody else says it, or only supposes it."""
_TAKEN_BACK: Final = re.compile(
    r"\b(?:have|has|had|did|do|can|could|would|will)(?:n['’]t| not)\b"
    r"[^,.;]{0,40}\b(?:decide|promise)"
    r"|\b(?:almost|nearly|not yet|undecided|nothing yet|still (?:open|thinking|unsure|not sure))\b"
    r"|\bchanged (?:my|our) minds?\b|\b(?:broke|forgot|failed|was joking|just kidding)\b"
    r"|\b(?:one|some|any) ?day\b|\bat this rate\b|\bsooner or later\b|\beventually\b"
    r"|\b(?:maybe|perhaps|probably|if I)\b"
    r"|\b(?:they|he|she|people|\w+) (?:says?|said|claims?|told (?:me|us))\W*$|\bI was told\b",
    re.IGNORECASE,
)
"""It is open, was not kept, or somebody else says it."""
_REASON_JA: Final = re.compile("(?:から|ので|ため|けど)、")
_OTHER_JA: Final = re.compile(
    r"(?<![私僕俺しく])が(?!、)"
    r"|(?:彼女?|彼ら|[母父兄姉弟妹夫妻親孫嫁]|祖[母父]|息子|娘|さん|くん|君|ちゃん|先生|会社|[者員師長社店市国人]"
    r"|学校|政府|友達|子供|家族|上司|先輩|後輩|同僚|大家|主人|旦那|みんな|皆|[ァ-ヺー]{2})(?:たち|達|ら)?[はも]"
)
"""Somebody else does it, or nobody."""
_TOPIC_JA: Final = re.compile(r"(?<![私僕俺日週月年夜晩朝回度後])(?<!わたし)(?<!たち)は")
_AFTER_JA: Final = r"(?:ね|よ|よね|から|からね|ので|んだ|んです|のです)?[。！!～〜]*$"
_DECIDED_JA: Final = re.compile(
    rf"ことに(?:した|しました|する|します|決めた|決めました|決まり){_AFTER_JA}"
)
_SETTLED_JA: Final = re.compile(
    rf"(?:[にをとで]|って)(?:決めた|決めました|決定した|決定しました|決定です|決定){_AFTER_JA}"
    r"|(?:ほう|方|案|これ|それ|プラン|方針|方向)で(?:行こう|いこう|行きます|いきます)(?:と思います)?[。！!]*$"
)
_NOT_DECIDED_JA: Final = re.compile(
    r"(?:まだ|なかなか)[^。]{0,40}決|決め(?:てい?ない|られ|かね|なかった)"
)
_END_JA: Final = r"(?:ね|よ|よね|から|からね)?[。！!～〜]*$"
_GIVES_JA: Final = (
    r"(?:送|返|渡|連絡|電話|持って(?:行|い)|迎えに行|買って|直|調べ|確認|準備|用意|払|手伝|届け)"
)
_PROMISED_JA: Final = re.compile(
    rf"約束(?:する|します|した|しました){_END_JA}"
    r"|[てで](?:おきます[ねよ]?|あげます[ねよ]?|(?:おく|あげる)[ねよ])[。！!～〜]*$"
    rf"|(?:必ず|絶対に?|今日|明日|今夜|今晩|来週|来月|週末|曜日?に|後で|あとで|までに)[^。]{{0,40}}{_GIVES_JA}[^。]{{0,2}}ます{_END_JA}"
    rf"|(?:必ず|絶対に?)[^。]{{0,40}}(?:{_GIVES_JA}|守|行|帰|やめ)[^。]{{0,2}}[るくすうつ]{_END_JA}"
    rf"|{_GIVES_JA}[^。はが]{{0,3}}(?:[るくすう]|ます)[ねよ][。！!～〜]*$"
)
_NOT_PROMISED_JA: Final = re.compile(
    r"思|でしょう|だろう|はず|らしい|かも|ほしい|欲しい|くれ|毎[日朝晩週月年]|いつも"
)
_REPORTED_ZH: Final = re.compile(
    "[说說写寫]|告诉|告訴|觉得|覺得|以为|以為|梦|夢|如果|要是|假如|也许|也許|可能"
)
_TAKEN_BACK_ZH: Final = re.compile(
    r"(?:没|沒|没有|沒有|无法|無法|难以|難以|不能|尚未|还在|還在)[^，。]{0,3}(?:[决決]定|考虑|考慮|想)"
    r"|改变主意|改變主意|反悔"
    r"|[，,][^，,。]{1,6}[说說](?:的|过|過)?[。！!]*$|(?:忘|食言)了?[。！!]*$"
)
_FIRST_ZH: Final = (
    r"(?:^|[，,；;。])(?:好的?[，,]?|那|所以|于是|於是)?"
    r"(?:明天|今天|今晚|下周|下週|以后|以後|昨天)?"
)
_DECIDED_ZH: Final = re.compile(
    rf"(?:{_FIRST_ZH}(?:最后|最後|终于|終於)?(?:我|我们|我們|咱们|咱們)|^(?:我们|我們)?)"
    r"(?:已经|已經|最后|最後|终于|終於|还是|還是|刚刚|剛剛|都)*"
    r"(?:决定|決定|选定|選定|定下来|定下來)(?!不了|权|權|性|因素|論|论|很|得|是|着|著|书|書)"
    r"|(?:^|[，,])(?:好的?[，,]?|那)?就(?:这么|這麼|这样|這樣)(?:说|說)?(?:定|办|辦|决定|決定)"
    r"|(?:^|[，,])那?就(?:选|選|用|买|買)[^，。]{1,12}吧[。！!]*$"
    r"|^(?:我们|我們|那)?(?:说好|說好|说定|說定)了"
)
_DOES_ZH: Final = (
    r"(?:把[^，。]{1,12}(?:带|帶|还|還|送|给|給|寄|修|发|發|交|拿|洗)|[给給](?!人)|[还還][你他她钱錢]|[帮幫](?!倒)|送[你他她您给給去到回过過]|寄"
    r"|[带帶][你他她来來去上给給]|打电话|打電話|联系|聯繫|通知|准备|準備|修好|付|去?接(?![受近触觸管])|去[买買拿取看]"
    r"|等你|陪[你他她您]|转告|轉告|告诉|告訴|回复|回覆|照顾|照顧|处理|處理|完成|按时|按時|准时|準時|尽快|盡快)"
)
_PROMISED_ZH: Final = re.compile(
    rf"{_FIRST_ZH}我(?:们|們)?"
    r"(?:(?:向你|跟你)?(?:保证|保證|答应|答應|承诺|承諾|发誓|發誓)(?!不了|不起|过|過|书|書|金)"
    rf"|(?:明天|今天|今晚|下周|下週|以后|以後)?(?:一定|肯定)?[会會](?:一定)?{_DOES_ZH}(?![错錯丢丟坏壞不]))"
)
_HAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")


def decides(sentence: str) -> bool:
    """Tell whether somebody plainly says in a sentence what they have decided.

    >>> [decides(text) for text in ("I decided to sell the van.", "Let's go with the blue one.",
    ...     "I haven't decided yet.", "She decided to leave.", "I'm going with Conor to Galway.")]
    [True, True, False, False, False]
    >>> [decides(text) for text in ("車を売ることにした。", "母は引っ越すことにした。",
    ...     "我决定卖掉车。", "我还没决定。")]
    [True, False, True, False]
    """
    if _is_question(sentence):
        return False
    if not _HAN.search(sentence):
        return _says(sentence, _DECIDED, _REPORTED, _TAKEN_BACK)
    if _KANA.search(sentence):
        own = _after_reasons(sentence)
        if _OTHER_JA.search(own) or _NOT_DECIDED_JA.search(sentence):
            return False
        decided = _DECIDED_JA.search(own) and not _TOPIC_JA.search(own)
        return bool(decided or _SETTLED_JA.search(own))
    return _says(sentence, _DECIDED_ZH, _REPORTED_ZH, _TAKEN_BACK_ZH)


def promises(sentence: str) -> bool:
    """Tell whether somebody plainly promises something in a sentence.

    >>> [promises(text) for text in ("I'll bring the keys on Friday.", "I promise to call her.",
    ...     "I'll be honest, it was dull.", "I'll probably stay.", "He said: I promise to pay.")]
    [True, True, False, False, False]
    >>> [promises(text) for text in ("金曜に返すと約束する。", "約束がある。",
    ...     "我会把钥匙带来。", "我会说中文。")]
    [True, False, True, False]
    """
    if _is_question(sentence):
        return False
    if not _HAN.search(sentence):
        return _says(sentence, _PROMISED, _REPORTED, _TAKEN_BACK)
    if _KANA.search(sentence):
        own = _after_reasons(sentence)
        return bool(_PROMISED_JA.search(own)) and not (
            _NOT_PROMISED_JA.search(own) or _OTHER_JA.search(own)
        )
    return _says(sentence, _PROMISED_ZH, _REPORTED_ZH, _TAKEN_BACK_ZH)


def summarise(turns: Sequence[Turn]) -> tuple[ThreadSentence, ...]:
    """Choose at most :data:`MOST` sentences of a thread, in the order in which they were said: what
    the person decided and promised, then what they told, the richest in content words first, then
    what they asked, and how that was answered.
    """
    found: dict[str, tuple[int, ThreadSentence]] = {}
    for turn in turns:
        for sentence in _of_person(turn) if turn.role == "user" else _of_answer(turn):
            found.setdefault(sentence.text, (len(found), sentence))

    def rank(each: tuple[int, ThreadSentence]) -> tuple[int, int, int]:
        place, sentence = each
        told = sentence.kind is SentenceKind.TOLD
        return _RANK[sentence.kind], -len(set(terms(sentence.text))) if told else 0, place

    chosen = sorted(sorted(found.values(), key=rank)[:MOST], key=lambda each: each[0])
    return tuple(sentence for _, sentence in chosen)


def _of_person(turn: Turn) -> Iterator[ThreadSentence]:
    own = turn.by_owner is not False and is_own(turn.text)
    for sentence in sentences(turn.text):
        text = sentence.strip()
        if not text or len(text) > LONGEST or small_talk(text) is not None:
            continue
        kind = _kind(text)
        if kind is SentenceKind.ASKED or (own and kind is not None):
            yield ThreadSentence(turn.id, turn.number, kind, text, PERSON)


def _kind(sentence: str) -> SentenceKind | None:
    if decides(sentence):
        return SentenceKind.DECIDED
    if promises(sentence):
        return SentenceKind.PROMISED
    if asserts(sentence):
        return SentenceKind.TOLD
    return SentenceKind.ASKED if asks(sentence) else None


def _of_answer(turn: Turn) -> Iterator[ThreadSentence]:
    """Yield the first sentence of an answer that says something, and not what the node says of
    itself.
    """
    if turn.state is not TurnState.DONE or turn.abstained:
        return
    cited = {citation.n: citation.document for citation in turn.citations}
    for part in turn.parts:
        if part.kind in {PartKind.NOTE, PartKind.DOUBT, PartKind.RETOLD}:
            continue
        text = next((each.strip() for each in sentences(part.text) if each.strip()), "")
        if text and len(text) <= LONGEST:
            documents = tuple(dict.fromkeys(cited[n] for n in part.citations if n in cited))
            yield ThreadSentence(
                turn.id,
                turn.number,
                SentenceKind.ANSWERED,
                text,
                turn.speaker,
                part.kind,
                documents,
            )
        return


def _says(
    sentence: str, said: re.Pattern[str], reported: re.Pattern[str], taken_back: re.Pattern[str]
) -> bool:
    found = said.search(sentence)
    return (
        found is not None
        and not reported.search(sentence[: found.start()])
        and not taken_back.search(sentence)
    )


def _after_reasons(sentence: str) -> str:
    """Return what follows the reasons in a Japanese sentence, which have subjects of their own."""
    return _REASON_JA.split(sentence)[-1]


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "吗", "嗎", "か。"))
