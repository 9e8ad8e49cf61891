"""What came in: documents, their canonical text, and the passages that are cited."""
