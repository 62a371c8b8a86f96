"""An agent's keyed document: its keys, its values, its config and what that allows."""
