"""Tools for what agents know: their data, and what they remember."""
