"""What speaks for a sentence as an answer: its words, its meaning, its form, its place and day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.library.passages import TOKEN_ONE, Embedded, Trait
from lpm_kernel.L0.language.analysis import Asks, names, spoken, terms, traits
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.mismatches import is_contrary
from lpm_kernel.L1.answering.sentences import PassageSentence, is_row, overlaps

SHORT = 3
"""Content words from which a sentence says something."""
FORMS = ("when", "time", "count", "money", "who", "where", "why", "said")
Floats = NDArray[np.float64]
_MONEY = re.compile(
    r"\b(?:how much|what (?:did|does|do|was|is|were)\b.{0,200}\b"
    r"(?:cost|pay|charge|owe|fee|rent|price|worth))|\b(?:price|fee|cost|rent|salary|wage)s?\b"
    r"|いくら|料金|代金|値段|家賃|費用",
    re.IGNORECASE,
)
_SUM = re.compile(
    r"[¥$€£]\s?\d|\d[\d.,]{0,15}\s?(?:yen|euros?|eur|dollars?|pounds?|kr|nok|円|万円|ユーロ|ドル"
    r"|k\b)|\b\d{1,3}(?:[,.]\d{3}){1,6}\b|\d[.,]\d{2}\b|\b(?:hundred|thousand)\b"
    r"|[〇一二三四五六七八九十百千万]円",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whose|whom)\b|だれ|誰|どなた", re.IGNORECASE)
_WHERE = re.compile(
    r"\bwhere\b|\bwhich (?:town|city|place|country|street|room)\b|どこ|何処", re.IGNORECASE
)
_WHY = re.compile(
    r"\bwhy\b|\bwhat (?:made|led|caused?)\b|\breason\b|なぜ|どうして|理由", re.IGNORECASE
)
_BECAUSE = re.compile(
    r"\b(?:because|since|so that|in order to|reason|due to|as I|too|therefore|that is why)\b|から"
    r"|ので|ため|せい",
    re.IGNORECASE,
)
_SAYING = re.compile(
    r"\b(?:who|whom)\b.{0,200}\b(?:said|say|says|told|tell|wrote|asked|ask|claim\w{0,40}"
    r"|answer\w{0,40}|suggest\w{0,40}|offer\w{0,40}|call\w{0,40}|think|thinks|doubt\w{0,40}"
    r"|promis\w{0,40}|warn\w{0,40}|recommend\w{0,40})\b"
    r"|(?:言った|言って|書いた|聞いた|教えて|と言う).{0,200}(?:だれ|誰)"
    r"|(?:だれ|誰).{0,200}(?:言|書|聞|教え)",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"^\W*(?:what(?:'s| is| are)|where(?: is| are| do| does)|who(?: is|'s| are)"
    r"|how (?:many|much|old|often|far|long)\b.*\b(?:is|are|do|does|has|have)|do|does|is|are|am"
    r"|which)\b|今|現在",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:did|was|were|had|last|ago|first|used to|in (?:19|20)\d\d)\b|\b(?:19|20)\d\d\b"
    r"|[12]\d{3}年|(?:た|だった|ました)(?:か|の|時|とき|？|\?|。|$)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\d{1,2}:\d{2}|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b"
    r"|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:january|february|march|april|june|july|august|september|october|november|december) ?\d"
    r"|\d{1,2}月\d{1,2}日|[一二三四五六七八九十]{1,4}月[一二三四五六七八九十]{1,4}日"
    r"|\d{4}-\d\d-\d\d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reading:
    """Sentences with what speaks for each. n sentences."""

    sentences: tuple[PassageSentence, ...]
    features: dict[str, Floats]
    """By name, each of shape (n,)."""
    answers: tuple[tuple[int, int] | None, ...] = ()
    """Where a model has read them: the stretch of its passage, end exclusive, that answers most
    likely. (n,)
    """


def texts(
    question: Question, items: Sequence[Recalled], found: Sequence[PassageSentence]
) -> list[str]:
    """Give what is to be embedded: the question, then each sentence with who said it."""
    return [question.text, *(_said_by(items[sentence.item], sentence.text) for sentence in found)]


def _said_by(item: Recalled, text: str) -> str:
    return f"{item.chunk.speaker}: {text}" if item.chunk.speaker else text


def look(
    question: Question,
    items: Sequence[Recalled],
    found: Sequence[PassageSentence],
    embedded: Embedded | None,
) -> Reading:
    """Say what speaks for each sentence. ``embedded`` has the question first, then the sentences in
    order; ``None`` goes by words.
    """
    asked = set(question.terms)
    said = [set(terms(_said_by(items[sentence.item], sentence.text))) for sentence in found]
    form = [traits(sentence.text) for sentence in found]
    features = {
        **_by_recall(items, found),
        "cover": _cover(asked, said, items, found),
        **_by_what_is_asked(question, items, found, form),
        "new": np.array([min(1.0, len(words - asked) / SHORT) for words in said]),
        "asking": np.array([float(bool(trait & Trait.QUESTION)) for trait in form]),
        "heading": np.array(
            [float(_heading(items[sentence.item].chunk.text, sentence.start)) for sentence in found]
        ),
        "short": np.array([float(len(words) < SHORT) for words in said]),
        "other_row": np.array(
            [
                float(is_row(sentence.text) and not words & asked)
                for sentence, words in zip(found, said, strict=True)
            ]
        ),
        "contrary": np.array(
            [float(is_contrary(question.text, sentence.text)) for sentence in found]
        ),
        **_by_time_and_place(question, items, found),
        "mine": np.array([float(bool(trait & Trait.FIRST_PERSON)) for trait in form]),
        "lapsed": np.array(
            [
                float(overlaps(items[sentence.item].lapsed, sentence.start, sentence.end))
                for sentence in found
            ]
        ),
    }
    if embedded is not None and found:
        features |= _by_meaning(embedded, len(found))
    return Reading(tuple(found), features)


def _by_recall(items: Sequence[Recalled], found: Sequence[PassageSentence]) -> dict[str, Floats]:
    scores = np.array([items[sentence.item].score for sentence in found])
    return {
        "passage": scores - scores.max(),
        "rank": np.array([1.0 / (1 + sentence.item) for sentence in found]),
    }


def _cover(
    asked: set[str],
    said: Sequence[set[str]],
    items: Sequence[Recalled],
    found: Sequence[PassageSentence],
) -> Floats:
    """Tell how much of the question each sentence says, a rare word counting for more."""
    passages = {
        number: set(terms(items[number].content))
        for number in {sentence.item for sentence in found}
    }
    rarity = _rarity(asked, [passages[sentence.item] for sentence in found])
    total = sum(rarity.values()) or 1.0
    return np.array([sum(rarity[t] for t in asked & words) / total for words in said])


def _by_what_is_asked(
    question: Question,
    items: Sequence[Recalled],
    found: Sequence[PassageSentence],
    form: Sequence[Trait],
) -> dict[str, Floats]:
    """Tell which sentences have what the kind of question wants: a time for a “when”, a name for a
    “who”.
    """
    wants, asked_words = question.asks, question.words
    new_name = [
        any(not set(spoken(name)) & asked_words for name in names(sentence.text))
        for sentence in found
    ]
    return {
        "when": _flag(
            bool(wants & Asks.WHEN), [bool(_CLOCK.search(sentence.text)) for sentence in found]
        ),
        "time": _flag(bool(wants & Asks.WHEN), [bool(trait & Trait.TIME) for trait in form]),
        "count": _flag(bool(wants & Asks.COUNT), [bool(trait & Trait.NUMBER) for trait in form]),
        "money": _flag(
            bool(_MONEY.search(question.text)),
            [bool(_SUM.search(sentence.text)) for sentence in found],
        ),
        "who": _flag(bool(_WHO.search(question.text)), new_name),
        "where": _flag(bool(_WHERE.search(question.text)), new_name),
        "why": _flag(
            bool(_WHY.search(question.text)),
            [bool(_BECAUSE.search(sentence.text)) for sentence in found],
        ),
        "said": _flag(
            bool(_SAYING.search(question.text)),
            [bool(items[sentence.item].chunk.speaker) for sentence in found],
        ),
    }


def _by_time_and_place(
    question: Question, items: Sequence[Recalled], found: Sequence[PassageSentence]
) -> dict[str, Floats]:
    said_at = [items[sentence.item].chunk.said_at for sentence in found]
    moments = np.array([each.timestamp() if each else np.nan for each in said_at])
    begins = {sentence.item: sentence.start for sentence in reversed(found)}
    return {
        "first": np.array([float(sentence.start == begins[sentence.item]) for sentence in found]),
        "now": _newness(moments) * present(question),
    }


def _by_meaning(embedded: Embedded, n: int) -> dict[str, Floats]:
    vectors = np.asarray(embedded.vectors, float)
    near = vectors[1:] @ vectors[0]
    features: dict[str, Floats] = {"meaning": near, "meaning_best": near - near.max()}
    tokens = embedded.tokens
    if tokens is not None and len(tokens) == n + 1 and len(tokens[0]):
        late = _late(tokens[0], tokens[1:])
        features |= {"late": late, "late_best": late - late.max()}
    return features


def present(question: Question) -> bool:
    """Say whether a question asks how things are now.

    >>> [present(Question(text)) for text in
    ...     ("How much is my rent?", "How much was the rent in 2023?", "What do I pay now?")]
    [True, False, True]
    """
    return bool(question.asks & Asks.NOW) or (
        bool(_PRESENT.search(question.text)) and not _PAST.search(question.text)
    )


def _late(question: NDArray[np.int8], texts: Sequence[NDArray[np.int8]]) -> Floats:
    """Give for each text how well it holds what the question's words mean, weighed by how much each
    word tells the texts apart.
    """
    best = np.zeros((len(question), len(texts)))
    for number, tokens in enumerate(texts):
        if len(tokens):
            best[:, number] = (question.astype(float) @ tokens.astype(float).T / TOKEN_ONE**2).max(
                axis=1
            )
    telling = best.std(axis=1) + 1e-9
    found: Floats = telling / telling.sum() @ best
    return found


def _rarity(asked: set[str], context: Sequence[set[str]]) -> dict[str, float]:
    n = len(context)
    held = {term: sum(term in words for words in context) for term in asked}
    return {term: float(np.log(1 + (n + 1) / (count + 0.5))) for term, count in held.items()}


def _flag(wanted: bool, there: Sequence[bool]) -> Floats:
    return np.array(there, float) * wanted if len(there) else np.zeros(0)


def _heading(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.lstrip().startswith("#")


def _newness(moments: Floats) -> Floats:
    known = ~np.isnan(moments)
    found = np.full(len(moments), 0.5)
    if known.any():
        low, high = float(moments[known].min()), float(moments[known].max())
        found[known] = (moments[known] - low) / (high - low) if high > low else 1.0
    return found
