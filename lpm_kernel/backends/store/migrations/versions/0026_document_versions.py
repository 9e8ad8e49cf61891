"""A document that comes again changed becomes a new version of the same one.

Revision: 0026, after 0025.
"""

import unicodedata
from collections import Counter
from pathlib import PurePosixPath
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    given = sa.text(
        "origin = '' AND NOT corrects AND superseded_by IS NULL AND version = 1 AND NOT apart"
    )
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.add_column(sa.Column("version", sa.Integer(), server_default="1", nullable=False))
        batch_op.add_column(sa.Column("path", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(
            sa.Column("apart", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.create_index(batch_op.f("ix_document_path"), ["path"], unique=False)
        batch_op.create_index(batch_op.f("ix_document_name"), ["name"], unique=False)
        batch_op.drop_index("ix_document_one_of_these_bytes")
        batch_op.create_index(
            "ix_document_one_of_these_bytes",
            ["sha256"],
            unique=True,
            sqlite_where=given,
            postgresql_where=given,
        )
    _tell_paths(op.get_bind())


def _tell_paths(connection: sa.Connection) -> None:
    """Give what came in a folder or an archive its path, where it is the only one of that name
    there.
    """
    rows = {
        row.id: row
        for row in connection.execute(
            sa.text(
                "SELECT id, name, folder, parent FROM document"
                " WHERE origin = '' AND NOT corrects ORDER BY added_at, id"
            )
        )
    }
    paths = {identifier: _path(row, rows) for identifier, row in rows.items()}
    counts = Counter((path, rows[identifier].parent) for identifier, path in paths.items())
    for identifier, path in paths.items():
        if path and counts[path, rows[identifier].parent] == 1:
            connection.execute(
                sa.text("UPDATE document SET path = :path WHERE id = :id"),
                {"path": path, "id": identifier},
            )


def _path(row: Any, rows: dict[str, Any]) -> str:  # noqa: ANN401  a row of the table as it was
    path = unicodedata.normalize("NFC", f"{row.folder}/{row.name}") if row.folder else ""
    if not row.parent:
        return path
    archive = rows.get(row.parent)
    if archive is None:
        return ""
    stem = PurePosixPath(archive.name).stem
    above = unicodedata.normalize("NFC", "/".join(filter(None, (archive.folder, stem))))
    return path.removeprefix(above) if path.startswith(f"{above}/") else ""
