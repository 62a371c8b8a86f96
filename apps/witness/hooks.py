"""What apps above sign once: they enter themselves here when they start."""

from collections.abc import Callable, Iterable
from datetime import datetime

from apps.core.notes.roots import Head

# What was made since a moment (None: ever), as leaves; again what was signed already
# does no harm.
Made = Callable[[datetime | None], Iterable[Head]]
SIGNED_ONCE: dict[str, Made] = {}
