"""A correction is known by the decision that it was made for, not by its bytes.

Revision: 0018, after 0017.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    made = (
        "UPDATE document SET corrects = true WHERE origin = '' AND folder = '' AND parent IS NULL"
        " AND name LIKE 'correction-____-__-__.md' AND id IN (SELECT correction FROM decision)"
    )
    given = sa.text("origin = '' AND NOT corrects")
    with op.batch_alter_table("document", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("corrects", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch_op.create_index(batch_op.f("ix_document_corrects"), ["corrects"], unique=False)
        batch_op.drop_index("ix_document_one_of_these_bytes")
        batch_op.create_index(
            "ix_document_one_of_these_bytes",
            ["sha256"],
            unique=True,
            sqlite_where=given,
            postgresql_where=given,
        )
    op.execute(sa.text(made))
