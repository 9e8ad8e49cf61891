"""Where a document lies in the library, and since when it is put away.

Revision: 0006, after 0005.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.add_column("document", sa.Column("folder", sa.Text(), server_default="", nullable=False))
    op.add_column("document", sa.Column("deleted_at", sa.String(length=32), nullable=True))
