"""What a statement speaks of, as one asks about it: names, and nouns with their articles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.analysis import names, unspaced
from lpm_kernel.L0.language.english import TITLES, Token, is_verb_at, noun_phrases
from lpm_kernel.L0.language.stopwords import DAYS, ENGLISH, MONTHS
from lpm_kernel.L1.statements.extraction_english import KIN

LONGEST_TOPIC = 40
_NO_TOPIC = re.compile(
    r"^(?:In|On|At|By|Since|Until|Today|Yesterday)\b|^(?:[A-Z][a-z]+(?:teen|ty)|Two|Three|Four|Five"
    r"|Six|Seven|Eight|Nine|Ten|Eleven|Twelve)$|^\d+$"
    rf"|\b(?:{MONTHS})\b|^(?:{DAYS})s?$"
)
_WHOSE: Mapping[str, str] = {
    **dict.fromkeys(("my", "our"), "your "),
    **dict.fromkeys(("the", "a", "an", "its", "his", "her", "their"), "the "),
    "": "",
}
"""How one asks for what has this before it; what is counted or pointed at is not asked for."""
TIMES = frozenset(
    """
    day year month week weekend hour minute moment age century
    spring summer autumn winter morning evening afternoon night midnight noon
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Nouns that say when."""
EMPTY = TIMES | frozenset(
    "one thing way time rest part lot bit kind sort end person people number".split()  # noqa: SIM905  as above
)
"""Nouns that by themselves say nothing of what is meant."""
_ENDS = (".", "!", "?", ":", ";")
"""Behind these and a blank another sentence begins."""
_NOUN_WIDE = re.compile(r"(?:[一-龯々]{2,12}|[ァ-ヶー]{2,20})(?=[はがをにのとでもへや、。]|$)")
_DATED_WIDE = re.compile(r"[年月日時分]|^[一二三四五六七八九十]+")


def topics(taught: Taught) -> Iterator[tuple[str, str]]:
    """Yield what a statement speaks of, as it is asked about and as it stands there: whom it is
    about, what it names, and its nouns.

    >>> [said for said, _ in topics(Taught("m1", "I hung my hat in the long room of Kanazawa."))]
    ['Kanazawa', 'your hat', 'the long room']
    >>> [said for said, _ in topics(Taught("m2", "The summer course takes eight."))]
    ['the summer course']
    >>> [said for said, _ in topics(Taught("m3", "The long room keeps about 58 per cent."))]
    ['the long room']
    >>> [said for said, _ in topics(Taught("m4", "The cello got four coats, the last in May."))]
    ['the cello']
    """
    text, wide = taught.text, unspaced(taught.text)
    about = list(_names(taught, wide=wide))
    yield from about
    if wide:
        for match in _NOUN_WIDE.finditer(text):
            if not _DATED_WIDE.search(match[0]):
                yield match[0], match[0].casefold()
    else:
        found = list(_nouns(text))
        owned = [(said, key) for said, key, whose in found if whose]
        yield from owned or ([] if about else [(said, key) for said, key, _ in found])


def _names(taught: Taught, *, wide: bool) -> Iterator[tuple[str, str]]:
    """Yield whom a statement is about, and what it names."""
    for name in (*taught.entities, *proper_names(taught.text)):
        fits = name in taught.text and len(name) <= LONGEST_TOPIC and name not in TITLES
        fits = fits and not _NO_TOPIC.search(name)
        if fits and (wide or not unspaced(name)):
            yield re.sub(r"^The ", "the ", name), name.casefold()


def _nouns(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the nouns of an English text as one asks about them (the house, your brother), as they
    stand there, and whose they are; of "coffee" nothing says whose, and many statements may speak
    of it.
    """
    for phrase in noun_phrases(text):
        first, last = phrase.tokens[0], phrase.tokens[-1]
        whose = _WHOSE.get(phrase.owner)
        if whose is None or all(map(_is_name, phrase.tokens)):
            continue
        if last.lemma in EMPTY or (whose == "the " and last.lemma in KIN):
            continue
        if not (whose or first.named) and last.lemma in KIN and last.tag == "NN1":
            whose = "your "  # one's own: Dad, Grandma
        opens = first.start == 0 and not first.named and first.text[1:].islower()
        words = phrase.words[0].lower() + phrase.words[1:] if opens else phrase.words
        yield f"{whose}{words}", phrase.words.casefold(), whose


def _is_name(token: Token) -> bool:
    return token.named or (token.start > 0 and token.text[:1].isupper())


def proper_names(text: str) -> list[str]:
    """Give what a text names, without the word that has a capital because a sentence begins with
    it.

    >>> proper_names("Met Mai on a bus. Sixteen of us came from Bergen. Took Jonas to the rink.")
    ['Mai', 'Bergen', 'Jonas']
    """
    return [proper for name in names(text) if (proper := _proper(name, text))]


def _proper(name: str, text: str) -> str:
    first, _, rest = name.partition(" ")
    opens = _opening(name, text)
    ordinary = first.lower() in ENGLISH or glosses.ordinary(first)
    if opens is not None and not ordinary:  # Took Mai to the rink
        ordinary = is_verb_at(text, opens)
    opening = opens is not None and ordinary and not unspaced(name)
    return rest.removeprefix("the ") if opening else name


def _opening(name: str, text: str) -> int | None:
    """Return where a name first opens a sentence."""
    place = text.find(name)
    while place >= 0:
        before = text[:place]
        said = before.rstrip()
        if not place or (said != before and said.endswith(_ENDS)):
            return place
        place = text.find(name, place + 1)
    return None
