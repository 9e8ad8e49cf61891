"""What the node wrote on pages of the workspace by itself, on what evidence, and what the person
said of it.

Revision: 0010, after 0009.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "reflection",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("undone_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reflection")),
    )
    with op.batch_alter_table("reflection", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_reflection_at_id"), ["at", "id"], unique=False)
    op.create_table(
        "reflection_page",
        sa.Column("reflection", sa.String(length=40), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("before", sa.String(length=64), nullable=True),
        sa.Column("after", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["reflection"],
            ["reflection.id"],
            name=op.f("fk_reflection_page_reflection"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("reflection", "path", name=op.f("pk_reflection_page")),
    )
    op.create_table(
        "written_line",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("mark", sa.String(length=12), nullable=False),
        sa.Column("section", sa.String(length=12), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("struck_at", sa.String(length=32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_written_line")),
        sa.UniqueConstraint("path", "key", name=op.f("uq_written_line_path_key")),
    )
    op.create_table(
        "written_evidence",
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("text_version", sa.String(length=40), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"],
            ["document.id"],
            name=op.f("fk_written_evidence_document"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["line"], ["written_line.id"], name=op.f("fk_written_evidence_line"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("line", "number", name=op.f("pk_written_evidence")),
    )
    with op.batch_alter_table("written_evidence", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_written_evidence_document"), ["document"], unique=False
        )
    op.create_table(
        "ruling",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("what", sa.String(length=16), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
    )
    with op.batch_alter_table("ruling", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ruling_what"), ["what"], unique=False)
