"""Admission control: the gate for costly requests, rate limits, budgets of work."""
