"""Views of a project: home, what is open, sessions, agents, audit log, metrics."""
