"""Questions about sessions: lists, their pages, previews, what is open."""
