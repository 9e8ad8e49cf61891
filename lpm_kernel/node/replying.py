"""What the node says to another node: asked by the process that listens, answered from what lies
inside a grant.

A class beside the floors, like ``meeting``: it is made when the first question of somebody else
comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lpm_kernel.backends.llm.trained import Trained
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.domain.ports import LanguageModel
from lpm_kernel.domain.share.network import InboxRow
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.training import Training
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share import answering, drafting, replies
from lpm_kernel.usecases.share.inside import Inside, Views
from lpm_kernel.usecases.share.view import RowSources
from lpm_kernel.usecases.training.pair_rows import learned_in
from lpm_kernel.usecases.training.rows import examples_in


class Replying:
    """Answers to other nodes, over an open one."""

    def __init__(
        self,
        ports: Ports,
        models: Models,
        training: Training,
        memory: Memory,
        at_table: Callable[[InboxRow], answering.PeerReply] = lambda _row: answering.BUSY,
    ) -> None:
        self._at_table = at_table
        self._ports = ports
        self._models = models
        self._training = training
        self._memory = memory
        self._views = Views()
        self._counter = replies.ReplyCounter()

    def reply(self, issuer: str, message: str) -> answering.PeerReply:
        """Answer a message that was written down. What cannot be answered now is refused as busy,
        so that they ask again.
        """
        here = self._ports
        row = here.post.arrived(issuer, message)
        if row is not None and drafting.is_about_a_table(row):
            return self._at_table(row)
        if row is not None and drafting.is_of_an_offer(row):
            return self._counter.reply(
                lambda: drafting.piece(
                    here.permissions, here.documents, here.files, here.clock, row
                )
            )
        return self._counter.reply(
            lambda: drafting.reply(
                here.post, here.permissions, here.clock, self.answerer(), (issuer, message)
            )
        )

    def answerer(self) -> answering.Answerer:
        """Return what an answer is made with now."""
        here = self._ports
        recall, ports, pages = self._memory.whole_recall, self._memory.recall_ports(), here.pages()
        key = here.home.secret("peer-rows")
        inside = self._views.over(recall, ports, pages)
        return answering.Answerer(
            inside, self._model, here.conversations.identity(), key, self._held_back
        )

    def draft(self, name: tuple[str, str]) -> InboxRow:
        """Write the answer to a request that waits, for the person to read. Raises
        ``NotFoundError`` and ``ConflictError``.
        """
        here = self._ports
        return drafting.draft(here.post, here.permissions, here.clock, self.answerer(), name)

    def sendable(
        self, name: tuple[str, str], chosen: tuple[str | None, str | None]
    ) -> Mapping[str, Any]:
        """Return the draft that shall leave, in the person's own words where they gave some. Raises
        ``ConflictError`` and ``InvalidInputError``.
        """
        here = self._ports
        return drafting.sendable(
            here.post, here.permissions, here.clock, self.answerer(), name, chosen
        )

    def _held_back(
        self,
        question: str,
        scope: Any,  # noqa: ANN401  a scope of the protocol
        allowed: frozenset[str],
    ) -> list[tuple[ChunkId, str]]:
        """Say what belongs to a question and stays here, and why."""
        here = self._ports
        query = RecallQuery(Question(question), k=drafting.MOST_HELD_BACK)
        found = self._memory.whole_recall(query).items
        sources = RowSources(here.documents, here.decisions, passages_of(here.index))
        return replies.held_back(sources, found, scope, allowed, here.pages())

    def _model(self, inside: Inside) -> LanguageModel:
        """Return what words an answer: the training in use where all that it learned from lies
        inside, otherwise the base.
        """
        here, adapter, model = self._ports, self._training.adapter, self._models.model
        known = replies.LearnedWeights(
            here.runs,
            here.memories,
            lambda run: examples_in(here.home.versions / run.id / "rows.jsonl"),
            lambda run: learned_in(here.home.versions, run),
            self._training.learned_from,
            self._training.speaks_to_others,
            here.conversations.identity().name,
        )
        run = replies.run_for(known, adapter, inside)
        return model if adapter is None or run is None else Trained(model, adapter, run.number)
