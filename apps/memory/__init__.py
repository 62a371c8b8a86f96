"""Memory: what agents believe, where it came from, and how to step it back."""
