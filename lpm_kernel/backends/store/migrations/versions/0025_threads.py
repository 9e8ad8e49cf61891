"""Threads of chats that have ended, and who said a turn.

Revision: 0025, after 0024.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("settled_at", Moment(), nullable=True))
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.add_column(sa.Column("by_owner", sa.Boolean(), nullable=True))
    op.create_table(
        "thread",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("conversation", sa.String(length=40), nullable=False),
        sa.Column("first", sa.String(length=40), nullable=False),
        sa.Column("last", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("started_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=False),
        sa.Column("reason", sa.String(length=12), nullable=False),
        sa.Column("keywords", sa.JSON(), nullable=False),
        sa.Column("spoken", sa.JSON(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"],
            ["conversation.id"],
            name=op.f("fk_thread_conversation"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_thread")),
    )
    op.create_index(
        "ix_thread_conversation_first", "thread", ["conversation", "first"], unique=True
    )
    op.create_index("ix_thread_started_at", "thread", ["started_at"])
