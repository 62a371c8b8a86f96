"""What is asked with a check."""
