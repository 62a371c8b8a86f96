"""Two workers, and two people, at the same time: each session is done once."""

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from apps.core.errors import DomainError
from apps.plans import operations as plans
from apps.plans import running
from apps.plans.errors import PlanConfirmed
from apps.plans.models import Item, ItemState, Plan
from apps.timeline.models import Version
from tests.acts import act_in
from tests.plans.make import confirmed, make_plan, make_sessions, states

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*acts):
    """Run the acts in threads that start together; return what each came to."""
    outcomes, barrier = [], threading.Barrier(len(acts))

    def work(act):
        try:
            barrier.wait(30)
            outcomes.append(act())
        except DomainError as refused:
            outcomes.append(refused)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def sweep():
    return running.sweep(now=timezone.now())


def test_three_workers_do_each_session_once(project, olga):
    ids = make_sessions(project, 12)
    plan = confirmed(project, olga, "hold", ids)

    counts = at_once(sweep, sweep, sweep)
    sweep()

    assert sum(counts) == 12
    assert states(plan) == ["done"] * 12
    assert Version.objects.filter(op="pause").count() == 12
    assert Plan.objects.get(id=plan.id).is_finished


def test_what_another_worker_has_in_hand_is_passed_by_and_not_over(project, olga):
    ids = make_sessions(project, 2)
    plan = confirmed(project, olga, "hold", ids)
    held, released = threading.Event(), threading.Event()

    def holding():
        with transaction.atomic():
            Item.objects.of_plan(plan.id).held_planned(ids[0])
            held.set()
            released.wait(30)

    def passing():
        held.wait(30)
        try:
            return sweep()
        finally:
            released.set()

    outcomes = at_once(holding, passing)

    assert set(outcomes) == {None, 1}
    assert states(plan) == ["planned", "done"]
    assert Plan.objects.get(id=plan.id).is_running
    # Whoever had it in hand is gone: it is done by the next.
    assert sweep() == 1
    assert Plan.objects.get(id=plan.id).is_finished


def test_a_plan_is_confirmed_by_one_of_two(project, olga):
    plan = make_plan(project, olga, "hold", make_sessions(project, 1))

    def confirm():
        return plans.confirm(act=act_in(project, olga), plan_id=plan.id)

    outcomes = at_once(confirm, confirm)

    refused = [one for one in outcomes if isinstance(one, DomainError)]
    assert [type(one) for one in refused] == [PlanConfirmed]


def test_a_worker_that_ends_before_it_commits_has_done_nothing(
    project, olga, monkeypatch
):
    (id,) = make_sessions(project, 1)
    plan = confirmed(project, olga, "hold", [id])

    class Killed(BaseException):
        """Not an error that anybody catches."""

    def killed(item, outcome):
        assert Version.objects.filter(op="pause").exists()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(running, "_settle", killed)
        with pytest.raises(Killed):
            sweep()
    assert not Version.objects.filter(op="pause").exists()
    assert states(plan) == [ItemState.PLANNED]

    assert sweep() == 1
    assert Version.objects.filter(op="pause").count() == 1
