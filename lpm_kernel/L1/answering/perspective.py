"""A sentence in the first person, said to the person and said of them: "I moved my bench" → "You
moved your bench" → "Nagi moved their bench".

By rule, and only where the rules are sure: what they are not sure of has no other person than the
first (``None``). English agrees its verbs; Japanese leaves the subject out more often than not, and
then says the same of anybody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L0.language.stopwords import IRREGULAR


class GrammaticalPerson(StrEnum):
    """Who speaks, or is spoken to, or of."""

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


_YOU: Mapping[str, str] = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
    "am": "are",
    "was": "were",
}
_THEY: Mapping[str, str] = {
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "i'm": "they're",
    "i've": "they've",
    "i'll": "they'll",
    "i'd": "they'd",
    "am": "are",
    "was": "were",
}
_TOKEN = re.compile(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)?|[^A-Za-z]+")
_UNSURE = re.compile(
    r"\b(?:you|your|yours|we|us|our|ours|ourselves|we're|we've|we'll|they|them|their|theirs|dad"
    r"|mum|mom)\b|[\"\u201c\u201d\u00ab\u00bb]|\bI['\u2019]s\b",
    re.IGNORECASE,
)
"""Somebody else is spoken to or of, or somebody is quoted: whose I it is cannot be told by rule."""
_ENDS = re.compile(r"[.!?]['\u2019)]?\s+$")
_PAST = frozenset(form for form in IRREGULAR if not form.endswith(("s", "ing")))
_MODAL = frozenset(
    "had did was will would can could may might must shall should cannot couldn't wouldn't won't"  # noqa: SIM905  a list this long reads better as prose
    " can't didn't hadn't".split()
)
_HAS = {
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "go": "goes",
    "am": "is",
    "was": "was",
}
_BESIDES = frozenset(
    "never always often also still just only once now then soon already really even almost seldom"  # noqa: SIM905  a list this long reads better as prose
    " rarely usually sometimes".split()
)
_JAPANESE_I = re.compile(
    r"(?<![\u4e00-\u9fff])(?:私|わたし|わたくし|僕|ぼく|俺|おれ|あたし|自分)"
    r"(?=[はがもをにのへとで、]|$)"
)
_ASIDE = re.compile(r"[()（）]")
_QUOTED = re.compile(r"「(?:(?!私|わたし|僕|俺)[^「」])*(?:私|わたし|僕|俺)[^「」]*」")


def turned(
    text: str, person: GrammaticalPerson, name: str = "", *, named: bool = False
) -> str | None:
    """Return a sentence of the first person in another one. ``named``: the third person is called
    by ``name``, otherwise "they".

    >>> turned("I moved my bench in May, and I am glad.", GrammaticalPerson.SECOND)
    'You moved your bench in May, and you are glad.'
    >>> (turned("I moved my bench.", GrammaticalPerson.THIRD, "Nagi", named=True),
    ...  turned("I am glad.", GrammaticalPerson.THIRD))
    ('Nagi moved their bench.', 'They are glad.')
    >>> turned("私は金沢で働いている。", GrammaticalPerson.THIRD, "凪")
    '凪は金沢で働いている。'
    >>> turned("We moved.", GrammaticalPerson.SECOND)
    """
    if person is GrammaticalPerson.FIRST:
        return text
    if language_of(text) != "en":
        return _japanese(text, person, name)
    if _UNSURE.search(text):
        return None
    called = name if named and person is GrammaticalPerson.THIRD else ""
    if called and text.startswith("My "):
        rest = _english(text.removeprefix("My "), person, "")
        return None if rest is None else f"{called}'s {rest}"
    return _english(text, person, called)


def called_in(name: str, language: Language) -> str:
    """Return how somebody is called in a language, of the spellings that their name is given in.

    >>> called_in("Nagi Sorrel (ソレル 凪)", "en"), called_in("Nagi Sorrel (ソレル 凪)", "ja")
    ('Nagi Sorrel', 'ソレル 凪')
    """
    spellings = [part.strip() for part in _ASIDE.split(name) if part.strip()]
    fitting = [part for part in spellings if part.isascii() == (language == "en")]
    return next(iter((*fitting, *spellings)), name)


def _japanese(text: str, person: GrammaticalPerson, name: str) -> str | None:
    if _QUOTED.search(text) or (
        person is GrammaticalPerson.THIRD and not name and _JAPANESE_I.search(text)
    ):
        return None
    return _JAPANESE_I.sub("あなた" if person is GrammaticalPerson.SECOND else name, text)


def _english(text: str, person: GrammaticalPerson, name: str) -> str | None:
    forms = _YOU if person is GrammaticalPerson.SECOND else _THEY
    parts = _TOKEN.findall(text)
    for at, raw in enumerate(parts):
        word = raw.replace("\u2019", "'").lower()
        if (
            not word[:1].isalpha()
            or (len(word) == 1 and word != "i")
            or (word == "i" and raw != "I")
        ):
            continue
        if word == "i" or word.startswith("i'"):
            if name and word == "i":
                verb = _named_verb(parts, at)
                if verb is None:
                    return None
                parts[at], (place, form) = name, verb
                parts[place] = form
                name = ""
                continue
            name = ""
            parts[at] = (
                forms[word].capitalize() if at == 0 or _ENDS.search(parts[at - 1]) else forms[word]
            )
            continue
        if word in {"am", "was"} and (word == "am" or _is_mine(parts, at)):
            parts[at] = forms[word]
        elif word in forms and word not in {"am", "was"}:
            parts[at] = _as(raw, forms[word])
    made = "".join(parts)
    return made[:1].upper() + made[1:] if text[:1].isupper() else made


def _named_verb(parts: list[str], at: int) -> tuple[int, str] | None:
    """Return where the verb after this subject stands and how it reads after a name; ``None`` where
    that cannot be told.
    """
    place = at + 1
    while place < len(parts) and (
        not parts[place][:1].isalpha() or parts[place].lower() in _BESIDES
    ):
        if parts[place].strip() and not parts[place][:1].isalpha():
            return None
        place += 1
    if place >= len(parts):
        return None
    word = parts[place].replace("\u2019", "'").lower()
    if word in _HAS:
        return place, _HAS[word]
    if word in _MODAL or word in _PAST or word.endswith("ed"):
        return place, parts[place]
    return None


def _is_mine(parts: list[str], at: int) -> bool:
    """Whether "was" belongs to "I": the word before it, besides adverbs, is what that became."""
    for raw in reversed(parts[:at]):
        word = raw.strip().lower()
        if word and word not in _BESIDES:
            return word in {"i", "you", "they"}
    return False


def _as(raw: str, word: str) -> str:
    return word.capitalize() if raw[0].isupper() else word
