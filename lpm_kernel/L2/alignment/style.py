"""The style of a person, measured in what they wrote themselves, and how far a text is from it.

A profile holds for one language, and is made only where there is enough to measure. What is counted
says how somebody writes, and not of what (``style_features.py``), so that a text is near because it
sounds alike, whatever it tells.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.training.runs import Figure
from lpm_kernel.L0.text.sentences import sentences
from lpm_kernel.L2.alignment.style_features import (
    LANGUAGES,
    LONGEST_GRAM,
    SHARES,
    Gram,
    Mark,
    StyleSample,
    Written,
    added,
    read_sentence,
    read_text,
    words_in,
    written_in,
)

LEAST: Final[Mapping[Written, int]] = {"en": 4000, "ja": 1500}
"""Characters without spaces below which a style is not measured."""
PIECE: Final[Mapping[Written, int]] = {"en": 1000, "ja": 400}
"""Characters that are compared at a time: of less text fewer counts agree by chance, so only pieces
of one size can be held against each other.
"""
FOLDS: Final = 5
"""Parts of the person's texts, each compared with the others: how unlike they are to themselves."""
DRAWS: Final = 200
"""Pieces that are drawn to find that out."""
RESAMPLES: Final = 500
MOST_GRAMS: Final = 200
"""Counts of each length that are compared, the most frequent ones."""
FLOOR: Final = 1e-6
"""What is added to the variance of a rate, so that what is hardly ever met decides nothing."""
SAMPLED: Final = 2000
"""Tokens whose sampling error counts in the variance of a rate."""
APART: Final = 0.02
"""By how much general text has to be less like the person than they are like themselves."""
PRIOR: Final = 500.0
"""Words that the prior of the log-odds weighs as much as."""
LEAST_USES: Final = 3
"""How often, and in how many texts, somebody uses a word that is called theirs."""
CLEAR: Final = 1.96
"""The z-score from which on it is."""
MOST_WORDS: Final = 16
SHORT: Final = 20
"""Characters up to which the same sentence counts as often as it is written. A longer one twice is
a copy.
"""

Counts = NDArray[np.float64]
_GENERAL: Final[Mapping[Written, Sequence[str]]] = {
    "en": ("prose.txt", "neutral.txt", "everyday_en.txt"),
    "ja": ("everyday_ja.txt",),
}


@dataclass(frozen=True)
class StyleFigure:
    """One thing that was measured, beside the same in general text."""

    name: str
    own: float
    general: float


@dataclass(frozen=True)
class CharacteristicWord:
    """A word that the person uses more than others do, however often they speak of its subject."""

    word: str = field(repr=False)
    own: float
    """Uses in a thousand words."""
    general: float
    z: float
    """Log-odds in standard errors: see :func:`log_odds`."""


@dataclass(frozen=True)
class _Measure:
    """What is compared, with how much each count weighs: a row for each gram."""

    places: Mapping[Gram, int] = field(repr=False)
    families: NDArray[np.intp] = field(repr=False)
    """Of how many tokens each is, less one."""
    scale: Counts = field(repr=False)
    own: Counts = field(repr=False)
    """Rates in what the person wrote, scaled."""

    def counts(self, samples: Sequence[StyleSample]) -> Counts:
        """Count each sample: shape (samples, grams + families), the totals of families last."""
        width, families = len(self.places), int(self.families.max()) + 1
        found = np.zeros((len(samples), width + families))
        for row, sample in enumerate(samples):
            for gram, count in sample.grams.items():
                if len(gram) <= families:
                    found[row, width + len(gram) - 1] += count
                place = self.places.get(gram)
                if place is not None:
                    found[row, place] += count
        return found

    def differences(self, counted: Counts) -> Counts:
        """Return how unlike each row of counts is to the person, 0..1.

        The share of what two texts do not have in common: 1 - Σ min(a, b) / Σ max(a, b) of their
        rates, each in standard deviations. It is Ružička's measure, with which Koppel and Winter
        (2014, JASIST 65) and Kestemont et al. (2016, Expert Systems with Applications 63) verify
        authors; that rates are scaled, so that frequent words do not decide alone, is Burrows'
        Delta (2002, Literary and Linguistic Computing 17).
        """
        width = len(self.places)
        totals = np.maximum(counted[:, width:], 1.0)
        rates = counted[:, :width] / totals[:, self.families] * self.scale
        return np.asarray(
            1.0
            - np.minimum(rates, self.own).sum(axis=1)
            / np.maximum(np.maximum(rates, self.own).sum(axis=1), 1e-12)
        )


@dataclass(frozen=True)
class StyleProfile:
    """How somebody writes one language."""

    language: Written
    texts: int
    """Texts that it was measured in."""
    sample: StyleSample
    words: tuple[CharacteristicWord, ...]
    own: float
    """How unlike the person's texts are to themselves: a piece of one against all others, 0..1."""
    general: float
    """The same of a piece of general text."""
    _measure: _Measure = field(repr=False)

    def difference(self, samples: Sequence[StyleSample]) -> float:
        """Return how unlike these sentences are together, 0..1; nothing at all is 1. Texts of
        different lengths cannot be compared by it.
        """
        return float(self._measure.differences(self._measure.counts([added(samples)]))[0])

    def distances(self, differences: Counts) -> Counts:
        """Turn how unlike pieces are into distances, 0..1: 0 where they are as near as the person's
        own unseen texts, 0.5 where as far as general text, toward 1 beyond.
        """
        standing = np.maximum(differences - self.own, 0.0) / max(self.general - self.own, APART)
        return np.asarray(standing / (1.0 + standing))

    @property
    def tells_apart(self) -> bool:
        """Whether the person's texts are more like each other than general text is like them. Where
        they write in several manners, or little, nothing can be said of a distance.
        """
        return self.general - self.own >= APART

    @property
    def figures(self) -> tuple[StyleFigure, ...]:
        """What is shown of it, beside general text."""
        theirs = _figures(general_sample(self.language), self.language)
        mine = _figures(self.sample, self.language)
        return tuple(StyleFigure(name, mine[name], theirs[name]) for name in mine)


def profiles_of(texts: Iterable[str]) -> dict[Written, StyleProfile]:
    """Measure how somebody writes, in each language in which there is enough of it. In which order
    the texts come does not matter.
    """
    every = sorted(set(texts), key=_lot)
    found = {}
    for language in LANGUAGES:
        profile = _profile(every, language)
        if profile is not None:
            found[language] = profile
    return found


def characters_by_language(texts: Iterable[str]) -> dict[str, int]:
    """Return the letters and digits in each language, by script: ``en`` (all Latin letters),
    ``ja``, ``other``; the most of them first. A longer sentence that was copied counts once.

    >>> characters_by_language(["It rains. 雨だ。"])
    {'en': 7, 'ja': 2}
    """
    counted: Counter[str] = Counter()
    seen: set[str] = set()
    for text in texts:
        for sentence in sentences(text):
            copied = len(sentence) > SHORT and sentence in seen
            if any(sign.isalpha() for sign in sentence) and not copied:
                seen.add(sentence)
                letters = sum(sign.isalnum() for sign in sentence)
                counted[written_in(sentence) or "other"] += letters
    return dict(counted.most_common())


def style_distance(
    profiles: Mapping[Written, StyleProfile], answers: Sequence[str], seed: int = 1
) -> Figure | None:
    """Return how far answers are from how the person writes, 0..1, lower is nearer, with its
    bootstrap interval over the answers (2.5th and 97.5th percentile; the figure is the median,
    since nothing is nearer than 0); ``None`` where they are too little to tell, or in no language
    whose profile tells apart.

    All answers of a resample are laid behind each other and cut into pieces of :data:`PIECE`
    characters; the mean of their differences counts. So long and short answers are measured alike.
    """
    drawn: list[tuple[float, Counts]] = []
    told = 0
    for language, profile in profiles.items():
        read = [read_text(answer).get(language, []) for answer in answers]
        samples = [added(each) for each in read if each]
        characters = sum(sample.characters for sample in samples)
        if characters < PIECE[language] or not profile.tells_apart:
            continue
        told += len(samples)
        drawn.append((characters, profile.distances(_resampled(profile, samples, seed))))
    if not drawn:
        return None
    weights = np.array([weight for weight, _ in drawn])
    means = np.average(np.stack([each for _, each in drawn]), axis=0, weights=weights)
    low, value, high = (round(float(each), 4) for each in np.percentile(means, (2.5, 50, 97.5)))
    return Figure(value, low, high, told)


def log_odds(
    own: Mapping[str, int], general: Mapping[str, int], prior: float = PRIOR
) -> dict[str, float]:
    """Return for each word by how many standard errors its log-odds are greater in what one person
    wrote than in general text.

    Log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, "Fightin' Words",
    Political Analysis 16, equations 16, 20 and 22): δ = log (y + α)/(n + α₀ - y - α) of the one
    less that of the other, over √(1/(y + α) + 1/(y′ + α)). The prior is the rate of the word in
    both together, ``prior`` words strong.

    >>> {word: round(z, 2) for word, z in log_odds({"well": 3, "a": 1}, {"a": 4}, 4.0).items()}
    {'a': -2.59, 'well': 1.82}
    """
    pooled = Counter(own) + Counter(general)
    total = sum(pooled.values())
    mine, theirs = sum(own.values()), sum(general.values())
    if len(pooled) == 1:  # against nothing else there are no odds
        return dict.fromkeys(pooled, 0.0)
    found = {}
    for word, count in sorted(pooled.items()):
        alpha = prior * count / total
        here, there = own.get(word, 0) + alpha, general.get(word, 0) + alpha
        delta = math.log(here / (mine + prior - here)) - math.log(there / (theirs + prior - there))
        found[word] = delta / math.sqrt(1 / here + 1 / there)
    return found


@cache
def general_texts(language: Written) -> tuple[str, ...]:
    """Return the general text that a style is told from, a paragraph each: prose, messages, mails
    and answers of assistants, by nobody in particular.
    """
    folder = resources.files("lpm_kernel.L2.data")
    lines = (
        line
        for name in _GENERAL[language]
        for line in folder.joinpath(name).read_text("utf-8").splitlines()
    )
    return tuple(line for line in lines if line and not line.startswith("#"))


@cache
def general_sample(language: Written) -> StyleSample:
    """Return what is counted in general text."""
    return added(_general_sentences(language))


@cache
def _general_sentences(language: Written) -> tuple[StyleSample, ...]:
    return tuple(
        sample for text in general_texts(language) for sample in read_text(text).get(language, ())
    )


@cache
def _general_words(language: Written) -> Counter[str]:
    return Counter(
        word
        for text in general_texts(language)
        for sentence in sentences(text)
        for word in words_in(sentence, language)
    )


def _lot(text: str) -> bytes:
    """Give the order in which texts are drawn: always the same, and unlike the one they came in."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def _profile(texts: Sequence[str], language: Written) -> StyleProfile | None:
    by_text, words, spread = _read(texts, language)
    every = [sample for samples in by_text for sample in samples]
    sample = added(every)
    if sample.characters < LEAST[language]:
        return None
    measure = _measured(sample, language)
    random = np.random.default_rng(1)
    general = _general_sentences(language)
    return StyleProfile(
        language,
        len(by_text),
        sample,
        _characteristic(words, spread, language),
        _unlike_itself(by_text, language, random),
        float(_drawn(measure, general, language, random, DRAWS).mean()),
        measure,
    )


def _read(
    texts: Sequence[str], language: Written
) -> tuple[list[list[StyleSample]], Counter[str], Counter[str]]:
    """Read the sentences of each text, the same long one once, with all words and in how many texts
    each stands.
    """
    by_text: list[list[StyleSample]] = []
    words: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    seen: set[str] = set()
    for text in texts:
        here: list[StyleSample] = []
        said: list[str] = []
        for sentence in sentences(text):
            if written_in(sentence) != language or (len(sentence) > SHORT and sentence in seen):
                continue
            seen.add(sentence)
            here.append(read_sentence(sentence, language))
            said += words_in(sentence, language)
        if here:
            by_text.append(here)
            words.update(said)
            spread.update(set(said))
    return by_text, words, spread


def _measured(own: StyleSample, language: Written) -> _Measure:
    """Choose what is compared, and weigh it: each length of grams the same, each gram by how much
    its rate varies between pieces of general text.
    """
    general = general_sample(language)
    longest = LONGEST_GRAM[language]
    totals = [_totals(sample, longest) for sample in (own, general)]
    grams: list[Gram] = []
    for length in range(1, longest + 1):
        rates = {
            gram: own.grams.get(gram, 0) / totals[0][length]
            + general.grams.get(gram, 0) / totals[1][length]
            for gram in {*own.grams, *general.grams}
            if len(gram) == length
        }
        grams += sorted(rates, key=lambda gram: (-rates[gram], gram))[:MOST_GRAMS]
    families = np.array([len(gram) - 1 for gram in grams])
    sizes = np.bincount(families)
    bare = _Measure(
        {gram: place for place, gram in enumerate(grams)},
        families,
        np.ones(len(grams)),
        np.ones(len(grams)),
    )
    own_rates, general_rates = (_rates(bare, [sample])[0] for sample in (own, general))
    spread = _rates(bare, _pieces(language)).var(axis=0)
    mean = (own_rates + general_rates) / 2
    scale = 1 / np.sqrt(spread + FLOOR + mean / SAMPLED) / np.sqrt(sizes[families])
    return _Measure(bare.places, families, scale, own_rates * scale)


def _totals(sample: StyleSample, longest: int) -> dict[int, int]:
    found = dict.fromkeys(range(1, longest + 1), 0)
    for gram, count in sample.grams.items():
        found[len(gram)] += count
    return {length: max(1, total) for length, total in found.items()}


def _rates(measure: _Measure, samples: Sequence[StyleSample]) -> Counts:
    counted = measure.counts(samples)
    width = len(measure.places)
    totals = np.maximum(counted[:, width:], 1.0)
    return np.asarray(counted[:, :width] / totals[:, measure.families])


@cache
def _pieces(language: Written) -> tuple[StyleSample, ...]:
    """Cut general text into pieces, as it stands."""
    found: list[StyleSample] = []
    here: list[StyleSample] = []
    for sample in _general_sentences(language):
        here.append(sample)
        if sum(each.characters for each in here) >= PIECE[language]:
            found.append(added(here))
            here = []
    return tuple(found)


def _unlike_itself(
    by_text: Sequence[Sequence[StyleSample]], language: Written, random: np.random.Generator
) -> float:
    """Hold each part of what the person wrote against all the rest: whole texts, where there are
    enough of them.
    """
    parts: list[list[StyleSample]] = [[] for _ in range(FOLDS)]
    whole = len(by_text) >= 2 * FOLDS
    every = by_text if whole else [[sample] for samples in by_text for sample in samples]
    for place, samples in enumerate(every):
        parts[place % FOLDS].extend(samples)
    found = []
    for part in parts:
        rest = [sample for other in parts if other is not part for sample in other]
        if part and rest:
            measure = _measured(added(rest), language)
            found.append(_drawn(measure, part, language, random, DRAWS // FOLDS))
    return float(np.concatenate(found).mean())


def _drawn(
    measure: _Measure,
    samples: Sequence[StyleSample],
    language: Written,
    random: np.random.Generator,
    draws: int,
) -> Counts:
    """Draw pieces of sentences and return how unlike each is."""
    counted = measure.counts(samples)
    characters = np.array([sample.characters for sample in samples])
    rows = []
    for _ in range(draws):
        drawn = random.integers(0, len(samples), 2 * PIECE[language])
        last = int(np.searchsorted(characters[drawn].cumsum(), PIECE[language]))
        rows.append(counted[drawn[: last + 1]].sum(axis=0))
    return measure.differences(np.stack(rows))


def _resampled(profile: StyleProfile, samples: Sequence[StyleSample], seed: int) -> Counts:
    """Return the mean difference of the pieces of each resample of answers."""
    measure, size = profile._measure, PIECE[profile.language]  # noqa: SLF001 - of this module
    counted = measure.counts(samples)
    characters = np.array([sample.characters for sample in samples])
    random = np.random.default_rng(seed)
    means = []
    for _ in range(RESAMPLES):
        drawn = random.integers(0, len(samples), len(samples))
        begins = characters[drawn].cumsum() // size
        # what is left over behind the last whole piece belongs to it
        piece = np.minimum(begins, max(1, begins[-1]) - 1)
        starts = np.flatnonzero(np.diff(piece, prepend=-1))
        rows = np.add.reduceat(counted[drawn], starts, axis=0)
        means.append(measure.differences(rows).mean())
    return np.array(means)


def _characteristic(
    words: Counter[str], spread: Mapping[str, int], language: Written
) -> tuple[CharacteristicWord, ...]:
    general = _general_words(language)
    odds = log_odds(words, general)
    mine, theirs = max(1, words.total()), max(1, general.total())
    found = [
        CharacteristicWord(
            word, 1000 * words[word] / mine, 1000 * general[word] / theirs, round(z, 2)
        )
        for word, z in odds.items()
        if z >= CLEAR and words[word] >= LEAST_USES and spread[word] >= LEAST_USES
    ]
    return tuple(sorted(found, key=lambda each: (-each.z, each.word))[:MOST_WORDS])


def _figures(sample: StyleSample, language: Written) -> dict[str, float]:
    """Return the mean length of a sentence, how much lengths vary (their standard deviation over
    the mean), and the share of sentences with each mark.
    """
    lengths = np.repeat(list(sample.lengths), list(sample.lengths.values()))
    mean = float(lengths.mean()) if lengths.size else 0.0
    found = {"length": mean, "variety": float(lengths.std()) / mean if mean else 0.0}
    chosen = {*SHARES, *SHARES.values()}
    for mark in Mark:
        if mark in chosen or not _is_of(mark, language):
            continue
        found[mark] = sample.marks.get(mark, 0) / max(1, sample.sentences)
    for one, other in SHARES.items():
        both = sample.marks.get(one, 0) + sample.marks.get(other, 0)
        if _is_of(one, language):
            found[one] = sample.marks.get(one, 0) / max(1, both)
    return found


def _is_of(mark: Mark, language: Written) -> bool:
    """Tell whether a mark is looked for in a language."""
    english = {Mark.SMALL_START, Mark.CONTRACTED}
    japanese = {Mark.POLITE, Mark.PARTICLE}
    return mark not in (japanese if language == "en" else english)
