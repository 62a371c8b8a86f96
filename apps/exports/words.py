"""The words of exports."""

from django.db import models


class Kind(models.TextChoices):
    """What an export has."""

    TRAJECTORIES = "trajectories"  # what sessions said, a line each
    AUDIT = "audit"  # records of an agent, or of all
    SESSION = "session"  # one session, whole
    PERSON = "person"  # all that is kept of somebody


class State(models.TextChoices):
    """How far an export is."""

    MAKING = "making"
    READY = "ready"
    FAILED = "failed"
    ERASED = "erased"  # somebody was erased who may be in it
    EXPIRED = "expired"


class Waits(models.TextChoices):
    """What an export waits for that is not over."""

    STORE = "store"  # the store of files, which does not answer
    KEYS = "keys"  # those that the project is encrypted with


class AuditFormat(models.TextChoices):
    """How records are written."""

    JSON = "json"
    CSV = "csv"
