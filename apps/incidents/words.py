"""The words in which incidents are told of, and how long what people write may be."""

from django.db import models

# Sessions of one incident.
MOST = 50_000
LONGEST_TITLE = 200
LONGEST_NOTE = 10_000


class Status(models.TextChoices):
    """How an incident stands."""

    OPEN = "open"
    WATCHING = "watching"  # put right, as far as is known: it is looked whether it is
    RESOLVED = "resolved"


class Deed(models.TextChoices):
    """What was done with an incident: one entry of its history."""

    OPENED = "opened"  # with the sessions that were collected
    TITLED = "titled"
    STATUS = "status"
    OWNER = "owner"
    CHECK = "check"
    REMOVED = "removed"  # a session that does not belong to it
    ADDED = "added"  # sessions, by hand or by the check of one that was resolved
    NOTED = "noted"


class Verdict(models.TextChoices):
    """What the incident's check says of one session."""

    BAD = "bad"  # some version does not pass
    GOOD = "good"  # every version passes
    UNKNOWN = "unknown"  # none was found; versions are gone, or too many
