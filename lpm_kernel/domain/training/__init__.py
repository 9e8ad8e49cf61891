"""What is taught, and what came of it."""
