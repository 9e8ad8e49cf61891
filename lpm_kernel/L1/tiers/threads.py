"""Where one thread of a chat ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lpm_kernel.domain.chat.conversations import Turn
from lpm_kernel.domain.chat.threads import IDLE, MOST_TURNS, ThreadEnd

Breaks = Callable[[Sequence[str], str], bool]
"""Tells whether what is said next is about something else than what was said before."""

UNLIKE: Final = {
    "all-MiniLM-L6-v2/1": 0.105,
    "all-MiniLM-L6-v2/1+ja1": 0.105,
    "hashing/1/384": 0.021,
}
"""Cosine between a question and the mean of those before it in its thread, below which it is about
something else, by embedder: the 5 % of neighbours in one session of the invented talks that are
least alike (``tests/bench/fit_threads.py``). A published 0.75 would part every one of them. With
any other embedder nobody knows what a number means, so similarity ends no thread.
"""

_PHRASE: Final = re.compile(
    r"(?:(?:oh|ah|well|right|ok(?:ay)?|so|and|but)[,.!]? )?"
    r"(?:by the way|btw|incidentally|on an(?:other| unrelated) (?:note|subject|topic)"
    r"|on a different (?:note|subject|topic)|(?:to )?chang(?:e|ing) the (?:subject|topic)"
    r"|(?:a )?(?:new|different) (?:subject|topic)|something (?:completely |quite )?different[,:;]"
    r"|moving on|unrelated(?:ly)?|anyway|anyhow)\b"
    r"|(?:(?:あ|ああ|えっと|あの)[、,]?)?"
    r"(?:ところで|そういえば|話は変わ|話が変わ|話変わ|話題を変え|それはそうと|別の話(?:だけど|ですが)|余談)"
    r"|(?:(?:哦|啊|嗯)[，,]?)?(?:话说|話說|对了[，,]|對了[，,]|顺便|順便|换个话题|換個話題|说起来|說起來)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Stretch:
    """Turns that belong together, oldest first, and why they end; ``None``: they go on."""

    turns: tuple[Turn, ...]
    reason: ThreadEnd | None


def changes_subject(text: str) -> bool:
    """Tell whether a text begins with words that change the subject.

    >>> [changes_subject(text) for text in ("By the way, who won?", "ところで、車は？",
    ...     "话说他来了吗", "I left by the way we came.")]
    [True, True, True, False]
    """
    return _PHRASE.match(text.lstrip()) is not None


def divide(
    turns: Sequence[Turn],
    now: datetime,
    differs: Breaks,
    *,
    elsewhere: datetime | None = None,
    goes_on: bool = False,
) -> list[Stretch]:
    """Part the turns of a chat, oldest first, into threads. The last goes on, unless it is idle at
    ``now``, or the person went on in another chat since (``elsewhere``), or it is full and they go
    on in this one (``goes_on``).

    A thread ends before what the person says, never between a question and its answer.
    """
    stretches: list[Stretch] = []
    current: list[Turn] = []
    for turn in turns:
        reason = _parts(current, turn, differs) if current and turn.role == "user" else None
        if reason is not None:
            stretches.append(Stretch(tuple(current), reason))
            current = []
        current.append(turn)
    if current:
        last = current[-1].created_at
        ended = None
        if now - last >= IDLE:
            ended = ThreadEnd.IDLE
        elif elsewhere is not None and elsewhere >= last:
            ended = ThreadEnd.ELSEWHERE
        elif goes_on and len(current) >= MOST_TURNS:
            ended = ThreadEnd.LIMIT
        stretches.append(Stretch(tuple(current), ended))
    return stretches


def _parts(before: Sequence[Turn], turn: Turn, differs: Breaks) -> ThreadEnd | None:
    """Return why a thread ends before a turn."""
    if turn.created_at - before[-1].created_at >= IDLE:
        return ThreadEnd.IDLE
    if len(before) >= MOST_TURNS:
        return ThreadEnd.LIMIT
    if changes_subject(turn.text):
        return ThreadEnd.PHRASE
    said = [each for each in before if each.role == "user"]
    if said and said[-1].speaker != turn.speaker:
        return ThreadEnd.DOMAIN
    if turn.text and said and differs([each.text for each in said], turn.text):
        return ThreadEnd.SIMILARITY
    return None
