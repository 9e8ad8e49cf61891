"""What a chat keeps of what was said in it, and the summary of each thread.

Revision: 0029, after 0028.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("keeping", sa.String(length=8), server_default="full", nullable=False)
        )
        batch_op.add_column(sa.Column("kept_so_since", Moment(), nullable=True))
    with op.batch_alter_table("thread", schema=None) as batch_op:
        batch_op.add_column(sa.Column("summary", sa.JSON(), server_default="[]", nullable=False))
        batch_op.add_column(
            sa.Column("reduced", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
    with op.batch_alter_table("erasure", schema=None) as batch_op:
        batch_op.add_column(sa.Column("turns", sa.JSON(), server_default="[]", nullable=False))
