"""A folder that a passphrase locks: while it is locked, all that stood in it lies in one sealed
file.

``lockfile`` is what the passphrase opens, ``pack`` how files are sealed and brought back, and
``vault`` the order of the steps, such that a process killed between any two of them has lost
nothing. Start with ``vault``.
"""
