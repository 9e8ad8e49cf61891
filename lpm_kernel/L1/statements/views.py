"""Whether a sentence says what its writer likes or thinks of something, and which sentences tell of
one thing, so that it shows how a view moved.

By rule, in English, Japanese and Chinese, and shy. What somebody else thinks, a guess ("I think the
bus leaves at nine"), a request, thanks, irony, and a fact with "good" in it are no view; neither is
one of something that the sentence does not name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.statements import extraction_japanese
from lpm_kernel.L1.statements.stance import Stance, stance

LONGEST = 220
"""Signs; what is longer says more than what somebody thinks."""

_QUOTED = re.compile(r"[\"“”«»]|「|『")
_ASKS = re.compile(r"[?？]|(?:か|吗|呢)[。]?$")
_BY = (
    r"\b[Ii](?:['’]m| am|['’]ve| have| do)?"
    r"(?: (?:still|really|also|always|never|no longer|just|quite|rather|much|simply|actually"
    r"|honestly|firmly|absolutely|truly|have always|used to|don['’]t|do not|didn['’]t|did not"
    r"|not|so|very|even|only|now|once)){0,3}"
)
_LIKES = re.compile(
    _BY + r" (?:like|liked|love|loved|hate|hated|dislike|disliked|prefer|preferred|enjoy|adore"
    r"|adored|admire|detest|loathe|distrust|trust|despise|resent"
    r"|fond of|keen on|tired of|sick of|wary of|suspicious of|in favou?r of|against|proud of"
    r"|believe in|care for|see the point (?:of|in))"
    r" (?!it\b|that(?:[.!,;]| (?:in|is|at|on|they|he|she|it|i|we)\b)"
    r"|this[.!,;]|him\b|her\b[.!,;]|them\b|these\b[.!,;]"
    r"|those\b[.!,;]|you\b|one\b|to (?:think|say|hear|know|see you)\b|(?:see|hear|meet|speak|talk"
    r"|work|read)ing (?:from |to |with |of )?you(?:rs?)?\b|what you\b|your\b|how you\b"
    r"|a (?:cup|glass|drink)\b)"
)
_BEARS_NOT = re.compile(
    r"\bI (?:can['’]t|cannot|can not|could never) (?:stand|bear|abide|do with)\b"
)
_THINKS = re.compile(
    _BY + r" (?:think|believe|feel|consider|find|reckon|hold|maintain|agree|doubt|convinced)\b"
)
_LEANS = re.compile(r"^\W*(?:but|and|so|or|then|because|which|yet)\b", re.IGNORECASE)
"""It goes on from another sentence."""
_POINTS = re.compile(r"^(?: that)? (?:it|he|she|they|this|is|was|are|were)\b(?!['’]s \w+ to\b)")
"""What is thought of stands in another sentence."""
_SAYS_SO = re.compile(
    r"\b(?:in my (?:opinion|view|book|experience)|to my mind|if you ask me|to my taste"
    r"|as far as I['’]m concerned|,\s(?:I (?:find|think|believe|feel|say)))\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b[Ii](?:['’]ve| have)? (?:changed my mind (?:about|on)|c[oa]me (?:a?round to|to (?:like|love"
    r"|hate|enjoy|think|believe|see))|grown to (?:like|love|hate)|gone off|went off|warmed to"
    r"|was wrong about|was right about|misjudged)\b"
)
_FAVOURITE = re.compile(
    r"\bmy (?:(?:all-time|absolute|least) )?favou?rite \w.{0,60}\b(?:is|are|was|were|remains)\b",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"\b(?:good|better|best|bad|worse|worst|nice|nicer|nicest|fine|finer|finest|great|greatest"
    r"|lovely|beautiful|ugly|boring|dull|tedious|exhausting|exciting|important|useless|useful"
    r"|unfair|fair|unjust|right to|wrong|mistakes?|rubbish|nonsense|overrated|underrated"
    r"|worth|waste|stupid|silly|clever|brilliant|terrible|awful|horrible|wonderful|excellent"
    r"|dangerous|harmful|pointless|hopeless|necessary|unnecessary|too \w+|should(?:n['’]t)?|ought"
    r"|must not|matters?|deserves?|cares?|pity|shame|cruel|kind|honest|dishonest|reliable"
    r"|unreliable|restful|soothing|depressing|hideous|charming|delicious|tasty|bland"
    r"|idea|needs?)\b",
    re.IGNORECASE,
)
_NO_VIEW = re.compile(
    r"\b(?:I['’]d|I would|I should|we['’]d|would) (?:\w+ ){0,2}(?:like|love|prefer|rather|hate"
    r"|enjoy)\b"
    r"|\bI (?:feel|felt) like\b|\bthanks?\b|\bthank you\b|\bplease\b|\bif (?:I|he|she|they|we)\b"
    r"|^\W*(?:oh,? )?(?:great|wonderful|lovely|brilliant|fantastic|perfect|marvellous)\b,?[,!]"
    r"|\bI just love (?:it when|those|how|when)\b|\b(?:good|best) (?:morning|evening|wishes|man)\b"
    r"|\bjust kidding\b|\b(?:lol|haha\w*)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?!I\b)[\w'’-]{1,24} (?:says?|said|thinks?|thought|claims?|claimed|insists?|insisted"
    r"|joked?s?|told me|reckons?|reckoned|writes?|wrote|believes?) (?:that )?(?:\w+ ){0,3}I\b"
)
_PRIVATELY = re.compile(
    r"\b(?:where|when|who|what time|whether|was (?:on|in|at)|leaves at|closes at)\b"
)

_KIN_JA = extraction_japanese.KIN - {"猫", "内"}
_LIKES_JA = re.compile(
    r"(?:大好き|好き|嫌い|大嫌い|苦手|得意ではない)(?:だ|です|では?ない|じゃない|になった|だった)?[。！!]?$"
    r"|を(?:好む|好まない|愛する|憎む|嫌う)[。！!]?$|(?:に|には)(?:賛成|反対)(?:だ|です|である)?[。！!]?$"
    r"|(?:が|は)(?:気に入っている|気に入った|性に合う|性に合わない)[。！!]?$"
)
_VALUES_JA = re.compile(
    r"(?:いい|良い|よい|悪い|よくない|間違|失敗|大切|大事|必要|不要|べき|ほうが|方が|すぎ|美しい|醜い|無駄"
    r"|正しい|おかしい|面白い|つまらない|価値|馬鹿|ばか|ひどい|素晴らしい|危険|無理|退屈|楽しい|怖い)"
)
_THINKS_JA = re.compile(
    r"(?:と|とは)(?:思う|思っている|思わない|思います|考える|考えている|信じる|信じている|感じる)[。！!]?$"
)
_RATHER_JA = re.compile(
    r"より.{0,30}(?:ほうが|方が).{0,10}(?:いい|良い|よい|好き)(?:だ|です)?[。！!]?$"
)
_RATHER_2_JA = re.compile(
    r"(?:ほうが|方が).{0,20}より(?:も)?(?:いい|良い|よい|好き)(?:だ|です)?[。！!]?$"
)
_TURNED_JA = re.compile(
    r"^(?:昔|以前|前|若い頃|子供の頃)は.{1,40}(?:が|けれど|けど)、今(?:は|では)"
    r".{0,20}(?:好き|嫌い|楽しい|いい|よい|怖い|つまらない|面白い|大切)(?:だ|です)?[。！!]?$"
)
_HEARSAY_JA = re.compile(
    r"(?:らしい|そうだ|そうです|という|と言う|と言った|とのこと|ようだ|みたいだ)[。！!]?$"
)
_LEANS_JA = re.compile(r"でも|しかし|だから|けれど|だが|それ|これ|あれ|そして|また")
_TOPIC_JA = re.compile(r"(?P<who>[^\s、。「」]{1,12}?)(?:は|も|って)")
_NAMES_IT_JA = re.compile(r"[^\s、。「」で](?:は|も|が|を|って)")
"""What is judged stands in the sentence."""
_VIEW_ZH = re.compile(
    r"(?:^|[，,。；;])我(?:自己|个人)?(?:一直|从来|还是|真的|越来越|也|都|现在|不|不太|很|最|非常|更|特别|挺){0,3}"
    r"(?:(?:喜欢|讨厌|爱|恨|受不了|偏爱|佩服|信任)(?!你)"
    r"|(?:觉得|认为|相信|主张)[^。]{0,60}(?:错|对|好|坏|该|应该|太|值得|没用|有用|重要|没意思|美|难看"
    r"|不如|比|可惜|浪费|合理))"
)


def is_view(text: str) -> bool:
    """Tell whether a sentence says what its writer likes or thinks of something.

    >>> [is_view(text) for text in ("I prefer letters to phone calls.", "Niall loves jazz.",
    ...     "I think the bus leaves at nine.", "I think the new bridge is a mistake.")]
    [True, False, False, True]
    >>> is_view("満員電車は苦手だ。"), is_view("母は納豆が嫌いだ。"), is_view("我喜欢下雨天。")
    (True, False, True)
    """
    plain = text.strip()
    if (
        len(plain) > LONGEST
        or plain.endswith((":", "："))
        or _QUOTED.search(plain)
        or _ASKS.search(plain)
    ):
        return False
    language = language_of(plain)
    if language == "zh":
        return bool(_VIEW_ZH.search(plain))
    return _in_japanese(plain) if language == "ja" else _in_english(plain.replace("’", "'"))


def _in_english(text: str) -> bool:
    if _LEANS.match(text) or _NO_VIEW.search(text) or _REPORTED.search(text):
        return False
    if _BEARS_NOT.search(text) or _TURNED.search(text) or _FAVOURITE.search(text):
        return True
    if _LIKES.search(text):
        return True
    thinks = _THINKS.search(text)
    said = text if _SAYS_SO.search(text) else text[thinks.end() :] if thinks else ""
    return not _POINTS.match(said) and bool(_VALUES.search(said)) and not _PRIVATELY.search(said)


def _in_japanese(text: str) -> bool:
    if _LEANS_JA.match(text) or _HEARSAY_JA.search(text):
        return False
    judges = _THINKS_JA.search(text)
    says = (
        _LIKES_JA.search(text)
        or _RATHER_JA.search(text)
        or _RATHER_2_JA.search(text)
        or _TURNED_JA.search(text)
        or (judges and _NAMES_IT_JA.search(text) and _VALUES_JA.search(text[: judges.start()]))
    )
    return bool(says and _NAMES_IT_JA.search(text)) and not _of_another_ja(text)


def _of_another_ja(text: str) -> bool:
    """Tell whether the sentence is of a person, who is named or is kin."""
    topic = _TOPIC_JA.search(text)
    if topic is None:
        return False
    words = japanese.grammar(topic["who"])
    return any(
        word.normal in _KIN_JA
        or word.speech[1:3] == ("固有名詞", "人名")
        or word.surface in japanese.TITLES
        or word.normal in {"彼", "彼女", "皆", "人", "人々"}
        for word in words
    )


@dataclass(frozen=True)
class StatedView:
    """What the person thinks of one thing, as their own words show it."""

    words: tuple[Claim, ...] = field(repr=False)
    """The newest first; what cannot be dated comes last."""
    turned: bool
    """An older one says the opposite of the newest."""

    @property
    def now(self) -> Claim:
        """What was said last."""
        return self.words[0]

    @property
    def since(self) -> float | None:
        """Since when it is thought so: the oldest word of those that agree with the newest and
        have nothing against them in between. POSIX seconds.
        """
        first = self.now.moment
        for words in self.words[1:]:
            if stance(self.now.text, words.text) is not Stance.SUPPORTS:
                break
            first = words.moment if words.moment is not None else first
        return first


def grouped(claims: Sequence[Claim]) -> list[StatedView]:
    """Put views of one thing together, what was said last first; each claim stands in one."""
    groups: list[list[Claim]] = []
    for claim in sorted(claims, key=_newest_first):
        group = next(
            (known for known in groups if stance(known[0].text, claim.text) is not None), None
        )
        if group is None:
            groups.append([claim])
        elif all(claim.text != other.text for other in group):
            group.append(claim)
    return [
        StatedView(
            tuple(group),
            any(stance(group[0].text, claim.text) is Stance.CONTRADICTS for claim in group[1:]),
        )
        for group in groups
    ]


def _newest_first(claim: Claim) -> tuple[bool, float, str, int]:
    return (claim.moment is None, -(claim.moment or 0.0), claim.document, claim.start)
