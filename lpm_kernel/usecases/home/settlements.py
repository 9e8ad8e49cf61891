"""What the person settled, as it goes into an archive and comes out of one: lines of the node's
pages with those that were struck, rulings, times, pins.

A row names its documents by the ids that they had where the archive was made. One of which the
documents did not come along is left out, and nothing that is there already is changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.forgetting import Holding, Pin, Use
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.memory.reflection import Evidence, Reflections, Ruling, What, WrittenLine
from lpm_kernel.domain.memory.validity import Dated, Validities, Validity
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.errors import NotFoundError, UnusableArchiveError
from lpm_kernel.usecases.home.archive import as_moment, as_origin, as_short, as_version, as_whole
from lpm_kernel.usecases.memory.findings import LONGEST, finding_id
from lpm_kernel.usecases.memory.opinions import SIDES

UNKNOWN_ROW = (
    "something that was settled in it is described in a way that this release does not know."
)
MOST_EVIDENCE = 100
_KEY = re.compile(r"[0-9a-f]{24,64}")
_VERDICTS = {What.CORE: {"accepted", "rejected"}, What.DISAGREEMENT: set(SIDES)}


@dataclass(frozen=True)
class Settled:
    """The doors to all of it."""

    reflections: Reflections
    validities: Validities
    holding: Holding


def written(settled: Settled, shown: Collection[str], private: bool) -> Iterator[dict[str, Any]]:
    """Give the rows. What rests on a document that is not ``shown`` stays behind; without what is
    ``private``, so does a ruling of which nobody can tell what it rests on.
    """
    lines = (
        line for path in settled.reflections.paths() for line in settled.reflections.lines(path)
    )
    yield from (
        {"row": "line", **_plain(asdict(line))}
        for line in lines
        if all(evidence.document in shown for evidence in line.evidence)
    )
    dated = [each for each in settled.validities.all() if each.document in shown]
    ruled = {each.ruling for each in dated}
    rulings = settled.reflections.all_rulings()
    yield from (
        {"row": "ruling", **_plain(asdict(ruling))}
        for ruling in rulings
        if private or ruling.id in ruled
    )
    yield from (
        {
            "row": "validity",
            **_plain(asdict(each)),
            "validity": _plain((each.validity.start, each.validity.end)),
        }
        for each in dated
    )
    yield from (
        {"row": "pin", **_plain(asdict(pin))}
        for pin in settled.holding.pins()
        if pin.document in shown
    )
    uses = (use for use in settled.holding.all_uses() if use[1] in shown)
    yield from (
        {"row": "use", "memory": memory, "document": document, "day": day.isoformat()}
        for memory, document, day in uses
    )


def take_in(
    rows: Iterable[Mapping[str, Any]],
    settled: Settled,
    documents: Documents,
    files: Files,
    names: Mapping[str, DocumentId],
) -> None:
    """Take over what was settled, where nothing was settled about it here; ``names`` gives the id
    that each document has here. Raises ``UnusableArchiveError``.
    """
    lines: dict[str, list[WrittenLine]] = {}
    rulings = {ruling.id for ruling in settled.reflections.all_rulings()}
    dated = {(each.id, each.ruling) for each in settled.validities.all()}
    uses: list[Use] = []
    for row in rows:
        match _read(row, names):
            case WrittenLine() as line:
                lines.setdefault(line.path, []).append(line)
            case Ruling() as ruling if ruling.id not in rulings:
                settled.reflections.rule(ruling.id, ruling.what, ruling.verdict, ruling.at)
            case Dated() as known if (known.id, known.ruling) not in dated:
                with suppress(NotFoundError):  # its document was deleted meanwhile
                    settled.validities.put(known)
            case Pin() as pin:
                with suppress(NotFoundError):
                    settled.holding.pin(pin.memory, pin.document, pin.at)
            case tuple() as use:
                uses.append(use)
            case _:
                continue
    settled.holding.used(uses)
    for path, came in lines.items():
        _take_lines(settled.reflections, path, came, _page(documents, files, path))


def _take_lines(reflections: Reflections, path: str, came: list[WrittenLine], page: str) -> None:
    """Add lines of a page that are not known here. One that was not struck and does not stand there
    would count as struck from now on: it stays out.
    """
    known = {written_line.key for written_line in reflections.lines(path)}
    fresh = [
        written_line
        for written_line in came
        if written_line.key not in known
        and (written_line.struck_at is not None or written_line.mark in page)
    ]
    for moment in {written_line.struck_at for written_line in fresh}:
        part = [written_line for written_line in fresh if written_line.struck_at == moment]
        reflections.wrote(path, part, moment or datetime.now().astimezone())
        if moment is not None:
            reflections.strike(path, [written_line.key for written_line in part], moment)


def _page(documents: Documents, files: Files, path: str) -> str:
    try:
        now = documents.by_origin(path)
        return files.original(now.sha256).decode("utf-8", "replace") if now is not None else ""
    except NotFoundError:
        return ""


def _read(
    row: Mapping[str, Any], names: Mapping[str, DocumentId]
) -> WrittenLine | Ruling | Dated | Pin | Use | None:
    """Read a row; ``None`` where a document of it did not come along."""
    try:
        match row["row"]:
            case "line":
                return _line(row, names)
            case "ruling":
                return _ruling(row)
            case "validity":
                return _dated(row, names)
            case "pin" | "use":
                memory, document = (
                    MemoryId(as_short(row["memory"], 44)),
                    names.get(as_short(row["document"])),
                )
                if document is None:
                    return None
                return (
                    Pin(memory, document, as_moment(row["at"]))
                    if row["row"] == "pin"
                    else (memory, document, date.fromisoformat(row["day"]))
                )
            case _:
                raise UnusableArchiveError(UNKNOWN_ROW)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise UnusableArchiveError(UNKNOWN_ROW) from error


def _line(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> WrittenLine | None:
    path, evidence = as_origin(row["path"]), row["evidence"]
    if not path or not isinstance(evidence, list) or len(evidence) > MOST_EVIDENCE:
        raise UnusableArchiveError(UNKNOWN_ROW)
    places = tuple(
        Evidence(
            names[old],
            as_version(each["text_version"]),
            as_whole(each["start"]),
            as_whole(each["end"]),
        )
        for each in evidence
        if (old := as_short(each["document"])) in names
    )
    if len(places) < len(evidence) or not places:
        return None
    struck = None if row["struck_at"] is None else as_moment(row["struck_at"])
    return WrittenLine(
        path,
        _key(row["key"]),
        as_short(row["mark"], 12),
        as_short(row["section"], 12),
        as_short(row["text"], LONGEST),
        places,
        struck,
    )


def _ruling(row: Mapping[str, Any]) -> Ruling:
    what = What(row["what"])
    if row["verdict"] not in _VERDICTS[what]:
        raise UnusableArchiveError(UNKNOWN_ROW)
    return Ruling(_key(row["id"]), what, row["verdict"], as_moment(row["at"]))


def _dated(row: Mapping[str, Any], names: Mapping[str, DocumentId]) -> Dated | None:
    old, start, end = as_short(row["document"]), as_whole(row["start"]), as_whole(row["end"])
    document, (since, until) = names.get(old), row["validity"]
    validity = Validity(
        None if since is None else as_moment(since), None if until is None else as_moment(until)
    )
    if validity.start is not None and validity.end is not None and validity.start >= validity.end:
        raise UnusableArchiveError(UNKNOWN_ROW)
    if document is None:
        return None
    identifier = as_short(row["id"], 80)
    identifier = (
        finding_id(document, start, end)
        if identifier == finding_id(DocumentId(old), start, end)
        else identifier
    )
    version = as_version(row["text_version"]) if row["text_version"] else ""
    ruling = _key(row["ruling"]) if row["ruling"] else ""
    return Dated(
        identifier,
        document,
        as_short(row["quote"], LONGEST),
        version,
        start,
        end,
        validity,
        as_moment(row["at"]),
        ruling,
    )


def _key(value: object) -> str:
    """Read a hash."""
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        raise UnusableArchiveError(UNKNOWN_ROW)
    return value


def _plain(value: Any) -> Any:  # noqa: ANN401  whatever JSON holds
    """Write times as ISO 8601, also within."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value
