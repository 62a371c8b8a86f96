"""The words of budgets and guards: what is counted or looked for, what happens then."""

from django.db import models


class Measure(models.TextChoices):
    """What a budget counts."""

    TOKENS = "tokens"  # of input and output; cached ones are among those of the input
    COST = "cost"  # in one currency
    CALLS = "calls"  # turns that told of a tool's call
    TURNS = "turns"
    MINUTES = "minutes"  # from a session's beginning to its last turn


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


class Kind(models.TextChoices):
    """What a guard looks for."""

    SCHEMA = "schema"  # the state does not pass a JSON Schema
    CHECK = "check"  # what should hold of the state does not
    LOOP = "loop"  # the last outputs are all the same
    CONTEXT_OVERFLOW = "context_overflow"  # more turns than a context holds
    NULL_SPREE = "null_spree"  # so many values turned null at once
    UNVERIFIED = "unverified"  # a field has a value and no `…_verified`
    FAILING_TOOLS = "failing_tools"  # too many of the last calls failed
    PERMISSION_DENIED = "permission_denied"
    LOW_CONFIDENCE = "low_confidence"
    CONFIRMATION = "confirmation"  # a code has expired, or was tried too often


class Mode(models.TextChoices):
    """What a guard does about a write that does not pass."""

    OBSERVE = "observe"  # keep the verdict
    FLAG = "flag"  # and tell of it
    REFUSE = "refuse"  # store nothing
    HOLD = "hold"  # pause the session in the same version
    STEP_BACK = "step_back"  # go back to the version before, at most 3 times an hour
    ASK = "ask"  # pause, and ask people whether it may go on


class Said(models.TextChoices):
    """What a verdict says; a write that passes has none."""

    FAILED = "failed"
    UNDECIDED = "undecided"


class Did(models.TextChoices):
    """What was done about a verdict."""

    NOTHING = "nothing"
    FLAGGED = "flagged"
    HELD = "held"
    STEPPED_BACK = "stepped_back"
    ASKED = "asked"
    REFUSED = "refused"  # nothing was stored


class TrialStatus(models.TextChoices):
    """How far a guard's trial is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
