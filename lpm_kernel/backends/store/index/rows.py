"""Passages and vectors as rows of the index, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, select

from lpm_kernel.backends.store.index.tables import chunk, document
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Anchor, Chunk, text_hash
from lpm_kernel.domain.library.passages import Embedded, Passage
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.errors import CorruptHomeError

CODE = 127
"""The largest whole number that a vector is written with."""
KEY = 16
"""Bytes of a text's hash that name it here."""
CHUNKS = select(chunk, document.c.id.label("document"), document.c.text_version).join(
    document, document.c.ordinal == chunk.c.ordinal
)
"""What :func:`chunk_of` reads."""


def rows_of(passages: Sequence[Passage], created_at: datetime | None) -> Iterator[dict[str, Any]]:
    """Write passages as rows, the sessions one after another in the order in which they begin."""
    sessions: dict[str, list[int]] = {}
    for position in sorted(
        range(len(passages)), key=lambda i: (passages[i].chunk.start, passages[i].chunk.end)
    ):
        sessions.setdefault(passages[position].chunk.session, []).append(position)
    for number, positions in enumerate(sessions.values()):
        for position in positions:
            passage = passages[position]
            each = passage.chunk
            moment = each.said_at or created_at
            yield {
                "position": position,
                "id": each.id,
                "session_number": number,
                "session": each.session,
                "start": each.start,
                "end": each.end,
                "text": each.text,
                "speaker": each.speaker,
                "said_at": each.said_at.isoformat() if each.said_at else None,
                "moment": _posix(moment) if moment else None,
                "turn": each.turn,
                "page": each.page,
                "anchor": str(each.anchor) if each.anchor else None,
                "kind": each.kind.value if each.kind else None,
                "about": "\n".join(each.about),
                "confidence": each.confidence,
                "terms": " ".join(passage.terms),
                "names": "\n".join(passage.names),
                "traits": int(passage.traits),
                "hash": key_of(text_hash(each.content)),
            }


def chunk_of(row: Row[Any]) -> Chunk:
    """Turn a row into a chunk. Raises ``CorruptHomeError`` for a text that is not what its hash
    says.
    """
    made = Chunk(
        id=ChunkId(row.id),
        document=DocumentId(row.document),
        text_version=row.text_version,
        start=row.start,
        end=row.end,
        text=row.text,
        session=row.session,
        speaker=row.speaker,
        said_at=datetime.fromisoformat(row.said_at) if row.said_at else None,
        turn=row.turn,
        page=row.page,
        anchor=Anchor.read(row.anchor) if row.anchor else None,
        kind=StatementKind(row.kind) if row.kind else None,
        about=tuple(row.about.split("\n")) if row.about else (),
        confidence=row.confidence,
    )
    if key_of(text_hash(made.content)) != row.hash:
        raise CorruptHomeError(
            "The index (index.db) is damaged: a passage is not as it was written.",
            "Rebuild it with `lpm reindex`; nothing is lost.",
        )
    return made


def _posix(moment: datetime) -> float:
    """Seconds since 1970; a time without a zone counts as UTC."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def key_of(hexadecimal: str) -> bytes:
    """Return the name that a text has here, from its hash."""
    return bytes.fromhex(hexadecimal)[:KEY]


def vector_rows(
    keys: Sequence[bytes], embedded: Embedded, order: Sequence[int]
) -> list[dict[str, Any]]:
    """Write vectors as whole numbers of at most ``CODE``, each row with the scale that gives it
    back.
    """
    vectors = np.asarray(embedded.vectors)[list(order)].astype(np.float32)
    scales = np.abs(vectors).max(axis=1, initial=0) / CODE
    codes = np.round(vectors / np.maximum(scales, np.finfo(np.float32).tiny)[:, None]).astype(
        np.int8
    )
    return [
        {"embedder": embedded.embedder, "hash": key, "scale": float(scale), "codes": code.tobytes()}
        for key, scale, code in zip(keys, scales, codes, strict=True)
    ]


def matrix(
    codes: Sequence[bytes | None], scales: Sequence[float | None]
) -> tuple[NDArray[np.int8] | None, NDArray[np.float32] | None]:
    """Put the codes of a batch under one another; a row without a vector is zeros."""
    width = next((len(code) for code in codes if code), 0)
    if not width:
        return None, None
    blank = bytes(width)
    matrix = np.frombuffer(b"".join(code or blank for code in codes), np.int8).reshape(-1, width)
    return matrix, np.array([scale or 0.0 for scale in scales], np.float32)
