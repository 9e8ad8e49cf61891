"""Beside each document that a training learned from stands the hash of its text as it was then.

Revision: 0033, after 0032.
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.rename_table("training_source", "training_source_before")
    op.drop_index("ix_training_source_memory", "training_source_before")
    op.drop_index("ix_training_source_document", "training_source_before")
    op.create_table(
        "training_source",
        sa.Column("run", sa.String(length=40), nullable=False),
        sa.Column("memory", sa.String(length=40), nullable=False),
        sa.Column("document", sa.String(length=40), server_default="", nullable=False),
        sa.Column("sha256", sa.String(length=64), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["run"],
            ["training_run.id"],
            name=op.f("fk_training_source_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "run", "memory", "document", "sha256", name=op.f("pk_training_source")
        ),
    )
    op.execute(
        "INSERT INTO training_source SELECT run, memory, document, '' FROM training_source_before"
    )
    op.drop_table("training_source_before")
    op.create_index(op.f("ix_training_source_memory"), "training_source", ["memory"], unique=False)
    op.create_index(
        op.f("ix_training_source_document"), "training_source", ["document"], unique=False
    )
