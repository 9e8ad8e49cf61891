"""What ``node.db`` keeps of other people: who they are, what they may ask, what came in and what
goes out.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from lpm_kernel.backends.store.node.tables import Moment, metadata

contact = Table(
    "contact",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("did", String(80), nullable=False, unique=True),
    Column("peer", String(80), nullable=False, unique=True),
    Column("seq", BigInteger, nullable=False),
    Column("card", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("met_at", Moment, nullable=False),
    Column("name", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("words", JSON, nullable=False),
    Column("next_card", Text, nullable=False),
    Column("verified_at", Moment),
)

invite = Table(
    "invite",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("link", Text, nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("note", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="SET NULL")),
)

peer_grant = Table(
    "peer_grant",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE"), nullable=False),
    Column("text", Text, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("given_at", Moment, nullable=False),
    Column("parent", String(40), ForeignKey("peer_grant.id", ondelete="CASCADE")),
    Column("template", String(40), nullable=False),
    Column("words", Text, nullable=False),
    Column("revoked_at", Moment),
    Index(None, "contact"),
    Index(None, "parent"),
)
"""Grants that are checked here. The limits of a day stand beside the signed text, so that one
statement can spend.
"""

peer_grant_secret = Table(
    "peer_grant_secret",
    metadata,
    Column(
        "peer_grant", String(40), ForeignKey("peer_grant.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("row", String(64), primary_key=True),
    Column("allowed", Boolean, nullable=False),
    Column("decided_at", Moment, nullable=False),
)
"""What the person said of rows that look like a secret. What is not named here waits for a word,
and stays inside.
"""

peer_spending = Table(
    "peer_spending",
    metadata,
    Column(
        "peer_grant", String(40), ForeignKey("peer_grant.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("day", Integer, primary_key=True),
    Column("calls", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
)

received_grant = Table(
    "received_grant",
    metadata,
    Column("issuer", String(80), primary_key=True),
    Column("id", String(40), primary_key=True),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE"), nullable=False),
    Column("text", Text, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("owner", String(80), nullable=False),
    Column("ended_at", Moment),
    Index(None, "contact"),
)

peer_offer = Table(
    "peer_offer",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE"), primary_key=True),
    Column("ours", Boolean, nullable=False),
    Column("item", String(40), nullable=False),
    Column("title", Text, nullable=False),
    Column("media", String(140), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("document", String(40), nullable=False),
    Column("withdrawn_at", Moment),
    Column("state", String(12), nullable=False, server_default="offered"),
    Column("fetched", BigInteger, nullable=False, server_default="0"),
    Column("came_at", Moment),
    Column("peer_grant", String(40), nullable=False, server_default=""),
    Column("kept", String(40), nullable=False, server_default=""),
    Column("code", String(32), nullable=False, server_default=""),
    Index(None, "contact"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("issuer", String(80), primary_key=True),
    Column("id", String(40), primary_key=True),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE")),
    Column("digest", String(128), nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("verb", String(16), nullable=False),
    Column("json", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("peer_grant", String(40), nullable=False),
    Column("state", String(12), nullable=False),
    Column("came_at", Moment, nullable=False),
    Column("decided_at", Moment),
    Column("answered_at", Moment),
    Column("answer", JSON(none_as_null=True)),
    Column("draft", JSON(none_as_null=True)),
    Column("code", String(32), nullable=False),
    Column("documents", JSON, nullable=False),
    Index(None, "came_at", "id"),
    Index(None, "contact"),
    Index(None, "state"),
)
"""What came from other nodes. It is the replay table too: until ``until`` the same id with other
bytes is refused.
"""

outbox = Table(
    "outbox",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE")),
    Column("verb", String(16), nullable=False),
    Column("signed", LargeBinary, nullable=False),
    Column("made_at", Moment, nullable=False),
    Column("next_try", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("receipt", JSON(none_as_null=True)),
    Column("code", String(32), nullable=False),
    Column("link", Text, nullable=False, server_default=""),
    Column("name", Text, nullable=False, server_default=""),
    Column("kept", String(40), nullable=False, server_default=""),
    Index(None, "state", "next_try"),
    Index(None, "made_at", "id"),
    Index(None, "contact"),
)
"""What goes to other nodes. A hello has the link of its invite, a secret, until it is settled, and
no contact before that.
"""

peer_address = Table(
    "peer_address",
    metadata,
    Column("contact", String(40), ForeignKey("contact.id", ondelete="CASCADE"), primary_key=True),
    Column("address", String(128), primary_key=True),
    Column("place", Integer, nullable=False),
)
"""Where a contact's node said that it listens, the likeliest first."""

peer_sent = Table(
    "peer_sent",
    metadata,
    Column("contact", String(40), primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("category", String(16), primary_key=True),
    Column("bytes", BigInteger, nullable=False),
)
"""What left for contacts. Stays when one is deleted, under no name: what left, left."""

discussion = Table(
    "discussion",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("opened_at", Moment, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("state", String(12), nullable=False),
    Column("seats", JSON, nullable=False),
    Column("template", String(40), nullable=False),
    Column("tags", JSON, nullable=False),
    Column("host", String(40), nullable=False, server_default=""),
    Index(None, "opened_at", "id"),
    Index(None, "state", "changed_at"),
)

discussion_entry = Table(
    "discussion_entry",
    metadata,
    Column(
        "discussion", String(40), ForeignKey("discussion.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("n", Integer, primary_key=True),
    Column("entry", Text, nullable=False),
    Column("words", Text),
    Column("at", Moment, nullable=False),
    Column("documents", JSON, nullable=False),
    Column("basis", JSON, nullable=False),
    Column("kept", String(40)),
)
"""What was said at tables. An entry stays as it was signed; its words can go."""

discussion_contact = Table(
    "discussion_contact",
    metadata,
    Column(
        "discussion", String(40), ForeignKey("discussion.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("contact", String(40), primary_key=True),
    Column("members", JSON, nullable=False),
    Column("state", String(12), nullable=False),
    Column("peer_grant", Text, nullable=False),
    Column("revoked_at", Moment),
    Column("turns", Integer, nullable=False),
    Column("have", Integer, nullable=False),
    Column("asked", JSON),
    Column("own", JSON, nullable=False),
    Column("hands", JSON, nullable=False),
)
"""Contacts at tables of this node, and this person at those of contacts."""
