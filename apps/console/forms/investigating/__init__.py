"""What is looked into in a session."""
