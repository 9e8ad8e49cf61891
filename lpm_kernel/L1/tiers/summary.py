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
    r"(?:^\W*|[,;:—–]\s*|\b(?:and|but|so|then|ok|okay|yes|sure|well|today|tomorrow|tonight)[,]? )"
)
_DECIDED: Final = re.compile(
    rf"{_AT_FIRST}(?:I|we)(?:['’]ve| have)?(?: (?:just|finally|now|both|also|already))*"
    r" (?:decided|made up (?:my|our) minds?|settled on|chose to|opted (?:for|to))\b"
    rf"|{_AT_FIRST}(?:let['’]s|let us|(?:I|we)(?:['’]ll| will)|(?:I['’]m|I am|we['’]re|we are))"
    r" (?:go(?:ing)? (?:with|for)|stick(?:ing)? with)\b"
    rf"|{_AT_FIRST}(?:(?:my|our|the) (?:final )?decision is\b|it['’]s (?:decided|settled)\b"
    r"|that['’]s (?:decided|settled)\b|decided:)",
    re.IGNORECASE,
)
_PROMISED: Final = re.compile(
    rf"{_AT_FIRST}(?:I|we)(?:['’]ll| will| shall)(?: (?:definitely|certainly|also|then|always))? "
    r"(?!be (?:honest|frank|blunt|straight|brief|clear|fine|ok|okay|happy|sad|glad|sorry|lucky"
    r"|late|old|turning|a |an |\d)|probably|maybe|perhaps|possibly|never (?:forget|know|understand)"
    r"|not (?:lie|pretend)|have (?:to|you know)|need|miss|regret|love|like|hate|admit|say\b|bet"
    r"|assume|guess|grant|see\b(?! to)|think|feel|want|wonder|die|turn \d|go (?:with|for)\b"
    r"|stick with\b|spare|confess|start by|tell you (?:what|something|this))"
    rf"|{_AT_FIRST}(?:I|we) (?:promise|swear|vow|commit to|give (?:you )?(?:my|our) word)\b"
    rf"|{_AT_FIRST}(?:I|we)(?:['’]ve| have)? promised\b|\b(?:you have )my word\b",
    re.IGNORECASE,
)
_UNDECIDED: Final = re.compile(
    r"\b(?:have|has|had|did|do|can|could|would|will)(?:n['’]t| not)\b"
    r"[^,.;]{0,40}\b(?:decide|promise)"
    r"|\b(?:almost|nearly|not yet|undecided)\b",
    re.IGNORECASE,
)
_SOMEBODY_JA: Final = re.compile(
    r"^[^、。]{0,12}(?:彼女?|母|父|兄|姉|弟|妹|夫|妻|息子|娘|さん|くん|君|ちゃん|先生|会社|友達|友人"
    r"|社長|部長)(?:たち)?(?:は|が|も)"
)
_DECIDED_JA: Final = re.compile(
    r"ことに(?:した|しました|する|します|決めた|決めました|決まり)(?!がって|たが)"
    r"|(?:[にをとで]|って)(?:決めた|決めました|決定した|決定しました|決定です)"
    r"|に決定[。！!]?$|で(?:行こう|いこう|行きます|いきます)(?:と思います)?[。！!]?$"
)
_NOT_DECIDED_JA: Final = re.compile(
    r"ことにし(?:てい|てる)|ことにする(?:か|べき|と)|決め(?:てい?ない|られ|かね|なかった)"
    r"|(?:まだ|なかなか)[^。]{0,40}決"
)
_END_JA: Final = r"(?:ね|よ|よね|から|からね)?[。！!～〜]*$"
_PROMISED_JA: Final = re.compile(
    rf"約束(?:する|します|した|しました){_END_JA}"
    rf"|[てで](?:おく|おきます|あげる|あげます){_END_JA}"
    rf"|(?:必ず|絶対に?)[^。]{{0,40}}(?:[るくすむぶうつぐ]|ます){_END_JA}"
    r"|(?:送|返|渡|連絡|電話|持って(?:行|い)|迎えに行|買って|直|調べ|確認|準備|用意|払|手伝)[^。はが]{0,3}"
    r"(?:[るくすう]|ます)[ねよ][。！!～〜]*$"
)
_NOT_PROMISED_JA: Final = re.compile(r"思|でしょう|だろう|はず|らしい|かも|ほしい|欲しい|くれ")
_DECIDED_ZH: Final = re.compile(
    r"(?:^|[，,；;。：:]|那|所以|最后|最後|终于|終於)(?:我|我们|我們|咱们|咱們)?"
    r"(?:已经|已經|最后|最後|终于|終於|还是|還是|刚刚|剛剛)*(?:决定|決定|选定|選定|定下来|定下來)(?!不了|权|性|因素|論|论)"
    r"|就(?:这么|這麼|这样|這樣)(?:定|办|辦|决定|決定)|就(?:选|選|用|买|買)[^，。]{1,12}(?:吧|了)[。！!]*$"
)
_NOT_DECIDED_ZH: Final = re.compile(
    r"(?:没|沒|没有|沒有|无法|無法|难以|難以|不能|尚未)[^，。]{0,3}[决決]定"
)
_PROMISED_ZH: Final = re.compile(
    r"我(?:们|們)?(?:保证|保證|答应|答應|承诺|承諾|发誓|發誓)"
    r"|(?:^|[，,；;。：:])(?:好的?[，,]?)?(?:明天|今天|今晚|下周|下週|以后|以後)?我(?:们|們)?"
    r"(?:明天|今天|今晚|下周|下週|以后|以後|一定)?[会會]"
    r"(?!不会|不會|很|觉得|覺得|想|怀疑|懷疑|经常|經常|常|生气|生氣|难过|難過|高兴|高興|累|死|后悔|後悔|说[^，。]{0,2}[语文话]"
    r"|說[^，。]{0,2}[語文話]|讲|講|弹|彈|游泳|开车|開車|唱|跳舞|骑|騎|做饭|做飯|吗|嗎)"
)
_HAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")


def decides(sentence: str) -> bool:
    """Tell whether somebody says in a sentence what they have decided.

    >>> [decides(text) for text in ("I decided to sell the van.", "Let's go with the blue one.",
    ...     "I haven't decided yet.", "She decided to leave.")]
    [True, True, False, False]
    >>> [decides(text) for text in ("車を売ることにした。", "母は引っ越すことにした。",
    ...     "我决定卖掉车。", "我还没决定。")]
    [True, False, True, False]
    """
    if _is_question(sentence):
        return False
    if not _HAN.search(sentence):
        return bool(_DECIDED.search(sentence)) and not _UNDECIDED.search(sentence)
    if _KANA.search(sentence):
        return bool(_DECIDED_JA.search(sentence)) and not (
            _NOT_DECIDED_JA.search(sentence) or _SOMEBODY_JA.search(sentence)
        )
    return bool(_DECIDED_ZH.search(sentence)) and not _NOT_DECIDED_ZH.search(sentence)


def promises(sentence: str) -> bool:
    """Tell whether somebody promises something in a sentence.

    >>> [promises(text) for text in ("I'll bring the keys on Friday.", "I promise to call her.",
    ...     "I'll be honest, it was dull.", "I'll probably stay.")]
    [True, True, False, False]
    >>> [promises(text) for text in ("金曜に返すと約束する。", "約束がある。",
    ...     "我会把钥匙带来。", "我会说中文。")]
    [True, False, True, False]
    """
    if _is_question(sentence):
        return False
    if not _HAN.search(sentence):
        return bool(_PROMISED.search(sentence)) and not _UNDECIDED.search(sentence)
    if _KANA.search(sentence):
        return bool(_PROMISED_JA.search(sentence)) and not (
            _NOT_PROMISED_JA.search(sentence) or _SOMEBODY_JA.search(sentence)
        )
    return bool(_PROMISED_ZH.search(sentence))


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


def _is_question(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "吗", "嗎", "か。"))
