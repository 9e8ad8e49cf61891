"""Words: what full text search compares, and what words mean in three languages."""
