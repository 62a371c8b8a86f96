"""What can go wrong with keys."""

from apps.core.errors import Busy


class KeysUnavailable(Busy):
    """The keys that this is encrypted with cannot be had now: retry shortly."""

    code = "keys_unavailable"


class KeysRefused(Exception):
    """What STEPBACK_KEYS names cannot be used; the message says why."""
