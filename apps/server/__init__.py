"""Starting and serving an installation: up, backups, roles, the front of requests."""
