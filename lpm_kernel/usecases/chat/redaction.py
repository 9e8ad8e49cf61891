"""Turns of a chat without what they say from certain documents."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from lpm_kernel.domain.chat.conversations import AnswerPart, PartKind, Turn, TurnState
from lpm_kernel.domain.ids import TurnId, is_thread
from lpm_kernel.L0.language.identification import Language, language_of
from lpm_kernel.L1.answering.answer import plain_text

GONE: dict[Language, str] = {
    "en": "What stood here was erased with its source.",
    "ja": "ここにあった内容は、その出典とともに消去されました。",
    "zh": "此处的内容已随其来源一并清除。",
}

LEFT_OUT: dict[Language, str] = {
    "en": "What stood here rests on something private and was left out.",
    "ja": "ここにあった内容は非公開のものに基づくため、省かれています。",
    "zh": "此处的内容依据私密材料，已略去。",
}

_NOTES = frozenset({*GONE.values(), *LEFT_OUT.values()})


def without(
    turn: Turn,
    documents: Collection[str],
    quotes: Callable[[str], bool] = lambda _: False,
    instead: Mapping[Language, str] = GONE,
    told: Collection[TurnId] = (),
) -> Turn:
    """Return a turn without what it says from these documents; a turn that says nothing from them
    comes back as it is.

    A sentence that other documents carry stays. One that quotes without citing goes, the person's
    own included; so does the note before a quotation, which says whose words they are and of which
    day. Of the answers in ``told`` what a role or the model worded without citing goes.
    """
    gone = {citation.n for citation in turn.citations if citation.document in documents}
    note = instead[language_of(turn.text)]
    parts = _parts_without(turn, gone, quotes, note, own_words=turn.id in told)
    changed = tuple(parts) != turn.parts
    said = not turn.parts and turn.text not in _NOTES and quotes(turn.text)
    verdict = turn.verdict
    if (
        verdict is not None
        and verdict.better not in {"", *_NOTES}
        and (gone or changed or quotes(verdict.better))
    ):
        verdict = replace(verdict, better=note)  # what was said better says the same
    if not (gone or said or changed) and verdict == turn.verdict:
        return turn
    return replace(
        turn,
        verdict=verdict,
        parts=tuple(parts),
        text=plain_text(parts) if parts else note if said else turn.text,
        citations=tuple(citation for citation in turn.citations if citation.n not in gone),
        prompt_hash=None,
    )


def _parts_without(
    turn: Turn, gone: Collection[int], quotes: Callable[[str], bool], note: str, *, own_words: bool
) -> list[AnswerPart]:
    """Return the parts that other citations carry, or that carry themselves, with the note where
    something went.
    """
    parts: list[AnswerPart] = []
    of_chats = {each.n for each in turn.citations if is_thread(each.document)}
    for part in turn.parts:
        # a chat that says what is erased loses it, and carries nothing
        lost = {*gone, *(of_chats if quotes(part.text) else ())}
        carried = _carried(part, lost, of_chats, own_words=own_words)
        own = part.kind in {PartKind.ROLE, PartKind.STATEMENT, PartKind.RETOLD} and own_words
        if carried or _stays(part, quotes, own=own):
            parts.append(replace(part, citations=carried))
            continue
        if part.kind is PartKind.QUOTATION and _introduces(parts):
            parts.pop()
        if not parts or parts[-1].text != note:
            parts.append(AnswerPart(PartKind.NOTE, note))
    if turn.state is not TurnState.DONE and _introduces(parts):
        parts.pop()  # it was stopped before the words that this leads, which may be anybody's
    return parts


def _carried(
    part: AnswerPart, gone: Collection[int], of_chats: Collection[int], *, own_words: bool
) -> tuple[int, ...]:
    """Return the citations that still carry a part. What tells of chats tells of several at once,
    in the words of each, and so does what is told again: it goes with any of them.
    """
    retold = part.kind is PartKind.RETOLD
    if retold and own_words:
        return ()
    if any(n in gone and (retold or n in of_chats) for n in part.citations):
        return ()
    return tuple(n for n in part.citations if n not in gone)


def _stays(part: AnswerPart, quotes: Callable[[str], bool], *, own: bool) -> bool:
    """Tell whether a part of which no citation is left never had any, and quotes nothing; ``own``:
    its words may tell what it was given.
    """
    return part.text in _NOTES or not (part.citations or own or quotes(part.text))


def _introduces(parts: Sequence[AnswerPart]) -> bool:
    """Tell whether the last part is a note that says whose words come next."""
    introduces = {PartKind.NOTE, PartKind.DOUBT}
    return bool(parts) and parts[-1].kind in introduces and parts[-1].text not in _NOTES
