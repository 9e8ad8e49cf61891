"""What is asked and answered, and who answers."""
