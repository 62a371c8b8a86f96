"""Approvals: what waits for a person, one of them, and the rules of an agent."""
