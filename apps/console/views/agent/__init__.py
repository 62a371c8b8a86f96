"""An agent's pages: what it knows, what it may do, and what was done."""
