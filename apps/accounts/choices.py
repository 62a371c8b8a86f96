"""Roles of people, scopes of keys, purposes of links: what columns may hold."""

from django.db import models


class Role(models.TextChoices):
    """What a person may do in a project; each includes the one before it."""

    VIEWER = "viewer"  # reads
    OPERATOR = "operator"  # rolls back, forks, pauses, labels, notes
    ADMIN = "admin"  # manages keys, members and settings


class Scope(models.TextChoices):
    """What a key may do in its project; each includes the one before it."""

    # Reads what the project's masks leave, where an address can mask what it answers.
    MASKED = "masked"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class KeyMark(models.TextChoices):
    """What a key's secret begins with: a label, by which its client is recognised."""

    STATEBASE = "sb_", "sb_, as StateBase's keys"
    ANCHOR = "anc_", "anc_, as Anchor's keys"


class Purpose(models.TextChoices):
    """What a link is for."""

    SIGN_IN = "sign_in"
    PASSWORD_RESET = "password_reset"  # noqa: S105  somebody chooses another one
