"""Routes of searches by meaning."""
