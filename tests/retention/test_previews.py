"""A preview counts exactly what the sweep then takes, whatever the history was."""

from __future__ import annotations

import os
import random
from itertools import count
from typing import Any

import pytest
from django.db import InternalError
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.retention import operations as retention
from apps.retention.models import Removal
from apps.retention.sweeping import count_previews, planning, previewing
from apps.retention.terms import Terms
from apps.retention.words import HoldKind
from apps.timeline.models import Tombstone
from apps.timeline.operations import Gone, empty_versions
from tests.acting import acting_as
from tests.acts import act_in
from tests.feeding import feed_all
from tests.retention.aged import Past, previewed, swept, taken

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("STEPBACK_SEED", "0")) or 1
LAST_DAY = 2.0


def random_past(chance: random.Random, project: Project) -> Past:
    """A session that was written, labelled, rolled back and forked at random."""
    at = chance.uniform(40, 120)
    past = Past.of(project, [at], agent=chance.choice(["travel", "desk"]))
    for _ in range(chance.randrange(1, 14)):
        at = max(LAST_DAY, at - chance.uniform(0, 12))
        act = chance.choice(["write"] * 6 + ["label", "note", "rollback", "fork"])
        head = past.row.head_number
        if act == "write" or head == 0:
            past.write(at)
        elif act == "label":
            past.label(chance.randrange(head + 1), f"at {head}")
        elif act == "note":
            past.note(chance.randrange(head + 1))
        elif act == "rollback":
            past.rollback(chance.randrange(head), at)
        else:
            past.fork(chance.randrange(head + 1), at)
    if chance.random() < 0.2:
        past.delete(at)
    return past


def random_terms(chance: random.Random) -> Terms:
    days = sorted(chance.sample(range(8, 110), 4))
    names = ["thin_days", "empty_days", "prune_days", "remove_days"]
    said = {
        name: n for name, n in zip(names, days, strict=True) if chance.random() < 0.7
    }
    if chance.random() < 0.4 or not said:
        said["ended_days"] = chance.randrange(7, 60)
    return Terms(**said, keep_last=chance.choice([1, 1, 2, 5]))


@pytest.mark.parametrize("seed", range(SEED, SEED + 12))
def test_the_sweep_takes_what_the_preview_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    # Small, so that sessions take several steps.
    monkeypatch.setattr(planning, "AT_ONCE", chance.choice([2, 3, 500]))
    monkeypatch.setattr("apps.timeline.operations.keeping.removing.MOST", 4)
    pasts = [random_past(chance, project) for _ in range(8)]
    held = chance.choice(pasts)
    retention.set_legal_hold(
        act=act_in(project), kind=HoldKind.SESSION, value=held.id, reason="x"
    )
    left = held.numbers
    feed_all()
    policy = retention.make_policy(act=act_in(project), terms=random_terms(chance))
    preview = previewed(project, policy)
    assert not Tombstone.objects.exists()
    act = act_in(project)
    retention.enable_policy(act=act, policy_id=policy.id, preview_id=preview.id)
    swept()

    found = Removal.objects.removals().first()
    counts = {"steps": {}} if found is None else found.counts
    assert counts["steps"] == preview.counts["steps"]
    if found is not None:
        assert counts == preview.counts
    assert held.numbers == left
    for past in pasts:
        if past.is_there:
            past.require_whole()


def test_a_preview_leaves_everything_as_it_was(project: Project) -> None:
    past = Past.of(project, [90, 80, 70, 1])
    feed_all()
    policy = retention.make_policy(
        act=act_in(project), terms=Terms(thin_days=1, empty_days=75, prune_days=85)
    )
    preview = previewed(project, policy)

    assert preview.counts["steps"]["prune"]["versions"] == 1
    assert (past.numbers, past.full, past.stones) == ([0, 1, 2, 3], [0, 1, 2, 3], [])
    assert past.row.erasures == 0
    assert past.row.thinned_below is None


def test_what_takes_too_long_of_one_session_is_said_to_be_not_all(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "AT_ONCE", 2)
    past = Past.of(project, [90, 89, 88, 87, 86, 85, 1])
    feed_all()
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    asked = retention.ask_preview(act=act_in(project), policy_id=policy.id)
    seconds = count(step=previewing.LONGEST_OF_ONE_SECONDS / 2 + 0.1)
    with acting_as(Role.RETENTION):
        count_previews(clock=lambda: next(seconds))

    found = Removal.objects.get(id=asked.id)
    assert (found.state, found.is_complete) == ("ready", False)
    assert 0 < found.counts["steps"]["empty"]["versions"] < 6
    assert past.full == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("failure", [ValueError("damaged"), InternalError("damaged")])
def test_a_session_that_fails_is_counted_and_the_others_as_well(
    project: Project, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    broken, sound = Past.of(project, [90, 80, 1]), Past.of(project, [90, 80, 1])
    feed_all()
    take = "apps.retention.sweeping.doing.empty_versions"

    def failing(*, session_id: str, **given: Any) -> Gone:
        if session_id == broken.id:
            raise failure
        return empty_versions(session_id=session_id, **given)

    monkeypatch.setattr(take, failing)
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    preview = previewed(project, policy)
    act = act_in(project)
    retention.enable_policy(act=act, policy_id=policy.id, preview_id=preview.id)
    swept()

    assert taken(policy).counts == preview.counts
    assert preview.counts["pinned"] == {"failed": 1}
    assert (broken.full, sound.full) == ([0, 1, 2], [2])


def test_one_that_is_stopped_is_counted_anew(project: Project) -> None:
    Past.of(project, [90, 80, 1])
    feed_all()
    policy = retention.make_policy(act=act_in(project), terms=Terms(empty_days=30))
    asked = retention.ask_preview(act=act_in(project), policy_id=policy.id)
    answers = iter([False, True])
    with acting_as(Role.RETENTION):
        assert count_previews(is_stopping=lambda: next(answers)) == 0
        assert Removal.objects.get(id=asked.id).state == "previewing"
        assert count_previews(now=timezone.now()) == 1

    assert Removal.objects.get(id=asked.id).counts["steps"]["empty"]["versions"] == 2
