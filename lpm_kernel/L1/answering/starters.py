"""Questions that sentences lead to: when the person did something, why, what they think of
something, and what somebody else made, gave or found.

Only sentences of a plain shape give one, and only what can stand in a question by itself: "Sold the
boat to Halvard." asks "When did I sell the boat to Halvard?"; "Sold it." asks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.answering import starters_chinese, starters_english, starters_japanese
from lpm_kernel.L1.answering.questions import QuestionKind, SpanQuestion

LONGEST: Final = 200
"""Signs of a sentence."""


def starters(sentence: str, *, own: bool, dated: bool) -> Iterator[SpanQuestion]:
    """Yield the questions that a sentence leads to; ``own`` says that it is the person's,
    ``dated`` that its day is known. Whether "I like" states a view is for the caller to say.

    >>> [each.question for each in starters("Sold the boat to Halvard.", own=True, dated=True)]
    ['When did I sell the boat to Halvard?']
    >>> [each.question for each in starters(
    ...     "We moved to Risør because the school closed.", own=True, dated=False)]
    ['Why did we move to Risør?']
    >>> [each.question for each in starters("I can't stand the ring road.", own=True, dated=True)]
    ['What do I think of the ring road?']
    >>> [each.question for each in starters(
    ...     "Mihkel built me a pedal for the space bar.", own=True, dated=True)]
    ['What did Mihkel build me?']
    >>> [each.question for each in starters("去年の冬に蔵の屋根を直した。", own=True, dated=True)]
    ['去年の冬に蔵の屋根を直したのはいつですか。']
    """
    plain = " ".join(sentence.split()).strip("-*•・# ")
    if not plain or len(plain) > LONGEST or plain.endswith(("?", "？")):
        return
    language = language_of(plain)
    of_language = {"ja": starters_japanese, "zh": starters_chinese}.get(language, starters_english)
    for kind, question, held in of_language.made(plain, own=own):
        if kind is not QuestionKind.WHEN or dated:
            yield SpanQuestion(kind, question, held)
