"""The tiers of memory: what was just said, threads that have ended, and what stays."""
