"""Killed anywhere, a rollback of many goes on: each session is rolled back once.

The worker's process, or the database's, ends at a statement of a sweep: what was in
hand is undone, and the next sweep takes it up.
"""

import os
import signal
import socket
import threading

import psycopg
import pytest
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from apps.core.database.prepared import Prepared
from apps.core.errors import DomainError
from apps.plans import dry_running
from apps.plans import operations as plans
from apps.plans.errors import PlanConfirmed
from apps.plans.models import Item, Plan
from apps.plans.operations import Picked
from apps.timeline.models import Version
from tests.acts import act_in
from tests.console.make import Story
from tests.plans.make import codes, states
from tests.plans.test_at_once import at_once
from tests.plans.test_rolling_back import begin, confirm, planned, sweep

pytestmark = pytest.mark.django_db(transaction=True)
PLACES = 20
# By hand 1,000.
MANY = int(os.environ.get("STEPBACK_PLANNED", "60"))


class Killed(BaseException):
    """Not an error that anybody catches."""


def story(project):
    return Story(project, {"n": 0}, now=timezone.now()).update({"bad": True})


def confirmed(project, olga, n=2):
    plan = planned(project, olga, [story(project).id for _ in range(n)])
    confirm(project, olga, plan)
    return plan


def count_rollbacks(plan):
    mine = Item.objects.of_plan(plan.id).values("session_id")
    found = Version.objects.filter(session_id__in=mine, op="rollback")
    return found.values_list("session_id", flat=True)


@pytest.fixture
def at_statement(monkeypatch):
    """`at_statement(n, act)` does something before the n-th statement from now on."""

    def watch(place, act):
        seen = []

        def counted(of, name):
            method = getattr(of, name)

            def run(self, *args, **given):
                seen.append(1)
                if len(seen) == place:
                    act()
                return method(self, *args, **given)

            patch.setattr(of, name, run)

        patch = pytest.MonkeyPatch()
        counted(psycopg.Cursor, "execute")
        counted(Prepared, "run")
        return patch, seen

    return watch


def statements_of_a_sweep(project, olga, at_statement):
    confirmed(project, olga)
    patch, seen = at_statement(0, None)
    with patch.context():
        sweep()
    patch.undo()
    return len(seen)


def kill_worker():
    raise Killed


def kill_database():
    """Cut the connection: what a database that ends leaves of it, on both sides."""
    with socket.socket(fileno=os.dup(connection.connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("kill", [kill_worker, kill_database])
def test_wherever_it_is_killed_each_session_is_rolled_back_once(
    project, olga, at_statement, kill
):
    total = statements_of_a_sweep(project, olga, at_statement)
    places = sorted({1 + total * n // PLACES for n in range(PLACES)})
    assert len(places) == PLACES

    for place in places:
        plan = confirmed(project, olga)
        patch, seen = at_statement(place, kill)
        try:
            sweep()
        except (Killed, DatabaseError, InterfaceError):
            connection.close()
        finally:
            patch.undo()
        assert len(seen) >= place
        sweep()

        assert states(plan) == ["done", "done"], (place, codes(plan))
        assert len(count_rollbacks(plan)) == 2, place
        assert Plan.objects.get(id=plan.id).is_finished, place


def test_a_process_that_is_killed_leaves_each_to_be_rolled_back_once(
    project, olga, at_statement
):
    total = statements_of_a_sweep(project, olga, at_statement)

    for place in sorted({1 + total * n // PLACES for n in range(PLACES)}):
        plan = confirmed(project, olga)
        assert was_killed_in_a_sweep(at_statement, place), place
        sweep()

        assert states(plan) == ["done", "done"], (place, codes(plan))
        assert len(count_rollbacks(plan)) == 2, place
        assert Plan.objects.get(id=plan.id).is_finished, place


def was_killed_in_a_sweep(at_statement, place):
    """Sweep in a process of its own that kills itself right before a statement."""
    child = os.fork()
    if child == 0:
        # The parent's connection is the parent's; psycopg leaves it to that.
        connection.connection = None
        connection.ensure_connection()
        at_statement(place, lambda: os.kill(os.getpid(), signal.SIGKILL))
        sweep()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def test_two_workers_and_two_people_roll_each_back_once(project, olga):
    plan = planned(project, olga, [story(project).id for _ in range(6)])
    outcomes = at_once(
        lambda: confirm(project, olga, plan), lambda: confirm(project, olga, plan)
    )
    refused = [one for one in outcomes if isinstance(one, DomainError)]
    assert [type(one) for one in refused] == [PlanConfirmed]

    at_once(sweep, sweep)
    sweep()

    assert states(plan) == ["done"] * 6
    assert len(set(count_rollbacks(plan))) == len(count_rollbacks(plan)) == 6


def test_what_is_stopped_while_it_runs_is_done_or_stopped_and_never_both(project, olga):
    plan = confirmed(project, olga, 6)
    began = threading.Event()

    def stopping():
        began.wait(30)
        return plans.stop(act=act_in(project, olga), plan_id=plan.id)

    def working():
        began.set()
        return sweep()

    at_once(working, stopping)

    done = states(plan).count("done")
    assert done + states(plan).count("stopped") == 6
    assert len(count_rollbacks(plan)) == done
    assert Plan.objects.get(id=plan.id).is_finished


def test_of_many_exactly_those_are_left_that_must_be(project, olga):
    stories = [story(project) for _ in range(MANY)]
    sent, closed, deleted, *others = stories
    begin(sent, "irreversible")
    picked = Picked(session_ids=[one.id for one in stories], incident_id="incd_1")
    rule = {"rule": "check", "check": "NOT state.bad=true"}
    plan = plans.make(
        act=act_in(project, olga), kind="rollback", picked=picked, params=rule
    )
    while dry_running.sweep(now=timezone.now()):
        """It goes on where it was."""
    confirm(project, olga, plan)
    closed.close()
    deleted.delete()
    for moved in others[:3]:
        moved.update({"n": 5})

    while sweep():
        """As above."""

    assert states(plan)[:6] == ["unpicked", "refused", "refused", *["moved"] * 3]
    assert codes(plan)[:4] == [
        *("effects_unconfirmed", "session_closed", "session_not_found"),
        "version_conflict",
    ]
    assert set(states(plan)[6:]) == {"done"}
    assert len(count_rollbacks(plan)) == MANY - 6

    others[-1].update({"n": 6})
    undo = plans.undo(act=act_in(project, olga), plan_id=plan.id)
    while dry_running.sweep(now=timezone.now()):
        """A long one is looked at by the worker, too."""
    plans.confirm(act=act_in(project, olga), plan_id=undo.id)
    while sweep():
        """As above."""
    assert states(undo).count("done") == MANY - 7
    assert states(plan).count("undone") == MANY - 7
