"""Pages of incidents, and the acts on them."""
