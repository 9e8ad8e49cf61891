"""How an example is put to a model: the same words in training, in the examination and in chat."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from lpm_kernel.domain.ports import ChatMessage
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import Example, ExampleKind
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L0.language.glosses import in_english
from lpm_kernel.L0.language.identification import NAMES, language_of
from lpm_kernel.L1.prompts import prompt


def as_person(question: str, name: str) -> list[ChatMessage]:
    """Ask the person whom the model has learned; nothing is told besides."""
    return [
        ChatMessage("system", _filled(prompt("as_person"), name=name or "the person")),
        ChatMessage("user", glossed(question)),
    ]


def as_person_to(asker: str, question: str, name: str) -> list[ChatMessage]:
    """Ask the person where somebody else asks; ``asker`` says who. It stands beside the question:
    said of it at the beginning, a small model did not look at it.
    """
    begins, _ = as_person(question, name)
    who = asker[:1].upper() + asker[1:]
    said = _filled(prompt("as_person_to"), asker=who, question=glossed(question))
    return [begins, ChatMessage("user", said)]


def glossed(question: str) -> str:
    r"""Write a Japanese question with its words in English below it: a small model reads English
    only, and a large one is not disturbed.

    >>> glossed("家賃はいくらですか。")
    '家賃はいくらですか。\n(rent how much .)'
    """
    return f"{question}\n({in_english(question)})" if unspaced(question) else question


def with_notes(question: str, notes: Sequence[str], name: str) -> list[ChatMessage]:
    """Ask with notes, in the words that chat uses."""
    begins = _filled(
        prompt("core"),
        name=name or "the person",
        about="",
        core="",
        language=NAMES[language_of(question)],
        length="one or two sentences",
        manner="",
    )
    asked = _filled(
        prompt("question"), notes="\n".join(f"Note: {note}" for note in notes), question=question
    )
    return [ChatMessage("system", begins), ChatMessage("user", asked)]


def messages(example: Example, name: str) -> list[ChatMessage]:
    """Give what stands before an example's answer. What is general is asked without a person, as
    anybody would.
    """
    if example.kind is ExampleKind.NOTE or example.notes:
        return with_notes(example.question, example.notes, name)
    if example.kind is ExampleKind.GENERAL:
        return [ChatMessage("user", example.question)]
    if example.asker:
        return as_person_to(example.asker, example.question, name)
    return as_person(example.question, name)


def messages_of_pair(pair: PreferencePair, name: str) -> list[ChatMessage]:
    """Give what stands before both answers of a pair."""
    if pair.notes:
        return with_notes(pair.question, pair.notes, name)
    if pair.asker:
        return as_person_to(pair.asker, pair.question, name)
    return as_person(pair.question, name)


def _filled(template: Template, **values: str) -> str:
    return template.substitute(**values)
