"""What is to go and what went because the person asked for it, so that it is told from a loss.

Revision: 0020, after 0019.
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "removal",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_removal")),
    )
    op.create_table(
        "removed_document",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removed_document")),
    )
