"""What a person or a program may say of what is to be found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.stores import Documents
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.L0.language.question import Question


@dataclass(frozen=True)
class RecallOptions:
    """How to look, and where."""

    since: str | datetime | None = None
    until: str | datetime | None = None
    """A time, a date, or a span such as ``30d``."""
    as_of: datetime | None = None
    """Look from another day: what was said or written later, or nobody knows when, does not take
    part.
    """
    tags: Sequence[str] = ()
    speakers: Sequence[str] = ()
    entities: Sequence[str] = ()
    memory_kinds: Sequence[str] = ()
    """Those of statements, ``turn``, or ``passage``."""
    kinds: Sequence[DocumentKind] = ()
    folder: str = ""
    token_budget: int | None = None
    explain: bool = True
    typing: bool = False
    decay_rate: float | None = None
    """Rank by nearness and newness alone (:func:`lpm_kernel.L0.index.ranking.decayed`)."""
    rerank: bool = False
    """Read the best, and rank them anew by what they answer; not together with ``decay_rate``."""
    spread: bool = False
    """Add what lies two edges away on the map from what the question names."""
    include_private: bool = True
    threads: bool = False
    """What the person told in chats takes part too."""


ANYWHERE = RecallOptions()


def query_of(
    text: str, k: int, options: RecallOptions, now: datetime, documents: Documents
) -> RecallQuery | None:
    """Return what recall is asked, seen from ``now``; ``None`` where no document is of the kinds or
    in the folder. Raises ``InvalidInputError`` for what is no time.
    """
    since, until = options.since, options.until
    ends = [
        moment(until, now, until=True) if isinstance(until, str) else until,
        options.as_of,
    ]
    scope = Scope(
        since=moment(since, now) if isinstance(since, str) else since,
        until=min(
            (end for end in ends if end is not None),
            default=None,
            key=lambda end: end.astimezone(),
        ),
        tags=tuple(options.tags),
        speakers=tuple(options.speakers),
        entities=tuple(options.entities),
        kinds=tuple(options.memory_kinds),
        include_private=options.include_private,
        threads=options.threads,
    )
    if options.kinds or options.folder:
        wanted = DocumentFilter(
            kinds=tuple(options.kinds),
            folder=options.folder,
            open_only=not options.include_private,
        )
        scope = replace(scope, documents=tuple(documents.ids(wanted)))
        if not scope.documents:
            return None
    return RecallQuery(
        Question(text),
        k,
        scope,
        options.token_budget,
        options.explain,
        options.typing,
        options.decay_rate,
        rerank=options.rerank and options.decay_rate is None,
    )
