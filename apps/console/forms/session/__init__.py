"""What people say on a session's pages: what they look at, and what they do."""
