"""One session's page: its timeline, and beside it one version in full."""
