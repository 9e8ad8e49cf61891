"""What earlier answers rest on, and which of them may be told to somebody who sees less."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from lpm_kernel.domain.chat.conversations import AnswerBasis, Turn
from lpm_kernel.domain.ids import ChunkId, TurnId
from lpm_kernel.domain.library.documents import text_hash
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.chat.recall import ScopedMemory
from lpm_kernel.usecases.chat.visibility import EVERY


class Provenance:
    """What answers rest on, held against what may be seen."""

    def __init__(
        self,
        memory: ScopedMemory,
        index: PassageIndex,
        turn: Callable[[TurnId], Turn | None],
        *,
        learned: bool,
    ) -> None:
        """``turn`` gives a turn of any chat. ``learned``: what was learned in a training may be
        told.
        """
        self._memory = memory
        self._index = index
        self._turn = turn
        self._learned = learned
        self._visible: dict[ChunkId, bool] = {}

    def history(self, turns: Sequence[Turn]) -> list[Turn]:
        """Return the earlier turns that a role may go on from: those after the last answer that
        rests on something which may not be seen any more.

        Everything counts that the model was given, cited or not, and what it heard of earlier
        answers with all that these rest on.
        """
        outside = self.outside(turns)
        past = [number for number, turn in enumerate(turns) if turn.id in outside]
        return list(turns[past[-1] + 1 :]) if past else list(turns)

    def outside(self, turns: Sequence[Turn]) -> set[TurnId]:
        """Name the answers that may tell something which may not be seen: see :meth:`history`."""
        in_mind = (*self._memory.core(EVERY).lines, *self._memory.life_sentences())
        lines = {text_hash(line) for line in in_mind}
        hearers: dict[TurnId, list[TurnId]] = defaultdict(list)
        seen, waiting, tainted = {turn.id for turn in turns}, list(turns), []
        while waiting:
            turn = waiting.pop()
            if turn.role == "user":
                continue
            # or one of an earlier release
            if (
                turn.given is None
                or not self._may_be_told(turn.given, lines)
                or not self._is_visible(turn)
            ):
                tainted.append(turn.id)
                continue
            for heard in turn.given.heard:
                hearers[heard].append(turn.id)
                if heard not in seen:
                    seen.add(heard)
                    earlier = self._turn(heard)
                    waiting.append(earlier) if earlier is not None else tainted.append(heard)
        outside: set[TurnId] = set()
        while tainted:
            if (last := tainted.pop()) not in outside:
                outside.add(last)
                tainted.extend(hearers[last])
        return outside

    def _may_be_told(self, given: AnswerBasis, lines: Collection[str]) -> bool:
        return (
            all(line in lines for line in given.core)
            and (self._learned or not given.learned)
            and (self._memory.visible.whole or not given.whole)
        )

    def _is_visible(self, turn: Turn) -> bool:
        return all(map(self._holds, turn.evidence)) and all(map(self._memory.holds, turn.citations))

    def _holds(self, passage: ChunkId) -> bool:
        """Tell whether a passage may be seen; one that is gone may not."""
        if passage not in self._visible:
            try:
                document = self._index.chunk(passage).document
                self._visible[passage] = any(
                    chunk.id == passage for chunk in self._memory.passages_of(document)
                )
            except NotFoundError:
                self._visible[passage] = False
        return self._visible[passage]
