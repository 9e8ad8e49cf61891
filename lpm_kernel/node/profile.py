"""What the person speaks of in their chats, of whom, and whom they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lpm_kernel.domain.chat.profile import LineInMind, ProfileEdit
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L1.tiers.profile import Line, Profile, ToldLine
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.chat import profile
from lpm_kernel.usecases.chat.profile import ProfileCache, ProfileChange, ProfilePorts


class ChatProfile:
    """The profile of the person, for nobody but them."""

    def __init__(self, ports: Ports, models: Models, graph: EntityGraph) -> None:
        self._ports = ports
        self._models = models
        self._graph = graph
        self._cache = ProfileCache()

    @property
    def _profile_ports(self) -> ProfilePorts:
        here = self._ports
        return ProfilePorts(
            here.profiles,
            here.roles,
            here.clock,
            lambda: self._graph.named().found,
            here.conversations.identity().name,
            self._cache,
            here.newest_erasures,
        )

    def now(self) -> Profile:
        """Return it as the chats and the person's changes leave it now."""
        return profile.profile(self._profile_ports)

    def edits(self) -> list[ProfileEdit]:
        """Return what the person changed, oldest first."""
        return self._ports.profiles.edits()

    def change(self, line: str, wanted: ProfileChange) -> ProfileEdit:
        """Change a line. Raises ``NotFoundError`` and ``InvalidInputError``."""
        return profile.change(self._profile_ports, line, wanted)

    def undo(self, edit: str) -> None:
        """Take a change back. Raises ``NotFoundError``."""
        self._ports.profiles.remove(edit)

    def profile_lines(self, language: Language = "en", *, owner: bool) -> list[ToldLine]:
        """Return at most ten short lines for the second self to have in mind; none for anybody but
        its owner, or where the model runs on another machine.
        """
        return profile.told_lines(
            self._profile_ports, language, owner=owner, model_is_here=self._models.model_is_here
        )

    def in_mind(self, lines: Sequence[LineInMind]) -> Mapping[str, Line]:
        """Return, of lines that an answer was given with, those that are there and not hidden, by
        the ids that they had.
        """
        return profile.lines_in_mind(self._profile_ports, lines)

    def look_anew(self) -> None:
        """Count the lines that the second self has in mind anew at the next question."""
        self._cache.told.forget()

    def forget(self) -> None:
        """Keep nothing of what was worked out: something was erased."""
        self._cache.forget()
