"""Contacts at tables: who was asked, what they allow, and how much of the record they have.

Revision: 0036, after 0035.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.add_column(
        "discussion",
        sa.Column("host", sa.String(length=40), server_default="", nullable=False),
    )
    op.create_table(
        "discussion_contact",
        sa.Column("discussion", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("members", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("peer_grant", sa.Text(), nullable=False),
        sa.Column("revoked_at", Moment(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("have", sa.Integer(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=True),
        sa.Column("own", sa.JSON(), nullable=False),
        sa.Column("hands", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["discussion"],
            ["discussion.id"],
            name=op.f("fk_discussion_contact_discussion"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("discussion", "contact", name=op.f("pk_discussion_contact")),
    )
