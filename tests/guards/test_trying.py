"""Trials: a guard held against days that are over, before it does anything."""

import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.guards import trying
from apps.guards.models import Trial, Verdict
from apps.guards.trying import histories
from apps.timeline.models import Version
from tests.acting import acting_as
from tests.guards.make import CORRUPTED, TRIP, forget, guard, tried
from tests.timeline import runs
from tests.timeline.keeping.taking import empty
from tests.timeline.runs import assert_refused, succeeded

pytestmark = pytest.mark.django_db


def test_the_guides_corruption_is_found_in_days_that_are_over(admin, run, api):
    run.patch(CORRUPTED)
    run.rollback(0)
    other = runs.begin(api(), TRIP)
    other.patch({"note": "fine"})
    made = guard(admin)
    before = Version.objects.count()

    trial = tried(admin, made["id"])

    assert trial["status"] == "done"
    assert (trial["sessions"], trial["sessions_failed"]) == (2, 1)
    assert (trial["looked_at"], trial["failed"], trial["undecided"]) == (5, 1, 0)
    (day,) = trial["days"]
    assert (day["looked_at"], day["failed"]) == (5, 1)
    (example,) = trial["examples"]
    assert (example["session_id"], example["version"]) == (run.id, 1)
    assert (Version.objects.count(), Verdict.objects.count()) == (before, 0)


def test_what_is_before_its_days_is_not_looked_at(admin, run):
    run.patch(CORRUPTED)
    made = guard(admin)
    succeeded(admin.post(f"/v1/guards/{made['id']}/try", {"days": 1}))
    trial = Trial.objects.select_related("guard").get()
    trial.since = timezone.now()
    run.patch({"note": "it is changed within the days"})

    with acting_as(Role.WORKER):
        trying.running.go_on(trial, now=timezone.now())

    assert (trial.versions, trial.sessions_failed) == (0, 0)


def test_more_than_observing_needs_a_trial(admin, run):
    made = guard(admin)
    path = f"/v1/guards/{made['id']}"

    assert_refused(
        admin.send("PATCH", path, {"mode": "refuse"}), 409, "guard_untried", "mode"
    )
    succeeded(admin.post(f"{path}/try", {}))
    assert_refused(admin.send("PATCH", path, {"mode": "hold"}), 409, "guard_untried")
    tried(admin, made["id"])
    assert succeeded(admin.send("PATCH", path, {"mode": "hold"})).body["mode"] == "hold"

    changed = succeeded(admin.send("PATCH", path, {"rule": {"values": 3}})).body
    assert (changed["revision"], changed["mode"]) == (2, "observe")
    assert_refused(admin.send("PATCH", path, {"mode": "hold"}), 409, "guard_untried")


def test_a_killed_trial_counts_nothing_twice(admin, run, api, monkeypatch):
    others = [runs.begin(api(), TRIP) for _ in range(3)]
    for one in (run, *others):
        one.patch(CORRUPTED)
    made = guard(admin)
    succeeded(admin.post(f"/v1/guards/{made['id']}/try", {}))
    monkeypatch.setattr(trying.running, "AT_ONCE", 1)
    stale = Trial.objects.select_related("guard").get()

    with acting_as(Role.WORKER):
        fresh = Trial.objects.select_related("guard").get()
        assert trying.running.go_on(fresh, now=timezone.now()) == 1
        assert trying.running.go_on(stale, now=timezone.now()) == 0
        trying.sweep(now=timezone.now())

    done = Trial.objects.get()
    assert (done.status, done.sessions, done.sessions_failed) == ("done", 4, 4)
    assert len(done.examples) == 4


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("null_spree", {}),
        ("check", {"check": "state.budget<=1500 AND NOT state.destination=null"}),
        ("check", {"check": "state.budget>=was.budget"}),
        ("schema", {"schema": {"properties": {"destination": {"type": "string"}}}}),
        ("unverified", {"fields": ["/destination"]}),
        ("low_confidence", {}),
        ("confirmation", {}),
        ("permission_denied", {}),
        ("loop", {"times": 3}),
        ("context_overflow", {"turns": 3}),
        ("failing_tools", {"failures": 1}),
    ],
)
def test_a_trial_says_what_was_said_live_of_the_same_history(
    admin, run, api, kind, rule
):
    made = guard(admin, kind, **rule)
    older, run = run, runs.begin(api(), TRIP)
    write_history(run)
    forked = run.fork(version=2, state={"destination": None, "dates": None})
    forked.patch({"budget": 1})

    trial = tried(admin, made["id"])

    live = {
        (one.session_id, one.number, one.turn_number or None, one.is_undecided)
        for one in Verdict.objects.all()
    }
    again = {
        (
            one["session_id"],
            one["version"],
            one["turn_number"],
            one["outcome"] == "undecided",
        )
        for one in trial["examples"]
        if one["session_id"] != older.id
    }
    assert again == live
    assert live, "this history passes: it proves nothing"


@pytest.mark.parametrize("at_once", [1, 3])
def test_however_many_versions_are_read_at_once_it_says_the_same(
    admin, run, monkeypatch, at_once
):
    write_history(run)
    rules = [
        ("check", {"check": "state.budget>=was.budget"}),
        ("null_spree", {}),
        ("schema", {"schema": {"properties": {"destination": {"type": "string"}}}}),
        ("low_confidence", {}),
    ]
    made = [guard(admin, kind, name=kind, **rule) for kind, rule in rules]
    whole = [said_by(tried(admin, one["id"])) for one in made]

    monkeypatch.setattr(histories, "AT_ONCE", at_once)
    monkeypatch.setattr(histories, "BYTES_AT_ONCE", 1)

    assert [said_by(tried(admin, one["id"])) for one in made] == whole


def said_by(trial):
    names = ("looked_at", "failed", "undecided", "unreadable", "examples")
    return {name: trial[name] for name in names}


def test_what_was_emptied_is_unreadable_and_so_is_what_is_compared_with_it(admin, run):
    write_history(run)
    whole = tried(admin, guard(admin, "low_confidence")["id"])
    was = guard(admin, "check", check="state.budget>=was.budget")
    empty(run, 5, 6)

    alone = tried(admin, guard(admin, "low_confidence", name="again")["id"])
    compared = tried(admin, was["id"])

    assert (whole["unreadable"], alone["unreadable"]) == (0, 2)
    assert compared["unreadable"] == 3


def write_history(run: runs.Run) -> None:
    """Write what each kind of guard finds something in."""
    run.patch({"confidence": 0.5, "flagged_for_review": True})
    run.put(TRIP)
    run.patch(CORRUPTED)
    run.rollback(2)
    run.patch({"budget": 9_000, "memories": [{"confidence": 0.9}, {"confidence": 0.1}]})
    run.patch(
        {
            "requires_confirmation": True,
            "confirmation_expires_at": "2020-01-01T00:00:00Z",
            "confirmation_attempts": 4,
        }
    )
    failed = {"tool_name": "pay", "success": False}
    for _ in range(4):
        run.turn("again", "the same", metadata=failed)
    run.turn("Hi", {"type": "error", "code": "permission_denied"})
    run.turn("Hi", "Hello", metadata={"confidence": 0.2}, state_after={**TRIP, "n": 1})
    run.hold("pause")
    run.hold("resume")
    run.send("POST", "versions", {"versions": [{"state": CORRUPTED}, {"state": TRIP}]})
    forget()
