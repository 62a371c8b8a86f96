"""The words of erasures."""

from django.db import models


class Kind(models.TextChoices):
    """Whose data goes."""

    USER = "user"
    SESSION = "session"


class State(models.TextChoices):
    """How far an erasure is."""

    RUNNING = "running"
    DONE = "done"


class Waits(models.TextChoices):
    """What keeps an erasure from going on; each sweep looks again."""

    LEGAL_HOLD = "legal_hold"  # one that was set since it began
    DAMAGED = "damaged_history"  # a chain or a body does not hold: it is evidence
    FILES = "files"  # a write that may be about to name them is not over, for a minute
