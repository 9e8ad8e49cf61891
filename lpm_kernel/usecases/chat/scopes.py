"""Who sees what: the owner everything, a model elsewhere and a program what is open, a role what
its person wrote down.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from lpm_kernel.domain.chat.recall import Recalled, Scope, Signals
from lpm_kernel.domain.chat.roles import Sees
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.decisions import stretches
from lpm_kernel.domain.stores import Decisions
from lpm_kernel.L1.recall import Recall
from lpm_kernel.usecases.chat.recall import RecallPorts, ScopedMemory
from lpm_kernel.usecases.chat.visibility import Everything, OpenDocuments, VisibleRows
from lpm_kernel.usecases.memory.corrections import Corrected, corrections

AT_ONCE: Final = 8
"""Scopes whose rows are kept in memory: those that were used last."""


@dataclass(frozen=True)
class Sight:
    """What a scope lets in at this moment."""

    passages: int
    documents: int
    of: int
    """Passages of everything, for the owner with what is private."""
    first: tuple[Recalled, ...]
    """The newest of it, without what is struck."""
    without_private: bool
    """It asks for what is private and is opened without."""


class MemoryScopes:
    """The memory as each may see it."""

    def __init__(
        self,
        recall: Callable[[], Recall],
        ports: Callable[[], RecallPorts],
        model_is_here: Callable[[], bool],
        written: Callable[[], Collection[DocumentId]],
    ) -> None:
        """``recall`` gives what recalls out of everything; ``written`` the pages that the node
        wrote by itself. What is private goes to no model elsewhere (``model_is_here``).
        """
        self._recall = recall
        self._ports = ports
        self._model_is_here = model_is_here
        self._written = written
        self._kept: OrderedDict[tuple[Scope, ...], tuple[Recall, Corrected, Recall]] = OrderedDict()
        """What recalls inside a scope, after the recall and the corrections that it was made
        from.
        """
        self._lock = threading.Lock()

    def memory(self, *, private: bool) -> ScopedMemory:
        """Return everything, or what is not private."""
        ports, recall = self._ports(), self._recall()
        visible = (
            Everything(recall, ports.index, ports.decisions, ports.validities)
            if private
            else OpenDocuments(
                recall, ports.index, ports.documents, ports.decisions, ports.validities
            )
        )
        return ScopedMemory(visible, ports)

    def memory_for(self, *, owner: bool) -> ScopedMemory:
        """Return the memory as somebody may use it: what is private stays with the owner, and goes
        to no model elsewhere.
        """
        return self.memory(private=owner and self._model_is_here())

    def within(self, *sees: Sees, owner: bool) -> ScopedMemory:
        """Return what lies inside a scope, or inside every one of several, for the owner or for
        somebody whom the owner let in.
        """
        ports = self._ports()
        scopes = [self._scope(each, owner=owner) for each in sees]
        visible = VisibleRows(
            self._narrowed(scopes, sees),
            ports.index,
            ports.decisions,
            ports.validities,
            whole=all(scope.since is None and scope.until is None for scope in scopes),
        )
        return ScopedMemory(visible, ports)

    def sight(self, *sees: Sees, most: int, owner: bool) -> Sight:
        """Count what a scope lets in, or every one of several, and return the first of it."""
        scopes = [self._scope(each, owner=owner) for each in sees]
        count, chunks, documents = self._narrowed(scopes, sees).latest(Scope(), most)
        every, _, _ = self._recall().latest(Scope(include_private=owner), 0)
        return Sight(
            count,
            len(documents),
            every,
            tuple(as_recalled(self._ports().decisions, chunks)),
            any(
                each.private and not scope.include_private
                for each, scope in zip(sees, scopes, strict=True)
            ),
        )

    def _narrowed(self, scopes: Sequence[Scope], sees: Sequence[Sees]) -> Recall:
        """Return what recalls inside every one of these scopes, kept as long as nothing changes of
        what corrections put right.
        """
        ports = self._ports()
        corrected = (
            {}
            if all(replace(each, private=False).is_open for each in sees)
            else corrections(ports.decisions, ports.documents)
        )
        key, recall = tuple(scopes), self._recall()
        with self._lock:
            made = self._kept.get(key)
            if made is None or made[0] is not recall or made[1] != corrected:
                narrow = reduce(lambda wider, scope: wider.within(scope, corrected), key, recall)
                made = self._kept[key] = (recall, corrected, narrow)
            self._kept.move_to_end(key)
            while len(self._kept) > AT_ONCE:
                self._kept.popitem(last=False)
            return made[2]

    def _scope(self, sees: Sees, *, owner: bool) -> Scope:
        """Give a scope in the terms of recall.

        What is private is the owner's, and goes to no model elsewhere. A page that the node wrote
        sums up more than a scope may hold, so it is seen only by a role that sees everything open.
        """
        sees = replace(sees, private=sees.private and owner and self._model_is_here())
        documents = (
            tuple(
                sorted(
                    self._ports().documents.ids(
                        DocumentFilter(kinds=sees.kinds, folder=sees.folder)
                    )
                )
            )
            if sees.kinds or sees.folder
            else None
        )
        written = () if replace(sees, private=False).is_open else self._written()
        return sees.scope(documents, tuple(sorted(written)))


def as_recalled(decisions: Decisions, chunks: Sequence[Chunk]) -> list[Recalled]:
    """Show chunks among things found without asking why; what the person decided against is
    struck.
    """
    decided = decisions.about([chunk.document for chunk in chunks])
    return [
        Recalled(
            chunk,
            0.0,
            Signals(),
            entities=(chunk.speaker,) if chunk.speaker else (),
            struck=tuple(
                sorted(
                    span
                    for decision in decided.get(chunk.document, ())
                    if decision.strikes
                    for span in stretches(decision, chunk)
                )
            ),
        )
        for chunk in chunks
    ]
