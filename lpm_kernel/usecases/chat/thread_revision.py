"""Threads whose words changed: what was told in them is made anew, and what was decided about the
words that still stand goes on.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

from lpm_kernel.domain.chat.threads import Thread
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.usecases.chat.threads import ThreadPorts, as_told_now, forget_document, keep
from lpm_kernel.usecases.library.succession import text_of


def read_anew(ports: ThreadPorts) -> int:
    """Make anew what is remembered of threads of which turns were changed; all others stay as they
    are. Returns how many there were.

    What is new is made first, so that whoever is killed in between begins again. The caller keeps
    others from reading documents.
    """
    ports = replace(ports, reading=nullcontext)
    known = ports.library.documents.threads()
    changed = 0
    for thread in ports.threads.many(sorted(known)).values():
        now = as_told_now(ports, thread, known[thread.id].sha256)
        if now is None:
            continue
        carry_over(ports, thread.id, now)
        ports.threads.redivide([thread.id], [now])
        forget_document(ports, thread.id)
        changed += 1
    return changed


def carry_over(ports: ThreadPorts, before: DocumentId, thread: Thread) -> None:
    """Make the document of a thread that takes the place of one, and have what was decided about
    words hold wherever they still stand.
    """
    library = ports.library
    was = library.documents.many([before])
    if not (was and thread.told and keep(ports, thread)):
        return
    made = library.documents.many([thread.id])
    text = text_of(library.files, made[0]) if made else None
    if text is not None:
        library.inherit(made[0], text, was)
