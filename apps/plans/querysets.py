"""Questions about plans and their items, always asked within one project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Case, Count, IntegerField, Q, Subquery, Sum, Value, When

from apps.agents.scope import Scope
from apps.core.actors import Actor
from apps.plans.errors import PlanNotFound

if TYPE_CHECKING:
    from apps.plans.models import Item, Plan


class PlanQuerySet(models.QuerySet["Plan"]):
    def of_project(self, project_id: str) -> PlanQuerySet:
        return self.filter(project_id=project_id)

    def taking_back(self, plan_id: str) -> PlanQuerySet:
        """The undos of a plan."""
        return self.filter(undo_of_id=plan_id)

    def visible_to(self, actor: Actor, scope: Scope) -> PlanQuerySet:
        """The project's; for a key that is limited to some agents, its own."""
        mine = self.of_project(scope.project.id)
        if scope.agents is None:
            return mine
        return mine.filter(made_by_kind=actor.kind, made_by_id=actor.id)

    def one(self, id: str) -> Plan:
        """Raises: PlanNotFound."""
        found = self.filter(id=id).select_related("project", "undo_of").first()
        if found is None:
            raise PlanNotFound
        return found

    def locked(self, id: str) -> Plan:
        """As `one`, held until the transaction ends.

        Raises: PlanNotFound.
        """
        held = self.select_for_update(no_key=True, of=("self",))
        return held.one(id)

    def running(self) -> PlanQuerySet:
        """Those that the worker does, in the order in which they were confirmed."""
        return self.filter(status="running").order_by("confirmed_at", "id")

    def pace_of(self, id: str) -> int | None:
        """Return at most how many sessions a minute one does; None: no bound."""
        return self.filter(id=id).values_list("pace", flat=True).first()

    def looking(self) -> PlanQuerySet:
        """Those of which the dry run goes on, in the order of their making."""
        return self.filter(status="looking").order_by("id")

    def of_incident(self, incident_id: str) -> PlanQuerySet:
        return self.filter(incident_id=incident_id)

    def drafts_from_before(self, moment: datetime) -> PlanQuerySet:
        """Those that were made before that and never confirmed."""
        return self.filter(status="draft", created_at__lt=moment)

    def older_than(self, id: str | None) -> PlanQuerySet:
        return self.filter(id__lt=id) if id else self.all()

    def newest_first(self) -> PlanQuerySet:
        return self.order_by("-id")

    def newest_counted(self, most: int) -> list[Plan]:
        """Return the newest, each with `n_planned`, `n_done` and so on, a state each.

        Items are counted of these alone, and from their index: a join would read the
        rows of each, of which a plan may have ten thousand.
        """
        from apps.plans.models import Item, ItemState

        found = list(self.newest_first()[:most])
        counted = Item.objects.counted([plan.id for plan in found])
        for plan in found:
            for state in ItemState.values:
                setattr(plan, f"n_{state}", counted.get((plan.id, state), 0))
        return found


class ItemQuerySet(models.QuerySet["Item"]):
    def of_plan(self, plan_id: str) -> ItemQuerySet:
        return self.filter(plan_id=plan_id)

    def in_state(self, state: str) -> ItemQuerySet:
        return self.filter(state=state)

    def in_order(self) -> ItemQuerySet:
        return self.order_by("position")

    def behind(self, plan_id: str, session_id: str) -> ItemQuerySet:
        """Those that stand behind one in the list; none behind what is not in it."""
        from apps.plans.models import Item

        one = Item.objects.of_plan(plan_id).filter(session_id=session_id)
        return self.filter(position__gt=Subquery(one.values("position")[:1]))

    def next_planned(self, most: int) -> list[str]:
        """Return the sessions that wait next, of a plan that runs."""
        waiting = self.in_state("planned").filter(plan__status="running").in_order()
        return list(waiting.values_list("session_id", flat=True)[:most])

    def held_planned(self, session_id: str) -> Item | None:
        """Return one that waits, held; None where it no longer does, or is in hand."""
        waiting = self.in_state("planned").filter(session_id=session_id)
        running = waiting.filter(plan__status="running")
        return running.select_for_update(
            skip_locked=True, no_key=True, of=("self",)
        ).first()

    def to_look_at(self) -> ItemQuerySet:
        """Those that the dry run has not come to, in order."""
        return self.in_state("unseen").in_order()

    def settled_since(self, moment: datetime) -> int:
        """Return how many turns were taken since then, whatever came of them."""
        return self.filter(done_at__gt=moment).count()

    def said(self) -> Iterator[tuple[str, int | None, int | None, str | None, str]]:
        """Yield what is to be done: session, head, target, verdict, state; in order."""
        fields = ("session_id", "number", "target", "verdict", "state")
        return self.in_order().values_list(*fields).iterator(chunk_size=2_000)

    def as_shown(self, states: Sequence[str]) -> ItemQuerySet:
        """In this order of states; among those that are alike those with a reason."""
        ranks = [When(state=state, then=Value(n)) for n, state in enumerate(states)]
        rank = Case(*ranks, default=Value(len(ranks)), output_field=IntegerField())
        return self.alias(rank=rank, bare=Q(words="")).order_by(
            "rank", "bare", "position"
        )

    def counted(self, plan_ids: Sequence[str]) -> dict[tuple[str, str], int]:
        """Return how many each plan has in each state, where it has any."""
        some = self.filter(plan_id__in=plan_ids).values("plan_id", "state")
        found = some.annotate(n=Count("*")).order_by("plan_id", "state")
        return {(row["plan_id"], row["state"]): row["n"] for row in found}

    def counts(self) -> dict[str, int]:
        """Return how many are in each state."""
        found = self.values("state").annotate(n=Count("*")).order_by("state")
        return {row["state"]: row["n"] for row in found}

    def verdicts(self) -> dict[str, int]:
        """Return how many the dry run judged how."""
        judged = self.exclude(verdict=None).values("verdict")
        found = judged.annotate(n=Count("session_id")).order_by("verdict")
        return {str(row["verdict"]): row["n"] for row in found}

    def reasons(self) -> list[tuple[str, str, int]]:
        """Return how many are in each state for which reason: state, code, count."""
        given = self.exclude(code="").values("state", "code")
        found = given.annotate(n=Count("session_id")).order_by("state", "-n", "code")
        return [(row["state"], row["code"], row["n"]) for row in found]

    def exported_bytes(self) -> int:
        """Return the bytes of states that those that are done export."""
        done = self.in_state("done")
        return int(done.aggregate(total=Sum("size"))["total"] or 0)

    def by_session(self, session_ids: Sequence[str]) -> dict[str, Item]:
        return {one.session_id: one for one in self.filter(session_id__in=session_ids)}
