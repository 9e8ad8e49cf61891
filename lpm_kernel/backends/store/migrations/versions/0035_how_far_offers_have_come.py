"""How far an offer has come: what was fetched of it, and what the person said.

Revision: 0035, after 0034.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    for column in (
        sa.Column("state", sa.String(length=12), server_default="offered", nullable=False),
        sa.Column("fetched", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("came_at", Moment(), nullable=True),
        sa.Column("peer_grant", sa.String(length=40), server_default="", nullable=False),
        sa.Column("kept", sa.String(length=40), server_default="", nullable=False),
        sa.Column("code", sa.String(length=32), server_default="", nullable=False),
    ):
        op.add_column("peer_offer", column)
