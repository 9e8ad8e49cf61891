"""The composition root: from settings to a node. It builds everything and decides nothing.

``Node.open(home)`` is also the library for scripts::

    from lpm_kernel.node import Node

    with Node.open() as node:
        node.add_text("The cello is of 1911.", title="Cello")
        node.run_jobs()
        for item in node.recall("How old is the cello?").items:
            print(item.chunk.text)

A node is built in floors, a file and a class for each subject, each using those before it:
``opened`` (home, settings, databases), ``serving`` (models), ``library`` (documents), ``writing``
(the workspace), ``answering`` (recall and what was decided), ``proposing`` (what was found),
``naming`` (entities and their map), ``keeping`` (erasing, backups, archives), and ``whole``, where
it becomes a ``Node`` with work to do. ``meeting`` (other people) and ``replying`` (what they are
answered) stand beside them and are built when they are asked for.
"""

from __future__ import annotations

from lpm_kernel.node.whole import FRONT_END, Node

__all__ = ["FRONT_END", "Node"]
