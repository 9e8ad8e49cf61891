"""Mail: one message (.eml) or a box of them (mbox). What is quoted from an earlier mail is not the
sender's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime

from lpm_kernel.backends.parse.canvas import Canvas, one_line
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.domain.library.documents import Anchor, AnchorKind, ParsedText
from lpm_kernel.errors import EmptyDocumentError, NodeError, UnreadableDocumentError

MOST_PARTS = 500
"""Parts of one message that are looked at."""
MOST_NAMED = 20
"""People in a head line, and attachments in a remark."""
_BOX = re.compile(rb"(?:\A|\n\r?\n)From [^\n]{1,200}\n(?=[A-Za-z][A-Za-z0-9-]{1,60}:)")
_QUOTED = re.compile(r"^[ \t]*[>＞|]")
_FORWARDED = re.compile(
    r"^(?:-{2,}\s?(?:Original Message|Forwarded message|元のメッセージ|転送メッセージ)"
    r"|Begin forwarded message:)",
    re.IGNORECASE,
)
_BROKEN = (MessageError, LookupError, ValueError, TypeError, AttributeError, RecursionError)
"""What Python's mail parser lets out of broken mail."""


def read_mail(name: str, data: bytes) -> ParsedText:
    """Read one message or a box: each message a session of its own, with who, to whom, when and
    about what above it.
    """
    canvas = Canvas()
    remarks: list[str] = []
    subject: str | None = None
    earliest: datetime | None = None
    number = bad = 0
    for number, raw in enumerate(_messages(data), start=1):
        try:
            title, sent_at, attached = _write(
                canvas, number, message_from_bytes(raw, policy=policy.compat32)
            )
        except _BROKEN:
            bad += 1
            continue
        subject = title if number == 1 else None
        earliest = min((moment for moment in (earliest, sent_at) if moment), default=None)
        if attached:
            remarks.append(
                f"Left out what is attached{f' to message {number}' if number > 1 else ''}:"
                f" {', '.join(attached)}. Add those files by themselves."
            )
    if not len(canvas):
        if bad:
            raise UnreadableDocumentError(
                name,
                "the mail in it is damaged.",
                "Export it again from your mail program and add that.",
            )
        raise EmptyDocumentError(name)
    if bad:
        remarks.append(f"Left out {bad} of {number} messages that are damaged.")
    if len(remarks) > MOST_NAMED:
        remarks = [
            *remarks[:MOST_NAMED],
            f"Left out the attachments of {len(remarks) - MOST_NAMED} more messages.",
        ]
    return canvas.parsed(title=subject, created_at=earliest, remarks=remarks)


def _messages(data: bytes) -> Iterator[bytes]:
    starts = list(_BOX.finditer(data)) if data.startswith(b"From ") else []
    if not starts:
        yield data
    for at, start in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(data)
        yield re.sub(rb"^>(>*From )", rb"\1", data[start.end() : end], flags=re.MULTILINE)


def _write(
    canvas: Canvas, number: int, message: Message
) -> tuple[str | None, datetime | None, list[str]]:
    sender = next(iter(_people(message, "From")), None)
    subject = _header(message, "Subject") or None
    sent_at = _date(message)
    body, attached = _body(message)
    session = f"message {number}"
    anchor = Anchor(AnchorKind.MESSAGE, number)
    head = [f"From: {sender}"] if sender else []
    head += (
        [f"To: {', '.join(people[:MOST_NAMED])}"]
        if (people := [*_people(message, "To"), *_people(message, "Cc")])
        else []
    )
    head += [f"Date: {sent_at:%Y-%m-%d %H:%M}"] if sent_at else []
    head += [f"Subject: {subject}"] if subject else []
    if number > 1:
        canvas.gap()
    canvas.part("\n".join(head), anchor, session=session, speaker=None, said_at=sent_at)
    for quoted, text in _by_whom(body):
        canvas.part(
            text,
            anchor,
            session=session,
            speaker=None if quoted else sender,
            said_at=None if quoted else sent_at,
        )
    return subject, sent_at, attached


def _by_whom(body: str) -> Iterator[tuple[bool, str]]:
    """Part a body into runs of the sender's lines and of quoted ones, in order."""
    run: list[str] = []
    now = forwarded = False
    for line in body.split("\n"):
        forwarded = forwarded or _FORWARDED.match(line) is not None
        quoted = forwarded or _QUOTED.match(line) is not None
        if line.strip() and quoted != now and run:
            yield now, "\n".join(run)
            run = []
        if line.strip():
            now = quoted
        run.append(line)
    yield now, "\n".join(run)


def _body(message: Message) -> tuple[str, list[str]]:
    """Return the text of a message, the HTML part where there is no plain one, and the names of
    what is attached.
    """
    plain: list[str] = []
    pages: list[str] = []
    attached: list[str] = []
    beyond = 0
    for count, part in enumerate(message.walk()):
        if count >= MOST_PARTS:
            beyond += 1
            continue
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        name = _decoded(part.get_filename())
        if (
            name
            or part.get_content_disposition() == "attachment"
            or kind not in {"text/plain", "text/html"}
        ):
            attached.append(one_line(name or kind)[:100])
        elif kind == "text/plain":
            plain.append(_text(part))
        else:
            pages.append(_text(part))
    words = "\n\n".join(text for text in plain if text.strip())
    if not words.strip() and pages:
        from lpm_kernel.backends.parse.html import text_of  # lxml, for mail that needs it

        words = "\n\n".join(text_of(page) for page in pages)
    more = beyond + max(0, len(attached) - MOST_NAMED)
    return words, [*attached[:MOST_NAMED], *([f"{more:,} more parts"] if more else [])]


def _text(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes) or not data.strip():
        return ""
    charset = part.get_content_charset()
    if charset and charset not in {"us-ascii", "ascii", "unknown-8bit"}:
        try:
            return data.decode(charset).replace("\r\n", "\n").replace("\r", "\n")
        except (LookupError, UnicodeError):
            pass
    try:
        return decode("", data)
    except NodeError:
        return data.decode("utf-8", "replace")


def _decoded(value: object) -> str:
    """Return a header as words: encoded words, and bytes that stand there as they are."""
    if value is None:
        return ""
    text = str(value)
    try:
        text = text.encode("ascii", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    try:
        return one_line(str(make_header(decode_header(text))))
    except (HeaderParseError, LookupError, UnicodeError, ValueError):
        return one_line(text)


def _raw(message: Message, name: str) -> str:
    """Return a header as it was parsed, with what is no ASCII kept as surrogates."""
    return next(
        (str(value) for key, value in message.raw_items() if key.lower() == name.lower()), ""
    )


def _header(message: Message, name: str) -> str:
    return _decoded(_raw(message, name))


def _people(message: Message, name: str) -> list[str]:
    """Return names; where somebody has none, what stands before the @ of the address."""
    raw = _raw(message, name)
    try:
        pairs = getaddresses(
            [raw.encode("ascii", "surrogateescape").decode("utf-8", "replace")], strict=False
        )
    except (UnicodeEncodeError, TypeError):
        pairs = getaddresses([raw])
    return [
        person
        for shown, address in pairs[: MOST_NAMED * 2]
        if (person := _person(_decoded(shown), address))
    ]


def _person(shown: str, address: str) -> str:
    return (shown.partition("@")[0] if "@" in shown else shown).strip("'\" ") or address.partition(
        "@"
    )[0]


def _date(message: Message) -> datetime | None:
    try:
        # in the sender's own zone: that was the day for whoever wrote it
        sent = parsedate_to_datetime(_raw(message, "Date"))
        sent.astimezone(UTC)  # raises where it lies outside the calendar
        return sent if sent.tzinfo else sent.astimezone()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
