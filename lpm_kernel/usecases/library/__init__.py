"""What a person has: taken in, read, looked through, changed."""
