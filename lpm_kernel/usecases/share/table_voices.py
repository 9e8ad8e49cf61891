"""What a second self or a role says when it has the word: from memory, with what it cites, or that
it has nothing.

Nothing private is said at a table, and everybody hears everybody, so each sees only what all of
them may see. What others said comes as what they said, never as an instruction, and no memory is
made of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from hashlib import blake2b
from typing import Any, Final

from lpm_kernel.domain.chat.conversations import Citation, Identity, Outcome, Turn, TurnState
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.share.discussions import Seat
from lpm_kernel.domain.stores import Roles
from lpm_kernel.errors import ModelUnavailableError, NotFoundError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import AnswerEvent, Ended, plain_text
from lpm_kernel.L1.answering.role_play import Company
from lpm_kernel.L1.answering.voice import has_nothing, voice_of
from lpm_kernel.L1.prompts import prompt
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask
from lpm_kernel.usecases.chat.turns import TurnSpeaker
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, moment
from protocol.discussion import Entry, Speaker, Stance, Step, Strategy, Words
from protocol.encoding import to_b64u
from protocol.scope import Layer, RowKind
from protocol.tables import Table

LONGEST_QUOTE: Final = 2_000
LONGEST_TURN: Final = 8_000
SOUGHT: Final = 1_000
"""Characters of what another said, for which memory is searched."""
_AGREES = re.compile(
    r"\s*(?:(?:yes|right|true|exactly)[,.!]? (?:and )?)?(?:i|we) (?:fully |also )?agree\b(?! to "
    r"disagree)|\s*agreed\b|\s*(?:私も)?(?:賛成(?!でき)|同意(?!でき|しま))|\s*我(?:也)?同意",
    re.IGNORECASE,
)
_DISAGREES = re.compile(
    r"\s*(?:no[,.!]? )?(?:i|we) (?:disagree|do not agree|don[’']t agree|cannot agree|can[’']t agree"
    r")\b|\s*(?:私は)?(?:反対|賛成できません|同意できません|同意しません)|\s*我不同意",
    re.IGNORECASE,
)
NOTHING_NEW: Final[Mapping[Language, str]] = {
    "en": "I have nothing to add to what I said.",
    "ja": "これまでに言ったことのほかに、付け加えることはありません。",
    "zh": "除了已经说过的，我没有要补充的。",
}

_STANCES: Final[Mapping[Language, tuple[str, str]]] = {
    "en": ("I agree", "I disagree"),
    "ja": ("賛成です", "反対です"),
    "zh": ("我同意", "我不同意"),
}
AtTable = Callable[[Role | None, Sequence[Sees], Company], TurnSpeaker]


@dataclass(frozen=True)
class VoicePorts:
    """What a turn is made with."""

    roles: Roles
    index: PassageIndex
    at_table: AtTable
    identity: Identity
    key: str = field(repr=False)
    """A secret of the home, by which rows get names for one table alone."""


def speak(ports: VoicePorts, sitting: Sitting, member: str, number: int) -> NextEntry:
    """Make the turn of a member in a round. Raises ``ModelUnavailableError``, and ``NotFoundError``
    where its role is not there any more.
    """
    seat, table = sitting.seat(member), sitting.table
    asked = asked_of(sitting, seat, _heard(sitting, member))
    by, seen = _speaker(ports, sitting, seat)
    told = _told(sitting.aim) if seat.kind == Speaker.ROLE else ""
    ended = _ended(ask(by, ports.identity, SingleQuestion(asked.text, asked.history, told)))
    text = plain_text(ended.parts).strip()[:LONGEST_TURN]
    on = answers_to(sitting, member)
    beside = asked.of_others and ended.outcome is not Outcome.ANSWERED
    again = was_said_before(sitting, member, text) or beside
    unanswerable = table.strategy is Strategy.DEBATE and number > 1 and on is None
    abstained = ended.abstained or not text or again or unanswerable
    if again:
        text = NOTHING_NEW[language_of(sitting.aim)]
    elif not text:
        text = has_nothing(voice_of(Question(asked.text), ports.identity))
    citations = () if abstained else ended.citations
    cites = _cites(ports, table, citations)
    body = {"by": member, "round": number, "abstained": abstained, "on": on}
    stance = None if abstained or on is None else stance_of(text)
    return NextEntry(
        Step.TURN,
        {**body, "stance": stance, "quotes": []},
        Words.write(sayable(text), tuple(cites)),
        _made_from(sitting, by, seen, ended),
        tuple(map(as_basis, citations)),
    )


def _cites(
    ports: VoicePorts, table: Table, citations: Sequence[Citation]
) -> list[Mapping[str, Any]]:
    """Name what a turn cites. Raises ``ModelUnavailableError`` where it went meanwhile."""
    try:
        return [_cite(ports, table, ports.index.chunk(each.chunk), each) for each in citations]
    except NotFoundError as error:  # erased, or read anew, while the turn was worded
        raise ModelUnavailableError("What it cites is not there any more.") from error


def was_said_before(sitting: Sitting, member: str, text: str) -> bool:
    """Tell whether a member said this already, to the letter."""
    own = (each.n for each in sitting.table.turns if each.fields["by"] == member)
    return bool(text) and text in map(sitting.heard, own)


def _made_from(
    sitting: Sitting, by: TurnSpeaker, seen: Sequence[Recollection], ended: Ended
) -> tuple[str, ...]:
    """Name the documents that a turn was made from, and those of what it heard."""
    heard = [document for each in sitting.said if not each.withheld for document in each.documents]
    found = [item.chunk.document for recalled in seen for item in recalled.items]
    cited = [each.document for each in ended.citations]
    return tuple(dict.fromkeys(map(str, [*heard, *found, *by.core_of, *cited])))


def stance_of(text: str) -> Stance | None:
    """Read from how a turn begins whether it agrees with the one that it answers.

    >>> [stance_of(each) for each in ("I agree. The sea.", "Agreed.", "No, I disagree.", "Fish?")]
    [<Stance.AGREES: 'agrees'>, <Stance.AGREES: 'agrees'>, <Stance.DISAGREES: 'disagrees'>, None]
    """
    if _DISAGREES.match(text):
        return Stance.DISAGREES
    return Stance.AGREES if _AGREES.match(text) else None


def as_basis(cited: Citation) -> Mapping[str, Any]:
    """Write down where a cited sentence stands, without its words."""
    return {
        "n": cited.n,
        "chunk": cited.chunk,
        "document": cited.document,
        "text_version": cited.text_version,
        "start": cited.start,
        "end": cited.end,
        "quote_hash": cited.quote_hash,
    }


@dataclass(frozen=True)
class AskedAtTable:
    """What a member is asked now."""

    text: str
    history: Sequence[Turn]
    of_others: bool = False
    """It was said by another who does not type, so that it is no question."""


def asked_of(sitting: Sitting, seat: Seat, heard: Sequence[Turn]) -> AskedAtTable:
    """Choose what a member answers: what somebody typed since it spoke, the aim when it speaks
    first, and then, for a second self, what another one said last. A role goes on from all that was
    said.
    """
    table = sitting.table
    own = [each.n for each in table.turns if each.fields["by"] == seat.member]
    since = [each for each in table.turns if each.n > max(own, default=0)]
    typed = [each for each in since if _is_typed(sitting, each)]
    if typed:
        asked = typed[-1]
    elif not own:
        asked = table.opening
    else:
        asked = _last_of_others(sitting, since) or table.opening
    text = sitting.heard(asked.n)
    if seat.kind == Speaker.ROLE:
        return AskedAtTable(text if typed else sitting.aim, heard)
    other = asked is not table.opening and not typed
    return AskedAtTable(text[:SOUGHT], [each for each in heard if each.number != asked.n], other)


def _is_typed(sitting: Sitting, turn: Entry) -> bool:
    kind = sitting.table.members[turn.fields["by"]].kind
    return kind is Speaker.PERSON and bool(sitting.heard(turn.n))


def _last_of_others(sitting: Sitting, since: Sequence[Entry]) -> Entry | None:
    others = [each for each in since if not each.fields["abstained"] and sitting.heard(each.n)]
    return others[-1] if others else None


def _told(aim: str) -> str:
    """Tell a role what is worked out, and how to say whether it agrees."""
    agree, disagree = _STANCES[language_of(aim)]
    return prompt("role_table").substitute(aim=aim, agree=agree, disagree=disagree)


def _heard(sitting: Sitting, member: str) -> list[Turn]:
    """Give what was said so far, from where a member sits: the aim first."""
    table = sitting.table
    twin = table.members[member].kind is Speaker.TWIN
    return [
        _as_turn(sitting, each, member, twin=twin)
        for each in [table.opening, *table.turns]
        if sitting.heard(each.n) and not each.fields.get("abstained", False)
    ]


def _as_turn(sitting: Sitting, entry: Entry, member: str, *, twin: bool) -> Turn:
    by = str(entry.fields.get("by", ""))
    speaker = sitting.table.members.get(by)
    own, text = by == member, sitting.heard(entry.n)
    typed = speaker is None or speaker.kind is Speaker.PERSON
    theirs = speaker is not None and bool(sitting.seat(by).contact)
    if speaker is not None and not own and (twin or (typed and theirs)):
        typed, text = True, f"{speaker.name}: {text}"
    return Turn(
        TurnId(f"{entry.table}.{entry.n}"),
        ConversationId(entry.table),
        "user" if typed else "assistant",
        text,
        TurnState.DONE,
        moment(entry),
        speaker="" if own else by,
        number=entry.n,
    )


def _speaker(
    ports: VoicePorts, sitting: Sitting, seat: Seat
) -> tuple[TurnSpeaker, list[Recollection]]:
    """Give who speaks, and where what it recalls is noted."""
    others = [
        each
        for each in sitting.discussion.seats
        if each.member != seat.member and each.kind != Speaker.PERSON
    ]
    role = ports.roles.get(RoleId(seat.role)) if seat.role else None
    by = ports.at_table(
        None if role is None else replace(role, id=RoleId(seat.member)),
        sees(ports.roles, sitting),
        Company({each.member: each.name for each in others}, cue=True),
    )
    seen: list[Recollection] = []

    def recall(query: RecallQuery) -> Recollection:
        seen.append(by.recall(query))
        return seen[-1]

    return replace(by, recall=recall), seen


def sees(roles: Roles, sitting: Sitting) -> list[Sees]:
    """Say what those at a table may see: all of these at once. A role that was deleted keeps what
    it was allowed out of sight no more; it says nothing either.
    """
    there = {role.id: role for role in roles.all()}
    chosen = [
        there[RoleId(seat.role)].sees
        for seat in sitting.discussion.seats
        if seat.role and RoleId(seat.role) in there
    ]
    return [Sees(tags=sitting.discussion.tags), *(replace(each, private=False) for each in chosen)]


def answers_to(sitting: Sitting, member: str) -> int | None:
    """Return the number of the turn that a member answers: the newest of another that says
    something that is heard still.
    """
    return next(
        (
            each.n
            for each in reversed(sitting.table.turns)
            if each.fields["by"] != member
            and not each.fields["abstained"]
            and not sitting.said[each.n].withheld
        ),
        None,
    )


def _cite(ports: VoicePorts, table: Table, chunk: Chunk, cited: Citation) -> Mapping[str, Any]:
    """Name a passage for this table alone, with the words that are cited."""
    name = blake2b(
        f"{table.opening.table}\n{chunk.id}".encode(),
        digest_size=16,
        key=bytes.fromhex(ports.key),
    ).digest()
    at = None if chunk.said_at is None else int(chunk.said_at.astimezone(UTC).timestamp())
    quote = sayable(chunk.text[cited.start - chunk.start : cited.end - chunk.start])
    place = {
        "item": to_b64u(name),
        "layer": (Layer.SAID if chunk.kind is None else Layer.WORDS).value,
        "kind": RowKind.PASSAGE.value if chunk.kind is None else chunk.kind.value,
        "at": at if at is not None and at >= 0 else None,
    }
    return {**place, "quote": quote[:LONGEST_QUOTE]} if quote.strip() else place


def sayable(text: str) -> str:
    """Leave out what no text of the protocol holds: controls, and halves of surrogate pairs."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", " ", text)


def _ended(events: Iterable[AnswerEvent]) -> Ended:
    ended = [each for each in events if isinstance(each, Ended)]
    if not ended:
        raise ModelUnavailableError("The model broke off.")
    return ended[-1]
