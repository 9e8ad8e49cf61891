"""Where the node meets other nodes: the only place that knows libp2p and trio.

Start with ``host``, which says who comes in and what they may ask, and ``deciding``, which says
what becomes of it. ``wire`` makes connections of sockets, ``delivery`` sends what waits in the
outbox, ``books`` is what a session of the protocol asks the node to keep; ``process`` is the
process in which all of it lives, and ``supervise`` keeps that running.
"""
