"""Rollups: what closed hours added up to. Derived; `rebuild_rollups` makes them anew.

Small beside the ledger, and never a source of truth: an hour that is not in them, or
is in them no longer, is counted from the facts when somebody asks.
"""

from django.db import models

from apps.audit.fields import Xid8Field
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


class Due(models.Model):
    """An hour of a project that is to be rolled up, or again."""

    pk = models.CompositePrimaryKey("project_id", "hour")
    project_id = id_field()
    hour = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.project_id} {self.hour}"


class Follower(models.Model):
    """How far the events have been followed: one row. What is before `xid` is known."""

    id = models.SmallIntegerField(primary_key=True)
    xid = Xid8Field()

    def __str__(self) -> str:
        return str(self.xid)
