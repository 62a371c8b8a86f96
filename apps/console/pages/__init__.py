"""What each page shows, as plain values that a template places: a room a subject."""
