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
