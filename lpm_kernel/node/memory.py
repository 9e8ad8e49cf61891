"""What is found, what is decided about it, and what an answer may rest on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from datetime import date, datetime

from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.conversations import Citation, Turn
from lpm_kernel.domain.chat.recall import Level, NamedParty, Recalled, Recollection, Scope
from lpm_kernel.domain.ids import ChunkId, DocumentId, FindingId
from lpm_kernel.domain.library.documents import Chunk, DocumentState
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import Decision, Verdict
from lpm_kernel.domain.memory.forgetting import MemoryHold
from lpm_kernel.domain.memory.memories import Belief, MemoryId
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.index.days import Days, Tally
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.answering.core import Core
from lpm_kernel.L1.answering.reader import ReaderPorts
from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.recall import Recall
from lpm_kernel.node.library import Library
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.chat.recall import RecallPorts, ScopedMemory
from lpm_kernel.usecases.chat.recall_options import ANYWHERE, RecallOptions, query_of
from lpm_kernel.usecases.chat.scopes import MemoryScopes, as_recalled
from lpm_kernel.usecases.chat.suggestions import Suggested, SuggestionPorts, suggest
from lpm_kernel.usecases.memory import (
    correction_division,
    forgetting,
    occasions,
    review,
    timeline,
    verdicts,
)
from lpm_kernel.usecases.memory import findings as judging
from lpm_kernel.usecases.memory.anniversaries import Anniversaries, anniversaries
from lpm_kernel.usecases.memory.corrections import FactChanges, correction_text
from lpm_kernel.usecases.memory.short_biography import LifeClaims

SUGGESTED_FROM = 40
"""Documents, the newest, of which questions are made."""


class Memory:
    """Recall, with what the person decided, for whoever asks."""

    _recaller: tuple[IndexDb, Embedder | None, Recall] | None = None
    """What recalls, with the index and the embedder that it was made for."""

    def __init__(
        self, ports: Ports, models: Models, library: Library, workspace: WorkspaceFiles
    ) -> None:
        self.life: Callable[[], LifeClaims]
        """Gives what tells who the person is."""
        self.spread_on_map: Callable[[Recollection, RecallQuery], Recollection]
        """Adds what lies near on the map."""
        self.forget_learned: Callable[[Collection[str]], None]
        """Drops the readers that learned from these documents."""
        self._ports = ports
        self._models = models
        self._library = library
        self._workspace = workspace
        self._changes = FactChanges(ports.documents, ports.files)
        self.scopes = MemoryScopes(
            lambda: self.whole_recall,
            self.recall_ports,
            lambda: models.model_is_here,
            ports.pages,
        )
        """The memory as each may see it."""

    def recall(
        self,
        query: str,
        *,
        k: int = 25,
        options: RecallOptions = ANYWHERE,
        now: datetime | None = None,
    ) -> Recollection:
        """Find what answers a question, the best ``k``. Raises ``InvalidInputError`` for what is no
        time.
        """
        now = now or options.as_of or self._ports.clock.now()
        asked = query_of(query, k, options, now, self._ports.documents)
        if asked is None:
            return Recollection((), Level.WORDS, 0, 0, 0.0)
        memory = self.scopes.memory(private=options.include_private)
        found = memory.recall(asked, now, options.as_of)
        return self.spread_on_map(found, asked) if options.spread else found

    def recall_query(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        """Find what answers a question that is already taken apart."""
        return self.scopes.memory(private=query.scope.include_private).recall(query, now)

    def memory_for(self, *, owner: bool) -> ScopedMemory:
        """Return the memory as somebody may use it."""
        return self.scopes.memory_for(owner=owner)

    def recall_ports(self) -> RecallPorts:
        """Return what recall goes through now."""
        return RecallPorts(
            self._ports.index,
            self._ports.documents,
            self._ports.decisions,
            self._ports.validities,
            self._ports.memories,
            self._ports.files,
            self._ports.clock,
            ReaderPorts(self._models.embedder, self._models.reader),
            estimate_tokens,
            self._changes.of,
            lambda: self._ports.conversations.identity().name,
            self.life,
        )

    @property
    def whole_recall(self) -> Recall:
        """What recalls out of everything: to be narrowed for whoever may not see it."""
        index, embedder = self._ports.index, self._models.embedder
        if (
            self._recaller is None
            or self._recaller[0] is not index
            or self._recaller[1] is not embedder
        ):
            self.forget_questions()  # what was narrowed from the one before may live on
            recall = Recall(index, embedder, self._ports.clock, estimate_tokens)
            self._recaller = (index, embedder, recall)
        return self._recaller[2]

    def forget_questions(self) -> None:
        """Keep no vector of what was asked, in this process."""
        if self._recaller is not None:
            self._recaller[2].forget_questions()

    def suggestions(self, limit: int) -> list[Suggested]:
        """Return questions to begin with, made from what was added last and is not private."""
        here = self._ports
        newest, _ = here.documents.page(
            limit=SUGGESTED_FROM,
            wanted=DocumentFilter(states=(DocumentState.READY,), open_only=True),
        )
        memory = self.memory_for(owner=False)
        ports = SuggestionPorts(
            self._library.sentences,
            memory.passages_of,
            lambda document: here.files.words(document.sha256, document.text_version or "") or "",
            here.entity_decisions.all(),
            memory.recall,
            memory.read,
            frozenset(own_keys(here.conversations.identity().name)),
            here.clock.now(),
        )
        return suggest(newest, ports, limit)

    def warm(self) -> None:
        """Read the index into memory now rather than at the first question."""
        self.whole_recall.warm()

    def names(self, beginning: str, limit: int, *, include_private: bool) -> list[NamedParty]:
        """Return who and what is named in the passages, or said them, most often first."""
        return self.whole_recall.names(beginning, limit, Scope(include_private=include_private))

    def days(self, scope: Scope) -> Days:
        """Return how much each day holds of what may take part."""
        return self.whole_recall.days(scope)

    def told_of(self, days: Days, tallies: Sequence[Tally]) -> list[timeline.DaySummary]:
        """Tell of these days: documents, names, and the day's own best sentence."""
        return timeline.told(
            days,
            self._ports.index,
            self._ports.documents,
            self._ports.decisions,
            tallies,
            own=self._ports.conversations.identity().name,
        )

    def anniversaries(self, today: date, scope: Scope) -> Anniversaries:
        """Find the days of earlier years that are like today."""
        days = self.days(scope)
        return anniversaries(days, today, lambda tallies: self.told_of(days, tallies))

    def events(self, today: date, scope: Scope) -> list[occasions.ExpectedEvent]:
        """Find what was said to come today or tomorrow."""
        return occasions.events(self.days(scope), self._ports.index, self._ports.decisions, today)

    def core(self, *, private: bool) -> Core:
        """Return what every prompt holds of ``memory.md``, for the owner and a model here, or for
        anybody else.
        """
        return self._workspace.core(private=private)

    def core_for(self, *, owner: bool) -> Core:
        """Return what every prompt holds of ``memory.md``, as somebody may see it: a private one
        stays with the owner, and goes to no model elsewhere.
        """
        return self.core(private=owner and self._models.model_is_here)

    def passages(self, identifiers: Iterable[ChunkId]) -> list[Chunk]:
        """Return those of the passages that are still there: a document may have been deleted, or
        read anew, since.
        """
        chunks = []
        for identifier in identifiers:
            with suppress(NotFoundError):
                chunks.append(self._ports.index.chunk(identifier))
        return chunks

    def text_of(self, identifier: DocumentId) -> str:
        """Return what a document says; nothing where it is gone or not read yet."""
        here = self._ports
        found = here.documents.many([identifier])
        if not found or (version := found[0].text_version) is None:
            return ""
        return here.files.words(found[0].sha256, version) or ""

    def as_recalled(self, chunks: Sequence[Chunk]) -> list[Recalled]:
        """Show chunks among things found without asking why; what the person decided against is
        struck.
        """
        return as_recalled(self._ports.decisions, chunks)

    def judged(
        self, finding: FindingId, verdict: Verdict, content: str = ""
    ) -> judging.SentenceDecision:
        """Say what is decided about something that was found."""
        return judging.judged(self._ports.decisions, finding, verdict, content)

    def decide(self, judged: judging.SentenceDecision) -> judging.Finding:
        """Record what the person decided about a sentence."""
        if judged.verdict is Verdict.KEEP:
            self._ports.uses.note(judged.document, judged.start, judged.end)
        decided = judging.decide(self._decision_ports, self._library.arrive, judged)
        self._workspace.remember_kept([decided.document.id])
        if decided.decision is not None and decided.decision.strikes:
            self.forget_learned([decided.document.id])
        return decided

    def decide_all(self, reviewed: Sequence[review.Reviewed]) -> list[review.ReviewedFinding]:
        """Record many decisions about what was found, and say of each what became of it. Unlike
        one that is kept alone, what is kept among many does not count as used.
        """
        settled = review.decide_all(self._decision_ports, reviewed)
        made = [each.decision for each in settled if each.outcome is review.ReviewOutcome.DECIDED]
        decided = [each for each in made if each is not None]
        if decided:
            self._workspace.remember_kept(sorted({each.document for each in decided}))
        struck = sorted({each.document for each in decided if each.strikes})
        if struck:
            self.forget_learned(struck)
        return settled

    def take_back(self, made: Sequence[tuple[FindingId, datetime]]) -> list[bool]:
        """Take many decisions back, and say of each whether it was."""
        about = review.touched(self._ports.documents, [finding for finding, _ in made])
        taken = review.take_back(self._decision_ports, made)
        if any(taken):
            self._workspace.remember_kept(about)
        return taken

    @property
    def _decision_ports(self) -> judging.DecisionPorts:
        ports = self._ports
        return judging.DecisionPorts(
            ports.files, ports.documents, ports.decisions, ports.index, ports.clock
        )

    def undecide(self, finding: FindingId) -> None:
        """Take a decision back."""
        decided = self._ports.decisions.get(finding)
        judging.undo(self._decision_ports, finding)
        self._workspace.remember_kept([decided.document])

    def divide_corrections(self) -> int:
        """Give each decision a correction of its own, where an earlier release shared them. Returns
        how many were made.
        """
        return correction_division.divide(
            self._ports.files, self._ports.documents, self._ports.decisions, self._library.arrive
        )

    def correction(self, decision: Decision) -> str | None:
        """Return how a mended sentence reads rightly."""
        return correction_text(self._ports.documents, self._ports.files, decision)

    def strengths(self, beliefs: Sequence[Belief]) -> list[tuple[float, bool]]:
        """Return how strongly memories are held, 0..1, and whether they are pinned."""
        return [(held.strength, held.pinned) for held in self.holds(beliefs)]

    def holds(self, beliefs: Sequence[Belief]) -> list[MemoryHold]:
        """Return how strongly memories are held, and why."""
        self._ports.uses.write()
        return forgetting.holds(
            self._ports.memories, self._ports.holding, beliefs, self._ports.clock.now()
        )

    def fading(self, beliefs: Sequence[Belief]) -> set[MemoryId]:
        """Name those memories that fade because they were not used for long."""
        held = zip(beliefs, self.holds(beliefs), strict=True)
        return {belief.memory for belief, hold in held if hold.fading}

    def fades(self, claim: Claim) -> bool:
        """Tell whether what is claimed is a memory that fades."""
        there = [
            belief
            for belief in self._ports.memories.believed(claim.document)
            if belief.start < claim.end and claim.start < belief.end
        ]
        return bool(there) and len(self.fading(there)) == len({each.memory for each in there})

    def pin(self, belief: Belief, *, pinned: bool) -> None:
        """Have a memory never fade, or fade again."""
        if pinned:
            self._ports.holding.pin(belief.memory, belief.document, self._ports.clock.now())
        else:
            self._ports.holding.unpin(belief.memory)

    def renew(self, belief: Belief, *, renewed: bool) -> None:
        """Have a memory be held as if it had been used now, or as if it had not been used today."""
        place = belief.document, belief.start, belief.end
        if renewed:
            self._ports.uses.note(*place)
            self._ports.uses.write()
        else:
            self._ports.uses.take_back(*place)

    def cited(self, citations: Sequence[Citation]) -> None:
        """Note that words were cited in an answer: what is used fades more slowly."""
        for citation in citations:
            self._ports.uses.note(citation.document, citation.start, citation.end)

    def state_right(self, said: Turn) -> None:
        """Make a memory of what the person says is right in the place of an answer, reword it, or
        take it out where they took that back. Raises ``InvalidInputError``.
        """
        ports = self._ports
        verdicts.state_right(
            ports.conversations, ports.memories, ports.documents, self._workspace, said
        )

    def struck_since(self, said: Turn) -> set[int]:
        """Return the numbers of the citations whose words the person mended or forgot since it was
        said.
        """
        return verdicts.struck_since(
            self._ports.decisions, self._ports.documents, self._library.quote, said
        )

    def still_holds(self, said: Turn) -> bool:
        """Tell whether nothing that an answer rests on was mended or forgotten since."""
        return not self.struck_since(said)
