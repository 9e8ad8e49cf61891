"""Statements from passages by rule: which sentences tell something that somebody would want to find
again next year.

Needs no model. Each sentence gets signs: who it is about, whether it states something, when and
where, and what speaks against it (a question, a bidding, a guess, a rule, a greeting). Never
proposed, whatever else they hold, are sentences that ask, bid or greet, and those about somebody
whom they do not name. For the others the signs are weighed; the weights were fitted on invented
sentences (`tests/bench/fit_extract.py`) and ship in `extract.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import exp, fsum

from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.proposals import Proposal
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L0.language.analysis import names
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L0.text.salutations import past_salutation
from lpm_kernel.L0.text.sentences import sentence_spans
from lpm_kernel.L1.statements import extraction_english, extraction_japanese
from lpm_kernel.L1.statements.telling import is_head, is_row

SIGNS = tuple(
    """
    first mine kin named thing any pronoun bare
    past state verbless life likes plans time number place object elided
    short fragment image vague you weighs supposes ordains greets fills heads weather hearsay bids
    asks
    """.split()  # noqa: SIM905  a list this long reads better as prose
)
"""Who it is about; what it states; what speaks against it. In the order of the weights."""
NEVER = frozenset({"asks", "bids", "pronoun", "greets"})
"""With one of these a sentence is not proposed."""
SHREDS = frozenset({"fragment", "verbless"})
"""With one of these it is no whole sentence."""
SHORTEST = 6
LONGEST = 300
"""Characters of a sentence; what is longer says too many things to decide about at once."""

_ROW = re.compile(r"\w: [^;]{0,300}; [\w ]+: ")
"""A row of a table, written out; with a bound, so that its time grows as the text does."""
_HEADING = re.compile(r"[ \t]*#{1,6} ")
_CODE = re.compile(r"https?://|[{}<>|=]{2,}|^\W*$|^\s*[\[|]")
"""Addresses, programs, signs alone, rows of a drawn table, and what a program noted in brackets."""


class RuleExtractor:
    """Proposes what its signs and weights say. A pure function of the passages."""

    name = "rules"
    version = "rules-1"

    def extract(self, chunks: Sequence[Chunk]) -> list[Proposal]:
        """See ``Extractor``."""
        return [proposal for chunk in chunks if is_read(chunk) for proposal in _of(chunk)]


def is_read(chunk: Chunk) -> bool:
    """Tell whether anything of a passage may be proposed: not of a statement, which is kept
    already, nor of what a program said.
    """
    return chunk.kind is None and not chunk.by_machine


def sentences_of(chunk: Chunk) -> list[tuple[int, int]]:
    """Return where the sentences of a passage begin and end in it, without headings."""
    return [
        (start, end)
        for start, end in sentence_spans(chunk.text)
        if not _HEADING.match(chunk.text, chunk.text.rfind("\n", 0, start) + 1)
    ]


def told_spans(chunk: Chunk) -> list[tuple[int, int]]:
    """Return where the sentences of a passage tell something: without headings and salutations."""
    found = [(past_salutation(chunk.text, *span), span[1]) for span in sentences_of(chunk)]
    return [(start, end) for start, end in found if start < end]


def about_of(
    chunk: Chunk, text: str, kind: StatementKind, names: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return whom and what a sentence of a passage is about: who speaks first, where it tells of
    them; ``names``: those in it, where they are known.
    """
    about = about_whom(text) if names is None else tuple(dict.fromkeys(names))
    if chunk.speaker and kind is not StatementKind.WORLD:
        about = (chunk.speaker, *(name for name in about if name != chunk.speaker))
    return about


def _of(chunk: Chunk) -> list[Proposal]:
    found = []
    for start, end in told_spans(chunk):
        text = chunk.text[start:end]
        known = signs(text)
        sure = likelihood(known)
        if sure < weights().threshold:
            continue
        about, at = about_of(chunk, text, kind_of(known)), (chunk.start + start, chunk.start + end)
        found.append(
            Proposal(
                chunk.document,
                chunk.text_version,
                *at,
                text,
                kind_of(known),
                about,
                round(sure, 4),
                reasons(known),
                chunk.page,
            )
        )
    return found


def signs(text: str) -> set[str]:
    """Say what speaks for a sentence and against it; nothing for Chinese, which is not read, and
    for what is no sentence.

    >>> signs("| a | b |"), sorted(signs("Did Priya move?"))
    (set(), ['asks', 'bare', 'life', 'place', 'short', 'state'])
    """
    language = language_of(text)
    if (
        language == "zh"
        or not SHORTEST <= len(text) <= LONGEST
        or _ROW.search(text)
        or _CODE.search(text)
        or is_head(text)
        or is_row(text)
    ):
        return set()
    return extraction_japanese.signs(text) if language == "ja" else extraction_english.signs(text)


def likelihood(known: AbstractSet[str]) -> float:
    """Weigh the signs: 0..1."""
    if not known or NEVER & known:
        return 0.0
    learned = weights()
    return 1 / (1 + exp(-(learned.bias + fsum(learned.of.get(name, 0.0) for name in known))))


def reasons(known: AbstractSet[str]) -> tuple[str, ...]:
    """Name the signs that speak for it, the weightiest first."""
    of = weights().of
    return tuple(
        sorted(
            (name for name in known if of.get(name, 0.0) > 0), key=lambda name: (-of[name], name)
        )
    )


def kind_of(known: AbstractSet[str]) -> StatementKind:
    """Say what a sentence tells of: an opinion where somebody likes or judges, experience where the
    person does or did something, else the world.
    """
    if "likes" in known:
        return StatementKind.OPINION
    return StatementKind.EXPERIENCE if {"first", "bare"} & known else StatementKind.WORLD


def about_whom(text: str) -> tuple[str, ...]:
    """Give whom a sentence names.

    >>> about_whom("Priya lives in Ghent with Osman."), about_whom("兄の拓海は救急救命士だ。")
    (('Priya', 'Ghent', 'Osman'), ('拓海',))
    """
    if language_of(text) == "ja":
        return tuple(dict.fromkeys((*extraction_japanese.named(text), *names(text))))
    return extraction_english.named(text)


@dataclass(frozen=True)
class ExtractionWeights:
    """What each sign counts, and how sure is sure enough."""

    of: Mapping[str, float]
    bias: float
    threshold: float


@lru_cache(maxsize=1)
def weights() -> ExtractionWeights:
    """Read the weights that ship with the node."""
    read = json.loads(resources.files(__package__).joinpath("extract.json").read_text("utf-8"))
    return ExtractionWeights(read["weights"], read["bias"], read["threshold"])
