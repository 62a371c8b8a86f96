"""Each step of a policy by its days, taken by the sweep; what remains verifies."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.retention.models import Removal
from apps.retention.sweeping import planning
from apps.timeline import hooks
from apps.timeline.models import Change, Session, Text
from apps.timeline.operations import expiry
from tests.acting import acting_as
from tests.feeding import feed_all
from tests.retention.aged import Past, ago, enabled, swept, taken, versions_by_step

pytestmark = pytest.mark.django_db
DAYS = [60, 50, 40, 20, 10, 1]


@pytest.fixture
def past(project: Project) -> Past:
    """Versions 0 to 5, made 60, 50, 40, 20, 10 days ago and yesterday."""
    made = Past.of(project, list(DAYS))
    feed_all()
    return made


def changes(past: Past) -> set[int]:
    found = Change.objects.filter(session_id=past.id)
    return set(found.values_list("number", flat=True))


def test_thin_takes_change_rows_of_what_is_older_and_no_history(
    project: Project, past: Past
) -> None:
    policy = enabled(project, thin_days=30)
    swept()

    assert changes(past) == {3, 4, 5}
    assert not Text.objects.filter(session_id=past.id, kind=1, number__lt=3).exists()
    assert past.row.thinned_below == 3
    assert (past.full, past.stones) == ([0, 1, 2, 3, 4, 5], [])
    assert taken(policy).counts["steps"]["thin"]["sessions"] == 1
    past.require_whole()


def test_empty_takes_contents_of_what_is_older_and_leaves_headers(
    project: Project, past: Past
) -> None:
    policy = enabled(project, empty_days=30)
    swept()

    assert past.numbers == [0, 1, 2, 3, 4, 5]
    assert past.full == [3, 4, 5]
    assert past.stones == [("emptied", 0, 2)]
    assert versions_by_step(taken(policy)) == {"empty": 3}
    past.require_whole()


def test_prune_takes_headers_of_what_is_older_and_leaves_a_tombstone(
    project: Project, past: Past
) -> None:
    policy = enabled(project, prune_days=30)
    swept()

    assert past.numbers == [3, 4, 5]
    assert past.stones == [("pruned", 0, 2)]
    assert versions_by_step(taken(policy)) == {"prune": 3}
    past.require_whole()


def test_each_step_takes_what_is_its_own(project: Project, past: Past) -> None:
    policy = enabled(project, thin_days=5, empty_days=15, prune_days=45)
    swept()

    assert changes(past) == {5}
    assert past.full == [4, 5]
    assert past.stones == [("pruned", 0, 1), ("emptied", 2, 3)]
    found = taken(policy).counts["steps"]
    assert {name: one["versions"] for name, one in found.items()} == {
        "thin": 0,
        "empty": 2,
        "prune": 2,
    }
    assert all(one["sessions"] == 1 for one in found.values())
    past.require_whole()


def test_days_pass_and_the_next_sweep_takes_what_has_come_of_age(
    project: Project, past: Past
) -> None:
    enabled(project, empty_days=30)
    swept()
    swept(now=timezone.now() + timedelta(days=11))

    assert past.full == [4, 5]
    assert past.stones == [("emptied", 0, 2), ("emptied", 3, 3)]
    past.require_whole()


def test_a_sweep_that_finds_nothing_leaves_no_removal_and_locks_no_session(
    project: Project, past: Past
) -> None:
    policy = enabled(project, thin_days=30, empty_days=30)
    assert swept() == 2

    assert swept() == 0

    assert Removal.objects.removals().count() == 1
    policy.refresh_from_db()
    assert policy.swept_at is not None


def test_so_many_of_the_newest_stay_whatever_their_age(project: Project) -> None:
    past = Past.of(project, [90, 80, 70, 60])
    enabled(project, prune_days=30, keep_last=3)
    swept()

    assert past.numbers == [1, 2, 3]
    past.require_whole()


def test_the_head_stays_without_saying_so(project: Project) -> None:
    past = Past.of(project, [90, 80, 70])
    enabled(project, prune_days=30)
    swept()

    assert past.numbers == [2]
    past.require_whole()


def test_an_idle_session_goes_and_one_that_was_written_to_stays(
    project: Project, past: Past
) -> None:
    idle = Past.of(project, [90, 80])
    policy = enabled(project, remove_days=30)
    swept()

    assert not idle.is_there
    assert idle.stones == [("removed", 0, 1)]
    assert past.numbers == [0, 1, 2, 3, 4, 5]
    found = taken(policy).counts["steps"]["remove"]
    assert (found["sessions"], found["versions"]) == (1, 2)
    past.require_whole()


def test_what_was_deleted_or_expired_goes_after_its_own_days(
    project: Project, past: Past
) -> None:
    deleted, fresh = Past.of(project, [20, 19]), Past.of(project, [20, 19])
    deleted.delete(at=10)
    fresh.delete(at=3)
    expired = Past.of(project, [20], ttl_seconds=60)
    lives = Past.of(project, [90, 80])
    feed_all()
    expiry.expire(actor=SYSTEM, now=ago(12))
    enabled(project, ended_days=7)
    swept()

    found = [deleted.is_there, expired.is_there, fresh.is_there, lives.is_there]
    assert found == [False, False, True, True]
    assert past.numbers == [0, 1, 2, 3, 4, 5]


def test_who_writes_while_the_sweep_comes_to_it_keeps_the_session(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was idle when the sweep looked, and is not any more under its lock."""
    past = Past.of(project, [90, 80])
    enabled(project, remove_days=30)
    looked = planning.next_work

    def and_somebody_writes(session: Session, *given: object) -> object:
        found = looked(session, *given)  # type: ignore[arg-type]
        if found is not None and past.row.head_number == 1:
            with acting_as(Role.WEB):
                past.write(0)
        return found

    monkeypatch.setattr(
        "apps.retention.sweeping.stepping.next_work", and_somebody_writes
    )
    swept()

    assert past.numbers == [0, 1, 2]
    past.require_whole()


def test_an_agents_own_policy_counts_in_place_of_the_projects(
    project: Project,
) -> None:
    travel = Past.of(project, [60, 50, 1], agent="travel")
    desk = Past.of(project, [60, 50, 1], agent="desk")
    of_all = enabled(project, prune_days=30)
    own = enabled(project, agent="desk", empty_days=55)
    swept()

    assert travel.numbers == [2]
    assert (desk.numbers, desk.full) == ([0, 1, 2], [1, 2])
    assert versions_by_step(taken(of_all)) == {"prune": 2}
    assert versions_by_step(taken(own)) == {"empty": 1}
    travel.require_whole()
    desk.require_whole()


def test_another_projects_sessions_are_not_looked_at(
    project: Project, other_project: Project
) -> None:
    theirs = Past.of(other_project, [60, 50, 1])
    policy = enabled(project, remove_days=7)
    mine = Past.of(project, [60, 50])
    swept()

    assert theirs.numbers == [0, 1, 2]
    assert not mine.is_there
    assert taken(policy).counts["seen"] == 1


def test_what_stays_is_counted_by_its_reason(project: Project) -> None:
    past = Past.of(project, [90, 89, 88, 87, 86, 85, 84])
    past.label(1)
    past.label(6)
    past.note(2)
    fork = past.fork(3, at=80)
    past.rollback(to=5, at=70)
    hooks.PINS["test"] = lambda session_id: {4: "needed above"}
    try:
        policy = enabled(project, prune_days=60)
        past.write(1)
        swept()
    finally:
        del hooks.PINS["test"]

    assert past.numbers == [1, 2, 3, 4, 5, 6, 7, 8]
    assert taken(policy).counts["pinned"] == {
        "labelled": 2,
        "noted": 1,
        "forked": 1,
        "needed above": 1,
        "restored": 1,
        "last rollback": 1,
    }
    past.require_whole()
    fork.require_whole()


def test_of_a_session_that_something_keeps_the_rest_goes(project: Project) -> None:
    past = Past.of(project, [90, 89, 88, 87, 86])
    past.label(2)
    policy = enabled(project, prune_days=30, remove_days=60)
    swept()

    assert past.is_there
    assert past.numbers == [2, 4]
    found = taken(policy)
    assert versions_by_step(found) == {"prune": 3}
    assert found.counts["pinned"] == {"labelled": 1}
    past.require_whole()


def test_what_is_pinned_no_longer_goes_with_the_next_sweep(project: Project) -> None:
    past = Past.of(project, [90, 89, 88])
    past.label(0)
    enabled(project, empty_days=30)
    swept()
    assert past.full == [0, 2]
    past.unlabel(0)
    swept()

    assert past.full == [2]
    past.require_whole()


def test_a_long_session_is_taken_in_parts_and_counted_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "AT_ONCE", 3)
    past = Past.of(project, [90 - n for n in range(12)])
    policy = enabled(project, empty_days=30, prune_days=85)
    steps = swept()

    found = taken(policy).counts["steps"]
    assert found["prune"]["versions"] + found["empty"]["versions"] == 11
    assert {one["sessions"] for one in found.values()} == {1}
    assert steps == 2 + 2
    past.require_whole()
