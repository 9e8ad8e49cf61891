"""The doors to what cannot be remade, a module for each: documents, jobs, conversations, access and
the files themselves.

One contract suite per port runs over every backend (SQLite now; PostgreSQL by the same code).
"""

from __future__ import annotations

from lpm_kernel.domain.stores.access import Access, ApiKey, Browser
from lpm_kernel.domain.stores.audit import Audit, Departed, Departures
from lpm_kernel.domain.stores.backups import Backups, BackupSource, Contents
from lpm_kernel.domain.stores.conversations import Conversations
from lpm_kernel.domain.stores.decisions import Decisions
from lpm_kernel.domain.stores.discussions import Discussions
from lpm_kernel.domain.stores.documents import Documents
from lpm_kernel.domain.stores.entities import EntityDecisions
from lpm_kernel.domain.stores.erasures import Erasures
from lpm_kernel.domain.stores.files import Files
from lpm_kernel.domain.stores.jobs import Jobs
from lpm_kernel.domain.stores.network import Contacts, Permissions, Post
from lpm_kernel.domain.stores.reader import Reader
from lpm_kernel.domain.stores.roles import Roles
from lpm_kernel.domain.stores.runs import Runs

__all__ = [
    "Access",
    "ApiKey",
    "Audit",
    "BackupSource",
    "Backups",
    "Browser",
    "Contacts",
    "Contents",
    "Conversations",
    "Decisions",
    "Departed",
    "Departures",
    "Discussions",
    "Documents",
    "EntityDecisions",
    "Erasures",
    "Files",
    "Jobs",
    "Permissions",
    "Post",
    "Reader",
    "Roles",
    "Runs",
]
