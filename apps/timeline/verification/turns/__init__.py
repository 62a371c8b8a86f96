"""Verify the turns of a session, after its versions."""
