"""What came in an archive is private with it, and what says by a tag that it is private is.

Revision: 0021, after 0020.
"""

import json
import re
import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_SEALING = {"private", "secret", "confidential", "秘密", "非公開", "私密"}
_PARTS = re.compile(r"[/,、;・\[\]]")


def upgrade() -> None:
    """Change the schema, and seal what was left open in an archive that is private or under such a
    tag.
    """
    with op.batch_alter_table("document", schema=None) as batch_op:
        column: sa.Column[bool] = sa.Column(
            "sealed_by_archive", sa.Boolean(), server_default=sa.false(), nullable=False
        )
        batch_op.add_column(column)
        batch_op.create_index(batch_op.f("ix_document_parent"), ["parent"], unique=False)
    rows = sa.table(
        "document",
        sa.column("id", sa.String),
        sa.column("tags", sa.JSON),
        sa.column("parent", sa.String),
        sa.column("private", sa.Boolean),
        sa.column("sealed_by_archive", sa.Boolean),
    )
    here = op.get_bind()
    for identifier, tags in here.execute(sa.select(rows.c.id, rows.c.tags)).all():
        named = json.loads(tags) if isinstance(tags, str) else tags
        if any(
            _plain(part) in _SEALING
            for tag in named
            for part in _PARTS.split(unicodedata.normalize("NFKC", str(tag)))
        ):
            here.execute(sa.update(rows).where(rows.c.id == identifier).values(private=True))
    sealed = here.execute(sa.select(rows.c.id).where(rows.c.private.is_(True))).scalars().all()
    for archive in sealed:
        inside = (rows.c.parent == archive) & rows.c.private.is_(False)
        values = {"private": True, "sealed_by_archive": True}
        here.execute(sa.update(rows).where(inside).values(**values))


def _plain(tag: str) -> str:
    shown = "".join(sign for sign in tag if unicodedata.category(sign) != "Cf")
    return shown.strip().lstrip("#").strip().casefold()
