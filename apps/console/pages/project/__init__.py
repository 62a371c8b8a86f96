"""A project's pages: what needs attention, searched sessions, the audit log."""
