"""Our client declares schemas, and loads states under the one that it knows."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import errors
from tests.live import Server

FIRST = {"dest": "Berlin"}
RENAME = [{"op": "rename", "at": "/dest", "to": "destination"}]


@pytest.fixture
def admin(connect: Any, live: Server) -> Any:
    return connect(api_key=live.key("stepback-client", "--scope", "admin"))


@pytest.fixture
def session(sb: Any, admin: Any, agent_id: str) -> str:
    """A session of the first schema of an agent that has two."""
    made = sb.sessions.create(agent_id, FIRST, schema_version="1.0.0")
    admin.schemas.declare(agent_id, "1.0.0", {"type": "object"})
    newer = {"type": "object", "required": ["destination"]}
    admin.schemas.declare(agent_id, "2.0.0", newer, strict=False)
    admin.schemas.declare_migration(agent_id, "1.0.0", "2.0.0", RENAME)
    return str(made.id)


def test_a_state_is_shown_and_loaded_under_the_schema_that_the_code_knows(
    sb: Any, session: str
) -> None:
    shown = sb.sessions.get_state(session, schema="2.0.0")
    assert (shown.state, shown.migrated_from) == ({"destination": "Berlin"}, "1.0.0")
    assert sb.sessions.get_state(session).version == 0

    loaded = sb.sessions.load_state(session, "2.0.0")
    again = sb.sessions.load_state(session, "2.0.0")

    assert loaded.state == again.state == {"destination": "Berlin"}
    assert loaded.version == again.version == 1
    made = sb.sessions.get_version(session, 1)
    assert (made.op, made.migrated_from) == ("migrate", "1.0.0")
    assert sb.sessions.get_version(session, 0, schema="2.0.0").state == loaded.state
    preview = sb.sessions.preview_rollback(session, 0)
    assert preview.schema["migrates"] is True
    back = sb.sessions.rollback(session, 0, migrate_to="2.0.0")
    assert (back.state, back.version) == ({"destination": "Berlin"}, 3)


def test_what_is_refused_is_an_error_of_its_own(
    sb: Any, admin: Any, agent_id: str, session: str
) -> None:
    with pytest.raises(errors.NoMigration):
        sb.sessions.migrate_state(sb.sessions.create(agent_id).id, "2.0.0")
    with pytest.raises(errors.SchemaNotFound):
        sb.sessions.get_state(session, schema="7")
    with pytest.raises(errors.SchemaUnfit) as unfit:
        sb.sessions.migrate_state(
            sb.sessions.create(agent_id).id, "2.0.0", before="1.0.0"
        )
    assert unfit.value.errors
    sb.sessions.update_state(session, {"destination": 1})
    with pytest.raises(errors.MigrationFailed) as failed:
        sb.sessions.migrate_state(session, "2.0.0")
    assert (failed.value.step, failed.value.pointer) == ("/steps/0", "/destination")
    with pytest.raises(errors.UnacceptableMigration) as refused:
        admin.schemas.declare_migration(agent_id, "2.0.0", "1.0.0", RENAME)
    assert refused.value.param == "/to"
    with pytest.raises(errors.UnacceptableSchema):
        admin.schemas.declare(agent_id, "3.0.0", {"$ref": "https://a.example/b"})
    with pytest.raises(errors.SchemaExists):
        admin.schemas.declare(agent_id, "2.0.0", {})


def test_what_was_never_used_is_withdrawn(
    admin: Any, sb: Any, agent_id: str, session: str
) -> None:
    first, second = admin.schemas.list(agent_id).data
    (way,) = sb.schemas.migrations(agent_id).data
    assert (way.before, way.to, way.steps) == ("1.0.0", "2.0.0", RENAME)
    assert admin.schemas.get_migration(agent_id, way.id) == way
    assert admin.schemas.get(agent_id, second.id).version == "2.0.0"

    assert admin.schemas.withdraw_migration(agent_id, way.id).id == way.id
    assert admin.schemas.withdraw(agent_id, second.id).id == second.id
    with pytest.raises(errors.SchemaUsed):
        admin.schemas.withdraw(agent_id, first.id)


def test_sessions_are_planned_to_be_migrated(sb: Any, session: str) -> None:
    plan = sb.plans.make("migrate", sessions=[session], to_schema="2.0.0")

    assert plan.to_schema == "2.0.0"
    assert plan.items[0]["state"] == "planned"
