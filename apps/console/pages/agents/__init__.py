"""Pages of agents: what a mapping of their states gives."""
