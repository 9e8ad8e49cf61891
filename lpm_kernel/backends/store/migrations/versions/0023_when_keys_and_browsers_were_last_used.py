"""When a key and a browser that is signed in were last used, and which browser it is.

Revision: 0023, after 0022.
"""

import sqlalchemy as sa
from alembic import op

from lpm_kernel.backends.store.node.tables import Moment

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("api_key", schema=None) as batch_op:
        batch_op.add_column(sa.Column("last_used_at", Moment(), nullable=True))
    with op.batch_alter_table("web_session", schema=None) as batch_op:
        batch_op.add_column(sa.Column("last_used_at", Moment(), nullable=True))
        batch_op.add_column(sa.Column("program", sa.Text(), nullable=False, server_default=""))
