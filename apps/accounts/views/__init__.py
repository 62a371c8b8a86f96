"""The pages of one's own account: signing in and out, and choosing a password."""
