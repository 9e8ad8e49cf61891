"""Which model answers, and what leaves the machine for one elsewhere."""
