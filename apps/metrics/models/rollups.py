"""Rollups: what closed hours added up to. Derived; `rebuild_rollups` makes them anew.

Small beside the ledger, and never a source of truth: an hour that is not in them, or
is in them no longer, is counted from the facts when somebody asks.
"""

from django.db import models

from apps.timeline.fields import id_field


class Sum(models.Model):
    """What can be added up: an agent's numbers in one hour."""

    pk = models.CompositePrimaryKey("project_id", "hour", "agent_id")
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    began = models.BigIntegerField()
    versions = models.BigIntegerField()
    turns = models.BigIntegerField()
    rollbacks = models.BigIntegerField()
    undos = models.BigIntegerField()
    repeats = models.BigIntegerField()
    forks = models.BigIntegerField()
    # Versions that rollbacks set aside, and seconds between going wrong and stepping
    # back: sums over `rollbacks`.
    aside = models.BigIntegerField()
    waited = models.FloatField()
    stored = models.BigIntegerField()
    # Of turns that said so: calls of tools, those that failed; how many told how long
    # they took, and how long in all.
    tool_calls = models.BigIntegerField(db_default=0)
    tool_errors = models.BigIntegerField(db_default=0)
    timed = models.BigIntegerField(db_default=0)
    latency_ms = models.BigIntegerField(db_default=0)
    latency_max = models.BigIntegerField(db_default=0)
    # By which functions the hour was added up: the first counted neither ends, nor
    # calls for a human, nor flags, nor the longest latency.
    counted_by = models.SmallIntegerField(db_default=1)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.hour}"


class Reach(models.Model):
    """How many sessions had something in an hour, by how long ago they last had it.

    `gap` is in hours, 0 where they never had it before. With it, the sessions of any
    stretch of hours are a sum that counts nobody twice.
    """

    pk = models.CompositePrimaryKey(
        "project_id", "hour", "agent_id", "measure", "value", "gap"
    )
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    measure = models.CharField(max_length=32, db_collation="C")
    value = models.CharField(max_length=200, db_collation="C")
    gap = models.IntegerField()
    sessions = models.BigIntegerField()
    acts = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.measure} {self.value} {self.hour}"


class Usage(models.Model):
    """What an agent's turns said they used in an hour, by release, model, currency.

    Empty where a turn told none. Turns that said nothing are in no row.
    """

    pk = models.CompositePrimaryKey(
        "project_id", "hour", "agent_id", "release", "model", "currency"
    )
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    release = models.CharField(max_length=200, db_collation="C")
    model = models.CharField(max_length=200, db_collation="C")
    currency = models.CharField(max_length=3, db_collation="C")
    turns = models.BigIntegerField()
    # Of those, how many had a cost, and of how many a price list filled it in.
    costed = models.BigIntegerField()
    filled_in = models.BigIntegerField()
    input_tokens = models.BigIntegerField()
    output_tokens = models.BigIntegerField()
    cached_tokens = models.BigIntegerField()
    cost = models.DecimalField(max_digits=40, decimal_places=12)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.model} {self.hour}"


class Worked(models.Model):
    """What an agent's turns were in an hour, by the release that they are laid to.

    `lasted_us` is how long their sessions took up to them, in microseconds.
    """

    pk = models.CompositePrimaryKey("project_id", "hour", "agent_id", "release")
    project_id = id_field()
    hour = models.DateTimeField()
    agent_id = models.CharField(max_length=32, db_collation="C")
    release = models.CharField(max_length=200, db_collation="C")
    turns = models.BigIntegerField()
    tool_calls = models.BigIntegerField()
    lasted_us = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.agent_id} {self.release} {self.hour}"


class Revision(models.Model):
    """How often an hour of a project was rolled up: what is remembered goes by it."""

    project_id = id_field(primary_key=True)
    number = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.number}"


class Due(models.Model):
    """An hour of a project that is to be rolled up, or again."""

    pk = models.CompositePrimaryKey("project_id", "hour")
    project_id = id_field()
    hour = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.hour}"
