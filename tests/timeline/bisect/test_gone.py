"""Bisect where versions are gone, thinned, hidden or cannot be read."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Project
from apps.agents.scope import Scope
from apps.core.roles.names import Role
from apps.timeline import bodies
from apps.timeline.operations import keeping
from apps.timeline.versions import fetching
from tests.acting import acting_as
from tests.feeding import project_all
from tests.timeline import damage
from tests.timeline.bisect.asking import bisect, flips, place
from tests.timeline.keeping.gaps import take, with_gaps
from tests.timeline.runs import Begin, Clients, Keys, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def gaps(begin: Begin) -> Run:
    """v1 to v3 were pruned, v6 and v7 emptied; all below v10 thinned."""
    return with_gaps(begin)


def test_a_flip_among_versions_that_are_gone_is_not_certain(gaps: Run) -> None:
    found = bisect(gaps, "state.city=Rome")

    # v2 set it to Oslo, and is gone; v4 still had that.
    assert flips(found) == [(4, False)]
    (flip,) = found["data"]
    assert (flip["certain"], flip["after"]) == (False, place(gaps, 0))
    assert (found["exact"], found["gone"]) == (False, 5)
    assert [(one["first_version"], one["kind"]) for one in found["removed"]] == [
        (6, "emptied"),
        (1, "pruned"),
    ]


def test_a_flip_beside_what_is_gone_is_certain(gaps: Run) -> None:
    found = bisect(gaps, "state.city=Bern")

    assert flips(found) == [(12, False), (5, True)]
    assert [one["certain"] for one in found["data"]] == [True, True]
    # Whether it turned twice in v6 and v7 nobody knows.
    assert found["exact"] is False


def test_no_flip_is_not_said_to_be_none_where_versions_are_gone(gaps: Run) -> None:
    found = bisect(gaps, "state.kept=zanzibar")

    assert (found["data"], found["exact"]) == ([], False)
    assert found["candidates"] + found["untouched"] + found["gone"] == 14


def test_a_history_that_ends_with_what_is_gone_says_so(gaps: Run) -> None:
    found = bisect(gaps, "state.city=Bern", to=7)

    assert found["last"] == place(gaps, 7) | {"outcome": None, "holds": None}
    assert found["last_good"]["version"] == 5
    assert flips(found) == [(5, True)]


def test_one_that_begins_with_what_is_gone_says_so(gaps: Run) -> None:
    found = bisect(gaps, "state.city=Oslo", **{"from": 2})

    assert found["first"] == place(gaps, 2) | {"outcome": None, "holds": None}
    assert flips(found) == [(5, False)]
    assert found["data"][0]["after"] == place(gaps, 4)


def test_where_all_is_gone_nothing_is_known(gaps: Run) -> None:
    found = bisect(gaps, "state.city=Oslo", **{"from": 6, "to": 7})

    assert (found["data"], found["candidates"], found["gone"]) == ([], 0, 2)
    assert (found["exact"], found["first_bad"], found["last_good"]) == (
        False,
        None,
        None,
    )
    assert (found["has_more"], found["next"]) == (False, None)


def test_what_was_before_is_gone_with_its_version(gaps: Run) -> None:
    found = bisect(gaps, "state.step>was.step", order="oldest")

    # v4 has none before it that is there, nor has v8.
    assert [one["version"] for one in found["looked_at"] if one["outcome"] is None] == [
        4,
        8,
    ]
    assert flips(found) == [(5, True)]
    assert found["exact"] is False


def test_thinned_versions_are_looked_into_one_by_one(begin: Begin) -> None:
    run = begin({"a": 0, "b": 0})
    for step in range(1, 30):
        run.patch({"b": step} if step % 10 else {"a": step})
    before = bisect(run, "state.a=10")
    project_all()
    with acting_as(Role.RETENTION):
        keeping.thin_session(session_id=run.id, below=25)

    after = bisect(run, "state.a=10")

    assert flips(before) == flips(after) == [(20, False), (10, True)]
    assert (before["candidates"], after["candidates"]) == (3, 26)
    assert after["exact"] is True


def test_a_rollback_beside_what_is_gone_is_looked_into(begin: Begin) -> None:
    run = begin({"a": 0})
    for step in range(1, 4):
        run.patch({"a": step})
    run.rollback(1)
    run.patch({"b": 1})
    take(keeping.prune_versions, run, first=1, last=2, erasing=True)

    found = bisect(run, "state.a=1")

    assert flips(found) == [(4, True)]
    assert (found["data"][0]["certain"], found["exact"]) == (False, False)


def test_it_goes_on_into_the_origin_of_a_fork(begin: Begin) -> None:
    run = begin({"a": 0})
    run.patch({"a": 1})
    run.patch({"a": 2})
    run.rollback(0)
    run.patch({"a": 3})
    fork = run.fork(version=2)
    fork.patch({"a": 4})
    deeper = fork.fork(state={"a": 1})

    found = bisect(deeper, "state.a=1", order="oldest")

    assert [(one["session_id"], one["version"]) for one in found["data"]] == [
        (run.id, 1),
        (run.id, 2),
        (deeper.id, 0),
    ]
    assert (found["versions"], found["hidden_before"]) == (6, False)
    assert found["first"]["session_id"] == run.id


def test_numbers_are_of_the_session_that_is_asked(begin: Begin) -> None:
    run = begin({"a": 0})
    run.patch({"a": 1})
    fork = run.fork()
    fork.patch({"a": 0})

    found = bisect(fork, "state.a=1", **{"from": 0})

    assert (flips(found), found["versions"]) == ([(1, False)], 2)
    assert found["hidden_before"] is False


def test_a_fork_whose_origin_was_pruned_says_so(begin: Begin) -> None:
    run = begin({"a": 0})
    for step in range(1, 4):
        run.patch({"a": step})
    fork = run.fork(version=2)
    fork.patch({"a": 0})
    take(keeping.prune_versions, run, first=1, last=2, erasing=True)

    found = bisect(fork, "state.a=0", order="oldest")

    assert [(one["session_id"], one["version"]) for one in found["data"]] == [
        (fork.id, 0),
        (fork.id, 1),
    ]
    assert [one["certain"] for one in found["data"]] == [False, True]
    assert (found["exact"], found["gone"]) == (False, 2)


def test_an_origin_that_a_key_may_not_see_is_not_told_of(
    begin: Begin, api: Clients, make_key: Keys, project: Project
) -> None:
    run = begin({"a": 0})
    run.patch({"a": 1})
    fork = run.fork(agent_id="other")
    fork.patch({"a": 0})
    limited = Run(api(make_key(project=project, agents=["other"])), fork.made)

    hidden, seen = bisect(limited, "state.a=1"), bisect(fork, "state.a=1")

    assert flips(hidden) == [(1, False)]
    assert flips(seen) == [(1, False), (1, True)]
    assert (hidden["hidden_before"], seen["hidden_before"]) == (True, False)
    assert run.id not in str(hidden)
    assert hidden["first"] == place(fork, 0) | {"outcome": "holds", "holds": True}


def test_an_origin_that_was_deleted_is_not_told_of(begin: Begin) -> None:
    run = begin({"a": 0})
    run.patch({"a": 1})
    fork = run.fork()
    run.client.send("DELETE", run.path())

    found = bisect(fork, "state.a=1")

    assert (found["data"], found["hidden_before"]) == ([], True)


def test_a_state_that_cannot_be_read_is_named(begin: Begin, project: Project) -> None:
    run = begin({"a": 0})
    run.put({"a": 1})
    run.put({"a": 2})
    body = fetching.head(Scope(project), run.id, now=timezone.now()).body_number
    run.put({"a": 3})
    salt = damage.place_of(run, "body", body, "salt")
    with transaction.atomic():
        damage.damage(salt, bytes(len(salt.value)))
    bodies.cache.forget(run.id)

    found = bisect(run, "state.a>=1", order="oldest")

    assert found["unreadable"] == [place(run, 2)]
    assert (flips(found), found["exact"]) == ([(1, True)], False)
