"""The lines of the profile that an answer was given with.

Revision: 0030, after 0029.
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "profile_in_mind",
        sa.Column("answer", sa.String(length=40), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("line", sa.String(length=40), nullable=False),
        sa.Column("said", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["answer"],
            ["turn.id"],
            name=op.f("fk_profile_in_mind_answer"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["said"],
            ["turn.id"],
            name=op.f("fk_profile_in_mind_said"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("answer", "place", name=op.f("pk_profile_in_mind")),
    )
    op.create_index(op.f("ix_profile_in_mind_said"), "profile_in_mind", ["said"], unique=False)
