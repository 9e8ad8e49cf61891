"""Tables of ``node.db``: what cannot be remade. Changed only by a new migration in
``migrations/``.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.types import TypeDecorator


class Moment(TypeDecorator[datetime]):
    """A point in time, kept as ISO 8601 in UTC with microseconds: readable, and sorts as text on
    every database.
    """

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002  SQLAlchemy's signature
        """Write it."""
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """Read it, in the zone of this machine."""
        return None if value is None else datetime.fromisoformat(value).astimezone()


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

_HANDED_IN = "origin = '' AND NOT corrects AND superseded_by IS NULL AND version = 1 AND NOT apart"
_CURRENT = "origin <> '' AND superseded_by IS NULL"

document = Table(
    "document",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("title", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("added_at", Moment, nullable=False),
    Column("created_at", Moment),
    Column("tags", JSON, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("error", JSON),
    Column("text_version", String(32)),
    Column("keywords", JSON, nullable=False),
    Column("summary", JSON, nullable=False),
    Column("parent", String(40)),
    Column("folder", Text, nullable=False, server_default=""),
    Column("deleted_at", Moment),
    Column("origin", Text, nullable=False, server_default=""),
    Column("superseded_by", String(40)),
    Column("corrects", Boolean, nullable=False, server_default=false()),
    Column("sealed_by_archive", Boolean, nullable=False, server_default=false()),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("path", Text, nullable=False, server_default=""),
    Column("apart", Boolean, nullable=False, server_default=false()),
    Index(None, "added_at", "id"),
    Index(None, "superseded_by"),
    Index(None, "sha256"),
    Index(None, "corrects"),
    Index(None, "parent"),
    Index(None, "path"),
    Index(None, "name"),
    Index(
        "ix_document_one_of_these_bytes",
        "sha256",
        unique=True,
        sqlite_where=text(_HANDED_IN),
        postgresql_where=text(_HANDED_IN),
    ),
    Index(
        "ix_document_one_of_this_file",
        "origin",
        unique=True,
        sqlite_where=text(_CURRENT),
        postgresql_where=text(_CURRENT),
    ),
)
"""What was handed in is known by its bytes, and once it has versions by what it was before; a file
of the workspace by its path, with what it said before; a correction by its decision.
"""

decision = Table(
    "decision",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("quote", Text, nullable=False),
    Column("text_version", String(32), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("verdict", String(12), nullable=False),
    Column("at", Moment, nullable=False),
    Column("correction", String(40), ForeignKey("document.id", ondelete="CASCADE")),
    Index(None, "document"),
    Index(None, "correction"),
    Index(None, "at", "id"),
)

memory_version = Table(
    "memory_version",
    metadata,
    Column("memory", String(44), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("content", Text, nullable=False),
    Column("about", JSON, nullable=False),
    Column("confidence", Float),
    Column("believed_from", Moment, nullable=False),
    Column("believed_until", Moment),
    Index(None, "document"),
    Index(None, "believed_from", "memory"),
    Index(
        "ix_memory_version_one_now",
        "memory",
        unique=True,
        sqlite_where=text("believed_until IS NULL"),
        postgresql_where=text("believed_until IS NULL"),
    ),
)
"""Every wording of every statement that the person wrote or kept; the one without an end is what is
believed.
"""

entity_decision = Table(
    "entity_decision",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("verdict", String(12), nullable=False),
    Column("at", Moment, nullable=False),
    Column("name", Text),
    Column("kind", String(12)),
    Column("hidden", Boolean),
    Index(None, "at", "id"),
)
"""What the person decided about an entity."""

entity_party = Table(
    "entity_party",
    metadata,
    Column(
        "decision",
        String(40),
        ForeignKey("entity_decision.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("form", Text, primary_key=True),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), primary_key=True),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Index(None, "document"),
)
"""The entities of a decision, by their spellings and the documents in which these stand; number -1
holds the documents that a split takes along. What is erased takes its rows with it, and a decision
that is left without them goes.
"""

reflection = Table(
    "reflection",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("at", Moment, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("undone_at", Moment),
    Index(None, "at", "id"),
)
"""Each time the node went over what was new."""

reflection_page = Table(
    "reflection_page",
    metadata,
    Column(
        "reflection", String(40), ForeignKey("reflection.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("path", Text, primary_key=True),
    Column("before", String(64)),
    Column("after", String(64)),
)
"""What it wrote: the hash of the file before, and after; none where there was or is no file."""

written_line = Table(
    "written_line",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("path", Text, nullable=False),
    Column("key", String(64), nullable=False),
    Column("mark", String(12), nullable=False),
    Column("section", String(12), nullable=False),
    Column("content", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("struck_at", Moment),
    UniqueConstraint("path", "key"),
)
"""The sentences that the node put on pages, and those that the person took from them: they do not
come back.
"""

written_evidence = Table(
    "written_evidence",
    metadata,
    Column("line", Integer, ForeignKey("written_line.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("text_version", String(40), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Index(None, "document"),
)
"""What a sentence rests on. What is erased takes its rows with it, and a sentence that is left
without any goes.
"""

proposal_decision = Table(
    "proposal_decision",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("what", String(16), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("at", Moment, nullable=False),
    Index(None, "what"),
)
"""What the person said of something that the node put to them: known by a hash of the words that it
was about, which stand elsewhere.
"""

validity = Table(
    "validity",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("ruling", String(64), primary_key=True),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("quote", Text, nullable=False),
    Column("text_version", String(40), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("valid_from", Moment),
    Column("valid_until", Moment),
    Column("at", Moment, nullable=False),
    Index(None, "document"),
    Index(None, "ruling"),
)
"""From when until when a sentence is so: said by the person (no ruling), or settled with one."""

memory_use = Table(
    "memory_use",
    metadata,
    Column("memory", String(44), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Index(None, "document"),
)
"""The days on which a memory was used: at most one row a day, with the document in which its line
stood then.
"""

memory_pin = Table(
    "memory_pin",
    metadata,
    Column("memory", String(44), primary_key=True),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE"), nullable=False),
    Column("at", Moment, nullable=False),
    Index(None, "document"),
)
"""The memories that never fade."""

job = Table(
    "job",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("lane", String(20), nullable=False),
    Column("state", String(20), nullable=False),
    Column("progress", Float, nullable=False),
    Column("step", String(40), nullable=False),
    Column("message", Text, nullable=False),
    Column("document", String(40), ForeignKey("document.id", ondelete="CASCADE")),
    Column("error", JSON),
    Column("created_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("attempts", Integer, nullable=False),
    Column("worker", String(80)),
    Column("lease_until", Moment),
    Column("request", JSON),
    Column("result", JSON),
    Index(None, "state", "lane", "created_at"),
    Index(None, "document", "created_at"),
    Index(
        "ix_job_one_active",
        "kind",
        "document",
        unique=True,
        sqlite_where=text("state IN ('queued', 'running')"),
        postgresql_where=text("state IN ('queued', 'running')"),
    ),
)

conversation = Table(
    "conversation",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("title", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("branched_from", String(40)),
    Column("branched_at", String(40)),
    Column("deleted_at", Moment),
    Column("roles", JSON, nullable=False, server_default="[]"),
    Column("settled_at", Moment),
    Column("keeping", String(8), nullable=False, server_default="full"),
    Column("kept_so_since", Moment),
    Index(None, "updated_at", "id"),
    Index(None, "branched_from"),
    Index(None, "keeping"),
)
"""Until ``settled_at`` every thread of what was said has ended."""

role = Table(
    "role",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("seal", String(8), nullable=False),
    Column("speech", JSON, nullable=False),
    Column("sees", JSON, nullable=False),
    Column("origin", String(12), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("deleted_at", Moment),
)

turn = Table(
    "turn",
    metadata,
    Column("id", String(40), primary_key=True),
    Column(
        "conversation",
        String(40),
        ForeignKey("conversation.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("position", Integer, nullable=False),
    Column("role", String(12), nullable=False),
    Column("text", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("parts", JSON, nullable=False),
    Column("citations", JSON, nullable=False),
    Column("evidence", JSON, nullable=False),
    Column("model", Text),
    Column("prompt_hash", String(64)),
    Column("abstained", Boolean, nullable=False),
    Column("problem", JSON),
    Column("answers", String(40)),
    Column("shown", Boolean, nullable=False),
    Column("given", JSON),
    Column("speaker", String(40), nullable=False, server_default=""),
    Column("by_owner", Boolean),
    Index(None, "conversation", "shown", "position"),
    Index(
        "ix_turn_one_shown",
        "answers",
        unique=True,
        sqlite_where=text("shown"),
        postgresql_where=text("shown"),
    ),
    Index(None, "answers"),
)
"""Answers to one turn stand at one position, oldest first; one of them is shown."""

verdict = Table(
    "verdict",
    metadata,
    Column("turn", String(40), ForeignKey("turn.id", ondelete="CASCADE"), primary_key=True),
    Column("judged", String(12), nullable=False),
    Column("better", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

thread = Table(
    "thread",
    metadata,
    Column("id", String(40), primary_key=True),
    Column(
        "conversation",
        String(40),
        ForeignKey("conversation.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("first", String(40), nullable=False),
    Column("last", String(40), nullable=False),
    Column("number", Integer, nullable=False),
    Column("last_number", Integer, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("ended_at", Moment, nullable=False),
    Column("reason", String(12), nullable=False),
    Column("keywords", JSON, nullable=False),
    Column("spoken", JSON, nullable=False),
    Column("told", Boolean, nullable=False),
    Column("tier", String(12), nullable=False, server_default="session"),
    Column("moved_at", Moment),
    Column("salience", JSON(none_as_null=True)),
    Column("consolidated", Boolean, nullable=False, server_default=false()),
    Column("wanted", Boolean),
    Column("summary", JSON, nullable=False, server_default="[]"),
    Column("reduced", Boolean, nullable=False, server_default=false()),
    Index(None, "conversation", "first", unique=True),
    Index(None, "started_at"),
    Index(None, "tier", "ended_at"),
)

profile_edit = Table(
    "profile_edit",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("line", String(40), nullable=False),
    Column("at", Moment, nullable=False),
    Column("hidden", Boolean),
    Column("pinned", Boolean),
    Column("name", Text),
    Column("into", String(40)),
    Index(None, "at", "id"),
)
"""What the person changed in their profile. A line is known by a hash of what it counts."""

profile_edit_turn = Table(
    "profile_edit_turn",
    metadata,
    Column("edit", String(40), ForeignKey("profile_edit.id", ondelete="CASCADE"), primary_key=True),
    Column("turn", String(40), ForeignKey("turn.id", ondelete="CASCADE"), primary_key=True),
    Index(None, "turn"),
)
"""The turns that a line counted when it was changed. What is erased takes its rows with it, and a
change that is left without any goes.
"""

profile_in_mind = Table(
    "profile_in_mind",
    metadata,
    Column("answer", String(40), ForeignKey("turn.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("line", String(40), nullable=False),
    Column("said", String(40), ForeignKey("turn.id", ondelete="CASCADE"), nullable=False),
    Index(None, "said"),
)
"""The lines of the profile that an answer was given with, each with a turn that it counted, with
which it goes: so none outlives what it was counted from.
"""

conversation_search = Table(
    "conversation_search",
    metadata,
    Column(
        "conversation",
        String(40),
        ForeignKey("conversation.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("turn", String(40), primary_key=True),
    Column("words", Text, nullable=False),
)
"""What is looked through when a chat is looked for: titles (under no turn) and what is shown of
each turn, folded. Made from the two tables above.
"""

identity = Table(
    "identity",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("introduction", Text, nullable=False),
    Column("style", Text, nullable=False),
    Column("languages", JSON, nullable=False),
    Column("values", Text, nullable=False, server_default=""),
    Column("length", String(20), nullable=False, server_default="normal"),
    Column("manner", String(20), nullable=False, server_default="usual"),
)

login_code = Table(
    "login_code",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("expires_at", Moment, nullable=False),
)

web_session = Table(
    "web_session",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("created_at", Moment, nullable=False),
    Column("last_used_at", Moment),
    Column("program", Text, nullable=False, server_default=""),
)

api_key = Table(
    "api_key",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("hash", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("last_used_at", Moment),
)

egress = Table(
    "egress",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Moment, nullable=False),
    Column("host", Text, nullable=False),
    Column("bytes", Integer, nullable=False),
    Column("why", String(40), nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", String(32), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("facts", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
"""Rows are only ever added; in SQLite, triggers refuse to change or delete one. Time and facts
stand as they were hashed.
"""

training_run = Table(
    "training_run",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("state", String(20), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("base", Text, nullable=False),
    Column("synthesiser", String(60), nullable=False),
    Column("audience", String(20), nullable=False),
    Column("parent", String(40)),
    Column("settings", JSON, nullable=False),
    Column("rows", JSON, nullable=False),
    Column("left_out", JSON, nullable=False),
    Column("hashes", JSON, nullable=False),
    Column("estimate", JSON),
    Column("outcome", JSON),
    Column("scorecard", JSON),
    Column("error", JSON),
)
"""A training in figures; what it learned in words stands in its folder, which goes when something
of it is erased.
"""

training_source = Table(
    "training_source",
    metadata,
    Column("run", String(40), ForeignKey("training_run.id", ondelete="CASCADE"), primary_key=True),
    Column("memory", String(40), primary_key=True),
    Column("document", String(40), primary_key=True, server_default=""),
    Column("sha256", String(64), primary_key=True, server_default=""),
    Index(None, "memory"),
    Index(None, "document"),
)
"""The hash is that of the document's text as it was learned; nothing where it is not known, or was
forgotten with the document.
"""

training_use = Table(
    "training_use",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("run", String(40)),
    Column("since", Moment, nullable=False),
    Column("insisted", Boolean, nullable=False),
)

erasure = Table(
    "erasure",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("state", String(20), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("documents", JSON, nullable=False),
    Column("conversations", JSON, nullable=False),
    Column("job", String(40)),
    Column("turns", JSON, nullable=False, server_default="[]"),
)

tombstone = Table(
    "tombstone",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("at", Moment, nullable=False),
)
"""Ids of what was erased, so that a backup does not bring it back."""

removal = Table(
    "removal",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("at", Moment, nullable=False),
)
"""Hashes of originals that are to go because the person asked for it; the row goes once the files
are gone.
"""

removed_document = Table(
    "removed_document",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("at", Moment, nullable=False),
)
"""Ids of documents that are gone for good because the person deleted them, so that a backup does
not count them as lost.
"""
