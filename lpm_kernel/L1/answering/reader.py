"""Reading: which sentences of the passages answer the question, and whether any does.

A small model misreads its evidence, so what is quoted is chosen without it. Each sentence of the
best passages is weighed by what speaks for it: where its passage stands, how its words and their
meaning meet the question's, whether it has the form of an answer (a date for a when, a number for a
how many, a name for a who). The weights are learned on invented lives (`tests/bench/fit_reader.py`)
and ship in `reader.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection, Sought
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.passages import TOKEN_ONE, Embedded, Trait
from lpm_kernel.domain.ports import Embedder, TokenEmbedder
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.language.analysis import Asks, marks, names, spoken, terms, traits
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.text.chunks import sentence_spans
from lpm_kernel.L1.answering.critique import DATED, EVERYDAY, sets_a_limit

PASSAGES = 10
"""Passages that are read, the best by recall."""

SENTENCES = 12
"""Sentences of a passage that are read."""

SHORT = 3
"""Content words from which a sentence says something."""

PICKS = 2
WORDS = 42
"""What is quoted has together no more words; with who said it when, an answer stays below sixty."""

BESIDE = 4.0
"""Points of the score by which a neighbouring sentence may be worse and still be quoted along."""

GATHERED = 6
"""Sentences that are put beside a request."""
FARTHER = 8.0
"""Points of the score by which they may be worse than the best."""
BELONGS = 0.52
"""Likeness of meaning from which a sentence belongs to a request; less is wanted the more of the
request's words it holds.
"""
HELD = 0.5
"""What the share of the request's words, weighed by rarity, counts beside likeness."""
MOST_HELD = 0.4
"""Share from which more words say no more."""
WORDS_HELD = 2
"""Words of the request with which a sentence speaks of the same, where its meaning does not lie far
off or they are not the plainest; with more it always does.
"""
FAR = 0.3
"""Likeness, and share of the request's words, below which that is so."""

LAPSED = 4.0
"""Points of the score that a sentence loses which was not so at the time that is asked about: more
than a neighbour may be worse and still be quoted along.
"""
HEAD = 3
"""Sentences on which it depends whether there is an answer."""

FORMS = ("when", "time", "count", "money", "who", "where", "why", "said")

ANSWERED = ("margin", "form", "recall")
"""What is known of a whole reading, for judging whether there is an answer. Of 19 signs that were
tried, these held on lives that they were not learned from.
"""

Floats = NDArray[np.float64]

_LATIN_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u024f][\w’'.,:-]*")
_WIDE_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_DATE_LINE = re.compile(
    r"(?:[\W\d_]|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|st|nd|rd|th|of"
    r"|[年月日時分曜月火水木金土〇一二三四五六七八九十])+",
    re.IGNORECASE,
)
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
_ROW = re.compile(r"\w: [^;]*; [\w ]+: [^;]*; [\w ]+: ")
"""A row of a table, written out: it says little by itself, and much about others."""
_ASKING = EVERYDAY | frozenset(
    terms(
        "please recommend suggest tell find give help look plan make take need want know long much"
        " good best way let say send choose ask write draft explain describe answer request 教える"
        " ください 選ぶ 考える 探す お願い 頼む 依頼 書く 相談 質問 説明 について 手伝う 文"
        " 立てる 勧める"
    )
)
"""What one says when one asks for something, whatever it is."""
_ADDRESSES = re.compile(
    r"\b(?:you|your|yours|yourself)\b|あなた|貴方|お客様|ください|下さい|ましょう|您|你",
    re.IGNORECASE,
)
"""Said to somebody: whoever reads it later would take it for themselves."""
_CLOCK = re.compile(
    r"\d{1,2}:\d{2}|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b"
    r"|\b\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:january|february|march|april|june|july|august|september|october|november|december) ?\d"
    r"|\d{1,2}月\d{1,2}日|[一二三四五六七八九十]{1,4}月[一二三四五六七八九十]{1,4}日"
    r"|\d{4}-\d\d-\d\d",
    re.IGNORECASE,
)


Span = tuple[DocumentId, int, int]
"""A stretch of a document, in code points, end exclusive."""


@dataclass(frozen=True)
class PassageSentence:
    """A sentence of a passage. ``start`` and ``end`` count code points in the passage, end
    exclusive.
    """

    item: int
    start: int
    end: int
    text: str = field(repr=False)


@dataclass(frozen=True)
class Pick:
    """What is quoted: a sentence, or two that follow each other in one passage. A span of the
    passage, end exclusive.
    """

    item: int
    start: int
    end: int


@dataclass(frozen=True)
class TableAnswer:
    """An answer that was computed from rows of a table, with the rows."""

    sentence: str = field(repr=False)
    citations: tuple[Citation, ...]
    whole: bool = False
    """Rows that are not cited may have been counted."""


@dataclass(frozen=True)
class ReadingResult:
    """What a reading came to."""

    picks: tuple[Pick, ...]
    """Best first."""
    chance: float
    """0..1: how likely it is that there is an answer at all."""
    told: TableAnswer | None = None
    """What was computed, where that was asked for: it needs no quotation."""


@dataclass(frozen=True)
class Reading:
    """Sentences with what speaks for each. n sentences."""

    sentences: tuple[PassageSentence, ...]
    features: dict[str, Floats]
    """By name, each of shape (n,)."""


@dataclass(frozen=True)
class ReaderWeights:
    """What a feature counts for a sentence, and what the best ones count for there being an
    answer.
    """

    sentence: Mapping[str, float]
    answered: Mapping[str, float]


@lru_cache(maxsize=1)
def shipped() -> ReaderWeights:
    """Read the weights that ship with the node."""
    raw = json.loads(resources.files(__package__).joinpath("reader.json").read_text("utf-8"))
    return ReaderWeights(raw["sentence"], raw["answered"])


def read(
    question: Question, found: Recollection, embedder: Embedder | None = None
) -> ReadingResult:
    """Choose what answers the question. Without an embedder, or while it does not answer, words and
    form decide.
    """
    return rest(question, found, (), embedder)


def rest(
    question: Question, found: Recollection, shown: Sequence[Span], embedder: Embedder | None = None
) -> ReadingResult:
    """Choose what answers the question besides what was shown already, there or in the same words
    elsewhere.
    """
    items = found.items
    known = _besides(sentences(items), items, shown) if shown else sentences(items)
    if not known:
        return ReadingResult((), 0.0)
    reading = _look(question, items, known, embedder)
    weights = shipped()
    return ReadingResult(
        pick(reading, scores(reading, weights), items), answered(reading, weights, found.answerable)
    )


def _besides(
    known: Sequence[PassageSentence], items: Sequence[Recalled], shown: Sequence[Span]
) -> list[PassageSentence]:
    def is_shown(each: PassageSentence) -> bool:
        chunk = items[each.item].chunk
        return any(
            chunk.document == document
            and chunk.start + each.start < end
            and chunk.start + each.end > start
            for document, start, end in shown
        )

    said = {" ".join(sentence.text.split()) for sentence in known if is_shown(sentence)}
    return [sentence for sentence in known if " ".join(sentence.text.split()) not in said]


def _look(
    question: Question,
    items: Sequence[Recalled],
    known: Sequence[PassageSentence],
    embedder: Embedder | None,
) -> Reading:
    embedded = None
    if embedder is not None:
        try:
            asked = texts(question, items, known)
            embedded = (
                embedder.embed_tokens(asked)
                if isinstance(embedder, TokenEmbedder)
                else Embedded(embedder.id, embedder.embed(asked))
            )
        except EmbedderUnavailableError:
            embedded = None
    return look(question, items, known, embedded)


def gather(
    request: Question, found: Recollection, embedder: Embedder | None = None
) -> tuple[Pick, ...]:
    """Choose the sentences that belong to a request rather than answer it: each says something of
    its own about what is asked for, best first.
    """
    items = found.items
    known = sentences(items)
    if not known:
        return ()
    reading = _look(request, items, known, embedder)
    score, given = scores(reading, shipped()), reading.features
    near = given.get("meaning")
    sought = asked_for(request, found)
    told = [
        belongs(sentence.text, sought, None if near is None else float(near[at]))
        and not (
            given["short"][at]
            or given["asking"][at]
            or given["heading"][at]
            or _ROW.search(sentence.text)
        )
        and not (_ADDRESSES.search(sentence.text) or items[sentence.item].chunk.by_machine)
        for at, sentence in enumerate(known)
    ]
    chosen: list[Pick] = []
    for at in (int(best) for best in np.argsort(-score, kind="stable")):
        each = reading.sentences[at]
        if (
            told[at]
            and sum(pick.item == each.item for pick in chosen) < PICKS
            and score[at] > score.max() - FARTHER
        ):
            chosen.append(Pick(each.item, each.start, each.end))
        if len(chosen) == GATHERED:
            break
    return tuple(chosen)


def asked_for(request: Question, found: Recollection) -> list[Sought]:
    """Give the words of a request that say what it is about, not that something is wanted."""
    known = found.sought or tuple(Sought(term, (term,), 1.0) for term in request.terms)
    wanted: list[tuple[Sought, list[tuple[int, int]]]] = []
    for sought in known:
        spans = marks(request.text, [sought.term])
        at = next(
            (
                n
                for n, (_, taken) in enumerate(wanted)
                if any(overlaps(taken, *span) for span in spans)
            ),
            None,
        )
        if at is not None:  # a pair of signs is part of its word
            wanted[at] = (
                replace(
                    wanted[at][0], forms=tuple(dict.fromkeys((*wanted[at][0].forms, *sought.forms)))
                ),
                wanted[at][1],
            )
        elif sought.term not in _ASKING:
            wanted.append((sought, spans))
    return [each for each, _ in wanted]


def held_of(text: str, sought: Sequence[Sought]) -> list[Sought]:
    """Give those of the words that stand in a text, in either language."""
    words = set(terms(text))
    return [each for each in sought if not words.isdisjoint(each.forms)]


def belongs(text: str, sought: Sequence[Sought], near: float | None) -> bool:
    """Tell whether there is evidence that a sentence is about what is asked for.

    Meaning and words count together, a word the more the fewer passages hold it: one plain word
    alone is no evidence. What somebody cannot stand or do belongs to whatever is asked for them.
    ``near`` is the likeness of meaning where it is known.

    >>> asked = [Sought("dog", ("dog", "犬"), 3.0), Sought("food", ("food",), 5.0),
    ...     Sought("vet", ("vet",), 4.0)]
    >>> [belongs(text, asked, near)
    ...     for text,
    ...     near in [("The dog is brown.", 0.3), ("うちの犬は鶏肉が食べられない。", 0.2),
    ...     ("The vet looked at the dog.", 0.4)]]
    [False, True, True]
    """
    held = held_of(text, sought)
    # no more than what was asked for, with a date
    if not set(terms(DATED.sub(" ", text))).difference(*(each.forms for each in held)):
        return False
    if held and sets_a_limit(text):
        return True
    share = sum(each.rarity for each in held) / (sum(each.rarity for each in sought) or 1.0)
    if len(held) > WORDS_HELD or (
        len(held) == WORDS_HELD and (near is None or near >= FAR or share >= FAR)
    ):
        return True
    return (near or 0.0) + HELD * min(share, MOST_HELD) >= BELONGS


def pick(reading: Reading, score: Floats, items: Sequence[Recalled]) -> tuple[Pick, ...]:
    """Choose up to :data:`PICKS` stretches of one or two neighbouring sentences, together no longer
    than :data:`WORDS`.
    """
    chosen: list[Pick] = []
    used: set[int] = set()
    room = float(WORDS)
    for best in np.argsort(-score, kind="stable"):
        at = int(best)
        if len(chosen) == PICKS:
            break
        if at in used or (
            chosen and (reading.features["short"][at] or length(reading.sentences[at].text) > room)
        ):
            continue
        both = [at]
        beside = [
            n
            for n in (at - 1, at + 1)
            if n not in used and 0 <= n < len(score) and score[n] > score[at] - BESIDE
        ]
        beside = [
            n
            for n in beside
            if _side_by_side(reading.sentences[min(n, at)], reading.sentences[max(n, at)], items)
        ]
        if beside:
            other = max(beside, key=lambda n: float(score[n]))
            if length(reading.sentences[at].text) + length(reading.sentences[other].text) <= room:
                both = sorted((at, other))
        used.update(both)
        first, last = reading.sentences[both[0]], reading.sentences[both[-1]]
        chosen.append(Pick(first.item, first.start, last.end))
        room -= sum(length(reading.sentences[n].text) for n in both)
    return tuple(chosen)


def _side_by_side(
    one: PassageSentence, next_one: PassageSentence, items: Sequence[Recalled]
) -> bool:
    """Tell whether two sentences stand in one paragraph, with no mark of a list between them."""
    between = (
        items[one.item].chunk.text[one.end : next_one.start] if one.item == next_one.item else "."
    )
    return not between.strip() and between.count("\n") <= 1


def length(text: str) -> float:
    """Count words; two signs of Japanese or Chinese are about one.

    >>> length("Rain all day."), length("雨だった。")
    (3.0, 2.0)
    """
    return len(_LATIN_WORD.findall(text)) + len(_WIDE_SIGN.findall(text)) / 2


def sentences(items: Sequence[Recalled]) -> list[PassageSentence]:
    """Give the sentences that are read; the line with the date at the head of a letter is none, nor
    what the person struck.
    """
    return [
        PassageSentence(number, start, end, item.chunk.text[start:end])
        for number, item in enumerate(items[:PASSAGES])
        for start, end in sentence_spans(item.chunk.text)[:SENTENCES]
        if not _DATE_LINE.fullmatch(item.chunk.text[start:end])
        and not overlaps(item.struck, start, end)
    ]


def overlaps(struck: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a stretch touches what the person struck."""
    return any(first < end and start < last for first, last in struck)


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


def scores(reading: Reading, weights: ReaderWeights) -> Floats:
    """Score the sentences. Shape (n,)."""
    total = np.zeros(len(reading.sentences))
    for name, values in reading.features.items():
        total += weights.sentence.get(name, 0.0) * values
    return total - LAPSED * reading.features.get("lapsed", np.zeros(len(total)))


def summary(reading: Reading, weights: ReaderWeights, recalled: float) -> dict[str, float]:
    """Sum the best sentences up. ``recalled`` is what recall says of the chance that there is an
    answer.
    """
    score = scores(reading, weights)
    order = np.argsort(-score, kind="stable")
    given = reading.features
    return {
        "margin": float(score[order[0]] - score[order[1:10]].mean()) if len(order) > 1 else 0.0,
        "form": max(
            (
                float(given[name][order[:HEAD]].max())
                for name in FORMS
                if name in given and len(order)
            ),
            default=0.0,
        ),
        "recall": recalled,
    }


def answered(reading: Reading, weights: ReaderWeights, recalled: float) -> float:
    """Give the chance that the sentences hold an answer, 0..1."""
    seen = summary(reading, weights, recalled)
    total = weights.answered.get("bias", 0.0) + sum(
        weights.answered.get(name, 0.0) * value for name, value in seen.items()
    )
    return float(1 / (1 + np.exp(-np.clip(total, -30, 30))))


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
