"""Agents: who posts sessions, under the name their own code gives them.

`external_id` is what callers say (StateBase's `agent_id`); `id` is ours. An agent is
registered on first use and never deleted; suspending it stops its writes.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.agents.querysets import AgentQuerySet


class AgentStatus(models.TextChoices):
    ACTIVE = "active"  # from creation, or by activate
    SUSPENDED = "suspended"  # by suspend: reads go on, writes answer 403


class Agent(models.Model):
    """One agent of one project."""

    id = models.CharField(max_length=32, primary_key=True, db_collation="C")
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    external_id = models.CharField(max_length=255, db_collation="C")
    name = models.CharField(max_length=255)
    description = models.TextField(blank=True, default="")
    owner = models.CharField(max_length=255, blank=True, default="")
    team = models.CharField(max_length=255, blank=True, default="")
    tags = models.JSONField(default=list)
    # The bytes as received: jsonb would lose key order, NUL and big numbers.
    metadata = models.BinaryField(default=b"{}")
    status = models.CharField(
        max_length=16, choices=AgentStatus.choices, default=AgentStatus.ACTIVE
    )
    # Where its states say what an administrator has mapped (`mapping.py`): pointers to
    # what a session is about and whose it is, rules of what waits for a person (null:
    # the usual ones), patterns of places whose changes are noise.
    title_path = models.TextField(null=True)
    user_path = models.TextField(null=True)
    waiting = ArrayField(models.TextField(), null=True)
    noise = ArrayField(models.TextField(), default=list)
    mapped_at = models.DateTimeField(null=True)
    # Since when what waits is to be derived anew by other rules, null once that is
    # done; and up to which of its sessions it is.
    remap_after = models.DateTimeField(null=True)
    remapped_to = models.CharField(max_length=32, default="", db_collation="C")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = AgentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"],
                name="agents_agent_one_per_external_id",
            )
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="agents_agent_newest"),
            # In byte order: names are found by their beginning.
            models.Index(
                fields=["project", "name"],
                name="agents_agent_by_name",
                opclasses=["varchar_ops", "varchar_pattern_ops"],
            ),
        ]

    def __str__(self) -> str:
        return self.external_id

    @property
    def is_suspended(self) -> bool:
        return self.status == AgentStatus.SUSPENDED
