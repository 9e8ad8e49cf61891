"""What the node remembers of other nodes: contacts, invites, grants and what was spent of them,
offers, messages in and out, and what left.

Revision: 0013, after 0012.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the schema."""
    op.create_table(
        "contact",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("did", sa.String(length=80), nullable=False),
        sa.Column("peer", sa.String(length=80), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("card", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("met_at", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("words", sa.JSON(), nullable=False),
        sa.Column("next_card", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contact")),
        sa.UniqueConstraint("did", name=op.f("uq_contact_did")),
        sa.UniqueConstraint("peer", name=op.f("uq_contact_peer")),
    )
    op.create_table(
        "peer_sent",
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("contact", "day", "category", name=op.f("pk_peer_sent")),
    )
    op.create_table(
        "inbox",
        sa.Column("issuer", sa.String(length=80), nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=True),
        sa.Column("digest", sa.String(length=128), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("verb", sa.String(length=16), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("peer_grant", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("came_at", sa.String(length=32), nullable=False),
        sa.Column("decided_at", sa.String(length=32), nullable=True),
        sa.Column("answered_at", sa.String(length=32), nullable=True),
        sa.Column("answer", sa.JSON(), nullable=True),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("documents", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_inbox_contact"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "id", name=op.f("pk_inbox")),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_inbox_came_at_id"), ["came_at", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_contact"), ["contact"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_state"), ["state"], unique=False)

    op.create_table(
        "invite",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("made_at", sa.String(length=32), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_invite_contact"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("verb", sa.String(length=16), nullable=False),
        sa.Column("signed", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.String(length=32), nullable=False),
        sa.Column("next_try", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("receipt", sa.JSON(), nullable=True),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_outbox_contact"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_outbox_contact"), ["contact"], unique=False)
        batch_op.create_index(batch_op.f("ix_outbox_made_at_id"), ["made_at", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_outbox_state_next_try"), ["state", "next_try"], unique=False
        )

    op.create_table(
        "peer_grant",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
        sa.Column("given_at", sa.String(length=32), nullable=False),
        sa.Column("parent", sa.String(length=40), nullable=True),
        sa.Column("template", sa.String(length=40), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_peer_grant_contact"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["parent"], ["peer_grant.id"], name=op.f("fk_peer_grant_parent"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_peer_grant")),
    )
    with op.batch_alter_table("peer_grant", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_peer_grant_contact"), ["contact"], unique=False)
        batch_op.create_index(batch_op.f("ix_peer_grant_parent"), ["parent"], unique=False)

    op.create_table(
        "peer_offer",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("ours", sa.Boolean(), nullable=False),
        sa.Column("item", sa.String(length=40), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("media", sa.String(length=140), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("document", sa.String(length=40), nullable=False),
        sa.Column("withdrawn_at", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_peer_offer_contact"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", "contact", name=op.f("pk_peer_offer")),
    )
    with op.batch_alter_table("peer_offer", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_peer_offer_contact"), ["contact"], unique=False)

    op.create_table(
        "received_grant",
        sa.Column("issuer", sa.String(length=80), nullable=False),
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("received_at", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=False),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(
            ["contact"], ["contact.id"], name=op.f("fk_received_grant_contact"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "id", name=op.f("pk_received_grant")),
    )
    with op.batch_alter_table("received_grant", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_received_grant_contact"), ["contact"], unique=False)

    op.create_table(
        "peer_spending",
        sa.Column("peer_grant", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["peer_grant"],
            ["peer_grant.id"],
            name=op.f("fk_peer_spending_peer_grant"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("peer_grant", "day", name=op.f("pk_peer_spending")),
    )
