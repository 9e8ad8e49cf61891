"""From when until when a sentence is so, as the person said or settled; which memories were used
when, and which are pinned.

Revision: 0012, after 0011.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "validity",
        sa.Column("id", sa.String(length=80), nullable=False),
        sa.Column("ruling", sa.String(length=64), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("text_version", sa.String(length=40), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("valid_from", sa.String(length=32), nullable=True),
        sa.Column("valid_until", sa.String(length=32), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_validity_document"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", "ruling", name=op.f("pk_validity")),
    )
    with op.batch_alter_table("validity", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_validity_document"), ["document"], unique=False)
        batch_op.create_index(batch_op.f("ix_validity_ruling"), ["ruling"], unique=False)
    op.create_table(
        "memory_use",
        sa.Column("memory", sa.String(length=44), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_memory_use_document"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory", "day", name=op.f("pk_memory_use")),
    )
    with op.batch_alter_table("memory_use", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memory_use_document"), ["document"], unique=False)
    op.create_table(
        "memory_pin",
        sa.Column("memory", sa.String(length=44), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"], ["document.id"], name=op.f("fk_memory_pin_document"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory", name=op.f("pk_memory_pin")),
    )
    with op.batch_alter_table("memory_pin", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_memory_pin_document"), ["document"], unique=False)
