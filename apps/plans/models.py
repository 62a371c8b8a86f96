"""A plan and its items: which sessions, what is to be done to each, what came of it.

The list is frozen when the plan is made: a search that finds more later changes
nothing. An item has one row, whose state says how far it is; whoever does it holds the
row's lock and settles it in the transaction of the act itself, so it is done once,
however many workers run and wherever one is killed.
"""

from datetime import datetime, timedelta

from django.db import models

from apps.plans.querysets import ItemQuerySet, PlanQuerySet
from apps.timeline.fields import id_field

# A draft that nobody confirms for so long is removed; see `retiring.py`.
DRAFT_LIVES = timedelta(days=7)


class PlanStatus(models.TextChoices):
    """How far a plan is."""

    LOOKING = "looking"  # made: the worker still looks at what would be done
    DRAFT = "draft"  # the dry run is shown, nothing is done
    RUNNING = "running"  # confirmed, or retried: the worker does it
    PAUSED = "paused"  # confirmed; somebody has the worker wait
    FINISHED = "finished"  # no item waits any more


class ItemState(models.TextChoices):
    """How far one session of a plan is."""

    UNSEEN = "unseen"  # the dry run has not come to it yet
    PLANNED = "planned"  # to be done once the plan is confirmed
    UNPICKED = "unpicked"  # could be done, and is not: nobody has picked it
    LEFT_OUT = "left_out"  # not done, and why: seen in the dry run, or since
    DONE = "done"  # by the ordinary operation
    MOVED = "moved"  # not done: its head is not the one that the dry run saw
    REFUSED = "refused"  # not done: the operation does not do that to it
    FAILED = "failed"  # went wrong; it can be tried again
    STOPPED = "stopped"  # not done: the plan was stopped before its turn
    UNDONE = "undone"  # done, and taken back by the undo of its plan


class Verdict(models.TextChoices):
    """What the dry run says of a session where that takes judging."""

    CLEAN = "clean"  # nothing but its versions is touched
    LOOK = "look"  # something happened outside, or a person has spoken since
    BLOCKED = "blocked"  # it cannot be done


class Plan(models.Model):
    """One act on a frozen list of sessions; `undo_of` is the plan it takes back."""

    id = id_field(primary_key=True)
    project = models.ForeignKey("accounts.Project", on_delete=models.PROTECT)
    # One of `cases.CASES`, with what it takes beside the session, such as a label.
    kind = models.CharField(max_length=16, db_collation="C")
    params = models.JSONField(default=dict)
    # The search that the list was taken from; null where it was picked by hand.
    query = models.TextField(null=True)
    # Whether the search may find more than was taken.
    has_more = models.BooleanField(default=False)
    status = models.CharField(
        max_length=16, choices=PlanStatus.choices, default=PlanStatus.DRAFT
    )
    # The incident whose sessions these are, of the app above.
    incident_id = id_field(null=True)
    # At most so many sessions in a minute; null: one after another.
    pace = models.IntegerField(null=True)
    # Whether who confirmed has said that what cannot be undone may be gone behind.
    crosses = models.BooleanField(default=False)
    # Of what its items say that is to be done: what is confirmed is this, or nothing.
    digest = models.CharField(max_length=64, null=True, db_collation="C")
    undo_of = models.ForeignKey("self", on_delete=models.PROTECT, null=True)
    reason = models.TextField(blank=True, default="")
    made_by_kind = models.CharField(max_length=16, db_collation="C")
    made_by_id = models.TextField(db_collation="C")
    made_by_label = models.TextField()
    # Whose acts the items are, and of which request: who confirmed, or tried again.
    runs_as_kind = models.CharField(max_length=16, null=True, db_collation="C")
    runs_as_id = models.TextField(null=True, db_collation="C")
    runs_as_label = models.TextField(null=True)
    request_id = models.TextField(null=True, db_collation="C")
    created_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = PlanQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(status__in=PlanStatus.values),
                name="plans_plan_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-id"], name="plans_plan_newest"),
            models.Index(
                fields=["confirmed_at"],
                name="plans_plan_running",
                condition=models.Q(status="running"),
            ),
            models.Index(
                fields=["created_at"],
                name="plans_plan_drafts",
                condition=models.Q(status="draft"),
            ),
            models.Index(
                fields=["id"],
                name="plans_plan_looking",
                condition=models.Q(status="looking"),
            ),
            models.Index(
                fields=["incident_id", "-id"],
                name="plans_plan_of_incident",
                condition=models.Q(incident_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def is_draft(self) -> bool:
        return self.status == PlanStatus.DRAFT

    @property
    def is_looking(self) -> bool:
        return self.status == PlanStatus.LOOKING

    @property
    def is_paused(self) -> bool:
        return self.status == PlanStatus.PAUSED

    @property
    def lives_until(self) -> datetime:
        """When it is removed, as long as it is a draft."""
        return self.created_at + DRAFT_LIVES

    @property
    def is_running(self) -> bool:
        return self.status == PlanStatus.RUNNING

    @property
    def is_finished(self) -> bool:
        return self.status == PlanStatus.FINISHED


class Item(models.Model):
    """One session of a plan, what the dry run said of it and what came of it."""

    pk = models.CompositePrimaryKey("plan_id", "session_id")
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, db_index=False)
    session_id = id_field()
    # Where it stands in the list, from 0.
    position = models.IntegerField()
    state = models.CharField(
        max_length=16, choices=ItemState.choices, default=ItemState.PLANNED
    )
    # Why it is left out or has failed, or what the dry run noticed of one that is
    # planned: for programs, and for people.
    code = models.CharField(max_length=64, blank=True, default="", db_collation="C")
    words = models.TextField(blank=True, default="")
    # The head that the dry run saw. A label is given to it, an undo needs it to stand.
    number = models.BigIntegerField(null=True)
    # The version to go back to, as it was asked for or as the plan's rule found it.
    target = models.BigIntegerField(null=True)
    verdict = models.CharField(
        max_length=8, choices=Verdict.choices, null=True, db_collation="C"
    )
    # What the dry run counted: see `cases.case.Outlook`. Nothing of a state is in it.
    about = models.JSONField(null=True)
    # The version that the act made, labelled, or exports up to.
    result_number = models.BigIntegerField(null=True)
    # Bytes of the states that it exports.
    size = models.BigIntegerField(null=True)
    done_at = models.DateTimeField(null=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=ItemState.values),
                name="plans_item_state_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(verdict__in=Verdict.values),
                name="plans_item_verdict_is_known",
            ),
        ]
        indexes = [
            # They go with their session.
            models.Index(fields=["session_id"], name="plans_item_of_session"),
            # What the worker takes next, of a list that may be long.
            models.Index(
                fields=["plan", "position"],
                name="plans_item_waiting",
                condition=models.Q(state__in=["planned", "unseen"]),
            ),
            # How many are in each state, without their rows.
            models.Index(fields=["plan", "state"], name="plans_item_in_state"),
            # How fast a plan went lately.
            models.Index(
                fields=["plan", "done_at"],
                name="plans_item_done_at",
                condition=models.Q(done_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.state}"
