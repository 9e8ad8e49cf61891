"""Where the node meets other nodes. Start with ``books``: what a session of the protocol asks the node to keep.

No part of it opens a connection yet: the host comes with libp2p.
"""
