"""What apps keep of a session goes with it, by a policy as by an erasure."""

from __future__ import annotations

from typing import Any

import pytest

from apps.audit.models import Event
from apps.core.roles.names import Role
from apps.timeline.models import RequestKey, Session
from apps.timeline.operations import Gone, Went, prune_versions, remove_session
from tests.acting import acting_as
from tests.erasures.leaving import found_in, leave
from tests.feeding import feed_all
from tests.timeline import runs

pytestmark = pytest.mark.django_db
# Chains cover ids, which say nothing; what was sent says that the session is removed.
STAYS = {"audit_auditrecord", "audit_event", "audit_outbox", "timeline_tombstone"}


def remove(session_id: str, **said: Any) -> Gone:
    with acting_as(Role.RETENTION):
        return remove_session(
            session_id=session_id, removal_id="rem_01", reason="test", **said
        )


def test_a_session_with_open_approvals_stays_under_a_policy(api: runs.Clients) -> None:
    run = leave(api())
    feed_all()

    gone = remove(run.id)

    assert gone.outcome is Went.PINNED
    assert gone.pinned[2] == "open"
    assert Session.objects.filter(id=run.id).exists()


def test_an_erasure_takes_approvals_and_all_that_apps_keep(api: runs.Clients) -> None:
    run = leave(api())
    feed_all()

    gone = remove(run.id, erasing=True)

    assert gone.outcome is Went.DONE
    assert gone.kept["approvals"] >= 2
    assert gone.rows > gone.versions + gone.turns + sum(gone.kept.values())
    feed_all()
    left = set(found_in(run.id))
    # What was answered is forgotten after a day; memories of its user are the user's.
    assert left <= STAYS | {"accounts_storedanswer", "memory_memory"}, left


def test_events_outlive_a_policys_removal_but_for_an_agents_writes(
    begin: runs.Begin,
) -> None:
    run = begin({"n": 1})
    run.patch({"n": 2})
    feed_all()

    gone = remove(run.id)

    assert gone.outcome is Went.DONE
    assert actions_of(run.id) == ["session.created", "session.removed"]


def test_an_agents_writes_are_told_no_longer_than_their_versions_are_there(
    begin: runs.Begin,
) -> None:
    run = begin({"n": 1})
    run.patch({"n": 2})
    run.turn(state_after={"n": 3})
    run.turn()
    run.rollback(0)
    run.turn()
    feed_all()
    before = actions_of(run.id)

    gone = prune(run.id, 1, 2)

    assert gone.versions == 2, gone
    assert before == [
        "session.created",
        "version.created",
        "version.created",
        "turn.added",
        "turn.added",
        "session.rolled_back",
        "turn.added",
    ]
    assert actions_of(run.id) == [
        "session.created",
        "turn.added",
        "turn.added",
        "session.rolled_back",
        "turn.added",
        "session.pruned",
    ]


def prune(session_id: str, first: int, last: int) -> Gone:
    with acting_as(Role.RETENTION):
        return prune_versions(
            session_id=session_id,
            first=first,
            last=last,
            removal_id="rem_01",
            reason="test",
        )


def actions_of(session_id: str) -> list[str]:
    found = Event.objects.filter(stream_id=session_id).order_by("id")
    return list(found.values_list("action", flat=True))


def test_the_key_of_the_request_goes_with_the_first_version(
    api: runs.Clients,
) -> None:
    client = api()
    said = {"agent_id": "travel", "initial_state": {"n": 0}}
    made = client.post("/v1/sessions", said, Idempotency_Key="once")
    run = runs.Run(client, made)
    run.patch({"n": 1})
    feed_all()
    assert RequestKey.objects.filter(session_id=run.id).exists()

    prune(run.id, 0, 0)

    assert not RequestKey.objects.filter(session_id=run.id).exists()
