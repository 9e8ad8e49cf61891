"""What the model was given for an answer besides its evidence; unknown of answers that were given
before.

Revision: 0019, after 0018.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.add_column(sa.Column("given", sa.JSON(), nullable=True))
