"""Tables at which several talk, each with its record.

Revision: 0034, after 0033.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "discussion",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("opened_at", Moment(), nullable=False),
        sa.Column("changed_at", Moment(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("template", sa.String(length=40), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_discussion")),
    )
    op.create_index(
        op.f("ix_discussion_opened_at_id"), "discussion", ["opened_at", "id"], unique=False
    )
    op.create_index(
        op.f("ix_discussion_state_changed_at"), "discussion", ["state", "changed_at"], unique=False
    )
    op.create_table(
        "discussion_entry",
        sa.Column("discussion", sa.String(length=40), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("documents", sa.JSON(), nullable=False),
        sa.Column("basis", sa.JSON(), nullable=False),
        sa.Column("kept", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["discussion"],
            ["discussion.id"],
            name=op.f("fk_discussion_entry_discussion"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("discussion", "n", name=op.f("pk_discussion_entry")),
    )
