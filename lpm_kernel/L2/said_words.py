"""The words of a sentence as it is said to the person whose it is: "I've sold my loom" is what they
have sold of theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from lpm_kernel.L0.language.english import Token, is_finite

_SECOND = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "am": "are",
}
_PARTS = {"'m": "are", "'re": "are", "'ve": "have", "'ll": "will", "n't": "not"}
_CUT_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}
_NEARLY = frozenset({"about", "around", "over", "under", "nearly", "almost"})
"""What stands before a number and is no preposition there."""
_PHRASAL = {
    "over": frozenset({"take", "hand", "turn", "think", "talk"}),
    "on": frozenset({"put", "try", "take", "turn", "switch", "pass"}),
    "in": frozenset({"hand", "take", "fill", "trade"}),
}
"""What belongs to these verbs, and is no preposition right behind one: "took over the shop"."""


@dataclass(frozen=True, slots=True)
class SaidWord:
    """A word as it is said to the person, with the signs that stand behind it."""

    text: str = field(repr=False)
    lemma: str = field(repr=False)
    tag: str

    @property
    def helper(self) -> bool:
        """Whether it may stand before another verb: have, will."""
        return self.tag == "VM0" or self.tag[:2] in {"VB", "VD", "VH"}

    @property
    def finite(self) -> bool:
        """Whether it is the verb of a clause."""
        return is_finite(self.tag)


def said_to_you(tokens: Sequence[Token], known: Collection[str]) -> list[SaidWord]:
    """Speak to the person, in whole words: "I've" is you have, "my" your, and "Bought a loom" what
    you bought.
    """
    unsaid = bool(tokens) and tokens[0].tag == "VVD" and tokens[0].text[:1].isupper()
    words = [SaidWord("you", "i", "PNP")] if unsaid else []
    for token, behind in zip_longest(tokens, tokens[1:]):
        if token.tag in {"PUN", "PUQ", "PUL", "PUR", "POS"} and words:
            words[-1] = replace(words[-1], text=words[-1].text + token.text.replace("’", "'"))
        elif words and _is_phrasal(words[-1], token, behind):
            words.append(SaidWord(token.text, token.lemma, "AVP"))
        elif token.text in known:
            words.append(SaidWord(token.text, token.lemma, "NP0"))
        else:
            words.append(_in_whole(token, behind))
    return words


def _is_phrasal(verb: SaidWord, token: Token, behind: Token | None) -> bool:
    """Tell whether a word belongs to the verb before it: not in "took in May", "put on Monday"."""
    if not verb.tag.startswith("VV") or verb.lemma not in _PHRASAL.get(token.text, ()):
        return False
    return behind is not None and behind.tag in {"AT0", "DPS", "DT0"}


def _in_whole(token: Token, behind: Token | None) -> SaidWord:
    said = token.text.replace("’", "'")
    small = said.lower()
    if small in {"'d", "'s"} and token.verb:
        whole = {"VHD": "had", "VM0": "would", "VHZ": "has"}.get(token.tag, "is")
        return SaidWord(whole, token.lemma, token.tag)
    if small == "out" and behind is not None and behind.text == "of":
        return SaidWord(said, token.lemma, "PRP")
    if small in _NEARLY and behind is not None and behind.tag == "CRD":
        return SaidWord(said, token.lemma, "AV0")
    whole = _PARTS.get(small) or _CUT_SHORT.get(small) or _SECOND.get(small) or said
    return SaidWord(whole, token.lemma, token.tag)


def cleaned(words: Sequence[SaidWord]) -> list[SaidWord]:
    """Leave out the signs behind the last word."""
    return [*words[:-1], replace(words[-1], text=plain(words[-1]))] if words else []


def plain(word: SaidWord) -> str:
    """Give a word without the signs behind it."""
    return word.text.rstrip(",;:")


def joined(words: Sequence[SaidWord]) -> str:
    """Write words as a part of a sentence."""
    return " ".join(word.text for word in cleaned(words))
