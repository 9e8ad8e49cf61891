"""Whose words stand at a place of a document, as far as the document shows it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Final

from lpm_kernel.domain.ids import is_thread
from lpm_kernel.domain.library.documents import (
    BY_HAND,
    MACHINES,
    Attribution,
    Document,
    DocumentKind,
)
from lpm_kernel.domain.memory.retain import parse
from lpm_kernel.domain.stores import Files
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.entities.resolution import key_of, own_keys
from lpm_kernel.L1.statements.authorship import (
    Authorship,
    authorship_of,
    is_by_the_person,
    is_called,
    is_letter,
    is_to_the_person,
    signature_of,
)

KEPT: Final = 64
"""Texts whose authorship is kept."""
LONGEST: Final = 400_000
"""Characters of a text that are looked at."""
USER: Final = "user"
"""What the person is called where a conversation with a model is kept."""

_BY_SPEAKER: Final = frozenset({DocumentKind.MAIL, DocumentKind.TRANSCRIPT, DocumentKind.HTML})
"""Who speaks there is told by the parts alone."""
_OF_SELF: Final = re.compile(
    r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine)\b"
    r"|私|僕|俺|わたし|あたし|ぼく|自分|うち[のはがで]"
)
_STAMP: Final = re.compile(
    r"^[ \t]*(?:\[[^\]\n]{1,40}\][ \t]*)?(?:\d{1,2}[:.]\d\d[ \t]+(?:-[ \t]+)?)?"
)
"""When a line of a talk was said."""
_HEADING: Final = re.compile(
    r"mood|weather|sleep|energy|place|time|notes?|morning|afternoon|evening|night|today|tomorrow"
    r"|yesterday|breakfast|lunch|dinner|supper|food|work|home|body|mind|question|answer|q|a"
    r"|朝|昼|夕方|夜|天気|気分|体調|場所|時間|メモ|今日|明日|昨日|食事|睡眠|仕事",
    re.IGNORECASE,
)
"""What stands before a colon in a diary, and is no speaker."""
_KISSES: Final = re.compile(r"\b[A-Z]\w* x{1,5}\s{0,9}\Z")
_ASIDE: Final = re.compile(r"[(（].*")
_OWN_BOOK: Final = re.compile(
    r"\b(?:diary|notebook)\b|日記|日誌|メモ|覚え書き|覚書|手帳|ノート|备忘|笔记",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Shown:
    """What a document shows of who wrote it."""

    own: frozenset[str] = field(repr=False)
    """How the person is called."""
    starts: tuple[int, ...]
    speakers: tuple[str | None, ...] = field(repr=False)
    """Who speaks in the segment that begins at each."""
    with_machine: bool
    title: str = field(repr=False)
    text: str = field(repr=False)
    written: Authorship | None

    # looked at once, and asked for each passage

    @cached_property
    def is_letter(self) -> bool:
        """Tell whether it is written to somebody."""
        return is_letter(self.text, self.title) or bool(_KISSES.search(self.text))

    @cached_property
    def is_to_the_person(self) -> bool:
        """Tell whether it is written to the person."""
        return is_to_the_person(self.text, self.own)

    @cached_property
    def signature(self) -> str | None:
        """Return who signed it."""
        return signature_of(self.text, self.title)

    @cached_property
    def is_own(self) -> bool:
        """Tell whether what nobody else is shown to have written is the person's."""
        if bool(_OWN_BOOK.search(self.title) or parse(self.text).statements):
            return True
        if self.is_letter or language_of(self.text) == "zh":
            # a title like “To Mum” is too little, and of Chinese letters no head is known
            return is_by_the_person(self.text, self.own)
        return bool(_OF_SELF.search(self.text))


class Authors:
    """Tells whose words stand where. Keeps what the documents used last show."""

    def __init__(
        self,
        files: Files,
        owner: Callable[[], str],
        pages: Callable[[], Collection[str]],
        keep: int = KEPT,
    ) -> None:
        """``owner`` gives the person's name, ``pages`` the files of the workspace that the
        node wrote by itself.
        """
        self._files, self._owner, self._pages, self._keep = files, owner, pages, keep
        self._shown: OrderedDict[tuple[str, ...], _Shown] = OrderedDict()
        self._lock = Lock()

    def at(self, document: Document, version: str, start: int) -> Attribution | None:
        """Return who wrote what begins at ``start``, in code points; ``None`` where nothing shows
        it. Another's words taken for the person's are worse than the other way round.
        """
        if document.kind is DocumentKind.TABLE:
            return None
        if is_thread(document.id):
            return Attribution(own=True)
        if document.origin or document.corrects:
            return None if document.origin in self._pages() else Attribution(own=True)
        shown = self._of(document, version)
        place = bisect_right(shown.starts, start) - 1
        speaker = shown.speakers[place] if place >= 0 else None
        if speaker:
            return _spoken(speaker, shown)
        if shown.written is None:
            return Attribution(own=False)
        return _written(document, shown, shown.written, start)

    def _of(self, document: Document, version: str) -> _Shown:
        owner = self._owner()
        key = (document.sha256, version, document.kind, document.title, owner)
        with self._lock:
            if key in self._shown:
                self._shown.move_to_end(key)
                return self._shown[key]
        shown = self._read(document, version, frozenset(own_keys(owner)))
        with self._lock:
            self._shown[key] = shown
            while len(self._shown) > self._keep:
                self._shown.popitem(last=False)
        return shown

    def _read(self, document: Document, version: str, own: frozenset[str]) -> _Shown:
        parsed = self._files.text(document.sha256, version)
        segments = parsed.segments if parsed else ()
        speakers = tuple(each.speaker for each in segments)
        text = "" if parsed is None or document.kind in _BY_SPEAKER else parsed.text[:LONGEST]
        return _Shown(
            own,
            tuple(each.start for each in segments),
            speakers,
            any((speaker or "").casefold() in MACHINES for speaker in speakers),
            document.title,
            text,
            authorship_of(text, own, document.title) if text else None,
        )


def _spoken(speaker: str, shown: _Shown) -> Attribution:
    key = key_of(speaker)
    if is_called(key, shown.own) or (key == USER and shown.with_machine):
        return Attribution(own=True)
    is_name = key not in MACHINES and not speaker.islower()
    return Attribution(own=False, name=speaker if is_name else None)


def _written(
    document: Document, shown: _Shown, written: Authorship, start: int
) -> Attribution | None:
    if start >= len(shown.text):
        return None
    if any(begins <= start < ends for begins, ends in written.quoted):
        return Attribution(own=False)
    said = written.speaker_at(start)
    if said is not None:
        return None if shown.is_letter else _of_line(said, shown)
    if not written.may_be_own(start) or shown.is_to_the_person:
        signed = shown.signature
        is_own = signed is not None and is_called(key_of(signed), shown.own)
        return Attribution(own=False, name=None if is_own else signed)
    own = document.kind in BY_HAND and not written.lines and shown.is_own
    return Attribution(own=True) if own else None


def _of_line(said: tuple[str, int], shown: _Shown) -> Attribution | None:
    if is_called(said[0], shown.own):
        return Attribution(own=True)
    line = shown.text[shown.text.rfind("\n", 0, said[1]) + 1 : said[1]]
    name = _ASIDE.sub("", _STAMP.sub("", line)).strip(" \t:：")
    # “Mood: good” is a heading, and nobody's name
    return None if _HEADING.fullmatch(name) else Attribution(own=False, name=name or None)
