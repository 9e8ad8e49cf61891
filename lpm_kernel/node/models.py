"""The models that serve, how they are tried and how they are changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import psutil

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.embed.probe import ProbeResult, probe_endpoint
from lpm_kernel.backends.embed.probe import probe as embed_probe
from lpm_kernel.backends.embed.reading import DeferredReader, EndpointReader
from lpm_kernel.backends.llm.client import EndpointModel, is_local
from lpm_kernel.backends.llm.fetch import fetch
from lpm_kernel.backends.llm.launch import host_endpoint
from lpm_kernel.backends.llm.probe import Probe, probe, probe_file
from lpm_kernel.backends.llm.spare import spare_host, spare_model
from lpm_kernel.backends.llm.state import NOT_THERE, State, answers_ahead, host_state
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.config import HOST_SERVES, MODEL_WINDOW
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ports import Embedder, Endpoint, LanguageModel, ReadingModel
from lpm_kernel.errors import ReaderUnavailableError
from lpm_kernel.L0.language.glosses import Glossed
from lpm_kernel.L1.answering.windows import ReadOnce
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases import processes
from lpm_kernel.usecases.home import doctor, health
from lpm_kernel.usecases.library import embedders, reembedding
from lpm_kernel.usecases.models import catalogue, choosing, downloading, thinking
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.models.egress import RecordedEmbedder, RecordedModel
from lpm_kernel.usecases.models.ports import ModelPorts
from lpm_kernel.usecases.models.thinking import Thinker, ThinkingState
from lpm_kernel.usecases.training import readers
from lpm_kernel.usecases.training.words_elsewhere import WordsEndpoint

if TYPE_CHECKING:
    from typing import Self


READER = "The reader"
"""What it is called in sentences."""


@dataclass(frozen=True)
class Twins:
    """What serves in place of what the settings name."""

    model: LanguageModel | None = None
    embedder: Embedder | None = None
    reader: ReadingModel | None = None
    thinking: LanguageModel | None = None

    @classmethod
    def among(cls, parts: Mapping[str, object]) -> tuple[Self, dict[str, object]]:
        """Part the twins from the settings."""
        names = {field.name for field in fields(cls)}
        # a word names what serves, as a setting does
        given = {
            name: part
            for name, part in parts.items()
            if name in names and not isinstance(part, str)
        }
        rest = {name: part for name, part in parts.items() if name not in given}
        return cls(**given), rest  # type: ignore[arg-type]  # the caller names what it gives


class Models:
    """The language model and the embedder, tried before they are put to use."""

    def __init__(self, ports: Ports, twins: Twins = Twins(), *, in_process: bool = True) -> None:
        self._ports = ports
        self.given = twins
        self._embeds: tuple[embedders.EmbedderSpec, Embedder | None] | None = None
        self._reads: tuple[str, ReadingModel] | None = None
        self._in_process = in_process
        self._switch = choosing.ModelSwitch(self._model_ports)

    @property
    def _model_ports(self) -> ModelPorts:
        here = self._ports
        return ModelPorts(
            here.home, here.live_settings, here.jobs, here.audit, here.clock, is_local
        )

    # --- the language model ----------------------------------------------------------------------

    @property
    def model(self) -> LanguageModel:
        """What writes: the model host's, or an endpoint elsewhere, whose prompts are recorded
        before they leave.
        """
        settings = self._ports.settings
        if self.given.model is not None:
            return self.given.model
        if not settings.model.startswith("http"):
            return self._host_model
        key = self._ports.home.given_secret(choosing.ENDPOINT_KEY)
        model = EndpointModel(Endpoint(settings.model, key, settings.model_name))
        if is_local(settings.model):
            return model
        host = urlsplit(settings.model).netloc
        return RecordedModel(model, host, self._ports.departures, self._ports.clock)

    @cached_property
    def _host_model(self) -> LanguageModel:
        settings, root = self._ports.settings, self._ports.home.root
        if self._in_process and host_state(root)["model"] == NOT_THERE:
            from lpm_kernel.backends.llm.host import model_loader

            load = model_loader(settings.model, MODEL_WINDOW, settings.model_threads)
            return cast("LanguageModel", load())  # takes one more argument than the port asks
        return EndpointModel(lambda: host_endpoint(root, self._host_is_kept))

    def _host_is_kept(self) -> bool:
        """Whether a running node keeps the host, and starts it again when it is gone."""
        home = self._ports.home
        return home.run.is_dir() and "node" in dict(processes.running(home))

    @property
    def model_is_here(self) -> bool:
        """Whether the language model runs on this machine."""
        return choosing.is_here(self._ports.settings, is_local)

    def answers_ahead(self) -> int:
        """Return how many answers come first: the model host words one at a time. A model elsewhere
        has a queue of its own, if any.
        """
        here = self.given.model is None and not self._ports.settings.model.startswith("http")
        return answers_ahead(self._ports.home.root) if here else 0

    def model_state(self) -> doctor.HealthState:
        """Return how the language model is."""
        return health.of_model(
            self._ports.settings, self.given.model, lambda: self._hosted("model")
        )

    def probe(self, choice: catalogue.ModelChoice) -> catalogue.ModelProbe:
        """Try a model and say in words how it went; nothing is changed."""
        return choosing.probe(choice, probe, _probe_file)

    def use_model(self, choice: catalogue.ModelChoice) -> None:
        """Use a model from the next question on. Raises ``ModelUnavailableError`` and keeps the one
        before when the probe fails.
        """
        self._switch.use(choice, self.probe(choice))

    def use_model_before(self) -> None:
        """Take the last choice back, with the key of the one before it. Nothing is asked of that
        one: it was in use. Raises ``NotFoundError``.
        """
        self._switch.take_back()

    # --- the model that thinks -------------------------------------------------------------------

    @contextmanager
    def thinking(self) -> Iterator[Thinker | None]:
        """Bring up the model that thinks; ``None`` where none is chosen. Prompts to one elsewhere
        are recorded before they leave. Raises ``ModelUnavailableError``.
        """
        settings, root = self._ports.settings, self._ports.home.root
        chosen = settings.thinking_model
        if self.given.thinking is not None:
            yield Thinker(self.given.thinking, here=True)
        elif chosen == thinking.NONE:
            yield None
        elif chosen.startswith("http"):
            model = EndpointModel(self._thinking_endpoint(settings.thinking_model_name))
            with closing(model):
                here = is_local(chosen)
                recorded = RecordedModel(
                    model, host_of(chosen), self._ports.departures, self._ports.clock
                )
                yield Thinker(model if here else recorded, here=here, host=host_of(chosen))
        elif chosen == settings.model:
            yield Thinker(self.model, here=True)
        else:
            with (
                spare_model(root, chosen, settings.model_threads) as served,
                closing(EndpointModel(served)) as model,
            ):
                yield Thinker(model, here=True)

    def _thinking_endpoint(self, name: str) -> Endpoint:
        key = self._ports.home.given_secret(thinking.THINKING_KEY)
        return Endpoint(self._ports.settings.thinking_model, key, name)

    def thinking_state(self) -> ThinkingState:
        """Return what thinks now."""
        key = self._ports.home.given_secret(thinking.THINKING_KEY)
        return thinking.state(self._ports.settings, key, is_local)

    def probe_thinking(self, choice: catalogue.ModelChoice | None) -> catalogue.ModelProbe:
        """Try whether a model thinks and say in words how it went; nothing is changed, and nothing
        of the person's is sent.
        """
        return thinking.try_to_think(choice, self._try_thinking, _think_file)

    def _try_thinking(self, endpoint: Endpoint) -> Probe:
        if not endpoint.key and endpoint.url == self._ports.settings.thinking_model:
            endpoint = self._thinking_endpoint(endpoint.model)
        return probe(endpoint, thinking=True)

    def use_thinking(self, choice: catalogue.ModelChoice | None) -> None:
        """Have a model think from now on, or none. Raises ``ModelUnavailableError`` and keeps the
        one before when it does not think.
        """
        thinking.use(self._model_ports, choice, self.probe_thinking(choice))

    # --- choices and downloads -------------------------------------------------------------------

    def model_choices(self) -> list[catalogue.ModelOption]:
        """List the models that can be chosen, and those that can be fetched."""
        return catalogue.choices(
            self._ports.settings,
            self._ports.home.models,
            catalogue.catalogue(),
            self._ports.jobs.page(limit=100, kind="download")[0],
            psutil.virtual_memory().available,
        )

    def download(self, identifier: str, url: str | None = None, *, consent: bool = False) -> Job:
        """Fetch a model of the catalogue, or with ``url`` one of the person's own choice, in the
        background.

        Raises ``ConsentNeededError`` for an address that the catalogue does not have, and
        ``UnusableDownloadError``.
        """
        return downloading.queue_download(self._model_ports, identifier, url, consent=consent)

    def download_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Fetch a model, as a job."""
        return downloading.download(self._model_ports, fetch, job, progress)

    def words_model(self, place: WordsEndpoint) -> LanguageModel:
        """Return the model of an endpoint that words questions for a training; what it is sent is
        recorded before it leaves.
        """
        key = self._ports.home.given_secret(place.key_name)
        made = EndpointModel(Endpoint(place.url, key, place.model))
        if is_local(place.url):
            return made
        return RecordedModel(made, place.host, self._ports.departures, self._ports.clock)

    def words_are_here(self, place: WordsEndpoint) -> bool:
        """Tell whether such an endpoint is on this machine."""
        return is_local(place.url)

    # --- the embedder ----------------------------------------------------------------------------

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors: the model host's, one in this process when no host runs
        and that is allowed, or an endpoint's.
        """
        if self.given.embedder is not None:
            return self.given.embedder
        serves = embedders.EmbedderSpec.of(self._ports.settings)
        if self._embeds is None or self._embeds[0] != serves:
            self._embeds = (serves, self._embedder_of(serves))
        return self._embeds[1]

    @property
    def reader(self) -> ReadingModel | None:
        """What reads passages with a question in mind: the model host's, or one in this process
        when no host runs and that is allowed. Where a twin embeds, nothing reads but a twin.
        """
        if self.given.reader is not None or self.given.embedder is not None:
            return self.given.reader
        if not self._ports.settings.reads:
            return None
        serves = readers.served(self._ports.home)
        if self._reads is None or self._reads[0] != serves:
            self._reads = (serves, self._reader_of(serves))
        return self._reads[1]

    def reader_state(self) -> doctor.HealthState | None:
        """Return how the reader is; ``None`` where none is to read."""
        reader = self.reader
        if reader is None:
            return None
        inner = getattr(reader, "inner", reader)
        if isinstance(inner, DeferredReader):
            inner = inner.bring_up()
        if isinstance(inner, ReaderUnavailableError):
            return doctor.HealthState(READER, "down", f"{inner.detail} {inner.hint}")
        if not isinstance(inner, EndpointReader):
            return doctor.HealthState(READER, "ready", "The reader is ready.")
        return doctor.HealthState(READER, *self._hosted("reader"))

    def _reader_of(self, serves: str) -> ReadingModel:
        if self._in_process and self._hosted("reader") == NOT_THERE:
            from lpm_kernel.backends.llm.host import reader_loader

            return ReadOnce(DeferredReader(reader_loader(serves)))
        return ReadOnce(EndpointReader(lambda: host_endpoint(self._ports.home.root)))

    def _embedder_of(self, serves: embedders.EmbedderSpec) -> Embedder | None:
        served = HOST_SERVES.get(serves.embedder)
        if serves.kind == "none" or (served is None and not (serves.id and serves.dimension)):
            return None
        if serves.kind == "endpoint":
            return self._recorded(serves, self._endpoint_embedder(serves))
        if self._in_process and self._hosted("embedder") == NOT_THERE:
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
        if is_local(serves.embedder):
            return made
        host = host_of(serves.embedder)
        return RecordedEmbedder(made, host, self._ports.departures, self._ports.clock)

    def _embedding_endpoint(self, url: str, model: str) -> Endpoint:
        return Endpoint(url, self._ports.home.given_secret(reembedding.key_name(url)), model)

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

            made = embedder_loader(served[0], self._ports.settings.model_threads)()
            yield Glossed(made) if wanted.kind == "bundled" else made
        else:
            with self._spare(wanted) as made_here:
                yield made_here

    @contextmanager
    def _spare(self, wanted: embedders.EmbedderSpec) -> Iterator[EndpointEmbedder]:
        """Bring up a file in a host of its own."""
        root, threads = self._ports.home.root, self._ports.settings.model_threads
        with (
            spare_host(root, wanted.embedder, threads) as endpoint,
            closing(
                EndpointEmbedder(
                    endpoint,
                    identity=wanted.id,
                    dimension=wanted.dimension,
                    served_as=wanted.id,
                )
            ) as made,
        ):
            yield made

    def _hosted(self, part: str) -> State:
        return host_state(self._ports.home.root)[part]

    def embedder_state(self) -> doctor.HealthState:
        """Return how the embedder is."""
        embedder = self.embedder
        here = self._in_process and not isinstance(
            getattr(embedder, "inner", embedder), EndpointEmbedder
        )
        return health.of_embedder(
            self._ports.settings,
            embedder,
            given=self.given.embedder is not None,
            here=here,
            ask_host=lambda: self._hosted("embedder"),
        )

    def embedder_answers(self) -> bool:
        """Tell whether the embedder can be asked now."""
        return self.embedder_state().state == "ready" and reembedding.answers(self.embedder)

    def probe_embedder(self, choice: embedders.EmbedderChoice) -> embedders.EmbedderProbe:
        """Try an embedder and say in words how it went; nothing is changed, and nothing of the
        person's is sent.
        """
        return reembedding.probe(choice, self._try_embedder, is_local)

    def _try_embedder(
        self, wanted: embedders.EmbedderSpec, choice: embedders.EmbedderChoice
    ) -> tuple[str, ProbeResult]:
        if wanted.kind == "endpoint":
            key = choice.key or self._embedding_endpoint(wanted.embedder, "").key
            return probe_endpoint(Endpoint(wanted.embedder, key, choice.model or ""))
        if wanted.kind == "file":
            with self._spare(wanted) as spare:
                return "", embed_probe(spare)
        with self._embedder_for(wanted) as made:
            return "", embed_probe(cast("Embedder", made))

    def use_embedder(
        self, choice: embedders.EmbedderChoice, *, consent: bool = False
    ) -> tuple[embedders.EmbedderProbe, Job]:
        """Embed everything with another embedder in the background; it serves once that is done.

        Raises ``ConsentNeededError`` where texts would leave this machine, and
        ``EmbedderUnavailableError`` when the probe fails.
        """
        return reembedding.use(self._model_ports, choice, self.probe_embedder, consent=consent)

    def reembed_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Embed everything with the chosen embedder, as a job."""
        return reembedding.reembed(
            self._model_ports, self._ports.index, self._embedder_for, job, progress
        )

    def embedder_choices(self) -> list[embedders.EmbedderOption]:
        """List the embedders that can be chosen."""
        serves = self.embedder
        return embedders.choices(
            self._ports.settings,
            self._ports.home.models,
            serves.id if serves else None,
            self._ports.index.generations(),
        )


def _probe_file(path: Path | None) -> Probe:
    return probe_file(bundled_model() if path is None else path)


def _think_file(path: Path | None) -> Probe:
    return probe_file(bundled_model() if path is None else path, thinking=True)
