"""Answering in a role: the model plays it, with what the role may see; alone with the person, or
with other roles beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby

from lpm_kernel.domain.chat.conversations import Identity, Length
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.chat.roles import Role
from lpm_kernel.domain.ports import ChatMessage, Delta, LanguageModel, Sampling
from lpm_kernel.L0.language.identification import NAMES, Language, language_of
from lpm_kernel.L1.answering.answer import (
    EVIDENCE_ITEMS,
    HISTORY_CHARACTERS,
    HISTORY_TURNS,
    LONG_ANSWER_TOKENS,
    MOST_REPEATS,
    AnswerEvent,
    AnswerRequest,
    Draft,
    Thought,
    added,
    dated,
    ended,
    hash_of,
    likelihood,
    plain,
    reads_well,
)
from lpm_kernel.L1.answering.grounding import Guard, nothing
from lpm_kernel.L1.answering.reader import DOUBTFUL, NOTHING
from lpm_kernel.L1.answering.voice import voice_of, wanted_manner
from lpm_kernel.L1.prompts import prompt

MOST_PLAYED = {Length.SHORT: 2, Length.NORMAL: 5, Length.FULL: 10}
"""Sentences of a role: one that asks back, or drafts, says more than an answer."""
_LENGTH = {
    Length.SHORT: "one or two short sentences",
    Length.NORMAL: "up to five sentences",
    Length.FULL: "up to ten sentences",
}
COOL, FRESH = 0.2, 0.4
"""How freely a small model chooses its words at most, and how much a word counts against itself:
warmer, it loses the thread; without, it says the same again.
"""
MOST_SMALL, SMALL_ITEMS = 3, 2
"""Sentences after which a small model is stopped, and notes that it gets."""
MOST_STOPS = 4
"""Texts at which a model stops that may be named at once: no more in the API of others."""
SOMEBODY = "Somebody else"
"""How a role is called that was deleted since it spoke."""


@dataclass(frozen=True)
class Company:
    """Who else speaks in a chat, and whether the person said something or gave the word on."""

    names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of the other roles, by their ids."""
    cue: bool = False
    """The role speaks because it is its turn: the question is what the person said last, maybe
    before others spoke.
    """


ALONE = Company()


@dataclass(frozen=True)
class Part:
    """A role in a chat."""

    role: Role
    company: Company = ALONE


def play(
    part: Part,
    request: AnswerRequest,
    model: LanguageModel,
    draft: Draft,
    *,
    sampling: Sampling | None = None,
    gone: Callable[[], bool] = lambda: False,
) -> Generator[AnswerEvent]:
    """Answer in a role. What the passages carry is cited, as in every answer; what they do not
    carry is let through as the role's own words.

    What the role may see is in ``request``; of the identity there it learns the name and the
    languages alone. Raises ``ModelUnavailableError``; what was released until then stays in
    ``draft``.
    """
    role, company = part.role, part.company
    question, found, identity = request.question, request.found, request.identity
    items, reading = found.items[:EVIDENCE_ITEMS], request.reading
    if reading.told is not None and not company.cue:
        yield from draft.tell(reading.told)
        yield ended(draft)
        return
    voice = voice_of(question, speaking(role, identity))
    able = reads_well(model)
    near = _near(request, items, voice.language, able=able)
    messages = compose_role(part, request, near)
    draft.prompt_hash = hash_of(messages)
    guard = Guard(question, near, plays=True)
    others = [*company.names.values(), _called(identity)] if company.names else []
    wanted = _stopped_at(others, sampling or _sampling(role, able=able))
    most = MOST_PLAYED[voice.length] if able else min(MOST_PLAYED[voice.length], MOST_SMALL)
    last = None
    stream = model.stream(messages, wanted)
    with closing(stream):  # type: ignore[type-var]  # generators close; the port promises no more than an iterator
        for delta in _unnamed(stream, [role.name, *others]) if others else stream:
            if gone():
                return
            if delta.thought:
                yield Thought(delta.thought)
            yield from added(draft, guard.feed(delta.text), near, None)
            last = delta
            if guard.repeats >= MOST_REPEATS or guard.released >= most:
                break
        else:
            # otherwise what is left is the beginning of a sentence
            if last is None or last.finish_reason != "length":
                yield from added(draft, guard.finish(), near, None)
    if not draft.parts:
        yield from draft.add(nothing(voice), near)
    yield replace(ended(draft, last), abstained=not guard.released)


def _near(
    request: AnswerRequest, items: Sequence[Recalled], language: Language, *, able: bool
) -> list[Recalled]:
    """Give what the role is shown: nothing where the notes hardly answer."""
    reading = request.reading
    bar = NOTHING if able or reading.learned else DOUBTFUL
    if likelihood(request.question, request.found, reading) < bar:
        return []
    return list(items) if able else _plain_notes(items, language)


def _sampling(role: Role, *, able: bool) -> Sampling:
    if able:
        return Sampling(temperature=role.speech.temperature, max_tokens=LONG_ANSWER_TOKENS)
    return Sampling(
        temperature=min(role.speech.temperature, COOL),
        max_tokens=LONG_ANSWER_TOKENS,
        frequency_penalty=FRESH,
    )


def _stopped_at(others: Sequence[str], wanted: Sampling) -> Sampling:
    """Have the model stop where it would speak for somebody else."""
    if not others:
        return wanted
    return replace(wanted, stop=(*wanted.stop, *(f"\n{other}:" for other in others))[:MOST_STOPS])


def speaking(role: Role, identity: Identity) -> Identity:
    """Return as whom a role speaks: the person's name and languages, and the role's own manner;
    nothing else that the person said of themselves.
    """
    return Identity(
        identity.name,
        style=role.speech.style,
        languages=identity.languages,
        length=role.speech.length,
        manner=role.speech.manner,
    )


def compose_role(
    part: Part, request: AnswerRequest, items: Sequence[Recalled]
) -> list[ChatMessage]:
    """Build the prompt of a role, so that its beginning stays.

    Among several, what the person and the other roles said comes with their names, in messages of
    the user; two of those never follow each other, which some chat templates refuse.
    """
    role, company, identity = part.role, part.company, request.identity
    voice = voice_of(request.question, speaking(role, identity))
    in_mind = "".join(f"\n- {line}" for line in request.core)
    begins = prompt("role").substitute(
        role=role.name,
        name=_called(identity),
        prompt=" ".join(
            line.strip() for line in (role.prompt, role.speech.style, request.told) if line.strip()
        ),
        core=f"\nAlways keep in mind:{in_mind}" if in_mind else "",
        company=(
            prompt("role_company").substitute(
                others=", ".join(company.names.values()), role=role.name
            )
            + " "
            if company.names
            else ""
        ),
        language=NAMES[voice.language],
        length=_LENGTH[voice.length],
        manner=wanted_manner(voice),
    )
    notes = "\n".join(f"{dated(item)}{plain(item.content)}" for item in items) or "None."
    asked_in = request.question.text
    said = f"{_called(identity)}: {asked_in}" if company.names else asked_in
    asked = (
        prompt("role_cue").substitute(notes=notes, role=role.name)
        if company.cue
        else prompt("role_question").substitute(notes=notes, question=said)
    )
    return [
        ChatMessage("system", begins),
        *_joined([*_heard(part, request), ChatMessage("user", asked)]),
    ]


def _heard(part: Part, request: AnswerRequest) -> Iterator[ChatMessage]:
    """Give what was said before, from where this role sits."""
    role, company, identity = part.role, part.company, request.identity
    for turn in [turn for turn in request.history if turn.text][-HISTORY_TURNS:]:
        words = turn.text[:HISTORY_CHARACTERS]
        if turn.role == "user":
            yield ChatMessage("user", f"{_called(identity)}: {words}" if company.names else words)
        elif turn.speaker in {"", role.id}:
            yield ChatMessage("assistant", words)
        else:
            yield ChatMessage("user", f"{company.names.get(turn.speaker, SOMEBODY)}: {words}")


def _joined(messages: Iterable[ChatMessage]) -> Iterator[ChatMessage]:
    for who, each in groupby(messages, lambda message: message.role):
        yield ChatMessage(who, "\n\n".join(message.content for message in each))


def _called(identity: Identity) -> str:
    return identity.name or "the person"


def _plain_notes(items: Sequence[Recalled], language: str) -> list[Recalled]:
    """Return what a small model can take in: the nearest notes in the language that is spoken."""
    return [recalled for recalled in items if language_of(recalled.content) == language][
        :SMALL_ITEMS
    ]


def _unnamed(stream: Iterable[Delta], names: Sequence[str]) -> Iterator[Delta]:
    """Leave out a name where the answer begins with one, as in a play."""
    marks, held, begun = [f"{name}:" for name in names], "", False
    for delta in stream:
        if begun:
            yield delta
            continue
        if delta.thought:
            yield Delta("", thought=delta.thought)
        held += delta.text
        words = held.lstrip("*“\"' ")
        if not delta.finish_reason and any(mark.startswith(words) for mark in marks):
            continue
        begun = True
        mark = next((each for each in marks if words.startswith(each)), "")
        said = words.removeprefix(mark).lstrip("* ") if mark else held
        yield replace(delta, text=said, thought="")
