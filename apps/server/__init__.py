"""Starting and serving an installation: up, backups, roles, and the front of requests."""
