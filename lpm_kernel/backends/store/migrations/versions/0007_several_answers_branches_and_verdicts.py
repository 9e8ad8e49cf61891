"""Several answers to one question, branches, chats that are put away, verdicts, and what chats are
looked for by.

Revision: 0007, after 0006.
"""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    with op.batch_alter_table("conversation", schema=None) as batch_op:
        batch_op.add_column(sa.Column("branched_from", sa.String(length=40), nullable=True))
        batch_op.add_column(sa.Column("branched_at", sa.String(length=40), nullable=True))
        batch_op.add_column(sa.Column("deleted_at", sa.String(length=32), nullable=True))
        batch_op.create_index(
            batch_op.f("ix_conversation_branched_from"), ["branched_from"], unique=False
        )
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("shown", sa.Boolean(), nullable=False, server_default=sa.true())
        )
        batch_op.drop_constraint("uq_turn_answers", type_="unique")
        batch_op.drop_index(batch_op.f("ix_turn_conversation_position"))
    with op.batch_alter_table("turn", schema=None) as batch_op:
        batch_op.alter_column("shown", server_default=None)
        batch_op.create_index(
            batch_op.f("ix_turn_conversation_shown_position"),
            ["conversation", "shown", "position"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_turn_answers"), ["answers"], unique=False)
        batch_op.create_index(
            "ix_turn_one_shown",
            ["answers"],
            unique=True,
            sqlite_where=sa.text("shown"),
            postgresql_where=sa.text("shown"),
        )
    op.create_table(
        "verdict",
        sa.Column("turn", sa.String(length=40), nullable=False),
        sa.Column("judged", sa.String(length=12), nullable=False),
        sa.Column("better", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn"], ["turn.id"], name=op.f("fk_verdict_turn"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn", name=op.f("pk_verdict")),
    )
    said = op.create_table(
        "said",
        sa.Column("conversation", sa.String(length=40), nullable=False),
        sa.Column("turn", sa.String(length=40), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation"],
            ["conversation.id"],
            name=op.f("fk_said_conversation"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation", "turn", name=op.f("pk_said")),
    )
    bind = op.get_bind()
    titles = bind.execute(sa.text("SELECT id, '', title FROM conversation")).all()
    turns = bind.execute(sa.text("SELECT conversation, id, text FROM turn")).all()
    rows = [
        {
            "conversation": chat,
            "turn": turn,
            "words": unicodedata.normalize("NFKC", words).casefold(),
        }
        for chat, turn, words in (*titles, *turns)
    ]
    if rows:
        op.bulk_insert(said, rows)
