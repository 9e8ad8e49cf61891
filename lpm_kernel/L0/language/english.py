"""English words with their parts of speech and base forms, by the Hanover Tagger.

Its tags are those of the British National Corpus (C5): NN1 a noun, VVD a verb in the past, NP0 a
name. C. Wartena, A Probabilistic Morphology Model for German Lemmatization, KONVENS 2019;
the tags: Leech and Smith, Manual to accompany the British National Corpus, 2000.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

LONGEST = 12_000
"""Characters that are read; what stands behind them is not."""
TITLES = frozenset({"Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "St", "Mx"})

_TITLED = "|".join(sorted(TITLES))
_TOKEN = re.compile(
    rf"(?:{_TITLED})\.(?=\s)|(?i:per cent)\b|\d+(?:[.,:]\d+)*"
    r"|[^\W\d_]+(?:[-'’][^\W\d_]+)*|[^\w\s]|\S"
)
CLITIC = re.compile(r"(?i)(?:n['’]t|['’](?:s|d|m|ll|re|ve))$")
"""What stands for a word of its own behind another: he's, I'd, won't."""
_TAKEN_FOR_NAMES = frozenset({"met", "read"})
"""Verbs that the tagger takes for names where they have a capital."""
_SENTENCE_ENDS = frozenset(".!?;")
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a sign, of a text."""

    text: str = field(repr=False)
    lemma: str = field(repr=False)
    """Its base form: "go" of "went", "child" of "children"."""
    tag: str
    start: int
    end: int
    """Behind its last character."""

    @property
    def noun(self) -> bool:
        """Whether it is a noun, not a name."""
        return self.tag in {"NN0", "NN1", "NN2"}

    @property
    def named(self) -> bool:
        """Whether it is a name."""
        return self.tag == "NP0"

    @property
    def verb(self) -> bool:
        """Whether it is a verb in whatever form, helpers among them."""
        return self.tag.startswith("V")

    @property
    def finite(self) -> bool:
        """Whether it is the verb of a clause."""
        return is_finite(self.tag)


def is_finite(tag: str) -> bool:
    """Tell whether a tag is that of the verb of a clause: "went", not "going", "gone", "to go"."""
    return tag == "VM0" or (tag.startswith("V") and tag[-1] in "BDZ")


@lru_cache(maxsize=256)
def tagged(text: str) -> tuple[Token, ...]:
    """Read a text, sentence by sentence.

    >>> [(token.lemma, token.tag) for token in tagged("She doesn't rent the house.")][1:4]
    [('do', 'VDZ'), ('not', 'XX0'), ('rent', 'VVI')]
    >>> [token.text for token in tagged("The rent rose.") if token.noun]
    ['rent']
    """
    found: list[Token] = []
    sentence: list[tuple[str, int]] = []
    for word, start in _tokens(text[:LONGEST]):
        sentence.append((word, start))
        if word in _SENTENCE_ENDS:
            found += _read(sentence)
            sentence = []
    return (*found, *_read(sentence))


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    for match in _TOKEN.finditer(text):
        word, start = match[0], match.start()
        if word.lower() == "cannot":
            yield word[:3], start
            yield word[3:], start + 3
            continue
        clitic = CLITIC.search(word)
        if clitic is None or not clitic.start():
            yield word, start
            continue
        yield word[: clitic.start()], start
        yield clitic[0], start + clitic.start()


def _read(sentence: list[tuple[str, int]]) -> Iterator[Token]:
    if not sentence:
        return
    plain = [word.replace("’", "'") for word, _ in sentence]
    read = _tagger().tag_sent(plain)
    for (word, start), (_, lemma, tag) in zip(sentence, read, strict=True):
        yield Token(word, lemma.lower() if tag != "NP0" else word, tag, start, start + len(word))


@lru_cache(maxsize=20_000)
def may_be_noun(word: str) -> bool:
    """Tell whether a word by itself is most likely a noun.

    >>> may_be_noun("hallway"), may_be_noun("choral"), may_be_noun("immediate")
    (True, False, False)
    """
    likely = _tagger().tag_word(word)
    return bool(likely) and likely[0][0] in {"NN0", "NN1", "NN2"}


def is_verb_at(text: str, start: int) -> bool:
    """Tell whether the word with which a sentence begins, at a place of a text, says what somebody
    did who is not named, and is no name.

    >>> [is_verb_at(text, 0) for text in ("Took Mai to the rink.", "Met Mai.", "Emailed Mai.")]
    [True, True, True]
    >>> [is_verb_at(text, 0) for text in ("Rose Tyler rang.", "Mark rang.", "United Tools closed.")]
    [False, False, False]
    """
    tokens = tagged(text)
    at = next((at for at, token in enumerate(tokens) if token.start == start), None)
    if at is None:
        return False
    token, behind = tokens[at], tokens[at + 1 : at + 2]
    past = token.text.endswith("ed") and not token.named
    whole = any(word.noun and not word.named and word.text[:1].isupper() for word in behind)
    return token.verb or (past and not whole) or token.text.lower() in _TAKEN_FOR_NAMES


_DOUBLED = re.compile(r"^[^aeiou]*[aeiou][bdgklmnprt]$")


def gerund(lemma: str) -> str:
    """Give a verb as the name of what is done.

    >>> gerund("walk"), gerund("make"), gerund("swim"), gerund("see"), gerund("lie")
    ('walking', 'making', 'swimming', 'seeing', 'lying')
    """
    if lemma.endswith("ie"):
        return f"{lemma[:-2]}ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return f"{lemma[:-1]}ing"
    return f"{lemma}{lemma[-1] if _DOUBLED.match(lemma) else ''}ing"


def _tagger() -> Any:  # noqa: ANN401 - HanTa publishes no types
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Any:  # noqa: ANN401 - HanTa publishes no types
    """Load the tagger. It keeps nothing of what it reads, so that threads can share it."""
    from HanTa import HanoverTagger

    return HanoverTagger.HanoverTagger("morphmodel_en.pgz")


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with what belongs to it: "my sister's yellow house"."""

    owner: str
    """What stands before it: "my", "the", "a", "four"; nothing where nothing does."""
    words: str = field(repr=False)
    """It itself, as it stands in the text."""
    tokens: tuple[Token, ...] = field(repr=False)
    """Its words, and not what stands before."""


_OWNERS = frozenset({"AT0", "CRD", "DPS", "DT0", "DTQ"})
_BEFORE_NOUNS = frozenset({"AJ0", "AJC", "AJS", "ORD"})
_JOINS = frozenset({"POS"})


def noun_phrases(text: str) -> list[NounPhrase]:
    """Give the nouns and names of a text, each with the adjectives and nouns before it.

    >>> [(each.owner, each.words) for each in noun_phrases("My sister's new house has a big roof.")]
    [('my', "sister's new house"), ('a', 'big roof')]
    """
    found: list[NounPhrase] = []
    owner, held = "", list[Token]()
    for token in (*tagged(text), Token("", "", "PUN", len(text), len(text))):
        joined = token.noun or token.named or (token.tag in _JOINS and bool(held))
        joined = joined or (bool(held) and held[-1].named and token.text[:1].isupper())
        if joined or token.tag in _BEFORE_NOUNS:
            if held and not joined and _ends(held[-1]):
                found += _phrase(text, owner, held)
                owner, held = "", []
            held.append(token)
            continue
        found += _phrase(text, owner, held)
        owner = token.text.lower() if token.tag in _OWNERS else ""
        held = []
    return found


def _ends(token: Token) -> bool:
    """Tell whether no adjective of the same phrase may come behind a word."""
    return token.noun or token.named


def _phrase(text: str, owner: str, held: list[Token]) -> Iterator[NounPhrase]:
    while held and not (_ends(held[-1]) or (held[-1].tag in _JOINS and held[0].named)):
        held = held[:-1]
    if held:
        yield NounPhrase(owner, text[held[0].start : held[-1].end], tuple(held))
