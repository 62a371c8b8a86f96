"""Drafts that nobody confirms are removed: some at a time, and on the record."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import AuditRecord
from apps.plans import operations as plans
from apps.plans import retiring
from apps.plans.errors import PlanNotFound
from apps.plans.models import DRAFT_LIVES, Item, Plan
from tests.acts import act_in
from tests.plans.make import done, make_plan, make_sessions, states
from tests.plans.test_at_once import at_once

LATER = DRAFT_LIVES + timedelta(minutes=1)


def retire(later=LATER):
    return retiring.sweep(now=timezone.now() + later)


@pytest.mark.django_db
class TestDrafts:
    def test_a_young_one_stays(self, project, olga):
        plan = make_plan(project, olga, "hold", make_sessions(project, 1))

        assert retire(DRAFT_LIVES - timedelta(minutes=1)) == 0
        assert states(plan) == ["planned"]

    def test_an_old_one_is_removed_and_that_is_recorded(self, project, olga):
        plan = make_plan(project, olga, "hold", make_sessions(project, 3))

        assert retire() == 1

        assert not Plan.objects.exists()
        assert not Item.objects.exists()
        made, dropped = AuditRecord.objects.filter(resource_id=plan.id).order_by(
            "number"
        )
        assert (made.action, dropped.action) == ("plan.made", "plan.dropped")
        assert dropped.details["sessions"] == 3
        assert dropped.actor_kind == "system"
        with pytest.raises(PlanNotFound):
            plans.confirm(act=act_in(project, olga), plan_id=plan.id)

    def test_what_was_confirmed_stays_also_where_its_undo_is_dropped(
        self, project, olga
    ):
        plan = done(project, olga, "hold", make_sessions(project, 1))
        plans.undo(act=act_in(project, olga), plan_id=plan.id)

        assert retire() == 1

        assert [one.id for one in Plan.objects.all()] == [plan.id]
        assert states(plan) == ["done"]

    def test_some_at_a_time_the_oldest_first(self, project, olga, monkeypatch):
        monkeypatch.setattr(retiring, "AT_ONCE", 2)
        ids = make_sessions(project, 1)
        made = [make_plan(project, olga, "hold", ids) for _ in range(3)]

        assert retire() == 2

        assert [one.id for one in Plan.objects.all()] == [made[2].id]
        assert [retire(), retire()] == [1, 0]


@pytest.mark.django_db(transaction=True)
def test_it_is_confirmed_or_removed_and_never_both(project, olga):
    plan = make_plan(project, olga, "hold", make_sessions(project, 1))

    def confirm():
        return plans.confirm(act=act_in(project, olga), plan_id=plan.id)

    outcomes = at_once(confirm, retire)

    is_removed = 1 in outcomes
    assert is_removed is not Plan.objects.exists()
    assert is_removed is any(isinstance(one, PlanNotFound) for one in outcomes)


@pytest.mark.django_db(transaction=True)
def test_two_workers_remove_it_once(project, olga):
    make_plan(project, olga, "hold", make_sessions(project, 1))

    assert sum(at_once(retire, retire)) == 1
    assert AuditRecord.objects.filter(action="plan.dropped").count() == 1
