"""What the person changed in the profile that is counted from their chats.

Revision: 0028, after 0027.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "profile_edit",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("line", sa.String(length=40), nullable=False),
        sa.Column("at", Moment(length=32), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=True),
        sa.Column("pinned", sa.Boolean(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("into", sa.String(length=40), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_edit")),
    )
    op.create_index(op.f("ix_profile_edit_at_id"), "profile_edit", ["at", "id"], unique=False)
    op.create_table(
        "profile_edit_turn",
        sa.Column("edit", sa.String(length=40), nullable=False),
        sa.Column("turn", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["edit"],
            ["profile_edit.id"],
            name=op.f("fk_profile_edit_turn_edit"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["turn"],
            ["turn.id"],
            name=op.f("fk_profile_edit_turn_turn"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("edit", "turn", name=op.f("pk_profile_edit_turn")),
    )
    op.create_index(op.f("ix_profile_edit_turn_turn"), "profile_edit_turn", ["turn"], unique=False)
