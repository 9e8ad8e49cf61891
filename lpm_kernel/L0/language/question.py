"""A question, analysed once and handed along: from recall over reading to the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from lpm_kernel.L0.language import analysis, dates
from lpm_kernel.L0.language.analysis import MOST, Asks
from lpm_kernel.L0.language.identification import Language, language_asked_in


@dataclass(frozen=True)
class Question:
    """A question. Any text will do; what has no words gives no terms. Each part is worked out when
    it is first looked at.
    """

    text: str = field(repr=False)
    last: str = field(default="", repr=False, compare=False)
    """What is asked itself, where the text holds the question before it too."""
    _dates: dict[datetime, tuple[dates.Span, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def itself(self) -> str:
        """What is asked, without the question that it leans on."""
        return self.last or self.text

    @cached_property
    def language(self) -> Language:
        """The language that it is asked in."""
        return language_asked_in(self.text)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Its terms as the passages have them, each once, in its order."""
        return tuple(dict.fromkeys(analysis.terms(self.text[:MOST])))

    @cached_property
    def search_terms(self) -> tuple[str, ...]:
        """Those to look for: function words go, unless nothing else was asked."""
        return tuple(dict.fromkeys(analysis.search_terms(self.text[:MOST])))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word as it stands there, lower case, stop words included: for names of people."""
        return frozenset(analysis.spoken(self.text[:MOST]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The people, places and things that it names."""
        return tuple(analysis.names(self.text))

    @cached_property
    def asks(self) -> Asks:
        """What sort of answer it wants."""
        return analysis.asks(self.text[:MOST])

    def dates(self, now: datetime) -> tuple[dates.Span, ...]:
        """Return the times that it names, seen from ``now``."""
        if now not in self._dates:
            self._dates[now] = tuple(dates.spans(self.text, now))
        return self._dates[now]
