"""What the person said of what looks like a secret, and answers that are drafted before they leave.

Revision: 0022, after 0021.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "peer_grant_secret",
        sa.Column("peer_grant", sa.String(length=40), nullable=False),
        sa.Column("row", sa.String(length=64), nullable=False),
        sa.Column("allowed", sa.Boolean(), nullable=False),
        sa.Column("decided_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["peer_grant"],
            ["peer_grant.id"],
            name=op.f("fk_peer_grant_secret_peer_grant_peer_grant"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("peer_grant", "row", name=op.f("pk_peer_grant_secret")),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("draft", sa.JSON(none_as_null=True), nullable=True))
