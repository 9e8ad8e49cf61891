"""Questions that Chinese sentences lead to; see ``starters``."""

from __future__ import annotations

import re
from typing import Final

from lpm_kernel.L0.language import irrealis
from lpm_kernel.L1.answering.questions import Found, QuestionKind

_EVENT: Final = (
    "买|卖|搬到|搬进|开始|决定|辞掉|认识|参加|报名|加入|考上|租|领养|買|賣|搬進|開始|決定|辭掉"
    "|認識|參加|報名|租|領養"
)
_NEEDS_ELSE: Final = re.compile(r"[他她它这那這给給说說]|你|什么|什麼|一下|时候|時候")
_IRREALIS: Final = (
    irrealis.CONDITION,
    irrealis.DREAM,
    irrealis.GUESS,
    irrealis.WISH,
    irrealis.MISTAKE,
)
_UNREAL: Final = re.compile(irrealis.chinese(*_IRREALIS))
_DID: Final = re.compile(
    rf"(?:^|[，。])(?P<who>我们?|我們)?(?:终于|終於|又|就|也)?(?P<did>{_EVENT})(?P<done>了|下)?"
    r"(?P<what>[\u4e00-\u9fff]{2,12})(?=[，。！；]|$)"
)
_WHY: Final = re.compile(
    r"因[为為][^。！？，]{3,40}，(?:所以)?(?P<what>我[们們]?[\u4e00-\u9fff]{3,16})(?=[。！；]|$)"
)
_THINKS: Final = re.compile(
    r"我(?:很|最|真|不|一直|还是|還是|也){0,2}(?:喜欢|讨厌|喜歡|討厭)(?P<what>[\u4e00-\u9fff]{2,8})"
    r"(?=[，。！；]|$)"
)


def made(text: str, *, own: bool) -> Found:
    """Yield what a Chinese sentence leads to; see ``starters``."""
    if not own:
        return
    why = None if _UNREAL.search(text) else _WHY.search(text)
    if why and not _NEEDS_ELSE.search(why["what"]):
        yield QuestionKind.WHY, f"为什么{why['what']}？", why["what"]
    did = None if why or _UNREAL.search(text) else _DID.search(text)
    # in a clause of a sentence who did it may be whoever the one before is about
    by_person = did and (did["who"] or text[did.start()] != "，")
    if did and by_person and not _NEEDS_ELSE.search(text[: did.end("what")]):
        who, verb = did["who"] or "我", did["did"]
        yield QuestionKind.WHEN, f"{who}是什么时候{verb}{did['what']}的？", did["what"]
    thinks = _THINKS.search(text)
    if thinks and not _NEEDS_ELSE.search(thinks["what"]):
        yield QuestionKind.VIEW, f"我怎么看{thinks['what']}？", thinks["what"]
