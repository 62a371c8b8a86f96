"""What is history refuses every change that Django or SQL can ask for.

Asked for by the owner, who has the rights: where there is one role, triggers alone
refuse it. The rights of the others are in `test_grants`.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from apps.approvals.models import Approval, Vote
from apps.audit.models import AuditRecord, Event
from apps.core.roles.declared import Kind, declared
from apps.core.roles.names import Role
from apps.incidents.models import Entry as IncidentEntry
from apps.memory.models import ContextRead
from apps.timeline import operations as timeline
from apps.timeline.models import (
    AgentForgetting,
    Body,
    Compensation,
    CompensationStep,
    Effect,
    EffectStep,
    Entry,
    Forgetting,
    HiddenVersions,
    Note,
    PendingWrite,
    RequestKey,
    Review,
    Score,
    SessionName,
    Summary,
    Tombstone,
    Turn,
    Version,
)
from tests.acting import acting_as
from tests.contracts.ledger_tables import PROJECT_TRIGGERS, ROW_TRIGGERS
from tests.contracts.world import World
from tests.feeding import project_all

pytestmark = pytest.mark.django_db

APPEND_ONLY: list[type[models.Model]] = [
    Version,
    Body,
    Entry,
    Turn,
    Note,
    Review,
    Score,
    Summary,
    Tombstone,
    Effect,
    EffectStep,
    Compensation,
    CompensationStep,
    Forgetting,
    AgentForgetting,
    PendingWrite,
    HiddenVersions,
    SessionName,
    RequestKey,
    Event,
    AuditRecord,
    ContextRead,
    Approval,
    Vote,
    IncidentEntry,
]
# One column of each that the attacks try to change.
CHANGED = {
    Version: "reasoning",
    Body: "depth",
    Entry: "size",
    Turn: "reasoning",
    Note: "text",
    Review: "outcome",
    Score: "value",
    Summary: "text",
    Tombstone: "reason",
    Effect: "tool",
    EffectStep: "result_digest",
    Compensation: "rollback_number",
    CompensationStep: "reason",
    Forgetting: "reason",
    AgentForgetting: "reason",
    PendingWrite: "channel",
    HiddenVersions: "actor_label",
    SessionName: "session_id",
    RequestKey: "session_id",
    Event: "action",
    AuditRecord: "action",
    ContextRead: "version",
    Approval: "tool",
    Vote: "verdict",
    IncidentEntry: "text",
}

Attack = Callable[[type[models.Model]], Any]


def leave_tombstone(world: World, session_id: str) -> None:
    state = f"/v1/sessions/{session_id}/state"
    assert world.client.patch(state, {"state": {"n": 1}}).status == 200
    project_all()
    with acting_as(Role.RETENTION):
        asked = {"session_id": session_id, "removal_id": "rem_1", "reason": "policy"}
        assert timeline.empty_versions(first=0, last=0, **asked).versions == 1


def saved(model: type[models.Model]) -> None:
    model._base_manager.all()[0].save()


def saved_in_part(model: type[models.Model]) -> None:
    model._base_manager.all()[0].save(update_fields=[CHANGED[model]])


def deleted(model: type[models.Model]) -> None:
    model._base_manager.all()[0].delete()


def updated_all(model: type[models.Model]) -> None:
    column = CHANGED[model]
    model._base_manager.update(**{column: models.F(column)})


def updated_in_bulk(model: type[models.Model]) -> None:
    rows = list(model._base_manager.all())
    model._base_manager.bulk_update(rows, [CHANGED[model]])


def deleted_all(model: type[models.Model]) -> None:
    model._base_manager.all().delete()


def changed_in_sql(model: type[models.Model]) -> None:
    column, table = CHANGED[model], model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{table}" SET "{column}" = "{column}"')


def deleted_in_sql(model: type[models.Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'DELETE FROM "{model._meta.db_table}"')


ATTACKS = [
    saved,
    saved_in_part,
    deleted,
    updated_all,
    updated_in_bulk,
    deleted_all,
    changed_in_sql,
    deleted_in_sql,
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("model", APPEND_ONLY, ids=lambda one: one.__name__)
def test_it_refuses_to_be(
    attack: Attack, model: type[models.Model], world: World
) -> None:
    begun = {"agent_id": "desk", "initial_state": {}}
    made = world.client.post("/v1/sessions", begun, Idempotency_Key="k")
    assert made.status == 201
    leave_tombstone(world, made.body["id"])
    before = list(model._base_manager.order_by("pk").values())
    assert before, "There is nothing to attack."

    with acting_as(Role.OWNER), pytest.raises(IntegrityError), transaction.atomic():
        attack(model)

    assert list(model._base_manager.order_by("pk").values()) == before


def test_every_table_that_is_immutable_is_attacked() -> None:
    immutable = {
        model
        for model in apps.get_models()
        if declared()[model._meta.db_table].kind is Kind.IMMUTABLE
    }
    guarded = {
        model
        for model in immutable
        if any(
            name.startswith(f"{model._meta.db_table}_")
            for name in ROW_TRIGGERS | PROJECT_TRIGGERS
        )
    }

    assert immutable == guarded == set(APPEND_ONLY)
