"""Bundles: a session with its effects, masked, to be replayed without a server."""
