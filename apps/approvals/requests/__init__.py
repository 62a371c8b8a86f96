"""What a request holds people and agents to: its schema, and what it is bound to."""
