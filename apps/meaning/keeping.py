"""What meaning keeps of a history: vectors, which say what texts are about."""

from apps.timeline.hooks.keeping import SESSIONS, Leavings

_OF_STREAM = "h.stream_id = %(session)s"
SESSIONS["meaning"] = (
    Leavings(what="vectors", table="meaning_vector", where=_OF_STREAM),
    Leavings(what="vectors", table="meaning_stream", where=_OF_STREAM),
    Leavings(what="vectors", table="meaning_pastvector", number="number"),
    Leavings(what="vectors", table="meaning_paststream"),
)
