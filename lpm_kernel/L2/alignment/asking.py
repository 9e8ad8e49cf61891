"""One plain question about a statement, in its own language, that no other statement answers.

A preference is learned from answers, so the question has to be one that a person would ask: about
the thing that a statement speaks of, or when or why it was. Rows that teach facts are asked about
in many freer ways (``templates.py``); a pair whose question makes no sense teaches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from lpm_kernel.domain.training.runs import Maker, Synthesiser, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.stopwords import ENGLISH
from lpm_kernel.L2.alignment.distractors import proper_names
from lpm_kernel.L2.asked_by_model import unfit
from lpm_kernel.L2.templates import base, formed
from lpm_kernel.L2.told import unheard

MOST_WORDED = 3
"""PlainQuestions of a model among which is chosen."""
MOST_TOPICS = 6
"""Things that a statement speaks of among which is chosen."""
LONGEST_TOPIC = 40

_SENSIBLE = re.compile(r"^(?:When|Why) (?:did|do|were|are) you \w")
_BECAUSE = re.compile(r"\b(?:because|so that)\b")
_NOUNS = re.compile(
    r"\b((?i:the|my|an?|his|her|its|their|our))(?=((?:\s+[A-Za-z][\w'\u2019-]*){1,4}))"
)
MOST_NOUNS = 3
_VERB_BEFORE = re.compile(
    r"(?:the|my|your|his|her|its|their|our|an?|this|that|me|us|them|him|it|you|no|one|two|three"
    r"|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)(?![\w'\u2019-])",
    re.IGNORECASE,
)
"""What stands after a verb, and not after a noun: "the course takes eight"."""
_NUMBERED = re.compile(
    r"(?:about|around|over|under|only|almost|nearly)\s+(?:\d|two|three|four|five|six|seven|eight|nine"
    r"|ten|eleven|twelve|twenty|thirty|half|a\b)",
    re.IGNORECASE,
)
"""What stands after a verb, too: "the room keeps about 58 per cent"."""
_ENDS_NOUNS = re.compile(r".{2,}ed$")
_WORD = re.compile(r"[A-Za-z][\w'\u2019-]*")
_NO_TOPIC = re.compile(
    r"^(?:In|On|At|By|Since|Until|Today|Yesterday)\b|^(?:[A-Z][a-z]+(?:teen|ty)|Two|Three|Four|Five"
    r"|Six|Seven|Eight|Nine|Ten|Eleven|Twelve)$"
    r"|\b(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December)\b"
)
_EMPTY = re.compile(
    r"ones?|things?|way|day|time|first|second|third|next|last|latter|former|others?|rest|same|best"
    r"|worst|most|least|whole|left|right|new|old"
)
"""Nouns that say nothing of what is meant, and what stands for one that was said before."""
_NOUN_WIDE = re.compile(r"(?:[一-龯々]{2,12}|[ァ-ヶー]{2,20})(?=[はがをにのとでもへや、。]|$)")
_DATED_WIDE = re.compile(r"[年月日時分]|^[一二三四五六七八九十]+")
_ABOUT = {
    False: (
        "What about {}?",
        "Tell me about {}.",
        "What do you know about {}?",
        "What can you tell me about {}?",
    ),
    True: ("{}について教えてください。", "{}のことを教えて。", "{}について何を知っていますか。"),
}
_UNHEARD = {
    False: (
        "Tell me about your {}.",
        "What can you tell me about your {}?",
        "What do you remember of your {}?",
        "What did your {} cost?",
        "Since when have you had your {}?",
    ),
    True: (
        "{}について教えてください。",
        "{}はありますか。",
        "{}はいつですか。",
        "{}はいくらですか。",
    ),
}


class PlainQuestions:
    """Asks about statements, each time so that only one of them is meant."""

    def __init__(self, told: Sequence[Taught], synthesiser: Synthesiser, seed: int) -> None:
        """Take what a model worded before what is made by rule."""
        self._texts = [taught.text.casefold() for taught in told]
        self._synthesiser, self._seed = synthesiser, seed
        self._worded: dict[Taught, list[str]] = {}

    def about(self, taught: Taught, random: Random) -> str | None:
        """Ask about a statement; ``None`` where every plain question could mean another one too."""
        if worded := self._by_model(taught):
            return random.choice(worded)
        sensible = [
            asked
            for asked in formed(taught.text)
            if _SENSIBLE.match(asked) and (asked.startswith("When") or _BECAUSE.search(taught.text))
        ][:1]
        topic = self._topic(taught)
        about = (
            [] if topic is None else [random.choice(_ABOUT[unspaced(taught.text)]).format(topic)]
        )
        asked_by_rule = [*sensible, *about]
        return random.choice(asked_by_rule) if asked_by_rule else None

    def _by_model(self, taught: Taught) -> list[str]:
        """Return what a model worded about a statement."""
        if taught not in self._worded:
            self._worded[taught] = [
                asked.question
                for asked in self._synthesiser.questions(taught, MOST_WORDED, self._seed)
                if asked.maker is Maker.MODEL and unfit(asked.question, taught) is None
            ]
        return self._worded[taught]

    def _topic(self, taught: Taught) -> str | None:
        """Name what only this statement speaks of: one thing, or two together."""
        found = list(dict.fromkeys(topics(taught)))[:MOST_TOPICS]
        for said, key in found:
            if self._told_by([key]) == 1:
                return said
        joint = "と" if unspaced(taught.text) else " and "
        for at, (said, key) in enumerate(found):
            for other, other_key in found[at + 1 :]:
                if key not in other_key and self._told_by([key, other_key]) == 1:
                    return f"{said}{joint}{other}"
        return None

    def _told_by(self, keys: Sequence[str]) -> int:
        """Count the statements in which all of these stand."""
        return sum(all(key in text for key in keys) for text in self._texts)


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
    for name in (*taught.entities, *proper_names(text)):
        fits = name in text and len(name) <= LONGEST_TOPIC and not _NO_TOPIC.search(name)
        if fits and (wide or not unspaced(name)):
            yield re.sub(r"^The ", "the ", name), name.casefold()
    if wide:
        for match in _NOUN_WIDE.finditer(text):
            if not _DATED_WIDE.search(match[0]):
                yield match[0], match[0].casefold()
    else:
        yield from _nouns(text)


def _nouns(text: str) -> Iterator[tuple[str, str]]:
    """Yield the nouns of an English text with what stands before them: the, my, her."""
    for match in _NOUNS.finditer(text):
        words: list[str] = []
        for found in list(_WORD.finditer(match[2]))[:MOST_NOUNS]:
            word, behind = found[0], text[match.start(2) + found.end() :].lstrip()
            if word.lower() in ENGLISH or _ENDS_NOUNS.match(word):
                break
            if words and not _EMPTY.fullmatch(words[-1]) and _is_verb(word, behind):
                break
            words.append(word)
        if words and not _EMPTY.fullmatch(words[-1]):
            nouns = " ".join(words)
            owner = match[1].lower()
            whose = {"my": "your", "our": "your", "a": "the", "an": "the"}.get(owner, owner)
            yield f"{whose} {nouns}", nouns.casefold()


def _is_verb(word: str, behind: str) -> bool:
    """Tell whether a word behind nouns is what they do or did, by its form and what follows it.

    >>> _is_verb("got", "four coats"), _is_verb("keeps", "about 58"), _is_verb("keeps", "of stone")
    (True, True, False)
    """
    if word.endswith("s"):
        return bool(_VERB_BEFORE.match(behind) or _NUMBERED.match(behind))
    return not word.endswith("ing") and base(word) not in {"", word.lower()}


def unanswered(told: Sequence[Taught], random: Random) -> Iterator[str]:
    """Yield questions about things of which no statement speaks, in English and Japanese by turns
    of chance, as many of each as there are statements in it.
    """
    said = " ".join(taught.text.casefold() for taught in told)
    share = sum(unspaced(taught.text) for taught in told) / max(1, len(told))
    for thing in random.sample(things := unheard(), len(things)):
        long_words = [word for word in thing.english.split() if len(word) > 3]  # noqa: PLR2004 - letters
        if any(word in said for word in long_words) or thing.japanese in said:
            continue
        wide = random.random() < share
        yield random.choice(_UNHEARD[wide]).format(thing.japanese if wide else thing.english)
