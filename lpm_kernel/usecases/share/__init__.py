"""What a person lets others see, and with which keys: the only use cases that speak the protocol.

Start with ``view``, which says what a grant covers; ``grants`` gives and revokes, ``people`` meets,
blocks and deletes, ``keys`` keeps the private keys in the home.
"""
