"""The words in which experiments are told of, and their bounds."""

from django.db import models

FEWEST_VARIANTS = 2
MOST_VARIANTS = 6
MOST_CHECKS = 10
LONGEST_NAME = 200


class Status(models.TextChoices):
    """How an experiment stands."""

    OPEN = "open"
    CLOSED = "closed"
