"""Changing the embedder: it is tried, everything is embedded with it in the background, and once
that is done it serves.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import Protocol

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, JobOutcome, Lane, Progress
from lpm_kernel.domain.ports import Embedder, PassageIndex
from lpm_kernel.errors import EmbedderUnavailableError, InvalidInputError
from lpm_kernel.usecases.library.embedders import (
    EmbedderChoice,
    EmbedderProbe,
    EmbedderSpec,
    ask_consent,
    embed_anew,
)
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.models.ports import ModelPorts
from lpm_kernel.usecases.processes import reading_documents

WAIT_SECONDS = 0.1
"""Between two looks at whether something may go on."""
NO_VECTORS = "Passages are found by their words, names and dates; nothing has to be embedded."


class EmbedderTrial(Protocol):
    """What trying an embedder gave."""

    @property
    def id(self) -> str:
        """Which embedder it is."""
        ...

    @property
    def dimension(self) -> int:
        """How long its vectors are."""
        ...

    @property
    def sentences_per_second(self) -> float:
        """How fast it is."""
        ...

    @property
    def sentence(self) -> str:
        """How it went."""
        ...


Try = Callable[[EmbedderSpec, EmbedderChoice], tuple[str, EmbedderTrial]]
"""Tries an embedder; says which model an endpoint took, and how it went."""
BringUp = Callable[[EmbedderSpec], AbstractContextManager[Embedder | None]]
"""Brings an embedder up beside the one that serves."""


def key_name(url: str) -> str:
    """Name the secret of an embedding endpoint; one for each, so that the one that serves keeps its
    own while another is tried.
    """
    return "embedder-key-" + hashlib.sha256(url.encode()).hexdigest()[:12]


def answers(embedder: Embedder | None) -> bool:
    """Tell whether an embedder can be asked now."""
    if embedder is None:
        return False
    try:
        embedder.embed(["A sign of life."])
    except EmbedderUnavailableError:
        return False
    return True


def probe(choice: EmbedderChoice, attempt: Try, is_local: Callable[[str], bool]) -> EmbedderProbe:
    """Try an embedder and say in words how it went; nothing is changed, and nothing of the person's
    is sent.
    """
    wanted = EmbedderSpec(choice.as_setting())
    if wanted.kind == "none":
        return EmbedderProbe(ok=True, sentence=NO_VECTORS)
    try:
        model, tried = attempt(wanted, choice)
    except EmbedderUnavailableError as error:
        return EmbedderProbe(ok=False, sentence=f"{error.detail} {error.hint}".strip())
    return EmbedderProbe(
        ok=True,
        sentence=tried.sentence,
        id=tried.id,
        dimension=tried.dimension,
        sentences_per_second=tried.sentences_per_second,
        model=model,
        elsewhere=wanted.kind == "endpoint" and not is_local(wanted.embedder),
    )


def use(
    ports: ModelPorts,
    choice: EmbedderChoice,
    attempt: Callable[[EmbedderChoice], EmbedderProbe],
    *,
    consent: bool,
) -> tuple[EmbedderProbe, Job]:
    """Try an embedder, and queue embedding everything with it; it serves once that is done.

    Raises ``ConsentNeededError`` where texts would leave this machine, and
    ``EmbedderUnavailableError`` when the probe fails.
    """
    if "LPM_EMBEDDER" in os.environ:
        raise InvalidInputError(
            "The variable LPM_EMBEDDER names the embedder, so it cannot be changed here.",
            "Start the node without it.",
        )
    setting = choice.as_setting()
    if choice.kind == "endpoint" and not ports.is_local(setting):
        ask_consent(setting, consent=consent)
    tried = attempt(choice)
    if not tried.ok:
        raise EmbedderUnavailableError(tried.sentence, "The embedder before it is still in use.")
    if choice.kind == "endpoint" and choice.key is not None:
        ports.home.write_secret(key_name(setting), choice.key)
    kept = choice.kind in {"endpoint", "file"}
    wanted = EmbedderSpec(
        setting, tried.model, tried.id if kept else "", tried.dimension if kept else 0
    )
    return tried, _queued(ports, wanted)


def _queued(ports: ModelPorts, wanted: EmbedderSpec) -> Job:
    """Queue the change; one to another embedder that is under way is given up."""
    for job in ports.jobs.page(limit=100, states=UNDER_WAY, kind="reembed")[0]:
        if EmbedderSpec(**job.request) == wanted:
            return job
        ports.jobs.cancel(job.id, ports.clock.now())
    return ports.jobs.add("reembed", Lane.MODELS, None, ports.clock.now(), asdict(wanted))


def reembed(
    ports: ModelPorts, index: PassageIndex, bring_up: BringUp, job: Job, progress: Progress
) -> JobOutcome:
    """Embed everything with the chosen embedder, as a job."""
    wanted, share = EmbedderSpec(**job.request), job.progress

    def wait(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (
            time.monotonic() < until or ports.jobs.page(limit=1, states=UNDER_WAY, kind="erase")[0]
        ):
            progress(share, "embed", "Waiting")
            time.sleep(WAIT_SECONDS)

    progress(share, "load", "Bringing the embedder up")
    with bring_up(wanted) as embedder:
        if embedder is not None:
            embed_anew(index, embedder, lambda: reading_documents(ports.home), wait, progress)
        # nothing comes in between the last passage and the change
        with reading_documents(ports.home, undisturbed=True):
            if embedder is not None:
                embed_anew(index, embedder, nullcontext, lambda _: None, progress)
            progress(0.96, "switch", "Putting it to use")
            _switch(ports, wanted)
        progress(0.97, "tidy", "Dropping the old vectors")
        passages = _tidied(ports, index, embedder)
    sentence = (
        f"{wanted.name} serves now: {passages} passages."
        if embedder is not None
        else "Passages are found by words alone now."
    )
    return JobOutcome(sentence, {"passages": passages, "embedder": wanted.name})


def _switch(ports: ModelPorts, wanted: EmbedderSpec) -> None:
    if EmbedderSpec.of(ports.settings.now) == wanted:
        return
    ports.settings.change(**wanted.as_settings())
    ports.audit.append(
        ports.clock.now(),
        AuditKind.EMBEDDER_CHANGED,
        to=wanted.kind,
        host=host_of(wanted.embedder) if wanted.kind == "endpoint" else "",
    )


def _tidied(ports: ModelPorts, index: PassageIndex, embedder: Embedder | None) -> int:
    """Drop the vectors of other embedders. Returns how many passages have one of this."""
    index.drop_vectors(embedder.id if embedder is not None else None)
    with reading_documents(ports.home, undisturbed=True):
        index.compact()
    return index.generations().get(embedder.id, 0) if embedder is not None else 0
