"""Words: what full text search compares. One analysis for the index and for the question.

Latin and other spaced scripts give stems of their words. Japanese gives dictionary forms; and every
run of Han or katakana gives its two-character pairs besides, whatever the language, so that a
two-character word is found in Chinese, and in Japanese where the tokenizer divided otherwise. What
has been divided here is compared and never shown as the person's words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from enum import IntFlag
from functools import cache, lru_cache

import Stemmer

from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import NO_TRAIT, STATEMENTS, Passage, Trait
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language import japanese
from lpm_kernel.L0.language.stopwords import (
    ASKING_SIGNS,
    CHINESE,
    CHINESE_SIGNS,
    ENGLISH,
    IRREGULAR,
    MONTHS,
    OTHERS,
    PRONOUNS,
)

MOST = 40_000
"""Characters of a question that are looked at; nobody asks more, and a pasted book must not stop
the node.
"""

LONGEST_WORD = 64
"""Characters of a word that count; what is longer is not a word but a code."""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f々〆〇"
_KATAKANA = "\u30a1-\u30faー"
_HIRAGANA = "\u3041-\u309f"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese, Khmer."""

_WORD = re.compile(rf"[^\W_{_HAN}{_KATAKANA}{_HIRAGANA}{_UNSPACED}]+(?:'[a-z]+)?", re.IGNORECASE)
_ASCII_WORD = re.compile(r"([a-z0-9]+)(?:'[a-z]+)?")
_PAIRED = re.compile(rf"[{_HAN}]+|[{_KATAKANA}]+|[{_UNSPACED}]+")
_KANA = re.compile(rf"[{_KATAKANA}{_HIRAGANA}]")
_JAPANESE = re.compile(rf"[{_HAN}{_KATAKANA}{_HIRAGANA}]")
_SPACED = re.compile(rf"[^\W_{_HAN}{_KATAKANA}{_HIRAGANA}]+")
_HAN_RUN = re.compile(rf"[{_HAN}]")
_STOP = ENGLISH | OTHERS
_STRIPPED_BELOW = "\u0500"
"""Latin, Greek and Cyrillic lie below; their accents are dropped."""


_ASKED_FOR = {
    StatementKind.OPINION: (
        "prefers preference likes favourite favorite thinks opinion view 好み 好き 意見 考え"
    )
}


class Asks(IntFlag):
    """What sort of answer a question wants."""

    WHEN = 1
    COUNT = 2
    NAME = 4
    NOW = 8
    SEVERAL = 16


def unspaced(text: str) -> bool:
    """Say whether a text is written without blanks between its words, in kana or Han for the most
    part.

    >>> unspaced("千紗は賞与で何を買った?"), unspaced("What does 凪 mean?")
    (True, False)
    """
    return 2 * len(_JAPANESE.findall(text)) > sum(sign.isalpha() for sign in text)


def passages(chunks: Iterable[Chunk], title: str = "") -> list[Passage]:
    """Take chunks apart, as the index wants them. ``title`` is the document's: its words stand for
    every chunk of it.
    """
    about = [term for term in dict.fromkeys(terms(title)) if not term.isdigit()]
    return [passage(chunk, about) for chunk in chunks]


def passage(chunk: Chunk, about: Sequence[str] = ()) -> Passage:
    """Take one chunk apart; terms of ``about`` that it does not hold are added once."""
    own = terms(chunk.content)
    held = set(own)
    about = (*about, *_told_by(chunk.kind))
    form = traits(chunk.text) if chunk.kind is None else traits(chunk.text) | STATEMENTS[chunk.kind]
    named = tuple(dict.fromkeys((*chunk.about, *names(chunk.text))))
    return Passage(
        chunk=chunk,
        terms=(*own, *(term for term in about if term not in held)),
        names=named,
        traits=form,
    )


@cache
def _told_by(kind: StatementKind | None) -> tuple[str, ...]:
    """Give the words with which one asks for statements of a kind: an opinion seldom says of itself
    that it is one.
    """
    return tuple(dict.fromkeys(terms(_ASKED_FOR.get(kind, "")))) if kind else ()


def terms(text: str) -> list[str]:
    """Give what full text search compares, in order and with repeats.

    >>> terms("Mai's cousins moved to the café")
    ['mai', 'cousin', 'move', 'cafe']
    >>> terms("三味線を買った")
    ['三味線', '買う', '三味', '味線']
    """
    plain = _plain(text)
    forms = _forms(plain)
    known = set(forms)
    return [*_stems(plain), *forms, *(pair for pair in _pairs(plain) if pair not in known)]


def unfinished(text: str) -> str:
    """Give the word that a text ends in, as it is compared; nothing where it ends in a space or a
    sign.

    >>> unfinished("the oil Varn"), unfinished("the oil "), unfinished("ニスを塗")
    ('varn', '', '塗')
    """
    plain = _plain(text[-MOST:])
    last = [
        match
        for pattern in (_WORD, _PAIRED)
        for match in pattern.finditer(plain)
        if match.end() == len(plain)
    ]
    return _bare(last[0][0].casefold()) if last else ""


def marks(text: str, forms: Iterable[str]) -> list[tuple[int, int]]:
    """Say where words stand in a text whose terms are among ``forms``: spans in order, end
    exclusive.

    >>> marks("The coats were varnished.", ["varnish"]), marks("三味線を買った", ["買う", "三味"])
    ([(15, 24)], [(0, 2), (4, 6)])
    """
    wanted = set(forms)
    found: set[tuple[int, int]] = set()
    for match in _WORD.finditer(text):
        if not wanted.isdisjoint(_stems(_plain(match[0]))):
            found.add(match.span())
    for match in _PAIRED.finditer(text):
        for at in range(len(match[0])):
            found.update(
                (match.start() + at, match.start() + at + size)
                for size in (1, 2)
                if match[0][at : at + size] in wanted and at + size <= len(match[0])
            )
    if _KANA.search(text):
        found.update(
            (start, end)
            for start, end, form in japanese.placed(text)
            if form.replace(" ", "") in wanted
        )
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def spoken(text: str) -> list[str]:
    """Give the words of a text in lower case without accents, stop words included; Japanese in
    dictionary forms.
    """
    plain = _plain(text)
    return [*_words(plain), *_forms(plain)]


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2019", "'")


def _words(plain: str) -> list[str]:
    if plain.isascii():  # most text, and quicker
        return [word[:LONGEST_WORD] for word in _ASCII_WORD.findall(plain.lower())]
    return [_bare(match[0].casefold()) for match in _WORD.finditer(plain)]


def _bare(word: str) -> str:
    if not word.isascii() and max(word) < _STRIPPED_BELOW:
        word = "".join(
            c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c)
        )
    return word.partition("'")[0][:LONGEST_WORD]


def _stems(plain: str) -> list[str]:
    return _stem(
        [
            IRREGULAR.get(word, word)
            for word in _words(plain)
            if word not in _STOP and (len(word) > 1 or word.isdigit())
        ]
    )


def _stem(words: list[str]) -> list[str]:
    stems: list[str] = _stemmer().stem.stemWords(words)
    return stems


class _Stemmers(threading.local):
    """A stemmer holds a buffer of its own: one for each thread."""

    def __init__(self) -> None:
        self.stem = Stemmer.Stemmer("porter")


_STEMMERS = _Stemmers()


def _stemmer() -> _Stemmers:
    return _STEMMERS


def _forms(plain: str) -> list[str]:
    """Give dictionary forms, where there are kana to say that it is Japanese."""
    if not _KANA.search(plain):
        return []
    return [
        form
        for form in (word.replace(" ", "") for word in japanese.words(_SPACED.sub(" ", plain)))
        if form
    ]


def _pairs(plain: str) -> list[str]:
    """Every two neighbours of a run; of Han without kana the single signs too, since Chinese has
    words of one.
    """
    chinese = not _KANA.search(plain)
    found = []
    for match in _PAIRED.finditer(plain):
        run = match[0]
        found += [run[i : i + 2] for i in range(len(run) - 1)]
        if chinese and _HAN_RUN.match(run):
            found += [sign for sign in run if sign not in CHINESE_SIGNS]
    return found


def search_terms(text: str) -> list[str]:
    """Give the terms to look for: function words go, unless nothing else was asked."""
    plain = _plain(text)
    found = [*_stems(plain), *_forms(plain)]
    if _KANA.search(plain):
        pairs = [
            pair for pair in _pairs(plain) if not (pair in PRONOUNS or ASKING_SIGNS & set(pair))
        ]
    else:
        every = [
            (run[i : i + 2], len(run))
            for run in _PAIRED.findall(plain)
            for i in range(max(1, len(run) - 1))
        ]
        pairs = [
            pair
            for pair, length in every
            if length <= len(pair) or not (pair in CHINESE or CHINESE_SIGNS & set(pair))
        ]
        pairs = pairs or [pair for pair, _ in every]
    return found + pairs or _stem([word for word in _words(plain) if word])


# --- the form of a text -------------------------------------------------------------------------

_MONTHS = MONTHS.lower()
_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|this "
    r"(?:week|month|year|morning|weekend|past|spring|summer|autumn|fall|winter)"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend"
    rf"|{_MONTHS}|recently|just|since|(?:19|20)\d\d|\d+"
    r" (?:day|week|month|year)s?|gestern|heute|morgen|letzte[nrs]?|nächste[nrs]?|ayer"
    r"|hoy|mañana|pasad[oa]|próxim[oa]|hier|demain|prochaine?)\b"
    r"|昨日|今日|明日|昨夜|今朝|今夜|先[週月日]|来[週月年]|再来|今[週月年]|去年|昨年|一昨"
    r"|おととい|きのう|あした|[月火水木金土日]曜|週末|[0-9一二三四五六七八九十]{1,8}"
    r"(?:年|月|日|週間|ヶ月|か月)|年前|日前|ヶ月前"
    r"|昨天|今天|明天|前天|后天|上周|下周|上个月|下个月|明年|今年|周[一二三四五六日末]|星期",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|\w+ty-\w+|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million"
    r"|couple|few|several|dozen|half|twice|once"
    r"|third|second|first|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco"
    r"|seis|siete|ocho|nueve|diez)\b|[一二三四五六七八九十百千万億兆两]",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(i|i'm|i've|i'll|i'd|my|we|we're|we've|our|me|mine|us|ich|mein\w*|wir|mir|mich|yo|mi|mis"
    r"|nosotros|me)\b|私|僕|俺|わたし|ぼく|うち|我",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(
    r"[?？؟]\s{0,20}[\"'”’)）」』]{0,4}\s{0,20}$|"
    r"(?:ですか|ますか|でしょうか|かな|吗|呢)[。.!！]?\s{0,20}$"
)
_ASIDE = re.compile(r"\s{0,20}\[[^\[\]]*\]\s{0,20}$")
"""A remark in brackets after what was said, such as what a photo shows."""
_WHEN = re.compile(
    r"^\W*(?:and |so |but |then )?(when|what (?:date|day|month|year|time|season)|how long|how old"
    r"|since when|(?:in|on|at|by) (?:which|what) (?:month|year|day|week|date|season)"
    r"|which (?:month|year|day|week|date|season)|wann|seit wann|cu[aá]ndo|quand)\b"
    r"|いつ|何[時日月年]|何曜|どの(?:季節|月|年|日)|什么时候|何时|几[点月号年]|哪[年天月]|多久",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\bhow (?:many|much|often|long|old|far|tall|big)\b|\bwhat (?:number|amount|price|size|age)\b"
    r"|\bwie ?(?:viele?|oft|lange|alt)\b|\bcu[aá]nt[oa]s?\b|\bcombien\b|いくつ|いくら"
    r"|何[人回個本枚匹冊杯歳台軒頭度円割倍]|どれ(?:くらい|ぐらい|だけ|ほど)|どの(?:くらい|ぐらい)"
    r"|多少|几[个人次只本岁]",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^\W*(?:and |so |but |then |in |on |at |to |for |from |with |of )?"
    r"(what|which|who|whose|whom|where|wer|wem|wen|was|welche[rsnm]?|wo|qu[eé]|qui[eé]n|cu[aá]l"
    r"|d[oó]nde|qui|quel)\b|誰|何|どこ|どの|どれ|名前|谁|哪|什么",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(now|nowadays|currently|current|latest|most recent(?:ly)?|still|these days|at present"
    r"|at the moment|by now|so far|jetzt|aktuell|ahora|actualmente)\b|今(?:の|は|も|現在)|現在"
    r"|最新|最近|まだ|现在|目前|如今",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:what|which|whose)\s{1,20}(?:are|were|(?:\w{1,40}\s{1,20}){0,3}?"
    r"(?!was\b|is\b|has\b|does\b|this\b|his\b|\w{0,40}(?:ss|us)\b)\w{2,40}s\b(?!'))"
    r"|\b(?:what|which|where|who|how)\b.{0,200}\b(?:has|have)\s{1,20}(?!to\b)\w{1,40}"
    r"|\bwhat (?:do|does)\b.{0,200}\b(?:do|like|enjoy|love|use|know)\b|\bwho (?:are|were)\b"
    r"|\bwhere (?:do|does)\b"
    r"|\bhow many (?:\w{1,40} )?\w{1,40}s\b|\bboth\b|\bin common\b|\b(?:kind|type|sort)s? of\b"
    r"|\bin what ways\b|\ball (?:the|of)\b|\bdifferent\b|\bother\b"
    r"|\bwelche(?:[rn]? \w{1,40}(?:en|e|s))?\b|\bqu[eé] \w{1,40}s\b|\bcu[aá]les\b|\bquel(?:le)?s\b"
    r"|どんな|誰々|誰と誰|何と何|どことどこ|すべて|全部|ほかに|他に|について|哪些|所有",
    re.IGNORECASE,
)
"""A plural, a present that is a habit, a perfect that sums up: what one asks so was told bit by
bit.
"""
_LATIN_NAME = re.compile(
    r"(?:[A-ZÀ-ÖØ-Þ][\w'-]{0,60}[a-zß-ÿ][\w-]{0,60}|[A-Z]{2,60})"
    r"(?: (?:of |the |de |van |von |da |del |la )?(?:[A-ZÀ-ÖØ-Þ][\w'-]{0,60}[a-zß-ÿ][\w-]{0,60}"
    r"|[A-Z]{2,60}))*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?…。！？:;\n\"“(—–]\s{0,4}|[-*#>]\s{1,4}|\A\s{0,4})$")
_MENTION = re.compile(r"@([\w-]+)")
_KATAKANA_NAME = re.compile(r"[\u30a1-\u30faー・]{3,}")
_SAN = re.compile(
    rf"((?:[{_HAN}]{{1,4}}|[{_KATAKANA}]{{2,30}}|[{_HIRAGANA}]{{2,4}}?))(?:さん|ちゃん|くん|君|先生|様|さま|氏)"
)
_SALUTATION = re.compile(r"(?:Hi|Hello|Hey|Dear|Hallo|Bonjour|Hola) ")
_NO_NAMES = frozenset(
    f"i i'm i've i'll i'd ok okay oh yes no {_MONTHS.replace('|', ' ')} monday tuesday wednesday"
    " thursday friday saturday sunday mum mom dad tv".split()
)
MOST_NAMES = 12


@lru_cache(maxsize=2048)
def asks(text: str) -> Asks:
    """Say what sort of answer a question wants.

    >>> asks("When did Mai move?") == Asks.WHEN and asks("何回行った?") == Asks.COUNT | Asks.NAME
    True
    >>> (Asks.SEVERAL in asks("Which books has Mai read?"),
    ...  Asks.SEVERAL in asks("Which book did Mai read on Monday?"))
    (True, False)
    """
    found = Asks(0)
    for pattern, flag in (
        (_WHEN, Asks.WHEN),
        (_COUNT, Asks.COUNT),
        (_NAME, Asks.NAME),
        (_NOW, Asks.NOW),
        (_SEVERAL, Asks.SEVERAL),
    ):
        if pattern.search(text):
            found |= flag
    return found


def traits(text: str) -> Trait:
    """Say what the form of a text tells about the questions that it may answer."""
    found = NO_TRAIT
    said = _ASIDE.sub("", text) or text
    for pattern, flag in (
        (_ENDS_ASKING, Trait.QUESTION),
        (_TIME, Trait.TIME),
        (_NUMBER, Trait.NUMBER),
        (_FIRST, Trait.FIRST_PERSON),
    ):
        if pattern.search(said if flag is Trait.QUESTION else text):
            found |= flag
    return found


def names(text: str) -> list[str]:
    """Give the people, places and things that a text names, by rule: capitals inside a sentence,
    @mentions, katakana, さん.

    >>> names("Went to Kanazawa with Mr Ide. Lovely.")
    ['Kanazawa', 'Mr Ide']
    >>> names("井出さんとギターを弾いた")
    ['井出', 'ギター']
    """
    found = [(match.start(), match[1]) for match in _MENTION.finditer(text)]
    for match in _LATIN_NAME.finditer(text):
        name = _SALUTATION.sub("", match[0]).removesuffix("'s")
        if name.casefold() in _NO_NAMES or (
            " " not in name
            and _SENTENCE_START.search(text[max(0, match.start() - 4) : match.start()])
        ):
            continue
        found.append((match.start(), name))
    if _JAPANESE.search(text):
        found += [(match.start(), match[1]) for match in _SAN.finditer(text)]
        found += [(match.start(), match[0]) for match in _KATAKANA_NAME.finditer(text)]
    return list(dict.fromkeys(name for _, name in sorted(found)))[:MOST_NAMES]


def matched(question_terms: Sequence[str], passage_terms: Iterable[str]) -> tuple[str, ...]:
    """Give those terms of the question that stand in the passage, in the order of the question."""
    there = set(passage_terms)
    return tuple(term for term in question_terms if term in there)
