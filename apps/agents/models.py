"""Agents: who posts sessions, under the name their own code gives them.

`external_id` is what callers say (StateBase's `agent_id`); `id` is ours. An agent is
registered on first use; suspending it stops its writes, and deleting it leaves it out
of lists as well. Nothing of it goes away, and it can be brought back.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.agents.errors import AgentDeleted, AgentSuspended
from apps.agents.querysets import AgentQuerySet


class AgentStatus(models.TextChoices):
    ACTIVE = "active"  # from creation, or by activate
    SUSPENDED = "suspended"  # by suspend: reads go on, writes answer 403
    DELETED = "deleted"  # by delete: so it is too, and not listed; by activate back


# What decides whether it may write, as the functions that append look at it.
STORED = [AgentStatus.ACTIVE, AgentStatus.SUSPENDED]


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
    # Suspended also while it is deleted; `standing` is what is shown.
    status = models.CharField(
        max_length=16,
        choices=[(one.value, one.label) for one in STORED],
        default=AgentStatus.ACTIVE,
    )
    deleted_at = models.DateTimeField(null=True)
    # Since when it may write again; null: it was never suspended, or still is.
    activated_at = models.DateTimeField(null=True)
    # Where its states say what an administrator has mapped (`mapping.py`): pointers to
    # what a session is about and whose it is, rules of what waits for a person (null:
    # the usual ones), patterns of places whose changes are noise.
    title_path = models.TextField(null=True)
    user_path = models.TextField(null=True)
    waiting = ArrayField(models.TextField(), null=True)
    noise = ArrayField(models.TextField(), default=list)
    mapped_at = models.DateTimeField(null=True)
    # Whether schemas of its states were declared, so that writes look at them.
    has_schemas = models.BooleanField(default=False)
    # And whether guards of it were made.
    has_guards = models.BooleanField(default=False)
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
    def is_deleted(self) -> bool:
        return self.deleted_at is not None

    @property
    def is_suspended(self) -> bool:
        """Whether its writes are refused, deleted or not."""
        return self.status == AgentStatus.SUSPENDED

    @property
    def standing(self) -> AgentStatus:
        """The status that is shown."""
        return AgentStatus.DELETED if self.is_deleted else AgentStatus(self.status)

    def require_kept(self) -> None:
        """Raises: AgentDeleted."""
        if self.is_deleted:
            raise AgentDeleted

    @property
    def refusal(self) -> AgentDeleted | AgentSuspended:
        """What a write is told that the ledger refused because of the agent.

        To its functions a deleted agent is a suspended one.
        """
        return AgentDeleted() if self.is_deleted else AgentSuspended()

    def require_writing(self) -> None:
        """Raises: AgentDeleted, AgentSuspended."""
        if self.is_suspended:
            raise self.refusal
