"""Several roles in one chat, and which of them a turn is of.

Revision: 0017, after 0016.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("speaker", sa.String(length=40), nullable=False, server_default="")
        )
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("roles", sa.JSON(), nullable=False, server_default="[]"))
    op.execute(
        sa.text(
            "UPDATE turn SET speaker = (SELECT role FROM conversation WHERE conversation.id ="
            " turn.conversation)"
        )
    )
    op.execute(sa.text("UPDATE conversation SET roles = json_array(role) WHERE role <> ''"))
    # in place: a table that is made anew takes its turns with it
    op.execute(sa.text("ALTER TABLE conversation DROP COLUMN role"))
