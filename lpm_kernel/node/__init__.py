"""The composition root: from settings to a node.

``Node.open(home)`` is also the library for scripts::

    from lpm_kernel.node import Node

    with Node.open() as node:
        node.library.add_text("The cello is of 1911.", title="Cello")
        node.run_jobs()
        for item in node.memory.recall("How old is the cello?").items:
            print(item.chunk.text)

A node has ``ports`` (home, settings, databases, files; frozen) and one object for each subject,
which builds what the use cases are given and hands on what is asked of it, each given those before
it that it uses: ``models``, ``library`` (documents), ``workspace`` (the folder of
Markdown), ``memory`` (recall and what was decided), ``findings`` (what was found), ``graph``
(entities and their map), ``reflection`` (pages, opinions, biography), ``training``, ``speaking``
and ``chat`` (who answers), ``home`` (erasing, backups, archives). ``whole`` puts them together.
``meeting`` (other people) and ``replying`` (what they are answered) are built when they are asked
for.
"""

from __future__ import annotations

from lpm_kernel.node.whole import FRONT_END, Node

__all__ = ["FRONT_END", "Node"]
