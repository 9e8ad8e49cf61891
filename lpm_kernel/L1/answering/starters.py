"""Questions that sentences lead to: when the person did something, why, what they think of
something, and what somebody else made, gave or found.

Only sentences of a plain shape give one, and only what can stand in a question by itself: "Sold the
boat to Halvard." asks "When did I sell the boat to Halvard?"; "Sold it." asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lpm_kernel.L0.language import irrealis, japanese
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.answering.questions import QuestionKind, SpanQuestion, is_somebody, present_of

MOST_WORDS: Final = 7
"""Words behind the verb."""
LONGEST: Final = 200
"""Signs of a sentence."""

_EVENT: Final = (
    "bought|sold|moved|started|stopped|decided|joined|married|finished|visited|planted|built"
    "|signed|quit|adopted|opened|closed|ordered|hired|rented|promised|retired|graduated|travelled"
    "|traveled|sailed|cycled|flew|drove|learned|learnt|won|lost|found|fixed|mended|repaired"
    "|replaced|painted|booked|cancelled|agreed|met|gave up|put in|took over|handed in|moved into"
    "|passed|failed|applied|enrolled|borrowed|sewed|baked|dug|harvested|climbed"
)
"""What people ask the day of afterwards."""
_DID: Final = re.compile(
    rf"(?:(?:^(?:\w+:? )?|[.;,:] |\b(?:and|but|so|then|today|yesterday) )"
    rf"(?P<who>I|[Ww]e)(?: finally| also| just|['’]ve| have)? (?P<did>{_EVENT})\b"
    rf"|^(?P<bare>{_EVENT.title()})\b)"
    r" (?P<what>[^.;:!?,()“”\"–—]{3,70}?)(?P<why> because [^.;:!?]{4,120})?(?=[.;!–—]|, | – |$)"
)
_MADE: Final = (
    "built|found|brought|sent|bought|sold|made|wrote|lent|cooked|painted|planted|promised|offered"
    "|ordered|chose|designed|invented|lost|broke|won|showed|taught|sang|played|dug|drew|baked"
    "|sewed|knitted|carved|fixed|mended|repaired|gave|stole|borrowed|grew"
    "|photographed|signed|cancelled|received|discovered|collected|translated|published|recorded"
)
_IRREALIS: Final = (
    irrealis.CONDITION,
    irrealis.QUESTION,
    irrealis.IMAGINATION,
    irrealis.DREAM,
    irrealis.GUESS,
    irrealis.POSSIBILITY,
    irrealis.WOULD,
    irrealis.WISH,
    irrealis.HOPE,
    irrealis.MISTAKE,
)
_UNREAL: Final = re.compile(
    rf"^(?:had|should|were)\b|\b(?:when|whenever|until|once)\b|{irrealis.english(*_IRREALIS)}",
    re.IGNORECASE,
)
"""Before what did not happen, or not on a day of its own: nobody asks for its day."""
_OTHER_DID: Final = re.compile(
    r"(?:^|[.;:,] |\band )(?P<who>(?:(?:Mrs?|Ms|Dr|Aunt|Uncle|Old)\.? )?[A-ZÀ-Þ][a-zß-ÿ]{2,}"
    r"(?: [A-ZÀ-Þ][a-zß-ÿ]{2,})?)(?: has| had| also| then| just)?"
    rf" (?P<did>{_MADE})(?: (?P<whom>me|us))? (?P<what>(?:the|a|an|my|our|his|her|their|two|three"
    r"|four|five|six|seven|eight|nine|ten|\d+|some|more|[a-z]{4,})\b[^.;:!?]{2,})"
)
"""What somebody did, with what they did it to."""
_UNCHANGED: Final = frozenset({"quit", "put"})
_LEANS: Final = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there|here"
    r"|you|your|one|ones|other|another|such|same|so|then|now|today|yesterday|tomorrow|tonight"
    r"|ago|last|next|which|who|what|when|where|if|as|some|something|someone|and I|and we|i)\b",
    re.IGNORECASE,
)
"""Words that say nothing without what stood before them."""
_DANGLES: Final = re.compile(
    r"\b(?:a|an|the|my|our|of|in|on|at|to|for|with|by|from|and|or|but|not|up|out|after|before"
    r"|\d+|was|is|are|were)$",
    re.IGNORECASE,
)
_OBJECT: Final = re.compile(
    r"(?:(?:to|with|in|into|from|for|up|out|off|at|on) )?(?:the|my|our|a|an|two|three|four|five"
    r"|[A-Z][\w’'-]+|to [a-z]+)\b|smoking\b|drinking\b"
)
_THINKS: Final = re.compile(
    r"\bI (?:really |still |do |don['’]t |never |always ){0,2}(?:like|liked|love|hate|dislike"
    r"|prefer|enjoy|miss|trust|distrust|can['’]t stand|can['’]t bear)"
    r" (?P<what>(?:the |my |our )?(?:[a-z]{3,}(?:-[a-z]+)? )?[a-z]{3,}|[A-Z][a-z]{2,})"
    r"(?=[.;!,]| but\b| because\b| in\b| more\b| to\b| than\b|$)"
)

_NEEDS_ELSE_JA: Final = re.compile(
    r"(?:こ|そ|あ|ど)(?:れ|の|こ|っち|んな|う|いつ)|彼|彼女|一緒|同じ|何|誰|みんな|自分|もう一|別の"
)
_EVENT_JA: Final = (
    r"(?:買|売|飼|会|習|払|もら|使い切|直|治|植え|始め|やめ|辞め|決め|替え|変え|建て|開け|閉め|届け"
    r"|借り|貸|返|引き受け|申し込|頼|運|移|渡|登|泊ま|送|出|張り替え|塗|訪ね|見つけ|作)"
    r"(?:った|した|した|いた|んだ|た)|(?:契約|注文|予約|修理|入院|退院|卒業|結婚|離婚|入学|入社|退社"
    r"|退職|転職|引退|購入|申請|受診|手術|出産|参加|出席|合格|開店|閉店|訪問|交換|提出|解約)した"
    r"|引っ越した|ことにした"
)
_OF_ANOTHER_JA: Final = re.compile(r"(?<!私)(?<!僕)(?<!俺)(?<!わたし)[はがも][^。]*、")
"""Somebody else, or something, is what the sentence is about."""
_DID_JA: Final = re.compile(
    rf"(?:^|[、。])(?P<what>[^、。「」『』（）()はもし\s]{{2,22}}(?:を|に|へ|と)(?:{_EVENT_JA}))"
    r"(?=。|$)"
)
_OTHER_DID_JA: Final = re.compile(
    r"(?:^|[。、])(?P<who>[^\s、。「」『』（）()はがもを]{1,10}?)(?:が|は)(?P<what>[^、。「」『』はがもを]{2,18})を"
    r"(?P<did>(?:[^、。「」『』はがもを]{1,6}て)?(?:くれた|くださった|もらった|作った|買った|送った|送ってきた"
    r"|持ってきた|持って来た|買ってきた|買って来た|見つけた|書いた|贈った|焼いた|編んだ|植えた|直した|失くした|なくした"
    r"|約束した|教えた|持たせた|始めた|やめた|辞めた|売った|壊した|描いた|届けた|置いていった))(?=。|$)"
)
_TITLED_JA: Final = re.compile(r".+(?:さん|先生|ちゃん|くん|君|おじさん|おばさん)$")
_WHY_JA: Final = re.compile(
    r"(?:ので|[たいるだ]から|[たいるの]ため(?:に)?)、(?P<what>[^、。「」『』（）()はも\s]{1,20}[をに]"
    r"[^、。「」はも\s]{1,8}(?:った|した|いた|んだ|えた|けた|めた))(?=。|$)"
)
_THINKS_JA: Final = re.compile(
    r"(?:^|[、。はも])(?P<what>[\u4e00-\u9fff\u30a1-\u30faー]{2,10})(?:が|は)(?:大|一番|あまり)?"
    r"(?:好き|嫌い|苦手)(?:だ|です|で|。|$)"
)

_EVENT_ZH: Final = (
    "买|卖|搬到|搬进|开始|决定|辞掉|认识|参加|报名|加入|考上|租|领养|買|賣|搬進|開始|決定|辭掉"
    "|認識|參加|報名|租|領養"
)
_NEEDS_ELSE_ZH: Final = re.compile(r"[他她它这那這给給说說]|你|什么|什麼|一下|时候|時候")
_UNREAL_ZH: Final = re.compile(irrealis.chinese(*_IRREALIS))
_DID_ZH: Final = re.compile(
    rf"(?:^|[，。])(?P<who>我们?|我們)?(?:终于|終於|又|就|也)?(?P<did>{_EVENT_ZH})(?P<done>了|下)?"
    r"(?P<what>[\u4e00-\u9fff]{2,12})(?=[，。！；]|$)"
)
_WHY_ZH: Final = re.compile(
    r"因[为為][^。！？，]{3,40}，(?:所以)?(?P<what>我[们們]?[\u4e00-\u9fff]{3,16})(?=[。！；]|$)"
)
_THINKS_ZH: Final = re.compile(
    r"我(?:很|最|真|不|一直|还是|還是|也){0,2}(?:喜欢|讨厌|喜歡|討厭)(?P<what>[\u4e00-\u9fff]{2,8})"
    r"(?=[，。！；]|$)"
)


def starters(sentence: str, *, own: bool, dated: bool) -> Iterator[SpanQuestion]:
    """Yield the questions that a sentence leads to; ``own`` says that it is the person's,
    ``dated`` that its day is known. Whether "I like" states a view is for the caller to say.

    >>> [each.question for each in starters("Sold the boat to Halvard.", own=True, dated=True)]
    ['When did I sell the boat to Halvard?']
    >>> [each.question for each in starters(
    ...     "We moved to Risør because the school closed.", own=True, dated=False)]
    ['Why did we move to Risør?']
    >>> [each.question for each in starters("I can't stand the ring road.", own=True, dated=True)]
    ['What do I think of the ring road?']
    >>> [each.question for each in starters(
    ...     "Mihkel built me a pedal for the space bar.", own=True, dated=True)]
    ['What did Mihkel build me?']
    >>> [each.question for each in starters("去年の冬に蔵の屋根を直した。", own=True, dated=True)]
    ['去年の冬に蔵の屋根を直したのはいつですか。']
    """
    plain = " ".join(sentence.split()).strip("-*•・# ")
    if not plain or len(plain) > LONGEST or plain.endswith(("?", "？")):
        return
    language = language_of(plain)
    made = {"ja": _japanese, "zh": _chinese}.get(language, _english)
    for kind, question, held in made(plain, own=own):
        if kind is not QuestionKind.WHEN or dated:
            yield SpanQuestion(kind, question, held)


Made = Iterator[tuple[QuestionKind, str, str]]


def _english(text: str, *, own: bool) -> Made:
    if own:
        yield from _of_the_person(text)
    other = _OTHER_DID.search(text)
    if other is None or not is_somebody(other["who"]) or (other["whom"] and not own):
        return
    led_to = other["whom"] and other["did"] == "made" and not _OBJECT.match(other["what"])
    base = present_of(other["did"])
    if base and not led_to:
        whom = f" {other['whom']}" if other["whom"] else ""
        yield QuestionKind.DEED, f"What did {other['who']} {base}{whom}?", other["what"]


def _of_the_person(text: str) -> Made:
    did = _DID.search(text)
    happened = did and not _UNREAL.search(text[: did.end("did") if did["who"] else 0])
    if did and happened and _stands_alone(what := did["what"].strip()):
        first, space, rest = (did["did"] or did["bare"]).casefold().partition(" ")
        base = first if first in _UNCHANGED else present_of(first)
        deed = f"did {'we' if did['who'] in {'We', 'we'} else 'I'} {base}{space}{rest} {what}"
        if base and did["why"]:
            yield QuestionKind.WHY, f"Why {deed}?", did["why"]
        elif base:
            yield QuestionKind.WHEN, f"When {deed}?", what
    if (thinks := _THINKS.search(text)) and not _LEANS.search(thinks["what"]):
        yield QuestionKind.VIEW, f"What do I think of {thinks['what']}?", thinks["what"]


def _stands_alone(what: str) -> bool:
    return (
        len(what.split()) <= MOST_WORDS
        and bool(_OBJECT.match(what))
        and not _LEANS.search(what)
        and not _DANGLES.search(what)
    )


def _japanese(text: str, *, own: bool) -> Made:
    other = _OTHER_DID_JA.search(text)
    if other and _is_somebody_ja(other["who"]) and not _NEEDS_ELSE_JA.search(other["what"]):
        yield QuestionKind.DEED, f"{other['who']}は何を{other['did']}のですか。", other["what"]
    if not own:
        return
    why = _WHY_JA.search(text)
    if why and not _NEEDS_ELSE_JA.search(why["what"]):
        yield QuestionKind.WHY, f"{why['what']}のはなぜですか。", why["what"]
    did = None if why else _DID_JA.search(text)
    free = did and not _OF_ANOTHER_JA.search(text[: did.start("what")])
    if did and free and not _NEEDS_ELSE_JA.search(did["what"]):
        yield QuestionKind.WHEN, f"{did['what']}のはいつですか。", did["what"]
    thinks = _THINKS_JA.search(text)
    if thinks and thinks["what"] in japanese.things(text):
        yield QuestionKind.VIEW, f"私は{thinks['what']}をどう思っていますか。", thinks["what"]


def _is_somebody_ja(who: str) -> bool:
    if _TITLED_JA.match(who):
        return True
    nouns = japanese.nouns(who)
    return len(nouns) == 1 and nouns[0].surface == who and nouns[0].sort == "人名"


def _chinese(text: str, *, own: bool) -> Made:
    if not own:
        return
    why = None if _UNREAL_ZH.search(text) else _WHY_ZH.search(text)
    if why and not _NEEDS_ELSE_ZH.search(why["what"]):
        yield QuestionKind.WHY, f"为什么{why['what']}？", why["what"]
    did = None if why or _UNREAL_ZH.search(text) else _DID_ZH.search(text)
    # in a clause of a sentence who did it may be whoever the one before is about
    by_person = did and (did["who"] or text[did.start()] != "，")
    if did and by_person and not _NEEDS_ELSE_ZH.search(text[: did.end("what")]):
        who, verb = did["who"] or "我", did["did"]
        yield QuestionKind.WHEN, f"{who}是什么时候{verb}{did['what']}的？", did["what"]
    thinks = _THINKS_ZH.search(text)
    if thinks and not _NEEDS_ELSE_ZH.search(thinks["what"]):
        yield QuestionKind.VIEW, f"我怎么看{thinks['what']}？", thinks["what"]
