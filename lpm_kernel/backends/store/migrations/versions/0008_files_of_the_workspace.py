"""Documents that are files of the workspace, what such a file said before, and the ledger of
statements.

Revision: 0008, after 0007.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.add_column(sa.Column("origin", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("superseded_by", sa.String(length=40), nullable=True))
        batch_op.drop_constraint("uq_document_sha256", type_="unique")
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_document_superseded_by"), ["superseded_by"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_document_sha256"), ["sha256"], unique=False)
        given = sa.text("origin = ''")
        batch_op.create_index(
            "ix_document_one_of_these_bytes",
            ["sha256"],
            unique=True,
            sqlite_where=given,
            postgresql_where=given,
        )
        current = sa.text("origin <> '' AND superseded_by IS NULL")
        batch_op.create_index(
            "ix_document_one_of_this_file",
            ["origin"],
            unique=True,
            sqlite_where=current,
            postgresql_where=current,
        )
    op.create_table(
        "belief",
        sa.Column("memory", sa.String(length=44), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("believed_from", sa.String(length=32), nullable=False),
        sa.Column("believed_until", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_belief_document"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory", "number", name=op.f("pk_belief")),
    )
    with op.batch_alter_table("belief", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_belief_document"), ["document"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_belief_believed_from_memory"), ["believed_from", "memory"], unique=False
        )
        now = sa.text("believed_until IS NULL")
        batch_op.create_index(
            "ix_belief_one_now", ["memory"], unique=True, sqlite_where=now, postgresql_where=now
        )
