"""Gathering: the sentences that belong to a request, rather than answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lpm_kernel.domain.chat.recall import Recollection, Sought
from lpm_kernel.L0.language.analysis import marks, names, terms
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.critique import DATED, EVERYDAY, sets_a_limit
from lpm_kernel.L1.answering.reader import PICKS, Pick, ReaderPorts, reading_of, scores, shipped
from lpm_kernel.L1.answering.sentences import is_label, is_row, overlaps, sentences
from lpm_kernel.L1.answering.signs import Reading

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
SAYS_MORE = 4
"""Content words from which a sentence without a word of the request may belong to it by its meaning
alone: that of "Someone ate them." is near to anything.
"""
FAR = 0.3
"""Likeness, and share of the request's words, below which that is so."""
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
    r"\b(?:you|your|yours|yourself)\b|\A(?:please|don[’']?t|do not|let[’']?s)\b"
    r"|あなた|貴方|お客様|ください|下さい|ましょう|您|你",
    re.IGNORECASE,
)
"""Said to somebody: whoever reads it later would take it for themselves."""
_SPEAKER = re.compile(r"\A[^\s:：]{1,24}(?: [^\s:：]{1,24})?[:：] ?(?=\S)")
"""Who says it in a chat, which is not what it is about."""


def gather(
    request: Question, found: Recollection, ports: ReaderPorts = ReaderPorts()
) -> tuple[Pick, ...]:
    """Choose the sentences that belong to a request rather than answer it: each says something of
    its own about what is asked for, best first.
    """
    items = found.items
    known = sentences(items)
    if not known:
        return ()
    reading = reading_of(request, items, known, replace(ports, model=None))
    score, given = scores(reading, shipped()), reading.features
    near = given.get("meaning")
    sought = asked_for(request, found)
    named = named_in(request.text)
    told = [
        belongs(
            _SPEAKER.sub("", sentence.text),
            sought,
            None if near is None or _only_speaks(sentence.text, sought) else float(near[at]),
            named,
        )
        and _stands_alone(reading, at)
        and not items[sentence.item].chunk.by_machine
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


def _only_speaks(text: str, sought: Sequence[Sought]) -> bool:
    """Tell whether a line of a chat has no word of the request but who says it: its likeness is
    that of the name.
    """
    spoken = _SPEAKER.sub("", text)
    return spoken != text and not held_of(spoken, sought)


def _stands_alone(reading: Reading, at: int) -> bool:
    """Tell whether a sentence says something of its own, and to nobody in particular."""
    text = _SPEAKER.sub("", reading.sentences[at].text)
    given = reading.features
    return not (
        given["short"][at]
        or given["asking"][at]
        or given["heading"][at]
        or is_row(reading.sentences[at].text)
        or is_label(text)
        or _ADDRESSES.search(text)
    )


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


def named_in(text: str) -> frozenset[str]:
    """Return the words of the names in a text."""
    return frozenset(term for name in names(text) for term in terms(name))


def _says_nothing(text: str, held: Sequence[Sought]) -> bool:
    """Tell whether a sentence says no more than what was asked for, with a date; or, without a word
    of that, hardly anything.
    """
    more = set(terms(DATED.sub(" ", text))).difference(*(each.forms for each in held))
    return len(more) < (1 if held else SAYS_MORE)


def belongs(
    text: str,
    sought: Sequence[Sought],
    near: float | None,
    named: frozenset[str] = frozenset(),
) -> bool:
    """Tell whether there is evidence that a sentence is about what is asked for.

    Meaning and words count together, a word the more the fewer passages hold it: one plain word
    alone is no evidence, nor are names alone. What somebody cannot stand or do belongs to whatever
    is asked for them.
    ``near`` is the likeness of meaning where it is known, ``named`` the words of names.

    >>> asked = [Sought("dog", ("dog", "犬"), 3.0), Sought("food", ("food",), 5.0),
    ...     Sought("vet", ("vet",), 4.0)]
    >>> [belongs(text, asked, near)
    ...     for text,
    ...     near in [("The dog is brown.", 0.3), ("うちの犬は鶏肉が食べられない。", 0.2),
    ...     ("The vet looked at the dog.", 0.4)]]
    [False, True, True]
    """
    held = held_of(text, sought)
    if _says_nothing(text, held):
        return False
    if held and sets_a_limit(text):
        return True
    share = sum(each.rarity for each in held) / (sum(each.rarity for each in sought) or 1.0)
    if all(not named.isdisjoint(each.forms) for each in held):
        return (near or 0.0) >= BELONGS
    enough = WORDS_HELD if near is None or max(near, share) >= FAR else WORDS_HELD + 1
    if len(held) >= enough:
        return True
    return (near or 0.0) + HELD * min(share, MOST_HELD) >= BELONGS
