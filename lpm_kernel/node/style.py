"""How the person writes."""

from __future__ import annotations

from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.chat import style
from lpm_kernel.usecases.chat.speakers import reads_well_if_there
from lpm_kernel.usecases.chat.style import MeasuredStyle, StyleCache, StylePorts


class OwnStyle:
    """The style of the person, for nobody but them."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self._ports = ports
        self._models = models
        self._cache = StyleCache()

    @property
    def _style_ports(self) -> StylePorts:
        here = self._ports
        return StylePorts(
            here.documents,
            here.profiles,
            here.files,
            here.authors,
            here.clock,
            here.conversations.identity().name,
            self._cache,
            here.newest_erasures,
        )

    def own_texts(self, *, private: bool) -> list[str]:
        """Return what the person wrote, without what they quote, the newest first."""
        return [each.text for each in style.own_texts(self._style_ports, private=private)]

    def measured(self, *, private: bool) -> MeasuredStyle:
        """Measure how the person writes now; with what is private only for them alone."""
        return style.measured_style(self._style_ports, private=private)

    def told(self, voice: Voice, *, private: bool) -> str:
        """Say for a prompt how the person writes; nothing where there is too little of it."""
        return style.told_style(self._style_ports, voice, private=private)

    @property
    def is_taken_on(self) -> bool:
        """Whether answers to the person take it on, with the model that is there now."""
        return style.takes_on(
            self._ports.settings.own_voice, reads_well=reads_well_if_there(self._models.model)
        )

    def forget(self) -> None:
        """Keep nothing of what was worked out: something was erased."""
        self._cache.forget()
