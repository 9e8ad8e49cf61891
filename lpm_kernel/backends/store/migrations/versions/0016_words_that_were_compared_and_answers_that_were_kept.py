"""When six words were compared, and which document was made of an answer.

Revision: 0016, after 0015.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("contact", schema=None) as batch_op:
        batch_op.add_column(sa.Column("verified_at", sa.String(length=32), nullable=True))
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("kept", sa.String(length=40), nullable=False, server_default="")
        )
