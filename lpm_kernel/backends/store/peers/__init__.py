"""Other people in ``node.db``: who they are, what they may ask, what was exchanged."""
