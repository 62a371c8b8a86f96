"""Pages of what administrators set up."""
