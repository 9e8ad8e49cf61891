"""What those whom a training learns of are called, as far as it learns that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.templates import Templates
from lpm_kernel.usecases.training.ports import TrainingPorts


def named_in(ports: TrainingPorts, taught: Sequence[Taught]) -> TrainingPorts:
    """Leave of the names and spellings on the map those that stand in these statements, or in the
    documents that they are of: none comes from what is private or what no source names, which
    nobody would find again when that is sealed or erased.
    """
    words = "\n".join(_words(ports, taught))
    called: dict[str, Sequence[str]] = {}
    for name, others in ports.called.items():
        there = [each for each in (name, *others) if each in words]
        if len(there) > 1:
            called[there[0]] = tuple(there[1:])
    kinds = {name: kind for name, kind in ports.kinds.items() if name in words}
    rules = isinstance(ports.synthesiser, Templates)
    synthesiser = Templates(called) if rules else ports.synthesiser
    return replace(ports, called=called, kinds=kinds, synthesiser=synthesiser)


def _words(ports: TrainingPorts, taught: Sequence[Taught]) -> list[str]:
    documents = sorted({each.document for each in taught if each.document is not None})
    texts = (ports.text_of(document) for document in ports.documents.many(documents))
    return [*(each.text for each in taught), *filter(None, texts)]
