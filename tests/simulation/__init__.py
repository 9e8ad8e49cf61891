"""A week of many nodes on one machine: the protocol itself, its time and its network simulated.

Each node speaks through ``protocol.session`` and ``protocol.answering``, with real keys, signatures
and envelopes. What is made up is the time, a network that loses and delays and falls apart, what
people do, and some who lie. ``Watch`` knows the truth about everything and looks at every step.
"""
