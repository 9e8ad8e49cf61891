"""What the person decided about a sentence of a document.

Revision: 0004, after 0003.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "decision",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("text_version", sa.String(length=32), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=12), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("correction", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_decision_document"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["correction"], ["document.id"], name=op.f("fk_decision_correction"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    op.create_index(op.f("ix_decision_document"), "decision", ["document"])
    op.create_index(op.f("ix_decision_correction"), "decision", ["correction"])
    op.create_index(op.f("ix_decision_at_id"), "decision", ["at", "id"])
