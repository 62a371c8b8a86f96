"""The page of an agent's schemas, and what pages of sessions say of migrations."""

import re
from typing import Any

import pytest

from apps.accounts.models import Role, Scope
from apps.agents.models import Agent
from apps.core import json
from apps.schemas.models import AgentSchema, SchemaMigration
from tests.console.test_approvals import Person, plain
from tests.schemas.make import FIRST, SECOND, TO_SECOND, three
from tests.timeline import runs

pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert(1)</script>"\u202e'


@pytest.fixture
def admin(api: Any, make_key: Any) -> Any:
    return api(make_key(scope=Scope.ADMIN))


@pytest.fixture
def run(api: runs.Clients) -> runs.Run:
    return runs.begin(api(), FIRST, schema_version="1.0.0")


@pytest.fixture
def ada(project: Any) -> Person:
    return Person(project, Role.ADMIN, "ada")


@pytest.fixture
def olga(project: Any) -> Person:
    return Person(project, Role.OPERATOR, "olga")


def test_an_administrator_declares_and_withdraws_both(
    run: runs.Run, ada: Person, olga: Person
) -> None:
    agent = Agent.objects.get(external_id="travel").id
    assert "Schemas: what its states are" in ada.looks("agent_detail", agent)
    assert "No schema is declared" in ada.looks("agent_schemas", agent)
    assert olga.acts("agent_schemas", agent).status_code == 403

    for version in ("1.0.0", "2.0.0", "3.0.0"):
        body = {"version": version, "schema": '{"type": "object"}'}
        assert ada.acts("agent_schemas", agent, **body).status_code == 303
    way = {"before": "1.0.0", "after": "2.0.0", "steps": json.dumps(TO_SECOND).decode()}
    assert ada.acts("agent_migrations", agent, **way).status_code == 303
    page = plain(ada.looks("agent_schemas", agent))
    assert "1.0.0 → 2.0.0" in page
    assert "Writes may name any version" in page
    schema = AgentSchema.objects.get(version="3.0.0")
    (kept,) = SchemaMigration.objects.all()
    led_to = AgentSchema.objects.get(version="2.0.0")
    refused = ada.acts("withdraw_schema", agent, led_to.id)
    assert refused.status_code == 409
    assert "Nothing was done: Migrations lead to it or from it" in plain(
        refused.content.decode()
    )
    assert ada.acts("withdraw_migration", agent, kept.id).status_code == 303
    assert ada.acts("withdraw_schema", agent, schema.id).status_code == 303
    assert not SchemaMigration.objects.exists()
    assert AgentSchema.objects.count() == 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"version": "1", "schema": "{"}, "This is no JSON"),
        ({"version": "1", "schema": "[]"}, "A schema is a JSON object."),
        ({"version": "1", "schema": '{"$ref": "http://a/b"}'}, "schema/$ref"),
        ({"version": "1.0.0", "schema": "{}"}, "declared already"),
        ({"version": "", "schema": HOSTILE}, "This is no JSON"),
    ],
)
def test_what_is_wrong_with_a_schema_is_told_at_its_field(
    run: runs.Run, ada: Person, admin: Any, said: Any, told: str
) -> None:
    three(admin)
    agent = Agent.objects.get(external_id="travel").id

    answer = ada.acts("agent_schemas", agent, **said)

    page = answer.content.decode()
    assert answer.status_code == 422
    assert told in plain(page) or not said["version"]
    assert "<script>alert" not in page


def test_what_is_wrong_with_a_migration_is_told_at_its_field(
    run: runs.Run, ada: Person, admin: Any
) -> None:
    three(admin)
    agent = Agent.objects.get(external_id="travel").id
    back = {"before": "3.0.0", "after": "1.0.0", "steps": '[{"op": "explode"}]'}

    wrong = ada.acts("agent_migrations", agent, **back)
    steps = '[{"op": "remove", "at": "/a"}]'
    circle = ada.acts("agent_migrations", agent, **back | {"steps": steps})

    assert wrong.status_code == circle.status_code == 422
    assert "(steps/0/op)" in plain(wrong.content.decode())
    assert "Migrations lead in a circle" in plain(circle.content.decode())


def test_a_session_says_in_words_what_was_migrated(
    run: runs.Run, olga: Person, admin: Any
) -> None:
    three(admin)
    run.post("state/migrate", {"to": "2.0.0"})

    page = plain(olga.looks("version_detail", run.id, 1))

    assert "migrated from 1.0.0" in page
    assert "Reason code" not in page


def test_a_rollback_across_schemas_says_so_and_migrates_where_that_is_ticked(
    run: runs.Run, olga: Person, admin: Any
) -> None:
    three(admin)
    run.post("state/migrate", {"to": "2.0.0"})
    run.patch({"days": 9})

    page = olga.looks("rollback", run.id, 0)
    assert "Another schema" in page
    assert "Migrate the restored state to schema 2.0.0" in plain(page)
    (key,) = re.findall(r'name="key" value="([^"]+)"', page)
    done = olga.acts(
        "rollback",
        run.id,
        0,
        expected="2",
        key=key,
        reason="Too long",
        migrate_to="2.0.0",
    )

    assert done.status_code == 303
    assert (run.head, run.state) == (4, SECOND)
    assert "Another schema" not in olga.looks("rollback", run.id, 1)


def test_picked_sessions_are_migrated_by_a_plan(
    run: runs.Run, olga: Person, admin: Any
) -> None:
    three(admin)

    made = olga.acts("make_plan", kind="migrate", session=run.id, to_schema="2.0.0")

    page = plain(olga.client.get(made["Location"]).content.decode())
    assert "Migrate 1 session to schema “2.0.0”?" in page
