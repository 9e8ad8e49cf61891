"""What is held to be so, where it stands, and what the person decided about it."""
