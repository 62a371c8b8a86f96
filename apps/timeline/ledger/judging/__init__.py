"""Writes of agents with guards: shown while they are encoded, stored with verdicts."""
