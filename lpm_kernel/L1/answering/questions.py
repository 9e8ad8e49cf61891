"""Questions that a sentence answers: each asks for a name, a day, a sum, an event or a thing that
stands in it.

What a word is shows in its company, so no list of nouns is needed. An English thing stands between
an article and the end of its phrase ("in the back room, ..."); a capital at the head of a sentence
makes no name. In Japanese the tokenizer knows nouns and names. What is no thing (a verb, a word
that only counts or compares) is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import dropwhile

from lpm_kernel.L0.language import glosses, japanese
from lpm_kernel.L0.language.analysis import names, spoken, terms, unspaced
from lpm_kernel.L0.language.identification import Language, day_in_words, is_clear, language_of
from lpm_kernel.L0.language.stopwords import ENGLISH, IRREGULAR, LANGUAGES, MONTHS
from lpm_kernel.L1.answering.things_japanese import is_particular, of_what


class QuestionKind(StrEnum):
    """What is asked for."""

    WHEN = "when"
    SUM = "sum"
    WHO = "who"
    DAY = "day"
    PLAN = "plan"
    """A day that is still to come."""
    NAME = "name"
    """Somebody, as a whole."""
    TOPIC = "topic"
    """A place, as a whole."""
    THING = "thing"
    PERSON = "person"
    MEETING = "meeting"
    DEED = "deed"
    WHY = "why"
    VIEW = "view"


@dataclass(frozen=True)
class SpanQuestion:
    """A question, and what a stretch must hold to be its answer."""

    kind: QuestionKind
    question: str = field(repr=False)
    held: str = field(repr=False)
    """The words themselves, as they stand in the sentence."""


NAME = range(2, 41)
"""Characters of a name or a thing that is asked about."""
MOST_WORDS = 7
"""Words between verb and day, above which an event is told at too great a length to be asked
about.
"""
LONGEST_EVENT = 24
"""The same in Japanese, in characters."""

_MONTH = f"(?:{MONTHS})"
_DAY = re.compile(
    rf"\b\d{{1,2}} {_MONTH}(?: (?:19|20)\d\d)?\b|\b{_MONTH} \d{{1,2}}(?:,"
    r" (?:19|20)\d\d)?\b|(?:(?:19|20)\d\d年)?\d{1,2}月\d{1,2}日"
)
_AMOUNT = (
    r"(?:[¥$€£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:yen|euros?|dollars?|pounds?|kr|francs?|万?円|ユーロ"
    r"|ドル))"
)

_PHRASE_END = (
    r"(?=[.,;:!?)\]”\"]|\s+[–—-]\s|\s*$|\s+(?:of|in|on|at|for|to|from|with|without|by|under|over"
    r"|behind|before|after|since|until|about|against|between|into|"
    r"is|was|are|were|has|had|have|will|would|and|or|that|which|who|when|where|because|but)\b)"
)
_PART_OF_A_DATE = re.compile(
    r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\.?",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"\d|^I['’]")
_THING = re.compile(
    r"\b(?:[Tt]he|my|our|his|her|their|its|an?) ((?:[a-z]+(?:-[a-z]+)?"
    rf" ){{0,2}}[a-z]{{3,}}(?:-[a-z]+)?){_PHRASE_END}"
)
_NO_THING = re.compile(r"\b\w+(?:est|ly)$|\b(?:mo|t|y|ou|hi)?(?:rs|urs|ours)$")
_NO_THINGS = ENGLISH | frozenset(
    """
    first second third fourth next last latter former rest lot least best worst better worse good
    bad new old big small little left right whole half one ones two three
    two three four five six seven eight nine ten eleven twelve dozen hundred thousand
    thing things stuff way sort kind bit end beginning part piece number time times day days week
    weeks month months year years hour hours minute minutes moment morning
    afternoon evening night today tomorrow yesterday people man men woman women person everyone
    somebody anybody something anything nothing everything mine yours
    without within upon along around across near during despite
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Words that count, compare or stand for others: a question about them asks for nothing."""

_I_DID = re.compile(
    r"(?:^|[.!?;:]\s+|- (?:B )?)(?:(?P<who>I|We) (?P<did>[a-z]+) (?P<what>[^.;:!?()]*?),? ?\bon"
    rf" (?P<day>{_DAY.pattern})"
    rf"|On (?P<on>{_DAY.pattern}),? (?P<one>I|we) (?P<made>[a-z]+) (?P<it>[^.;:!?,()]*?)(?=[.;:,]|"
    r" and | with | when | because |$))"
)
_WAS_DONE = re.compile(
    r"\b(?:The|My|Our) (?P<what>[\w’' -]{3,40}?) (?P<was>was|were) (?P<done>[a-z]+)(?P<rest>(?:"
    rf" [a-z]+){{0,3}}?) on (?P<day>{_DAY.pattern})"
)
_COSTS = re.compile(
    r"\b(?:[Tt]he|[Mm]y|[Oo]ur) (?P<what>(?:[a-z-]+ )?[a-z-]{3,}) (?P<is>is|was|costs?) (?:now"
    rf" )?(?P<sum>{_AMOUNT})"
)
_DEFINED = re.compile(
    r"\W*(?:[BWOS](?:\(c=[\d.]+\))? @?)?(?P<the>[Tt]he )?"
    r"(?P<name>(?:[A-ZÀ-Þ][\w’'-]*\.? ){0,3}[A-ZÀ-Þ][a-zß-ÿ][\w’'-]*)(?: \([^)]{1,20}\))?"
    r"(?::| (?:is|was) (?=(?:an?|the|my|our|his|her) )|, (?=(?:my|our|his|her) ))"
)
_TITLE = re.compile(r"(?:Mrs?|Ms|Miss|Dr|Prof|Sir|Sr|Sra|Herr|Frau|Mme|M)\.?$")
_HEAD = re.compile(r"(?:^|[.!?…。:;]\s*[\"“]?|[-*#>@]\s*(?:[BWOS](?:\(c=[\d.]+\))? )?@?)$")

_HAPPENED = re.compile(
    rf"(?P<day>{_DAY.pattern})(?:に|、|は、?)(?P<what>[^。、"
    rf"「」（）()]{{4,{LONGEST_EVENT}}}[たっいんし][ただ])(?=。|$)"
)
_POLITE = re.compile(r"(?:まし|でし|なかっ)[ただ]$")
_COSTS_JA = re.compile(
    rf"(?P<what>[^\s、。「」（）()はがも]{{2,10}})[はが](?:毎?月|年)?(?P<sum>{_AMOUNT})"
)
_DEFINED_JA = re.compile(
    r"(?:^|[。\n@]|- (?:[BWOS](?:\(c=[\d.]+\))? )?@?)(?P<name>[^\s、。「」（）():：@]{2,12}?)"
    r"(?P<title>さん|先生|ちゃん|くん|君)?(?:（[^）]{1,12}）)?[:：] ?(?=\S)"
)

_ASKS: dict[Language, dict[QuestionKind, str]] = {
    "en": {
        QuestionKind.WHEN: "When {what}?",
        QuestionKind.SUM: "How much {what}?",
        QuestionKind.WHO: "Who {what}?",
        QuestionKind.DAY: "What happened on {what}?",
        QuestionKind.PLAN: "What is planned for {what}?",
        QuestionKind.NAME: "What do you know about {what}?",
        QuestionKind.TOPIC: "Tell me about {what}.",
        QuestionKind.THING: "Tell me about {what}.",
        QuestionKind.PERSON: "Who is {what}?",
        QuestionKind.MEETING: "When did I last meet {what}?",
    },
    "ja": {
        QuestionKind.WHEN: "{what}のはいつですか。",
        QuestionKind.SUM: "{what}はいくらですか。",
        QuestionKind.WHO: "{what}はどんな人ですか。",
        QuestionKind.DAY: "{what}に何がありましたか。",
        QuestionKind.PLAN: "{what}に何がありますか。",
        QuestionKind.NAME: "{what}について、何を知っていますか。",
        QuestionKind.TOPIC: "{what}について教えてください。",
        QuestionKind.THING: "{what}について教えてください。",
        QuestionKind.PERSON: "{what}は誰ですか。",
        QuestionKind.MEETING: "最後に{what}に会ったのはいつですか。",
    },
    "zh": {
        QuestionKind.DAY: "{what}发生了什么？",
        QuestionKind.PLAN: "{what}有什么安排？",
        QuestionKind.NAME: "关于{what}，你知道些什么？",
        QuestionKind.TOPIC: "说说{what}的事。",
        QuestionKind.PERSON: "{what}是谁？",
    },
}


def asked_of(
    sentence: str, weighty: Collection[str] = (), *, own: bool = False
) -> Iterator[SpanQuestion]:
    """Yield questions that a sentence answers, the most telling first.

    ``weighty`` are the words that its document is about: of plain things only these are asked
    about. ``own`` says that "I" is the person; elsewhere it is whoever wrote.

    >>> [each.question
    ...     for each in asked_of("I moved the workshop to Teramachi on 6 April 2024.", own=True)]
    ['When did I move the workshop to Teramachi?', 'What happened on 6 April 2024?',
     'What do you know about Teramachi?']
    >>> [each.question
    ...     for each in asked_of("Told Mrs Tsuda that I mend the back room.", ["room", "mend"])]
    ['What do you know about Mrs Tsuda?', 'Tell me about the back room.']
    >>> [each.question for each in asked_of("2024年4月6日、寺町の工房を移した。", ["工房", "移す"])]
    ['寺町の工房を移したのはいつですか。', '2024年4月6日に何がありましたか。',
     '寺町の工房について教えてください。']
    """
    language = _language(sentence)
    asks = _ASKS[language]
    if language == "ja":
        found = _japanese(sentence, weighty)
    elif language == "zh":
        found = _days_and_names(sentence)
    else:
        found = _english(sentence, weighty, own=own)
    seen: set[str] = set()
    for kind, what, held in found:
        question = asks[kind].format(what=what) if kind in asks else ""
        if question and question not in seen:
            seen.add(question)
            yield SpanQuestion(kind, question, held)


def asked_of_name(
    kind: QuestionKind, name: str, language: Language, called: str = ""
) -> SpanQuestion | None:
    """Ask something of somebody or of a place, ``called`` so in the question; ``None`` where that
    is not asked in this language.

    >>> asked_of_name(QuestionKind.PERSON, "Conor", "en").question
    'Who is Conor?'
    """
    asks = _ASKS[language].get(kind)
    return SpanQuestion(kind, asks.format(what=called or name), name) if asks else None


def asked_of_day(day: datetime, language: Language, *, ahead: bool = False) -> str:
    """Ask what happened on a day, or what is planned for one that is still ahead.

    >>> asked_of_day(datetime(2024, 5, 3), "en"), asked_of_day(datetime(2024, 5, 3), "ja")
    ('What happened on 3 May 2024?', '2024年5月3日に何がありましたか。')
    """
    kind = QuestionKind.PLAN if ahead else QuestionKind.DAY
    return _ASKS[language][kind].format(what=day_in_words(day, language))


def _language(sentence: str) -> Language:
    """Tell the language of most of it: a Japanese name in an English sentence makes it no Japanese
    one.
    """
    if not unspaced(sentence):
        return "en"
    language = language_of(sentence)
    return "ja" if language == "zh" and not is_clear(sentence, "zh") else language


Found = Iterator[tuple[QuestionKind, str, str]]
"""Kind, the words of the question, the words that the answer holds."""


def _english(sentence: str, weighty: Collection[str], *, own: bool) -> Found:
    if own:
        yield from _done(sentence)
    yield from _told(sentence)
    for day in _DAY.findall(sentence):
        yield QuestionKind.DAY, day, day
    for name in _names(sentence):
        yield QuestionKind.NAME, name, name
    about = {stem for word in weighty for stem in terms(word)}
    for match in _THING.finditer(sentence):
        words = list(dropwhile(_NO_THINGS.__contains__, match[1].split()))
        if (
            len(words) > 1
            and not any(word in _NO_THINGS or _NO_THING.search(word) for word in words)
            and not _told_of(words)
            and set(terms(words[-1])) & about
        ):
            yield QuestionKind.THING, f"the {' '.join(words)}", words[-1]


def _done(sentence: str) -> Found:
    """Give what the person did, with the day."""
    for match in _I_DID.finditer(sentence):
        base, what = (
            present_of(match["did"] or match["made"]),
            (match["what"] or match["it"] or "").strip(),
        )
        if base and what and len(what.split()) <= MOST_WORDS:
            yield (
                QuestionKind.WHEN,
                f"did {(match['who'] or match['one']).replace('W', 'w')} {base} {what}",
                match["day"] or match["on"],
            )


def _told(sentence: str) -> Found:
    """Give what was done on a day, what costs so much, and who is said to be what."""
    for match in _WAS_DONE.finditer(sentence):
        if present_of(match["done"]):
            yield (
                QuestionKind.WHEN,
                f"{match['was']} the {match['what']} {match['done']}{match['rest']}",
                match["day"],
            )
    for match in _COSTS.finditer(sentence):
        what = match["what"]
        if not _NO_THINGS & set(what.split()):
            yield (
                QuestionKind.SUM,
                (
                    f"{match['is']} the {what}"
                    if match["is"] in {"is", "was"}
                    else f"does the {what} cost"
                ),
                match["sum"],
            )
    defined = _DEFINED.match(sentence)
    name = defined["name"] if defined else ""
    if (
        defined
        and (defined["the"] or is_somebody(name))
        and not _DAY.search(name)
        and not _shouted(name)
    ):
        what = (
            f"is {name}"
            if _TITLE.match(name.split()[0])
            else f"or what is {'the ' if defined['the'] else ''}{name}"
        )
        yield QuestionKind.WHO, what, sentence[defined.start("name") : defined.end()].strip()


def _names(sentence: str) -> Iterator[str]:
    for each in names(sentence):
        if (
            len(each) in NAME
            and not _DAY.search(each)
            and not _PART_OF_A_DATE.fullmatch(each)
            and not _NO_NAME.search(each)
            and (name := _name(each, sentence, sentence.find(each)))
            and name.casefold() not in LANGUAGES
        ):
            yield name


def _name(name: str, sentence: str, start: int) -> str:
    """Return a name without the capital that only begins a sentence; nothing where no name is left.

    >>> (_name("Told Mrs Tsuda", "Told Mrs Tsuda.", 0), _name("Saw", "Saw it.", 0),
    ...  _name("Mrs Tsuda", "Mrs Tsuda came.", 0), _name("ONLY", "It is ONLY me.", 6))
    ('Mrs Tsuda', '', 'Mrs Tsuda', '')
    """
    words = name.split()
    if unspaced(name):
        return name if japanese.things(name) else ""
    if _shouted(name):
        return ""
    if (
        _HEAD.search(sentence[max(0, start - 4) : start])
        and not _TITLE.match(words[0])
        and (len(words) > 1 or _common(words[0]))
    ):
        if not _common(words[0]):
            return name
        words = words[1:]
        while words and words[0].islower():
            words = words[1:]
    if not words or (len(words) == 1 and (_common(words[0]) or _TITLE.match(words[0]))):
        return ""
    bare = " ".join(words).removesuffix("’s")
    article = f"the {bare}" in sentence and any(_common(word) for word in words)
    return f"the {bare}" if article else bare


def _shouted(name: str) -> bool:
    """Tell whether it stands in capitals: a heading, or a word that was to be heard."""
    return any(len(word) > 1 and word.isupper() for word in name.split())


def _told_of(words: list[str]) -> bool:
    """Tell whether a verb is among the words behind an article, so that they are half a sentence
    and no thing: "the teacher said".

    >>> _told_of(["teacher", "said"]), _told_of(["foragers", "sleep"]), _told_of(["hired", "van"])
    (True, True, False)
    """
    several = len(words) > 1 and words[-2].endswith("s") and glosses.known(f"to {words[-1]}")
    return several or any(present_of(word) for word in words[1:])


def is_somebody(name: str) -> bool:
    """Tell whether it is somebody's name rather than a thing's: a title before it, or no word that
    the dictionary has.
    """
    words = name.split()
    return bool(_TITLE.match(words[0])) or not any(_common(word) for word in words)


def _common(word: str) -> bool:
    """Tell whether a word is one of the language rather than a name: a dictionary has it, or the
    verb that it is a form of.
    """
    small = word.casefold()
    return (
        small in ENGLISH
        or small in _NO_THINGS
        or small in IRREGULAR
        or glosses.known(small)
        or glosses.known(f"to {small}")
        or bool(present_of(small))
        or (small.endswith("s") and glosses.known(small[:-1]))
    )


def present_of(did: str) -> str:
    """Return the verb of which this is the past; nothing where it is none that a dictionary has.

    >>> [present_of(did) for did in ("moved", "sold", "planned", "carried", "red")]
    ['move', 'sell', 'plan', 'carry', '']
    """
    if (base := IRREGULAR.get(did)) and glosses.known(f"to {base}"):
        return base
    if not did.endswith("ed"):
        return ""
    stem = did[:-2]
    tried = [
        f"{stem}e",
        stem,
        f"{stem[:-1]}y" if stem.endswith("i") else "",
        stem[:-1] if stem[-1:] == stem[-2:-1] else "",
    ]
    return next((each for each in tried if len(each) > 1 and glosses.known(f"to {each}")), "")


def _japanese(sentence: str, weighty: Collection[str]) -> Found:
    yield from _told_in_japanese(sentence)
    about = set(weighty) | {stem for word in weighty for stem in terms(word)}
    things = japanese.things(sentence)
    for kind, what, held in _days_and_names(sentence):
        if (
            kind is QuestionKind.DAY
            or (held in things and is_particular(held))
            or (held.isascii() and (held := _name(held, sentence, sentence.find(held))))
        ):
            yield kind, what, held
    weighty_things = (thing for thing in things if thing in about or about & set(spoken(thing)))
    yield from _things_in_japanese(weighty_things, sentence)


def _things_in_japanese(things: Iterable[str], sentence: str) -> Found:
    for thing in things:
        if (
            len(thing) not in NAME
            or thing[0] in "一二三四五六七八九十百千何数"
            or _DAY.search(thing)
        ):
            continue
        titled = f"{thing}さん" in sentence
        which = thing if is_particular(thing) else of_what(thing, sentence)
        if titled or which:
            yield QuestionKind.THING, f"{thing}さん" if titled else which, thing


def _told_in_japanese(sentence: str) -> Found:
    for match in _HAPPENED.finditer(sentence):
        if not _POLITE.search(match["what"]):
            yield QuestionKind.WHEN, match["what"], match["day"]
    for match in _COSTS_JA.finditer(sentence):
        if match["what"] in japanese.things(match["what"]):
            yield QuestionKind.SUM, match["what"], match["sum"]
    for match in _DEFINED_JA.finditer(sentence):
        if match["title"] or (
            len(found := japanese.morphemes(match["name"])) == 1 and found[0].named
        ):
            yield (
                QuestionKind.WHO,
                f"{match['name']}{match['title'] or ''}",
                sentence[match.start("name") : match.end()].strip(),
            )


def _days_and_names(sentence: str) -> Found:
    for day in _DAY.findall(sentence):
        yield QuestionKind.DAY, day, day
    for name in names(sentence):
        if len(name) in NAME and not _DAY.search(name) and not _shouted(name):
            yield QuestionKind.NAME, f"{name}さん" if f"{name}さん" in sentence else name, name
