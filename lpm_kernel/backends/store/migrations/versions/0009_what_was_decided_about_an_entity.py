"""What the person decided about who and what is named.

Revision: 0009, after 0008.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "entity_decision",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("verdict", sa.String(length=12), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity_decision")),
    )
    with op.batch_alter_table("entity_decision", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entity_decision_at_id"), ["at", "id"], unique=False)
    op.create_table(
        "entity_party",
        sa.Column("decision", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("form", sa.Text(), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["decision"],
            ["entity_decision.id"],
            name=op.f("fk_entity_party_decision"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_entity_party_document"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "decision", "number", "form", "document", name=op.f("pk_entity_party")
        ),
    )
    with op.batch_alter_table("entity_party", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_entity_party_document"), ["document"], unique=False)
