"""History is append-only: every way to change a version or a body is refused.

To requests and jobs by their rights, with one role by triggers alone. Retention alone
may, by a flag that ends with its transaction.
"""

import psycopg
import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction

from apps.core.postgres.locate import NAMES
from apps.core.roles.names import Role
from apps.timeline.models import Body, Version
from tests import databases, proof
from tests.acting import acting_as

MODELS = pytest.mark.parametrize("model", [Version, Body])
# The owner stands for the role of an installation that has only one.
ROLES = pytest.mark.parametrize("role", [Role.WEB, Role.WORKER, Role.OWNER])
UPDATES = {
    "queryset.update": lambda model, row: model.objects.update(size=0),
    "queryset.bulk_update": lambda model, row: model.objects.bulk_update(
        [row], ["size"]
    ),
    "bulk_create that updates": lambda model, row: model.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["session_id", "number"],
        update_fields=["size"],
    ),
    "update_or_create": lambda model, row: model.objects.update_or_create(
        session_id=row.session_id, number=row.number, defaults={"size": 0}
    ),
    "save": lambda model, row: row.save(),
    "save of one field": lambda model, row: row.save(update_fields=["size"]),
    "raw UPDATE": lambda model, row: run(f"UPDATE {model._meta.db_table} SET size = 0"),
    "UPDATE inside a WITH": lambda model, row: run(
        f"WITH changed AS (UPDATE {model._meta.db_table} SET size = 0 RETURNING 1)"
        " SELECT count(*) FROM changed"
    ),
    "UPDATE to the same value": lambda model, row: run(
        f"UPDATE {model._meta.db_table} SET size = size"
    ),
    "MERGE": lambda model, row: run(
        f"MERGE INTO {model._meta.db_table} kept USING (SELECT 1) one ON true"
        " WHEN MATCHED THEN UPDATE SET size = 0"
    ),
}
DELETES = {
    "queryset.delete": lambda model, row: model.objects.all().delete(),
    "delete": lambda model, row: row.delete(),
    "raw DELETE": lambda model, row: run(f"DELETE FROM {model._meta.db_table}"),
    "DELETE USING": lambda model, row: run(
        f"DELETE FROM {model._meta.db_table} kept USING timeline_session s"
        " WHERE s.id = kept.session_id"
    ),
}


def run(query, *params):
    with connection.cursor() as cursor:
        cursor.execute(query, params)


def allow(word="on"):
    run(f"SET LOCAL stepback.retention = '{word}'")


def refusal(role):
    return IntegrityError if role is Role.OWNER else ProgrammingError


def stored(model):
    return list(model.objects.order_by("session_id", "number").values())


def change_one(row):
    row.size = 0
    return row


@pytest.fixture
def session_id(api):
    agent = api()
    made = agent.post(
        "/v1/sessions", {"agent_id": "desk", "initial_state": {"city": "Kyoto"}}
    )
    path = f"/v1/sessions/{made.body['id']}"
    for city in ("Tokyo", "Osaka"):
        assert agent.patch(f"{path}/state", {"state": {"city": city}}).status == 200
    assert agent.post(f"{path}/rollback", {"version": 1}).status == 200
    return made.body["id"]


@pytest.mark.django_db
@MODELS
@ROLES
@pytest.mark.parametrize("way", [*UPDATES, *DELETES])
def test_no_way_to_change_history_gets_past_the_database(session_id, model, role, way):
    before = stored(model)
    row = change_one(model.objects.get(session_id=session_id, number=1))

    with (
        acting_as(role),
        pytest.raises(refusal(role)) as refused,
        transaction.atomic(),
    ):
        (UPDATES | DELETES)[way](model, row)

    cause = refused.value.__cause__
    if role is Role.OWNER:
        assert isinstance(cause, psycopg.errors.IntegrityConstraintViolation)
        assert "history is append-only" in str(cause)
    else:
        assert isinstance(cause, psycopg.errors.InsufficientPrivilege)
    assert stored(model) == before


@pytest.mark.django_db
@MODELS
@ROLES
@pytest.mark.parametrize("column", ["reasoning", "leaf", "chain", "created_at"])
def test_no_column_of_a_version_is_an_exception(session_id, model, role, column):
    if model is Body:
        column = {"reasoning": "data", "leaf": "salt", "chain": "codec"}.get(
            column, "base_number"
        )

    with acting_as(role), pytest.raises(refusal(role)), transaction.atomic():
        run(f"UPDATE {model._meta.db_table} SET {column} = {column}")


@pytest.mark.django_db
@MODELS
@ROLES
def test_no_table_of_history_is_emptied(session_id, model, role):
    run("SET CONSTRAINTS ALL IMMEDIATE")

    with acting_as(role), pytest.raises(refusal(role)), transaction.atomic():
        run(f"TRUNCATE {model._meta.db_table} CASCADE")

    assert stored(model)


@pytest.mark.django_db
@MODELS
@pytest.mark.parametrize("word", ["off", "", "true", "1", "ON", "on "])
def test_only_the_exact_word_lets_retention_in(session_id, model, word):
    with acting_as(Role.RETENTION):
        allow(word)

        with pytest.raises(IntegrityError), transaction.atomic():
            run(f"UPDATE {model._meta.db_table} SET size = size")


@pytest.mark.django_db
@MODELS
@ROLES
def test_the_word_of_another_role_counts_for_nothing(session_id, model, role):
    allow()

    with acting_as(role), pytest.raises(refusal(role)), transaction.atomic():
        run(f"UPDATE {model._meta.db_table} SET size = size")


@pytest.mark.django_db
@MODELS
@pytest.mark.parametrize("right", ["UPDATE (size)", "UPDATE (size), DELETE", "UPDATE"])
def test_a_right_to_update_is_not_yet_the_right_to_erase(session_id, model, right):
    """As after a grant that somebody made by hand, and then set the flag."""
    table = model._meta.db_table
    with acting_as(Role.OWNER):
        run(f"GRANT {right} ON {table} TO {NAMES[Role.WEB]}")
    allow()

    with pytest.raises(IntegrityError), transaction.atomic():
        run(f"UPDATE {table} SET size = size")


@pytest.mark.django_db
@MODELS
def test_with_one_role_its_word_counts(session_id, model):
    """There is nobody else who could erase."""
    table = model._meta.db_table
    with acting_as(Role.OWNER):
        run(f"REVOKE ALL ON {table} FROM {NAMES[Role.RETENTION]}")
        with pytest.raises(IntegrityError), transaction.atomic():
            run(f"UPDATE {table} SET size = size")
        allow()
        run(f"UPDATE {table} SET size = size")


@pytest.mark.django_db
def test_a_session_with_a_history_cannot_be_deleted(session_id):
    for role in (Role.WEB, Role.RETENTION):
        with (
            acting_as(role),
            pytest.raises((IntegrityError, ProgrammingError)),
            transaction.atomic(),
        ):
            run("DELETE FROM timeline_session WHERE id = %s", session_id)

    proof.assert_proven(connection.connection, session_id)


@pytest.mark.django_db(transaction=True)
@MODELS
def test_the_permission_of_retention_ends_with_its_transaction(session_id, model):
    with acting_as(Role.RETENTION):
        with transaction.atomic():
            allow()
            run(f"UPDATE {model._meta.db_table} SET size = size")

        with pytest.raises(IntegrityError):
            run(f"UPDATE {model._meta.db_table} SET size = size")


@pytest.mark.django_db(transaction=True)
@MODELS
def test_the_permission_of_retention_is_lost_with_a_transaction_that_fails(
    session_id, model
):
    with acting_as(Role.RETENTION):
        with transaction.atomic():
            allow()
            run(f"DELETE FROM {model._meta.db_table}")
            transaction.set_rollback(True)

        with pytest.raises(IntegrityError):
            run(f"DELETE FROM {model._meta.db_table}")
    proof.assert_proven(connection.connection, session_id)


@pytest.mark.django_db(transaction=True)
def test_the_permission_of_retention_does_not_reach_another_connection(session_id):
    mine = databases.dsn_of(connection.settings_dict["NAME"], Role.RETENTION)
    with acting_as(Role.RETENTION), transaction.atomic():
        allow()
        with (
            psycopg.connect(mine) as other,
            pytest.raises(psycopg.errors.IntegrityConstraintViolation),
        ):
            other.execute("UPDATE timeline_version SET size = size")


@pytest.mark.django_db
@MODELS
def test_a_number_that_is_taken_cannot_be_inserted_again(session_id, model):
    row = model.objects.get(session_id=session_id, number=1)

    with pytest.raises(IntegrityError), transaction.atomic():
        model.objects.bulk_create([row])


TAKEN = """
INSERT INTO {table}
SELECT (jsonb_populate_record(t, %s::jsonb)).* FROM {table} t
 WHERE session_id = %s AND request_key = 'k'
"""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("table", "other"),
    [
        ("timeline_version", '{"number": 9, "external_id": null}'),
        ("timeline_turn", '{"turn_number": 9, "id": "turn_other"}'),
    ],
)
def test_a_key_that_is_taken_cannot_be_inserted_again(begin, table, other):
    made = begin({"n": 0})
    said = {"input": "Hi", "output": "Hello", "state_after": {"n": 1}}
    answer = made.client.post(made.path("turns"), said, Idempotency_Key="k")
    assert answer.status == 201

    with pytest.raises(IntegrityError, match="one_per_request_key"):
        run(TAKEN.format(table=table), other, made.id)
