"""Agents' data: what an agent keeps under keys, and the policies it is held to."""
