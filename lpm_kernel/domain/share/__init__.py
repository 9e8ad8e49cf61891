"""What the node remembers of other nodes."""
