"""What matters to the person, and how the node speaks to them.

Revision: 0005, after 0004.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("identity", schema=None) as batch_op:
        batch_op.add_column(sa.Column("values", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(
            sa.Column("length", sa.String(length=20), server_default="normal", nullable=False)
        )
        batch_op.add_column(
            sa.Column("manner", sa.String(length=20), server_default="usual", nullable=False)
        )
