"""Trainings, what each learned, and which one is in use.

Revision: 0011, after 0010.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "training_run",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("synthesiser", sa.String(length=60), nullable=False),
        sa.Column("audience", sa.String(length=20), nullable=False),
        sa.Column("parent", sa.String(length=40), nullable=True),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("rows", sa.JSON(), nullable=False),
        sa.Column("left_out", sa.JSON(), nullable=False),
        sa.Column("hashes", sa.JSON(), nullable=False),
        sa.Column("estimate", sa.JSON(), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("scorecard", sa.JSON(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_training_run")),
        sa.UniqueConstraint("number", name=op.f("uq_training_run_number")),
    )
    op.create_table(
        "training_source",
        sa.Column("run", sa.String(length=40), nullable=False),
        sa.Column("memory", sa.String(length=40), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["run"], ["training_run.id"], name=op.f("fk_training_source_run"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run", "memory", name=op.f("pk_training_source")),
    )
    with op.batch_alter_table("training_source", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_training_source_document"), ["document"], unique=False)
        batch_op.create_index(batch_op.f("ix_training_source_memory"), ["memory"], unique=False)
    op.create_table(
        "training_use",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run", sa.String(length=40), nullable=True),
        sa.Column("since", sa.String(length=32), nullable=False),
        sa.Column("insisted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_training_use")),
    )
