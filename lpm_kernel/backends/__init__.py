"""Every contact with the outside, one folder per port, each with its twin. They know ``domain`` and
never each other.
"""
