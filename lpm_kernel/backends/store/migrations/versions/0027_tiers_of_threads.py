"""Tiers of threads: how far each has moved, and how salient it is.

Revision: 0027, after 0026.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("thread", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("tier", sa.String(length=12), nullable=False, server_default="session")
        )
        batch_op.add_column(sa.Column("moved_at", Moment(), nullable=True))
        batch_op.add_column(sa.Column("salience", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(
            sa.Column("consolidated", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        batch_op.add_column(sa.Column("wanted", sa.Boolean(), nullable=True))
        batch_op.create_index("ix_thread_tier_ended_at", ["tier", "ended_at"])
