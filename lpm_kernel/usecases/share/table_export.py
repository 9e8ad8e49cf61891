"""What was said at a table, taken out of it: as Markdown to read, or as a document that the person
keeps.

Nothing that somebody said becomes a memory by being said. Kept, it is a transcript that says whose
words they are and where they were said, so that no sentence of it is taken for the person's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.stores import Discussions
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.share.tables import ME, Sitting, load, moment
from protocol.discussion import Entry, Speaker, Step
from protocol.refusals import Code

Receive = Callable[[str, bytes, str, datetime], str]
"""Takes name, bytes, title and time of a document, and gives its id."""
_GONE = "*The words are gone; the entry and its hash stay.*"
_WHY: Final[Mapping[Code, str]] = {
    Code.BUSY: "no answer came in time",
    Code.EXPIRED: "the answer came too late",
    Code.FROM_FUTURE: "the clock of their node is wrong",
    Code.UNKNOWN_KEY: "the keys of their node have changed",
    Code.UNSUPPORTED_VERSION: "their node takes no part in tables",
    Code.NO_GRANT: "their node knows of no seat at this table",
    Code.GRANT_EXPIRED: "their permission for this table is over",
    Code.REVOKED: "their permission for this table was revoked",
    Code.OUT_OF_SCOPE: "this lay outside what was allowed",
    Code.ESCALATION: "this lay outside what was allowed",
    Code.OVER_BUDGET: "the limit of turns or of length was reached",
    Code.CONSENT_REQUIRED: "it was waiting for a yes",
}
"""Why somebody could not speak."""
_OTHER: Final = "the answer could not be used"
"""What only says that a message was broken."""


def markdown(sitting: Sitting) -> str:
    """Write a table as Markdown: who said what, what it rests on, and who agreed to what."""
    table = sitting.table
    lines = [f"# {_plain(sitting.aim) or 'A table'}", ""]
    names = ", ".join(_plain(each.name) for each in table.members.values())
    lines += [f"{moment(table.opening):%Y-%m-%d} · {names}", ""]
    for entry in table.entries[1:]:
        lines += _entry(sitting, entry)
    lines += ["---", "", f"Record `{table.opening.table}`, {len(table.entries)} entries, the last"]
    lines += [f"`{table.head.hash}`.", ""]
    return "\n".join(lines)


def _entry(sitting: Sitting, entry: Entry) -> Iterator[str]:
    by = entry.fields.get("by", "")
    name = _plain(sitting.table.members[by].name) if by in sitting.table.members else ""
    match entry.step:
        case Step.TURN:
            yield f"## {entry.n}. {name}"
            yield ""
            yield _plain(sitting.text(entry.n)) or _GONE
            yield ""
            yield from _evidence(sitting, entry)
        case Step.FAILED:
            why = _WHY.get(Code(entry.fields["code"]), _OTHER)
            yield f"*{name} could not speak: {why}.*"
            yield ""
        case Step.LEFT | Step.CALLED:
            yield f"*{name} {'left' if entry.step is Step.LEFT else 'has the floor'}.*"
            yield ""
        case Step.PAUSED | Step.RESUMED:
            yield "*Paused.*" if entry.step is Step.PAUSED else "*Goes on.*"
            yield ""
        case Step.SUMMARY:
            yield from _summary(sitting, entry)
        case Step.CLOSED:
            yield f"*Closed: {entry.fields['why'].replace('_', ' ')}.*"
            yield ""
        case _:
            return


def _evidence(sitting: Sitting, entry: Entry) -> Iterator[str]:
    fields, words = entry.fields, sitting.table.words.get(entry.n)
    if fields["stance"] is not None:
        yield f"*{fields['stance']} · {fields['on']}*"
        yield ""
    if fields["abstained"]:
        yield "*Abstains.*"
        yield ""
    quotes = [] if words is None else [each["quote"] for each in words.cites if "quote" in each]
    for quote in quotes:
        yield f"> {_plain(' '.join(quote.split()))}"
        yield ""


def _summary(sitting: Sitting, entry: Entry) -> Iterator[str]:
    words = sitting.table.words.get(entry.n)
    quotes = {} if words is None else words.quotes
    yield "## Summary"
    yield ""
    for point in entry.fields["points"]:
        name = _plain(sitting.table.members[point["by"]].name)
        said = " ".join(_plain(each) for each in quotes.get(point["turn"], []))
        yield f"- **{name}** {point['says']} ({point['turn']}){f': {said}' if said else ''}"
    yield ""


def _plain(text: str) -> str:
    """Keep what was said from being read as Markdown of the export's own."""
    return "\n".join(
        f"\\{line}" if line.lstrip()[:1] in {"#", ">", "-", "*", "+", "`", "|", "="} else line
        for line in text.replace("<", "\\<").splitlines()
    )


def keep(discussions: Discussions, discussion: DiscussionId, n: int, receive: Receive) -> str:
    """Make a document of a turn, and give its id. Raises ``NotFoundError``, and ``ConflictError``
    where its words are gone.
    """
    sitting = load(discussions, discussion)
    turn = next((each for each in sitting.table.turns if each.n == n), None)
    if turn is None:
        raise NotFoundError("turn", str(n))
    text = sitting.text(n)
    if not text:
        raise ConflictError("The words of this turn are gone.", "Keep another one.")
    member, when = sitting.table.members[turn.fields["by"]], moment(turn).astimezone(UTC)
    # a guest may be called as the person is, and is somebody else
    kind = "guest" if member.kind is Speaker.PERSON else member.kind
    speaker = member.name if member.id == ME else f"{member.name} ({kind})"
    row = {
        "id": f"{turn.table}.{n}",
        "speaker": speaker,
        "timestamp": when.isoformat(),
        "session": f"Said at a table on {when:%Y-%m-%d}, not checked",
        "text": text,
    }
    data = (json.dumps(row, ensure_ascii=False) + "\n").encode()
    title = f"{member.name}: {sitting.aim}"[:200]
    document = receive(f"table-{turn.table}-{n}.jsonl", data, title, when)
    discussions.keep(discussion, n, document)
    return document


def kept(discussions: Discussions, discussion: DiscussionId, n: int) -> str:
    """Return the document that the person made of a turn. Raises ``NotFoundError``."""
    found = next((each for each in discussions.entries(discussion) if each.n == n), None)
    if found is None or found.kept is None:
        raise NotFoundError("kept turn", str(n))
    return found.kept
