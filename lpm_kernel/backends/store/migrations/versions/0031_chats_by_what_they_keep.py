"""Chats are found by what they keep.

Revision: 0031, after 0030.
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_index(op.f("ix_conversation_keeping"), "conversation", ["keeping"], unique=False)
