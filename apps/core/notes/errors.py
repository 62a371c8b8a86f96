"""What can be wrong with notes and keys, as sentences."""


class NoteError(Exception):
    """A note is missing, altered, or not signed by a known key."""


class NotesUnreadable(Exception):
    """Notes or their index cannot be read at this moment, which proves nothing."""


class KeyRefused(Exception):
    """What was given as a key is none; the message never quotes it."""


class NumberTaken(Exception):
    """A note with this number is there already: somebody else signs."""
