"""The models that serve, how they are tried and how they are changed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.embed.probe import probe as embed_probe
from lpm_kernel.backends.embed.probe import probe_endpoint
from lpm_kernel.backends.llm.client import EndpointModel, is_local
from lpm_kernel.backends.llm.fetch import DownloadSource, check_address, fetch, file_name
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.llm.probe import probe, probe_file
from lpm_kernel.backends.llm.spare import spare_host
from lpm_kernel.backends.llm.state import NOT_THERE, answers_ahead, host_state
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.config import HOST_SERVES, MODEL_WINDOW
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ports import Embedder, Endpoint, LanguageModel
from lpm_kernel.errors import (
    ConsentNeededError,
    EmbedderUnavailableError,
    InvalidInputError,
    ModelUnavailableError,
    NotFoundError,
)
from lpm_kernel.L0.language.glosses import Glossed
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.home import doctor, work
from lpm_kernel.usecases.library import embedders
from lpm_kernel.usecases.models import catalogue as models
from lpm_kernel.usecases.models.egress import RecordedEmbedder, RecordedModel
from lpm_kernel.usecases.processes import reading_documents

UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
WAIT_SECONDS = 0.1
"""Between two looks at whether something may go on."""


class Models:
    """The language model and the embedder, tried before they are put to use."""

    def __init__(
        self,
        ports: Ports,
        model: LanguageModel | None = None,
        embedder: Embedder | None = None,
        *,
        in_process: bool = True,
    ) -> None:
        self._ports = ports
        self.given = (model, embedder)
        """Twins in place of what the settings name."""
        self._embeds: tuple[embedders.EmbedderSpec, Embedder | None] | None = None
        self._in_process = in_process
        self._model_before: Endpoint | None = None
        """What wrote before the last choice, so that it can be taken back while this process
        runs.
        """

    @property
    def model(self) -> LanguageModel:
        """What writes: the model host's, or an endpoint elsewhere, whose prompts are recorded
        before they leave.
        """
        if self.given[0] is not None:
            return self.given[0]
        if not self._ports.settings.model.startswith("http"):
            return self._host_model
        model = EndpointModel(
            self._endpoint(self._ports.settings.model, self._ports.settings.model_name)
        )
        return (
            model
            if is_local(self._ports.settings.model)
            else RecordedModel(
                model,
                urlsplit(self._ports.settings.model).netloc,
                self._ports.departures,
                self._ports.clock,
            )
        )

    @cached_property
    def _host_model(self) -> LanguageModel:
        if self._in_process and host_state(self._ports.home.root)["model"] == NOT_THERE:
            from lpm_kernel.backends.llm.host import model_loader

            return cast(
                "LanguageModel",
                model_loader(
                    self._ports.settings.model, MODEL_WINDOW, self._ports.settings.model_threads
                )(),
            )  # takes one more argument than the port asks
        return EndpointModel(lambda: host_endpoint(self._ports.home.root))

    def _endpoint(self, url: str, name: str) -> Endpoint:
        return Endpoint(url, self._ports.home.given_secret("endpoint-key"), name)

    @property
    def model_is_here(self) -> bool:
        """Whether the language model runs on this machine."""
        return not self._ports.settings.model.startswith("http") or is_local(
            self._ports.settings.model
        )

    def answers_ahead(self) -> int:
        """Return how many answers come first: the model host words one at a time. A model elsewhere
        has a queue of its own, if any.
        """
        here = self.given[0] is None and not self._ports.settings.model.startswith("http")
        return answers_ahead(self._ports.home.root) if here else 0

    def model_state(self) -> doctor.HealthState:
        """Return how the language model is."""
        setting = self._ports.settings.model
        if self.given[0] is not None:
            return doctor.HealthState(self.given[0].card().id, "ready", "The model is ready.")
        if setting.startswith("http"):
            return doctor.HealthState(
                self._ports.settings.model_name or setting,
                "ready",
                f"Answers come from {urlsplit(setting).netloc}.",
            )
        name = models.BUNDLED_NAME if setting == "bundled" else Path(setting).stem
        return doctor.HealthState(name, *host_state(self._ports.home.root)["model"])

    def probe(self, choice: models.ModelChoice) -> models.ModelProbe:
        """Try a model and say in words how it went; nothing is changed."""
        try:
            if choice.kind == "endpoint":
                found = probe(Endpoint(choice.as_setting(), choice.key or "", choice.model or ""))
            else:
                found = probe_file(
                    bundled_model() if choice.kind == "bundled" else Path(choice.as_setting())
                )
        except ModelUnavailableError as error:
            return models.ModelProbe(ok=False, sentence=f"{error.detail} {error.hint}".strip())
        return models.ModelProbe(
            ok=True,
            sentence=found.sentence,
            context_window=found.card.context_window,
            words_per_second=found.words_per_second,
        )

    def use_model(self, choice: models.ModelChoice) -> None:
        """Use a model from the next question on. Raises ``ModelUnavailableError`` and keeps the one
        before when the probe fails.
        """
        tried = self.probe(choice)
        if not tried.ok:
            raise ModelUnavailableError(tried.sentence, "The model before it is still in use.")
        before = self._endpoint(self._ports.settings.model, self._ports.settings.model_name)
        self._write_with(Endpoint(choice.as_setting(), choice.key or "", choice.model or ""))
        self._model_before = before

    def use_model_before(self) -> None:
        """Take the last choice back, with the key of the one before it. Nothing is asked of that
        one: it was in use. Raises ``NotFoundError``.
        """
        before, self._model_before = self._model_before, None
        if before is None:
            raise NotFoundError("choice of a model to take back", self._ports.settings.model)
        self._write_with(before)

    def _write_with(self, wanted: Endpoint) -> None:
        elsewhere = wanted.url.startswith("http")
        if elsewhere:
            self._ports.home.write_secret("endpoint-key", wanted.key)
        self._ports.change_settings(model=wanted.url, model_name=wanted.model)
        host = urlsplit(wanted.url).netloc.rpartition("@")[2] if elsewhere else ""
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.MODEL_CHANGED,
            to=models.kind_of(wanted.url),
            host=host,
        )

    def model_choices(self) -> list[models.ModelOption]:
        """List the models that can be chosen, and those that can be fetched."""
        return models.choices(
            self._ports.settings,
            self._ports.home.models,
            models.catalogue(),
            self._ports.jobs.page(limit=100, kind="download")[0],
        )

    def download(self, identifier: str, url: str | None = None, *, consent: bool = False) -> Job:
        """Fetch a model of the catalogue, or with ``url`` one of the person's own choice, in the
        background.

        Raises ``ConsentNeededError`` for an address that the catalogue does not have, and
        ``UnusableDownloadError``.
        """
        if url is None:
            entry = models.found(models.catalogue(), identifier)
            wanted = DownloadSource(entry.url, file_name(entry.url), entry.sha256)
        else:
            wanted = DownloadSource(check_address(url.strip()), file_name(url.strip()))
            if not consent:
                host = urlsplit(wanted.url).netloc.rpartition("@")[2]
                raise ConsentNeededError(
                    f"{host} is not in the catalogue. A model from there is a stranger's work: it"
                    f" is run on this machine, and {host} sees that you ask for it. Nothing was"
                    " fetched."
                )
        for job in self._ports.jobs.page(limit=100, states=UNDER_WAY, kind="download")[0]:
            if job.request.get("name") == wanted.name:
                return job
        return self._ports.jobs.add(
            "download", Lane.MODELS, None, self._ports.clock.now(), asdict(wanted)
        )

    def download_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Fetch a model, as a job."""
        wanted = DownloadSource(**job.request)

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                progress(job.progress, "wait", "The connection broke; trying again")
                time.sleep(WAIT_SECONDS)

        came = fetch(wanted, self._ports.home.models, progress, wait)
        return work.JobOutcome(
            f"{wanted.name} is here, checked by {came.checked}.",
            {"path": str(came.path), "bytes": came.bytes, "checked": came.checked},
        )

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors: the model host's, one in this process when no host runs
        and that is allowed, or an endpoint's.
        """
        if self.given[1] is not None:
            return self.given[1]
        serves = embedders.EmbedderSpec.of(self._ports.settings)
        if self._embeds is None or self._embeds[0] != serves:
            self._embeds = (serves, self._embedder_of(serves))
        return self._embeds[1]

    def _embedder_of(self, serves: embedders.EmbedderSpec) -> Embedder | None:
        served = HOST_SERVES.get(serves.embedder)
        if serves.kind == "none" or (served is None and not (serves.id and serves.dimension)):
            return None
        if serves.kind == "endpoint":
            return self._recorded(serves, self._endpoint_embedder(serves))
        if self._in_process and host_state(self._ports.home.root)["embedder"] == NOT_THERE:
            from lpm_kernel.backends.llm.host import embedder_loader

            made = embedder_loader(
                served[0] if served else serves.embedder, self._ports.settings.model_threads
            )()
        else:
            identity, dimension = served[1:] if served else (serves.id, serves.dimension)
            made = EndpointEmbedder(
                lambda: host_endpoint(self._ports.home.root),
                identity=identity,
                dimension=dimension,
                tokens=served is not None,
                served_as=identity,
            )
        return Glossed(made) if serves.kind == "bundled" else made

    def _endpoint_embedder(self, serves: embedders.EmbedderSpec) -> EndpointEmbedder:
        return EndpointEmbedder(
            self._embedding_endpoint(serves.embedder, serves.model),
            identity=serves.id,
            dimension=serves.dimension,
        )

    def _recorded(self, serves: embedders.EmbedderSpec, made: Embedder) -> Embedder:
        host = urlsplit(serves.embedder).netloc.rpartition("@")[2]
        return (
            made
            if is_local(serves.embedder)
            else RecordedEmbedder(made, host, self._ports.departures, self._ports.clock)
        )

    def _embedding_endpoint(self, url: str, model: str) -> Endpoint:
        return Endpoint(url, self._ports.home.given_secret(_embedder_key(url)), model)

    @contextmanager
    def _embedder_for(self, wanted: embedders.EmbedderSpec) -> Iterator[Embedder | None]:
        """Bring up an embedder beside the one that serves."""
        served = HOST_SERVES.get(wanted.embedder)
        if wanted.kind == "none":
            yield None
        elif wanted.kind == "endpoint":
            with closing(self._endpoint_embedder(wanted)) as asked:
                yield self._recorded(wanted, asked)
        elif served is not None:
            from lpm_kernel.backends.llm.host import embedder_loader

            made = embedder_loader(served[0])()
            yield Glossed(made) if wanted.kind == "bundled" else made
        else:
            with (
                spare_host(
                    self._ports.home.root, wanted.embedder, self._ports.settings.model_threads
                ) as endpoint,
                closing(
                    EndpointEmbedder(
                        endpoint,
                        identity=wanted.id,
                        dimension=wanted.dimension,
                        served_as=wanted.id,
                    )
                ) as made_here,
            ):
                yield made_here

    def embedder_state(self) -> doctor.HealthState:
        """Return how the embedder is."""
        if self.given[1] is not None:
            return doctor.HealthState(self.given[1].id, "ready", "The embedder is ready.")
        serves = embedders.EmbedderSpec.of(self._ports.settings)
        if serves.kind == "none":
            return doctor.HealthState(
                "none", "down", "No embedder is chosen: recall goes by words alone."
            )
        if self.embedder is None:
            return doctor.HealthState(
                serves.name,
                "down",
                "This embedder was never tried, so recall goes by words alone: choose it with `lpm"
                " embedder use`.",
            )
        if serves.kind == "endpoint":
            return doctor.HealthState(
                serves.name,
                "ready",
                f"Meaning comes from {urlsplit(serves.embedder).netloc.rpartition('@')[2]}.",
            )
        served = HOST_SERVES.get(serves.embedder, ("", serves.id))
        if self._in_process and not isinstance(
            getattr(self.embedder, "inner", self.embedder), EndpointEmbedder
        ):
            return doctor.HealthState(served[1], "ready", "The embedder is ready.")
        return doctor.HealthState(served[1], *host_state(self._ports.home.root)["embedder"])

    def embedder_answers(self) -> bool:
        """Tell whether the embedder can be asked now."""
        if self.embedder_state().state != "ready" or self.embedder is None:
            return False
        try:
            self.embedder.embed(["A sign of life."])
        except EmbedderUnavailableError:
            return False
        return True

    def probe_embedder(self, choice: embedders.EmbedderChoice) -> embedders.EmbedderProbe:
        """Try an embedder and say in words how it went; nothing is changed, and nothing of the
        person's is sent.
        """
        setting = choice.as_setting()
        wanted = embedders.EmbedderSpec(setting)
        if wanted.kind == "none":
            return embedders.EmbedderProbe(
                ok=True,
                sentence=(
                    "Passages are found by their words, names and dates; nothing has to be"
                    " embedded."
                ),
            )
        model = ""
        try:
            if wanted.kind == "endpoint":
                model, found = probe_endpoint(
                    Endpoint(
                        setting,
                        choice.key or self._embedding_endpoint(setting, "").key,
                        choice.model or "",
                    )
                )
            elif wanted.kind == "file":
                with (
                    spare_host(
                        self._ports.home.root, setting, self._ports.settings.model_threads
                    ) as endpoint,
                    closing(EndpointEmbedder(endpoint, identity="")) as made_here,
                ):
                    found = embed_probe(made_here)
            else:
                with self._embedder_for(wanted) as made:
                    found = embed_probe(cast("Embedder", made))
        except EmbedderUnavailableError as error:
            return embedders.EmbedderProbe(
                ok=False, sentence=f"{error.detail} {error.hint}".strip()
            )
        return embedders.EmbedderProbe(
            ok=True,
            sentence=found.sentence,
            id=found.id,
            dimension=found.dimension,
            sentences_per_second=found.sentences_per_second,
            model=model,
            elsewhere=wanted.kind == "endpoint" and not is_local(setting),
        )

    def use_embedder(
        self, choice: embedders.EmbedderChoice, *, consent: bool = False
    ) -> tuple[embedders.EmbedderProbe, Job]:
        """Embed everything with another embedder in the background; it serves once that is done.

        Raises ``ConsentNeededError`` where texts would leave this machine, and
        ``EmbedderUnavailableError`` when the probe fails.
        """
        if "LPM_EMBEDDER" in os.environ:
            raise InvalidInputError(
                "The variable LPM_EMBEDDER names the embedder, so it cannot be changed here.",
                "Start the node without it.",
            )
        setting = choice.as_setting()
        if choice.kind == "endpoint" and not is_local(setting):
            embedders.ask_consent(setting, consent=consent)
        tried = self.probe_embedder(choice)
        if not tried.ok:
            raise EmbedderUnavailableError(
                tried.sentence, "The embedder before it is still in use."
            )
        if choice.kind == "endpoint" and choice.key is not None:
            self._ports.home.write_secret(_embedder_key(setting), choice.key)
        kept = choice.kind in {"endpoint", "file"}
        wanted = embedders.EmbedderSpec(
            setting, tried.model, tried.id if kept else "", tried.dimension if kept else 0
        )
        for job in self._ports.jobs.page(limit=100, states=UNDER_WAY, kind="reembed")[0]:
            if embedders.EmbedderSpec(**job.request) == wanted:
                return tried, job
            self._ports.jobs.cancel(job.id, self._ports.clock.now())
        return tried, self._ports.jobs.add(
            "reembed", Lane.MODELS, None, self._ports.clock.now(), asdict(wanted)
        )

    def reembed_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Embed everything with the chosen embedder, as a job."""
        wanted = embedders.EmbedderSpec(**job.request)
        share = job.progress

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while (
                time.monotonic() < until
                or self._ports.jobs.page(limit=1, states=UNDER_WAY, kind="erase")[0]
            ):
                progress(share, "embed", "Waiting")
                time.sleep(WAIT_SECONDS)

        progress(share, "load", "Bringing the embedder up")
        with self._embedder_for(wanted) as embedder:
            if embedder is not None:
                embedders.embed_anew(
                    self._ports.index,
                    embedder,
                    lambda: reading_documents(self._ports.home),
                    wait,
                    progress,
                )
            # nothing comes in between the last passage and the change
            with reading_documents(self._ports.home, undisturbed=True):
                if embedder is not None:
                    embedders.embed_anew(
                        self._ports.index, embedder, nullcontext, lambda _: None, progress
                    )
                progress(0.96, "switch", "Putting it to use")
                if embedders.EmbedderSpec.of(self._ports.settings) != wanted:
                    self._ports.change_settings(**wanted.as_settings())
                    host = (
                        urlsplit(wanted.embedder).netloc.rpartition("@")[2]
                        if wanted.kind == "endpoint"
                        else ""
                    )
                    self._ports.audit.append(
                        self._ports.clock.now(),
                        AuditKind.EMBEDDER_CHANGED,
                        to=wanted.kind,
                        host=host,
                    )
            progress(0.97, "tidy", "Dropping the old vectors")
            self._ports.index.drop_vectors(embedder.id if embedder is not None else None)
            with reading_documents(self._ports.home, undisturbed=True):
                self._ports.index.compact()
            passages = (
                self._ports.index.generations().get(embedder.id, 0) if embedder is not None else 0
            )
        sentence = (
            f"{wanted.name} serves now: {passages} passages."
            if embedder is not None
            else "Passages are found by words alone now."
        )
        return work.JobOutcome(sentence, {"passages": passages, "embedder": wanted.name})

    def embedder_choices(self) -> list[embedders.EmbedderOption]:
        """List the embedders that can be chosen."""
        serves = self.embedder
        return embedders.choices(
            self._ports.settings,
            self._ports.home.models,
            serves.id if serves else None,
            self._ports.index.generations(),
        )


def _embedder_key(url: str) -> str:
    """Name the secret of an embedding endpoint; one for each, so that the one that serves keeps its
    own while another is tried.
    """
    return "embedder-key-" + hashlib.sha256(url.encode()).hexdigest()[:12]
