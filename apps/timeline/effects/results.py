"""Results that may answer a read again, and what was forgotten of them.

A result is the last step of an effect. Whose it is, an agent's other sessions find by a
pointer; a forgetting is a row, and says of what was begun until then that it answers
nobody. `models.py` passes all on.
"""

from django.db import models

from apps.timeline.fields import id_field

# An agent's id is one character longer than a session's.
AGENT_ID_LENGTH = 32


class AgentResult(models.Model):
    """The newest result of a call that an agent's sessions offer each other.

    Of a project: it is written when such an effect is done, never when it answers, so
    no row of it is hot. What it points to may be set aside or gone.
    """

    pk = models.CompositePrimaryKey("project_id", "agent_id", "call_digest")
    project_id = id_field()
    agent_id = models.CharField(max_length=AGENT_ID_LENGTH, db_collation="C")
    call_digest = models.BinaryField()
    tool = models.TextField()
    session_id = id_field()
    effect_id = id_field()
    begun_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(
                fields=["project_id", "agent_id", "-effect_id"],
                name="timeline_agentresult_newest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} {self.effect_id}"


class Forgotten(models.Model):
    """What a forgetting says: of which tool or call, or all of it, and why."""

    tool = models.TextField(null=True)
    call_digest = models.BinaryField(null=True)
    reason = models.TextField()
    actor_kind = models.CharField(max_length=8)
    actor_id = models.TextField()
    actor_label = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        abstract = True


class Forgetting(Forgotten):
    """Results of a session that answer nobody, and what the session is not answered."""

    pk = models.CompositePrimaryKey("session_id", "id")
    session_id = id_field()
    id = id_field()

    def __str__(self) -> str:
        return f"{self.session_id} {self.id}"


class AgentForgetting(Forgotten):
    """Results of all sessions of an agent that answer nobody."""

    pk = models.CompositePrimaryKey("project_id", "agent_id", "id")
    project_id = id_field()
    agent_id = models.CharField(max_length=AGENT_ID_LENGTH, db_collation="C")
    id = id_field()

    def __str__(self) -> str:
        return f"{self.agent_id} {self.id}"
