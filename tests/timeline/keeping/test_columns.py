"""Retention empties rows of history and moves bodies; the database holds it to that.

Asked for by the role itself, with its flag: whatever its code did, what it may not
rewrite stays. One role for everything, where there is one, is held to the same.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, models, transaction

from apps.core.roles.names import Role
from apps.timeline.models import Body, Tombstone, Turn, Version
from tests.acting import acting_as
from tests.timeline import runs
from tests.timeline.keeping.taking import empty

pytestmark = pytest.mark.django_db

HISTORY: list[type[models.Model]] = [Version, Body, Turn]
COLUMNS = [
    (model, field.column)
    for model in HISTORY
    for field in model._meta.concrete_fields
    if field.column
]
EMPTIED = {
    Version: "reasoning = NULL, reason_code = NULL, step_number = NULL,"
    " step_parent_id = NULL, objective_status = NULL, schema_version = NULL,"
    " release = NULL, model = NULL, changes = '[]', salt = ''",
    Body: "base_number = NULL, depth = 0, codec = 0, data = '', size = 0, salt = ''",
    Turn: "reasoning = NULL, codec = 0, data = '', size = 0, salt = ''",
}
OTHER = {
    "BigIntegerField": "coalesce({0}, 0) + 1",
    "SmallIntegerField": "coalesce({0}, 0) + 1",
    "BooleanField": "NOT coalesce({0}, false)",
    "BinaryField": "coalesce({0}, '') || '\\x00'::bytea",
    "DateTimeField": "{0} + interval '1 microsecond'",
    "JSONField": '\'[{{"pointer": "/x"}}]\'',
}


@pytest.fixture
def run(begin: runs.Begin) -> runs.Run:
    made = begin({"step": 0, "text": "something long enough to build on " * 20})
    made.turn(state_after={"step": 1}, reasoning="Why.")
    made.patch({"step": 2}, reasoning="So.", model="large", step_number=3)
    made.rollback(1, reason_code="bad_tool", reasoning="No.")
    made.patch({"step": 4})
    return made


@pytest.mark.parametrize("role", [Role.RETENTION, Role.OWNER])
@pytest.mark.parametrize(
    ("model", "column"), COLUMNS, ids=lambda one: getattr(one, "__name__", one)
)
def test_no_column_is_rewritten(
    run: runs.Run, model: Any, column: str, role: Role
) -> None:
    (field,) = [one for one in model._meta.concrete_fields if one.column == column]
    other = OTHER.get(field.get_internal_type(), "coalesce(left({0}, -1), '') || '~'")
    change = f"{column} = {other.format(column)}"

    assert _refused(run, model, change, role)


@pytest.mark.parametrize(
    ("model", "column"), COLUMNS, ids=lambda one: getattr(one, "__name__", one)
)
def test_nothing_is_rewritten_while_it_is_emptied(
    run: runs.Run, model: Any, column: str
) -> None:
    (field,) = [one for one in model._meta.concrete_fields if one.column == column]
    other = OTHER.get(field.get_internal_type(), "coalesce(left({0}, -1), '') || '~'")
    emptied = [
        one for one in EMPTIED[model].split(", ") if not one.startswith(f"{column} ")
    ]
    change = ", ".join([*emptied, f"{column} = {other.format(column)}"])

    assert _refused(run, model, change, Role.RETENTION)


@pytest.mark.parametrize("model", HISTORY, ids=lambda one: one.__name__)
def test_what_is_emptied_wholly_is_let_pass(run: runs.Run, model: Any) -> None:
    assert not _refused(run, model, EMPTIED[model], Role.RETENTION)


@pytest.mark.parametrize(
    "number",
    ["2", "0", "99", "4"],
    ids=["an earlier body", "another", "none", "a later one"],
)
def test_a_version_shows_no_body_but_its_own_elsewhere(
    run: runs.Run, number: str
) -> None:
    """v3 shows body 1, by a rollback."""
    change = f"body_number = {number}"
    assert _refused(run, Version, change, Role.RETENTION, where="number = 3")


def test_a_body_that_stands_elsewhere_is_shown_there(run: runs.Run) -> None:
    with acting_as(Role.RETENTION), transaction.atomic():
        _run(
            "INSERT INTO timeline_body SELECT session_id, 3, NULL, 0, 2, salt, data,"
            " size FROM timeline_body WHERE session_id = %s AND number = 1",
            [run.id],
        )
        _run("SET LOCAL stepback.retention = 'on'", [])
        _run(
            "UPDATE timeline_version SET body_number = 3"
            " WHERE session_id = %s AND number = 3",
            [run.id],
        )
    assert Version.objects.get(session_id=run.id, number=3).body_number == 3


@pytest.mark.parametrize("role", [Role.RETENTION, Role.WORKER, Role.WEB, Role.OWNER])
@pytest.mark.parametrize(
    "statement",
    ["UPDATE timeline_tombstone SET reason = 'x'", "DELETE FROM timeline_tombstone"],
)
def test_nobody_changes_a_tombstone(run: runs.Run, statement: str, role: Role) -> None:
    empty(run, 0, 0)
    with acting_as(role), transaction.atomic():
        _run("SET LOCAL stepback.retention = 'on'", [])
        with (
            pytest.raises((IntegrityError, ProgrammingError)),
            transaction.atomic(),
        ):
            _run(statement, [])
    assert Tombstone.objects.of_session(run.id).get().reason == "policy"


@pytest.mark.parametrize("role", [Role.WORKER, Role.WEB])
def test_nobody_but_retention_makes_a_tombstone(run: runs.Run, role: Role) -> None:
    empty(run, 0, 0)
    stone = Tombstone.objects.of_session(run.id).get()
    stone.first_number = stone.last_number = 1
    with acting_as(role), pytest.raises(ProgrammingError), transaction.atomic():
        stone.save(force_insert=True)


def _refused(
    run: runs.Run, model: Any, change: str, role: Role, where: str = "true"
) -> bool:
    """Whether the database refuses a change to the rows of a session."""
    table = model._meta.db_table
    try:
        with acting_as(role), transaction.atomic():
            if role is Role.OWNER:
                _run(f"REVOKE ALL ON {table} FROM stepback_retention", None)
            _run("SET LOCAL stepback.retention = 'on'", None)
            _run(
                f"UPDATE {table} SET {change} WHERE session_id = %s AND {where}",
                [run.id],
            )
    except IntegrityError as error:
        return "is refused: history is emptied" in str(error)
    return False


def _run(statement: str, params: list[Any] | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
