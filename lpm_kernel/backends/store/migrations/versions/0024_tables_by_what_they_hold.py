"""Tables are called by what they hold.

Revision: 0024, after 0023.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

NAMES = {
    "belief": "memory_version",
    "departure": "egress",
    "ruling": "proposal_decision",
    "said": "conversation_search",
}


def upgrade() -> None:
    """Change the schema."""
    for index in ("ix_belief_document", "ix_belief_believed_from_memory", "ix_belief_one_now"):
        op.drop_index(index, table_name="belief")
    op.drop_index("ix_ruling_what", table_name="ruling")
    for before, now in NAMES.items():
        op.rename_table(before, now)
    current = sa.text("believed_until IS NULL")
    op.create_index("ix_memory_version_document", "memory_version", ["document"])
    op.create_index(
        "ix_memory_version_believed_from_memory", "memory_version", ["believed_from", "memory"]
    )
    op.create_index(
        "ix_memory_version_one_now",
        "memory_version",
        ["memory"],
        unique=True,
        sqlite_where=current,
        postgresql_where=current,
    )
    op.create_index("ix_proposal_decision_what", "proposal_decision", ["what"])
