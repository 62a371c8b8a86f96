"""Migrating a session's state: shown, stored as a version, and refused whole."""

from typing import Any

import pytest

from apps.timeline.models import Version
from tests.schemas.make import FIRST, SECOND, THIRD, declare, lead, three
from tests.timeline.runs import Run, assert_refused, begin

pytestmark = pytest.mark.django_db


def migrate(run: Run, to: str, **fields: Any) -> Any:
    return run.client.post(run.path("state", "migrate"), {"to": to, **fields})


def test_a_state_is_shown_as_another_schema_has_it_and_nothing_is_written(
    run: Run, admin: Any
) -> None:
    three(admin)

    shown = run.get("state", schema="3.0.0")

    assert shown["state"] == shown["data"] == THIRD
    assert (shown["schema_version"], shown["migrated_from"]) == ("3.0.0", "1.0.0")
    assert shown["version"] == 0
    assert run.state == FIRST
    assert Version.objects.filter(session_id=run.id).count() == 1
    assert run.get("state", schema="1.0.0")["migrated_from"] is None


def test_it_is_stored_as_a_version_that_says_what_it_came_from(
    run: Run, admin: Any
) -> None:
    ways = three(admin)

    answer = migrate(run, "2.0.0", expected_version=0, reasoning="The new release")

    assert answer.status == 200, answer.content
    assert answer.body["state"] == SECOND
    assert answer.headers["ETag"] == '"v1"'
    made = run.get("versions", 1)
    assert (made["op"], made["schema_version"]) == ("migrate", "2.0.0")
    assert made["migrated_from"] == "1.0.0"
    assert made["reasoning"] == "The new release"
    assert run.get("versions", 0)["migrated_from"] is None
    kept = admin.get(f"/v1/agents/travel/migrations/{ways['2.0.0']['id']}").body
    assert kept["used_at"] is not None
    assert run.get("verify")["valid"]


def test_the_same_request_twice_migrates_once(run: Run, admin: Any) -> None:
    three(admin)
    body = {"to": "2.0.0"}

    first = run.client.post(
        run.path("state", "migrate"), body, Idempotency_Key="migrate-1"
    )
    again = run.client.post(
        run.path("state", "migrate"), body, Idempotency_Key="migrate-1"
    )

    assert (first.status, again.status) == (200, 200)
    assert again.body["state"] == first.body["state"] == SECOND
    assert again.headers["Idempotent-Replayed"] == "true"
    assert run.head == 1


def test_later_writes_and_rollbacks_are_of_the_schema_that_they_show(
    run: Run, admin: Any
) -> None:
    three(admin)
    migrate(run, "2.0.0")
    run.patch({"days": 4})
    run.hold("pause")
    run.hold("resume")
    run.rollback(0)
    fork = run.fork(version=2)

    found = [run.get("versions", n)["schema_version"] for n in range(6)]
    assert found == ["1.0.0", "2.0.0", "2.0.0", "2.0.0", "2.0.0", "1.0.0"]
    assert fork.get("versions", 0)["schema_version"] == "2.0.0"


def test_a_state_that_names_no_schema_is_taken_for_the_one_that_is_said(
    api: Any, admin: Any
) -> None:
    run = begin(api(), FIRST)
    three(admin)

    assert_refused(migrate(run, "2.0.0"), 409, "no_migration")
    answer = migrate(run, "2.0.0", **{"from": "1.0.0"})

    assert answer.body["state"] == SECOND
    assert run.get("versions", 1)["migrated_from"] == "1.0.0"


def test_a_step_that_fails_says_which_and_where_and_stores_nothing(
    run: Run, admin: Any
) -> None:
    three(admin)
    run.patch({"legs": [{"km": "550"}, {"km": "FAR"}]})

    for answer in (
        migrate(run, "2.0.0"),
        run.client.get(run.path("state"), {"schema": "2.0.0"}),
    ):
        assert_refused(answer, 409, "migration_failed", "/state/legs/1/km")
        assert answer.body["error"]["step"] == "/steps/2/steps/0"
        assert answer.body["error"]["pointer"] == "/legs/1/km"
        assert "FAR" not in answer.content.decode()
    assert run.head == 1


def test_a_state_that_does_not_pass_its_schema_is_not_stored(
    run: Run, admin: Any
) -> None:
    three(admin)
    run.patch({"days": "0"})

    answer = migrate(run, "2.0.0")

    assert_refused(answer, 409, "schema_unfit", "/state/days")
    assert run.head == 1


def test_what_cannot_be_migrated_says_why(run: Run, admin: Any) -> None:
    three(admin)
    declare(admin, "9.0.0")

    assert_refused(migrate(run, "1.0.0"), 409, "nothing_to_migrate")
    assert_refused(migrate(run, "9.0.0"), 409, "no_migration")
    assert_refused(migrate(run, "8.0.0"), 404, "schema_not_found")
    assert_refused(
        run.client.get(run.path("state"), {"schema": "8.0.0"}), 404, "schema_not_found"
    )
    assert_refused(migrate(run, "2.0.0", expected_version=7), 409, "version_conflict")
    assert_refused(migrate(run, "2.0.0", schema_version="2.0.0"), 400, "unknown_field")
    run.hold("pause")
    assert migrate(run, "2.0.0").status in (409, 423)


def test_a_stranger_finds_no_session_to_migrate(
    run: Run, admin: Any, stranger: Any
) -> None:
    three(admin)

    answer = stranger.post(run.path("state", "migrate"), {"to": "2.0.0"})

    assert_refused(answer, 404, "session_not_found")
    assert run.head == 0


def test_a_rollback_across_schemas_says_so_and_migrates_in_the_same_batch(
    run: Run, admin: Any
) -> None:
    three(admin)
    run.patch({"days": "5"})
    migrate(run, "2.0.0")

    same = run.get("rollback", "preview", version=2 - 2)["schema"]
    assert same == {"head": "2.0.0", "restored": "1.0.0", "migrates": True}

    done = run.rollback(0, migrate_to="2.0.0", reasoning="Too long", expected_version=2)

    assert (done["restored_from_version"], done["new_version"]) == (0, 4)
    assert done["rolled_back_from_version"] == 2
    assert done["state"] == SECOND
    assert [run.get("versions", n)["op"] for n in (3, 4)] == ["rollback", "migrate"]
    assert run.get("rollback", "preview", version=3)["schema"]["migrates"] is True
    assert run.get("rollback", "preview", version=2)["schema"] is None
    assert run.get("verify")["valid"]


def test_neither_is_stored_where_the_restored_state_cannot_be_migrated(
    run: Run, admin: Any
) -> None:
    three(admin)
    run.put(FIRST | {"days": "many"})
    run.put(FIRST)
    migrate(run, "2.0.0")

    answer = run.client.post(
        run.path("rollback"), {"version": 1, "migrate_to": "2.0.0"}
    )

    assert_refused(answer, 409, "migration_failed", "/state/days")
    assert not answer.body["error"]["message"].startswith("versions[")
    assert run.head == 3


def test_a_rollback_that_migrates_is_repeated_as_it_was(run: Run, admin: Any) -> None:
    three(admin)
    migrate(run, "2.0.0")
    body = {"version": 0, "migrate_to": "2.0.0"}

    first, again = (
        run.client.post(run.path("rollback"), body, Idempotency_Key="back-1")
        for _ in range(2)
    )

    assert first.status == again.status == 200
    for name in ("restored_from_version", "new_version", "state", "verified"):
        assert again.body[name] == first.body[name]
    assert run.head == 3


def test_another_migration_may_follow_a_migration(run: Run, admin: Any) -> None:
    three(admin)
    migrate(run, "2.0.0")

    assert migrate(run, "3.0.0").body["state"] == THIRD
    assert run.get("versions", 2)["migrated_from"] == "2.0.0"


def test_a_migration_that_changes_nothing_stores_no_bytes(run: Run, admin: Any) -> None:
    declare(admin, "1.0.0")
    declare(admin, "1.1.0")
    lead(admin, "1.0.0", "1.1.0", [{"op": "remove", "at": "/nothing"}])

    assert migrate(run, "1.1.0").body["state"] == FIRST
    assert Version.objects.get(session_id=run.id, number=1).body_number == 0
    assert run.get("verify")["valid"]


def test_a_checkpointer_goes_on_from_what_was_migrated(run: Run, admin: Any) -> None:
    three(admin)
    migrate(run, "2.0.0")

    written = run.get("checkpoints", include_merges="true", include_state="true")
    newest = written["data"][0]

    assert (newest["version"], newest["state"]) == (1, SECOND)
    named = run.get("checkpoints", checkpoint_id=newest["checkpoint_id"])["data"]
    assert [one["version"] for one in named] == [1]
    # What nobody wrote for checkpoints alone is not shown without asking.
    assert [one["version"] for one in run.get("checkpoints")["data"]] == [0]
