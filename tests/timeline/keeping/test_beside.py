"""What apps keep of a session goes with it, by a policy as by an erasure."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

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


def test_events_outlive_a_policys_removal(begin: runs.Begin) -> None:
    run = begin({"n": 1})
    run.patch({"n": 2})
    feed_all()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM audit_event WHERE stream_id = %s", [run.id]
        )
        (before,) = cursor.fetchone() or (0,)

    assert remove(run.id).outcome is Went.DONE

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT action FROM audit_event WHERE stream_id = %s ORDER BY id", [run.id]
        )
        actions = [action for (action,) in cursor.fetchall()]
    assert len(actions) == before + 1
    assert actions[-1] == "session.removed"


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

    with acting_as(Role.RETENTION):
        prune_versions(
            session_id=run.id, first=0, last=0, removal_id="rem_01", reason="test"
        )

    assert not RequestKey.objects.filter(session_id=run.id).exists()
