"""Documents, their passages, and the embedders that make them findable."""
