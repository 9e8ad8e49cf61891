"""The peer host. Not built yet: nothing in the node speaks to another node so far."""
