"""The loader's rows are those that the API makes, and stand up to verification."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from apps.core import sql
from apps.core.roles.names import Role
from apps.timeline import verification
from tests.acting import acting_as, erasing
from tests.benchmarks import loader
from tests.benchmarks.copying import TABLES
from tests.benchmarks.loader import Loader
from tests.feeding import project_all

PATCHES = [*loader.steps(40), {"status": None}, {"items": [{"id": 1}]}]
# What differs between any two sessions that are told the same.
OWN = {
    "timeline_session": {"id", "created_at", "updated_at"},
    "timeline_version": {
        *("session_id", "trace_id", "salt", "reasoning_digest", "step_digest"),
        *("commitment", "leaf", "chain", "requested_at", "created_at"),
        "request_digest",
    },
    "timeline_body": {"session_id", "salt"},
    "timeline_change": {"session_id"},
    "timeline_term": {"session_id"},
    "timeline_open": {"session_id", "at"},
    "audit_event": {"stream_id", "id", "resource_id", "request_id", "created_at"},
}
# And who did it: here the installation, there a key.
ACTOR = {"actor_kind", "actor_id", "actor_label"}


class OwnersLoader(Loader):
    """Loads as the owner, who may write what follows from history."""

    def sessions(self, *given: Any) -> list[str]:
        with acting_as(Role.OWNER):
            return super().sessions(*given)

    def versions(self, *given: Any) -> None:
        with acting_as(Role.OWNER):
            super().versions(*given)


@pytest.fixture
def loading(project):
    return OwnersLoader(project, now=timezone.now() - timedelta(days=1))


def rows_of(table: str, session_id: str) -> list[dict[str, Any]]:
    column = {"timeline_session": "id", "audit_event": "stream_id"}
    found = sql.rows(
        f"SELECT * FROM {table} WHERE {column.get(table, 'session_id')} = %s",
        [session_id],
    )
    left_out = OWN[table] | ACTOR
    told = [
        {name: value for name, value in row._asdict().items() if name not in left_out}
        for row in found
    ]
    return sorted(told, key=str)


def posted(client, states, patches) -> list[str]:
    """Make the same sessions, and the same versions of the first, over the API."""
    ids = []
    for state in states:
        body = {"agent_id": loader.AGENT, "initial_state": state}
        ids.append(client.post("/v1/sessions", body).body["id"])
    for patch in patches:
        client.patch(f"/v1/sessions/{ids[0]}/state", {"state": patch})
    project_all()
    return ids


def test_what_is_loaded_verifies(loading) -> None:
    ids = loading.sessions(loader.small_states(3), 10)
    loading.versions(ids[0], PATCHES)

    out = StringIO()
    call_command("verify", stdout=out)

    assert len(set(ids)) == 10
    assert str(10 + len(PATCHES)) in out.getvalue()


def test_damage_to_what_is_loaded_is_found(loading) -> None:
    ids = loading.sessions(loader.small_states(1), 2)
    with erasing(), loader.connection.cursor() as cursor:
        cursor.execute(
            "UPDATE timeline_version SET trace_id = 'x' WHERE session_id = %s", [ids[1]]
        )

    assert not list(verification.findings(ids[0]))
    assert list(verification.findings(ids[1]))


@pytest.mark.parametrize("table", TABLES)
def test_what_is_loaded_is_what_the_api_stores(api, loading, table: str) -> None:
    states = list(loader.small_states(3))
    loaded = loading.sessions(states, len(states))
    loading.versions(loaded[0], PATCHES)

    made = posted(api(), states, PATCHES)

    for mine, theirs in zip(loaded, made, strict=True):
        # Only the one that went on has lost something.
        is_there = table != "timeline_open" or mine == loaded[0]
        assert bool(rows_of(table, mine)) == is_there
        assert rows_of(table, mine) == rows_of(table, theirs)


def test_sessions_that_share_a_state_differ_in_what_is_theirs(loading) -> None:
    first, second = loading.sessions(loader.small_states(1), 2)

    for table in TABLES:
        assert rows_of(table, first) == rows_of(table, second)
    leaves = sql.rows(
        "SELECT DISTINCT trace_id, leaf, chain FROM timeline_version"
        " WHERE session_id IN (%s, %s)",
        [first, second],
    )
    assert len(leaves) == 2


def test_an_agent_goes_on_with_what_is_loaded(api, loading) -> None:
    (session_id,) = loading.sessions(loader.small_states(1), 1)
    loading.versions(session_id, PATCHES)

    answer = api().patch(f"/v1/sessions/{session_id}/state", {"state": {"step": -1}})

    assert answer.status == 200
    assert answer.body["version"] == len(PATCHES) + 1
