"""Where contacts are found, and hellos that wait in the outbox before there is a contact.

Revision: 0014, after 0013.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "peer_address",
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("address", sa.String(length=128), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_peer_address_contact"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("contact", "address", name=op.f("pk_peer_address")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.alter_column("contact", existing_type=sa.String(length=40), nullable=True)
        batch_op.add_column(sa.Column("link", sa.Text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("name", sa.Text(), nullable=False, server_default=""))
