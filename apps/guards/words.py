"""The words of budgets: of what, what is counted, what happens, and since when."""

from django.db import models


class Measure(models.TextChoices):
    """What a budget counts."""

    TOKENS = "tokens"  # of input and output; cached ones are among those of the input
    COST = "cost"  # in one currency
    CALLS = "calls"  # turns that told of a tool's call
    TURNS = "turns"
    MINUTES = "minutes"  # from the session's beginning to its last turn


class OnReach(models.TextChoices):
    """What happens when it is reached."""

    WARN = "warn"
    PAUSE = "pause"
    ASK = "ask"  # pause, and ask people for more


class Period(models.TextChoices):
    """Since when an agent's or a release's budget counts."""

    TOTAL = "total"  # since the hour in which it was made
    DAY = "day"  # of UTC
    MONTH = "month"  # of UTC
