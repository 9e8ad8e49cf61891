"""What the node holds to be so, and what the person decides about it."""
