"""Questions that Japanese sentences lead to; see ``starters``."""

from __future__ import annotations

import re
from typing import Final

from lpm_kernel.L0.language import japanese
from lpm_kernel.L1.answering.questions import Found, QuestionKind

_NEEDS_ELSE: Final = re.compile(
    r"(?:こ|そ|あ|ど)(?:れ|の|こ|っち|んな|う|いつ)|彼|彼女|一緒|同じ|何|誰|みんな|自分|もう一|別の"
)
_EVENT: Final = (
    r"(?:買|売|飼|会|習|払|もら|使い切|直|治|植え|始め|やめ|辞め|決め|替え|変え|建て|開け|閉め|届け"
    r"|借り|貸|返|引き受け|申し込|頼|運|移|渡|登|泊ま|送|出|張り替え|塗|訪ね|見つけ|作)"
    r"(?:った|した|した|いた|んだ|た)|(?:契約|注文|予約|修理|入院|退院|卒業|結婚|離婚|入学|入社|退社"
    r"|退職|転職|引退|購入|申請|受診|手術|出産|参加|出席|合格|開店|閉店|訪問|交換|提出|解約)した"
    r"|引っ越した|ことにした"
)
_OF_ANOTHER: Final = re.compile(r"(?<!私)(?<!僕)(?<!俺)(?<!わたし)[はがも][^。]{0,160}、")
"""Somebody else, or something, is what the sentence is about."""
_DID: Final = re.compile(
    rf"(?:^|[、。])(?P<what>[^、。「」『』（）()はもし\s]{{2,22}}(?:を|に|へ|と)(?:{_EVENT}))"
    r"(?=。|$)"
)
_OTHER_DID: Final = re.compile(
    r"(?:^|[。、])(?P<who>[^\s、。「」『』（）()はがもを]{1,10}?)(?:が|は)(?P<what>[^、。「」『』はがもを]{2,18})を"
    r"(?P<did>(?:[^、。「」『』はがもを]{1,6}て)?(?:くれた|くださった|もらった|作った|買った|送った|送ってきた"
    r"|持ってきた|持って来た|買ってきた|買って来た|見つけた|書いた|贈った|焼いた|編んだ|植えた|直した|失くした|なくした"
    r"|約束した|教えた|持たせた|始めた|やめた|辞めた|売った|壊した|描いた|届けた|置いていった))(?=。|$)"
)
_TITLED: Final = re.compile(r".+(?:さん|先生|ちゃん|くん|君|おじさん|おばさん)$")
_WHY: Final = re.compile(
    r"(?:ので|[たいるだ]から|[たいるの]ため(?:に)?)、(?P<what>[^、。「」『』（）()はも\s]{1,20}[をに]"
    r"[^、。「」はも\s]{1,8}(?:った|した|いた|んだ|えた|けた|めた))(?=。|$)"
)
_THINKS: Final = re.compile(
    r"(?:^|[、。はも])(?P<what>[\u4e00-\u9fff\u30a1-\u30faー]{2,10})(?:が|は)(?:大|一番|あまり)?"
    r"(?:好き|嫌い|苦手)(?:だ|です|で|。|$)"
)


def made(text: str, *, own: bool) -> Found:
    """Yield what a Japanese sentence leads to; see ``starters``."""
    other = _OTHER_DID.search(text)
    if other and _is_somebody(other["who"]) and not _NEEDS_ELSE.search(other["what"]):
        yield QuestionKind.DEED, f"{other['who']}は何を{other['did']}のですか。", other["what"]
    if not own:
        return
    why = _WHY.search(text)
    if why and not _NEEDS_ELSE.search(why["what"]):
        yield QuestionKind.WHY, f"{why['what']}のはなぜですか。", why["what"]
    did = None if why else _DID.search(text)
    free = did and not _OF_ANOTHER.search(text[: did.start("what")])
    if did and free and not _NEEDS_ELSE.search(did["what"]):
        yield QuestionKind.WHEN, f"{did['what']}のはいつですか。", did["what"]
    thinks = _THINKS.search(text)
    if thinks and thinks["what"] in japanese.things(text):
        yield QuestionKind.VIEW, f"私は{thinks['what']}をどう思っていますか。", thinks["what"]


def _is_somebody(who: str) -> bool:
    if _TITLED.match(who):
        return True
    nouns = japanese.nouns(who)
    return len(nouns) == 1 and nouns[0].surface == who and nouns[0].sort == "人名"
