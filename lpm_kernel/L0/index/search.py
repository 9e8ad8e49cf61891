"""Which passages may answer a question, and what speaks for each of them.

Every signal is worked out over the whole bank at once, the scope is laid over it, and the best of
each signal become candidates. A candidate's features are free of the bank's size (ratios, cosines,
flags), so one set of weights serves any bank. How the features are weighed stands in ``rank``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.library.passages import Trait
from lpm_kernel.L0.index.columns import Columns, cosines
from lpm_kernel.L0.language import dates
from lpm_kernel.L0.language.analysis import Asks, spoken
from lpm_kernel.L0.language.analysis import terms as words_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.language.related import Related

BY_WORDS = 300
BY_MEANING = 150
BY_DATE = 200
BY_RELATED = 100
BY_SESSION = 3
"""How many candidates each signal brings; of the best sessions, all rows up to
``BY_SESSION_ROWS``.
"""

BY_SESSION_ROWS = 100
NEAREST = 12
"""Words related to one of the question that passages are looked for by, where there are no vectors
to find them.
"""

NEAR_DATE = 0.5
"""A fit from which a passage counts as said near a named date."""

K1 = 0.6
B = 0.3
BACK = (0.4, 0.2, 0.1)
"""Share of the words' score that a passage takes over from the first, second and third passage
before it.
"""

FORWARD = (0.25, 0.15, 0.1)
"""The same from those after it."""

BRIEF = 5.0
"""Terms of a passage by which it has lost two thirds of its briefness. Only what is very short says
little.
"""

MOST_RELATED = 0.9
"""What a related word counts at most, beside the word itself."""

AROUND = ((1, 1.0), (2, 0.6), (3, 0.6), (-1, 1.0), (-2, 0.6))
"""What a word of the question counts that stands so many passages before a passage (after it, if
negative).
"""

MOST_NAMES = 3.0
TINY = 1e-9

Floats = NDArray[np.float32]
Held = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Positions of the rows that hold a term, and how often each does."""


@dataclass(frozen=True)
class Candidates:
    """What was found worth ranking. m candidates."""

    positions: NDArray[np.int64]
    """Where they stand in the columns."""
    features: dict[str, Floats]
    """By name, each of shape (m,)."""
    terms: tuple[str, ...] = field(repr=False)
    """The question's words that were looked for."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Words of another language that counted for one of them."""
    rarity: Mapping[str, float] = field(default_factory=dict, repr=False)
    """How much each word tells the rows of the bank apart."""
    dated: bool = False
    """The question names a date."""
    several: bool = False
    """The question asks for several things, which seldom stand in one place."""


@dataclass(frozen=True)
class WordsBesides:
    """What is looked for beside the words of a question."""

    related: Related
    """Knows words of related meaning."""
    others: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )
    """For a term those of another language that mean it: it counts as found where one of them
    stands.
    """


def candidates(
    columns: Columns,
    question: Question,
    now: datetime,
    *,
    vector: Floats | None,
    allowed: NDArray[np.bool_] | None,
    words_besides: WordsBesides,
) -> Candidates:
    """Find candidates and say what speaks for each. ``vector`` is the question's, or ``None`` to go
    by words alone.
    """
    others, related = words_besides.others, words_besides.related
    n = len(columns)
    if not n or (allowed is not None and not allowed.any()):
        return Candidates(np.zeros(0, np.int64), {}, ())
    everywhere = np.ones(n, np.bool_) if allowed is None else allowed
    named = _speakers_named(columns, question)
    terms = _terms(columns, question, named)
    held = [_united_postings(columns, term, others.get(term, ())) for term in terms]
    rarity = [float(np.log(1 + (n - len(at) + 0.5) / (len(at) + 0.5))) for at, _ in held]
    matches = _matches(columns, held, rarity)
    words = matches.words
    sessions = _sessions(columns, held, everywhere)
    named_dates = question.dates(now)
    fits = dates.fit(named_dates, columns.moments) if named_dates else np.zeros(n, np.float32)

    nearness = related.to(terms, columns.vocabulary)
    near = _near(columns, vector)
    chosen = [
        _best(words, everywhere, BY_WORDS, above=0.0),
        _of_meaning(columns, near, nearness, everywhere),
    ]
    if named_dates:
        chosen.append(_of_date(fits, words, everywhere))
    chosen.append(_of_best_sessions(columns, sessions, everywhere))
    at = np.unique(np.concatenate(chosen))
    if not len(at):
        return Candidates(at, {}, terms, others, dict(zip(terms, rarity, strict=True)))

    alike, alike_near = _alike(columns, nearness, held, rarity, at)
    features: dict[str, Floats] = {
        **_by_words(matches, at, _cover_around(columns, held, rarity, at)),
        "related": alike,
        "related_near": alike_near,
        "session": sessions[columns.groups[at] - columns.groups[0]],
        **_by_form(columns, question, named, at, fits[at]),
    }
    if near is not None and vector is not None:
        features |= _by_meaning(columns, vector, near, at)
    return Candidates(
        positions=at,
        features={name: np.asarray(value, np.float32) for name, value in features.items()},
        terms=terms,
        others=others,
        rarity=dict(zip(terms, rarity, strict=True)),
        dated=bool(named_dates),
        several=bool(question.asks & Asks.SEVERAL),
    )


def _near(columns: Columns, vector: Floats | None) -> Floats | None:
    if vector is None or columns.vectors is None:
        return None
    return cosines(columns.vectors.context, columns.vectors.context_scales, vector)


def _of_meaning(
    columns: Columns, near: Floats | None, nearness: Floats, everywhere: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Choose what is near in meaning; without vectors, by words of related meaning."""
    if near is not None:
        return _best(near, everywhere, BY_MEANING)
    return _best(_by_relation(columns, nearness), everywhere, BY_RELATED, above=0.0)


def _of_date(fits: Floats, words: Floats, everywhere: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Choose what was said at the time that is named; words decide between passages of a day."""
    score = fits + 0.1 * words / (words.max() + TINY)
    return _best(score, everywhere & (fits >= NEAR_DATE), BY_DATE)


def _by_words(matches: _Matches, at: NDArray[np.int64], around: Floats) -> dict[str, Floats]:
    words = matches.words
    top = float(words[at].max()) + TINY
    return {
        "own": matches.own[at] / top,
        "before": matches.before[at] / top,
        "after": matches.after[at] / top,
        "top": (words[at] / top) ** 2,
        "cover": matches.cover[at],
        "cover_near": matches.cover_before[at] + matches.cover_after[at],
        "cover_around": around - matches.cover[at],
        "rarest": matches.rarest[at],
    }


def _by_form(
    columns: Columns,
    question: Question,
    named: Sequence[int],
    at: NDArray[np.int64],
    dated: Floats,
) -> dict[str, Floats]:
    """Say who speaks, and whether a passage has the form that the question asks for."""
    speaker = np.zeros(len(at), np.float32)
    if len(named) == 1:
        speaker = (columns.speakers[at] == named[0]).astype(np.float32)
    traits = columns.traits[at]
    brief = np.exp(-columns.lengths[at] / BRIEF)
    return {
        "speaker": speaker,
        "me": speaker * _has(traits, Trait.FIRST_PERSON),
        "asking": _has(traits, Trait.QUESTION),
        "brief_asking": _has(traits, Trait.QUESTION) * brief,
        "when": _has(traits, Trait.TIME) * bool(question.asks & Asks.WHEN),
        "date": dated,
        "brief": brief,
        "number": _has(traits, Trait.NUMBER) * bool(question.asks & Asks.COUNT),
        "proper": np.minimum(columns.name_counts[at], MOST_NAMES) * bool(question.asks & Asks.NAME),
        "now": _newness(columns.moments[at]) * bool(question.asks & Asks.NOW),
    }


def _by_meaning(
    columns: Columns, vector: Floats, near: Floats, at: NDArray[np.int64]
) -> dict[str, Floats]:
    vectors = columns.vectors
    if vectors is None:
        return {}
    there = vectors.own_scales[at] > 0
    meant = cosines(vectors.own[at], vectors.own_scales[at], np.asarray(vector, np.float32))
    rare = (near - _mean(near)) / (np.float32(near.std(dtype=np.float64)) + TINY)
    sessions_meant = _mean_of_sessions(columns, near)
    return {
        "meaning": _filled(meant, there),
        "meaning_near": _filled(near[at], there),
        "meaning_rare": _filled(rare[at], there),
        "meaning_session": sessions_meant[columns.groups[at] - columns.groups[0]],
    }


# --- words --------------------------------------------------------------------------------------


def _speakers_named(columns: Columns, question: Question) -> list[int]:
    """Say which of the bank's speakers the question names: by every part of the name, or by the
    first.
    """
    found = []
    for number, name in enumerate(columns.speaker_names):
        parts = spoken(name)
        whole = bool(parts) and all(part in question.words for part in parts)
        if (
            whole
            or (parts and parts[0] in question.words)
            or (not name.isascii() and name in question.text)
        ):
            found.append(number)
    return found


def _terms(columns: Columns, question: Question, named: Sequence[int]) -> tuple[str, ...]:
    """Give the terms to look for: not the names of speakers, who stand in half of all rows, unless
    nothing else is left.
    """
    if not named:
        return question.search_terms
    speakers = {term for number in named for term in words_of(columns.speaker_names[number])}
    return (
        tuple(term for term in question.search_terms if term not in speakers)
        or question.search_terms
    )


def _united_postings(columns: Columns, term: str, others: Sequence[str]) -> Held:
    """Give the rows that hold a term or what means the same, and how often; a row counts by the one
    it holds most often.
    """
    every = [found for each in (term, *others) if len((found := columns.postings_of(each))[0])]
    if len(every) < 2:  # noqa: PLR2004 - nothing to unite
        return every[0] if every else columns.postings_of(term)
    at, inverse = np.unique(np.concatenate([rows for rows, _ in every]), return_inverse=True)
    counts = np.zeros(len(at), np.float32)
    np.maximum.at(counts, inverse, np.concatenate([counts for _, counts in every]))
    return at, counts


@dataclass(frozen=True)
class _Matches:
    """How well each passage matches by words, its neighbours with it."""

    own: Floats
    before: Floats
    after: Floats
    words: Floats
    """The three together."""
    cover: Floats
    cover_before: Floats
    cover_after: Floats
    rarest: Floats


def _matches(columns: Columns, held: Sequence[Held], rarity: Sequence[float]) -> _Matches:
    own, cover, rarest = _words(columns, held, rarity)
    before, after = _bled(columns, own)
    cover_before, cover_after = _bled(columns, cover)
    return _Matches(
        own, before, after, own + before + after, cover, cover_before, cover_after, rarest
    )


def _words(
    columns: Columns, held: Sequence[Held], rarity: Sequence[float]
) -> tuple[Floats, Floats, Floats]:
    """Score every row by BM25, by the share of the question (weighed by rarity) that it holds, and
    by whether it holds the rarest word.
    """
    n = len(columns)
    own, cover, rarest = (np.zeros(n, np.float32) for _ in range(3))
    total = sum(rarity) + TINY
    average = _mean(columns.lengths) + TINY
    for (at, counts), idf in zip(held, rarity, strict=True):
        saturation = K1 * (1 - B + B * columns.lengths[at] / average)
        own[at] += (idf * (K1 + 1) * counts / (counts + saturation)).astype(np.float32)
        cover[at] += np.float32(idf / total)
    there = [(idf, at) for (at, _), idf in zip(held, rarity, strict=True) if len(at)]
    if there:
        rarest[max(there, key=lambda each: each[0])[1]] = 1.0
    return own, cover, rarest


def _bled(columns: Columns, score: Floats) -> tuple[Floats, Floats]:
    """Give what every row takes over from the rows before it and after it in its session."""
    before, after = np.zeros_like(score), np.zeros_like(score)
    for distance, (back, forward) in enumerate(zip(BACK, FORWARD, strict=True), start=1):
        together = columns.groups[distance:] == columns.groups[:-distance]
        before[distance:] += np.float32(back) * score[:-distance] * together
        after[:-distance] += np.float32(forward) * score[distance:] * together
    return before, after


def _by_relation(columns: Columns, nearness: Floats) -> Floats:
    """Score every row by the words that it holds of those most related to the question's."""
    score = np.zeros(len(columns))
    for number in range(nearness.shape[1]):
        for word in _best(
            nearness[:, number], np.ones(len(nearness), np.bool_), NEAREST, above=0.0
        ):
            rows, _ = columns.postings_of_number(int(word))
            score[rows] += nearness[word, number]
    return score.astype(np.float32)


def _alike(
    columns: Columns,
    nearness: Floats,
    held: Sequence[Held],
    rarity: Sequence[float],
    at: NDArray[np.int64],
) -> tuple[Floats, Floats]:
    """Score candidates by words related to those of the question: their own, and what they take
    over from their neighbours.

    Of a passage that does not hold a term the nearest of its words counts. What a term weighs with
    all its related words is worked out from how often they stand in the bank: a kind with many
    members says less than one with few.
    """
    n, most = len(columns), len(BACK)
    places = np.unique(np.clip(at[:, None] + np.arange(-most, most + 1), 0, n - 1))
    lengths = np.diff(columns.term_starts)[places]
    places, lengths = places[lengths > 0], lengths[lengths > 0]
    if not len(places) or not held:
        return np.zeros(len(at), np.float32), np.zeros(len(at), np.float32)
    firsts = np.cumsum(lengths) - lengths
    ids = columns.term_ids[
        np.arange(lengths.sum()) + np.repeat(columns.term_starts[places] - firsts, lengths)
    ]
    best = np.minimum(np.maximum.reduceat(nearness[ids], firsts, axis=0), MOST_RELATED)
    for number, (rows, _) in enumerate(held):
        best[_flags(n, rows)[places], number] = 0.0
    # the vocabulary stands in the order of reading
    wide = columns.frequencies().astype(np.float64) @ nearness.astype(np.float64)
    documents = np.minimum(n, wide + np.array([len(rows) for rows, _ in held]))
    weights = np.log(1 + (n - documents + 0.5) / (documents + 0.5)) / (sum(rarity) + TINY)
    score = np.zeros(n, np.float32)
    score[places] = np.vecdot(best, weights)
    before, after = _bled(columns, score)
    return score[at], (before + after)[at]


def _cover_around(
    columns: Columns, held: Sequence[Held], rarity: Sequence[float], at: NDArray[np.int64]
) -> Floats:
    """Give the share of the question that a candidate and its neighbours hold together, each word
    once.
    """
    n, total = len(columns), sum(rarity) + TINY
    beside = []
    for distance, share in AROUND:
        other = np.clip(at - distance, 0, n - 1)
        beside.append(
            (
                other,
                share * ((other == at - distance) & (columns.groups[other] == columns.groups[at])),
            )
        )
    found = np.zeros(len(at), np.float32)
    for (rows, _), idf in zip(held, rarity, strict=True):
        there = _flags(n, rows)
        found += np.float32(idf / total) * np.maximum.reduce(
            [there[at], *(share * there[other] for other, share in beside)]
        ).astype(np.float32)
    return found


def _flags(n: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    there = np.zeros(n, np.bool_)
    there[rows] = True
    return there


def _sessions(columns: Columns, held: Sequence[Held], everywhere: NDArray[np.bool_]) -> Floats:
    """Score whole sessions by BM25, the best of those that may take part being 1. Indexed by group
    less the first group.
    """
    first = int(columns.groups[0])
    numbers = columns.groups - first
    count = int(numbers[-1]) + 1
    lengths = np.bincount(numbers, weights=columns.lengths, minlength=count)
    score = np.zeros(count)
    real = max(1, int((lengths > 0).sum()))
    average = float(lengths.sum()) / real + TINY
    for at, counts in held:
        if not len(at):
            continue
        there = np.bincount(numbers[at], weights=counts, minlength=count)
        documents = int((there > 0).sum())
        idf = float(np.log(1 + (real - documents + 0.5) / (documents + 0.5)))
        score += idf * 2.2 * there / (there + 1.2 * (0.25 + 0.75 * lengths / average))
    open_ = np.bincount(numbers[everywhere], minlength=count) > 0
    score *= open_
    return np.asarray(score / (score.max() + TINY), np.float32)


def _of_best_sessions(
    columns: Columns, sessions: Floats, everywhere: NDArray[np.bool_]
) -> NDArray[np.int64]:
    best = np.argsort(-sessions, kind="stable")[:BY_SESSION]
    best = best[sessions[best] > 0]
    inside = np.flatnonzero(everywhere & np.isin(columns.groups - columns.groups[0], best))
    return inside[:BY_SESSION_ROWS]


# --- meaning, time, form ------------------------------------------------------------------------


def _mean_of_sessions(columns: Columns, near: Floats) -> Floats:
    numbers = columns.groups - columns.groups[0]
    return np.asarray(
        np.bincount(numbers, weights=near) / np.maximum(np.bincount(numbers), 1), np.float32
    )


def _filled(values: Floats, there: NDArray[np.bool_]) -> Floats:
    """Give rows without a vector the mean of the others, which speaks neither for nor against
    them.
    """
    return np.where(there, values, _mean(values[there]) if there.any() else 0.0).astype(np.float32)


def _mean(values: Floats) -> np.float32:
    """Give the mean, summed wide enough that the order of the rows, which is the order of reading,
    does not show in it.
    """
    return np.float32(values.mean(dtype=np.float64))


def _newness(moments: NDArray[np.float64]) -> Floats:
    """Give the place in time among the candidates, 0 the oldest and 1 the newest; unknown counts as
    the middle.
    """
    known = ~np.isnan(moments)
    found = np.full(len(moments), 0.5, np.float32)
    if known.any():
        low, high = float(moments[known].min()), float(moments[known].max())
        found[known] = (moments[known] - low) / (high - low) if high > low else 1.0
    return found


def _has(traits: NDArray[np.int16], trait: Trait) -> Floats:
    held: NDArray[np.bool_] = (traits & int(trait)) > 0
    return held.astype(np.float32)


def _best(
    score: Floats, everywhere: NDArray[np.bool_], most: int, above: float = -np.inf
) -> NDArray[np.int64]:
    """Give the positions of the ``most`` best scores that may take part."""
    open_ = np.flatnonzero(everywhere & (score > above))
    if len(open_) <= most:
        return open_
    return open_[np.argpartition(-score[open_], most)[:most]]
