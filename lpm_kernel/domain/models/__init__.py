"""What is taken from a model elsewhere."""
