"""Onto which other code a state goes, told before a fork, a rollback or a resume."""

from __future__ import annotations

from typing import Any

import pytest

from stepback.answers import Checkpoint, RollbackPreview
from tests.schemas.make import FIRST, three
from tests.timeline.runs import Run, assert_refused, begin

pytestmark = pytest.mark.django_db(transaction=True)


def made(api: Any, **step: Any) -> Run:
    return begin(api(), FIRST, release="1", model="small", **step)


def move(of: str, was: str, now: str, migrates: bool | None = None) -> Any:
    return {"of": of, "was": was, "now": now, "migrates": migrates}


def preview(run: Run, version: int, **ahead: Any) -> Any:
    return run.get("rollback/preview", version=version, **ahead)["moves"]


def test_a_rollback_onto_another_release_says_so_before_it_is_done(api: Any) -> None:
    run = made(api)
    run.patch({"days": "5"}, release="2", model="small")

    assert preview(run, 0) == [move("release", "1", "2")]
    assert preview(run, 0, release="1") == []
    assert preview(run, 0, release="3", model="large") == [
        move("release", "1", "3"),
        move("model", "small", "large"),
    ]


def test_what_the_agent_writes_with_by_now_counts_in_other_sessions_too(
    api: Any,
) -> None:
    run = made(api)
    run.hold("pause")
    begin(api(), FIRST, release="2")

    assert run.get("checkpoint")["moves"] == [move("release", "1", "2")]


def test_a_rollback_is_of_the_code_that_made_the_state_it_shows(api: Any) -> None:
    run = made(api)
    run.patch({"days": "5"}, release="2")
    run.rollback(0)
    run.hold("pause")

    assert run.get("checkpoint", release="1")["moves"] == []
    assert run.get("checkpoint", release="2")["moves"] == [move("release", "1", "2")]


def test_what_is_not_known_of_both_sides_is_told_of_neither(api: Any) -> None:
    run = begin(api(), FIRST)
    run.patch({"days": "5"}, release="2")

    assert preview(run, 0) == preview(run, 0, release="3") == []
    assert run.get("checkpoint", version=1)["moves"] == []


def test_another_agents_release_is_none_of_it(api: Any) -> None:
    run = made(api)
    begin(api(), FIRST, agent_id="other", release="9")

    assert run.get("checkpoint")["moves"] == []


def test_a_resume_goes_on_under_the_newest_schema(api: Any, admin: Any) -> None:
    tasks = [{"id": "a", "status": "completed"}, {"id": "b", "status": "failed"}]
    run = begin(api(), FIRST, schema_version="1.0.0", tasks=tasks)
    three(admin)

    plain = run.get("checkpoint")
    under = run.get("checkpoint", schema="2.0.0")

    assert plain["moves"] == [move("schema", "1.0.0", "3.0.0", True)]
    assert under["moves"] == [move("schema", "1.0.0", "2.0.0", True)]
    assert (under["schema_version"], under["migrated_from"]) == ("2.0.0", "1.0.0")
    assert under["state"] == run.get("state", schema="2.0.0")["state"] != plain["state"]
    assert plain["next_task"] == under["next_task"] == tasks[1]
    assert run.head == 0


def test_a_schema_that_is_not_there_is_refused(api: Any, admin: Any) -> None:
    run = begin(api(), FIRST, schema_version="1.0.0")
    three(admin)

    answer = run.client.get(run.path("checkpoint"), {"schema": "9"})

    assert_refused(answer, 404, "schema_not_found")
    answer = run.client.get(run.path("checkpoint"), {"schema_from": "1.0.0"})
    assert_refused(answer, 400, "invalid_request", "schema_from")


def test_without_the_part_the_next_task_is_of_the_states_own(api: Any) -> None:
    done, left = {"id": 1, "status": "done"}, {"id": 2}

    assert begin(api(), {"tasks": [done, left]}).get("checkpoint")["next_task"] == left
    assert begin(api(), {"tasks": "none"}).get("checkpoint")["next_task"] is None
    run = begin(api(), {"tasks": [left]}, tasks=[done])
    assert run.get("checkpoint")["next_task"] is None


def test_the_client_passes_it_on(api: Any) -> None:
    run = made(api)
    run.patch({"days": "5"}, release="2")

    seen = RollbackPreview.of(run.get("rollback/preview", version=0))
    assert seen.moves == [move("release", "1", "2")]
    assert Checkpoint.of(run.get("checkpoint", release="9")).moves == [
        move("release", "2", "9")
    ]
