"""The choices of this app, and the steps of a policy in their order."""

from __future__ import annotations

from django.db import models


class Step(models.TextChoices):
    """What becomes of what is old, from the least to the most that goes."""

    THIN = "thin"  # change rows and words: history and contents stay
    ARCHIVE = "archive"  # bodies move to the store of objects: nothing is lost
    EMPTY = "empty"  # contents: headers stay, and the chain recomputes
    PRUNE = "prune"  # headers too: a tombstone is left
    REMOVE = "remove"  # the whole session: a tombstone is left


class State(models.TextChoices):
    """How far a preview or a removal is."""

    PREVIEWING = "previewing"  # a preview: it is being counted
    READY = "ready"  # a preview: counted, a policy can be enabled with it
    RUNNING = "running"  # a removal: it goes on, or is taken up by the next sweep
    DONE = "done"  # a removal: over
    FAILED = "failed"  # given up; `error` says why


class HoldKind(models.TextChoices):
    """What a legal hold is about."""

    SESSION = "session"
    USER = "user"
    AGENT = "agent"
    PROJECT = "project"
