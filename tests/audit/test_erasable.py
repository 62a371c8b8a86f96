"""Details of people's acts go with their salt, and the chain holds without them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection, transaction

from apps.audit import chain
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.audit.models import AuditRecord
from apps.core.actors import Actor, ActorKind
from tests.acting import erasing
from tests.acts import act_by
from tests.audit.test_chain import make_record

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PROJECT = "proj_" + "0" * 26
ALICE = Actor(kind=ActorKind.USER, id="user_1", label="alice")

pytestmark = pytest.mark.django_db


def act(details: dict[str, Any]) -> AuditRecord:
    with transaction.atomic():
        return audit.record_act(
            stream_id=PROJECT,
            project_id=PROJECT,
            action=Action.VERSION_LABELLED,
            resource_type="session",
            resource_id="sess_1",
            act=act_by(ALICE, NOW),
            details=details,
        )


def change(number: int, columns: str) -> None:
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE audit_auditrecord SET {columns} WHERE number = %s", [number]
        )
        assert cursor.rowcount == 1


def verdict() -> chain.Verification:
    return audit.verify_records(stream_id=PROJECT)


def test_new_records_have_their_details_by_a_digest_of_their_own_salt() -> None:
    one, other = act({"name": "brief"}), act({"name": "brief"})

    assert (one.format, other.format) == (3, 3)
    assert one.details_digest != other.details_digest
    assert verdict().is_intact


@pytest.mark.parametrize(
    "columns",
    [
        "details = '{}'",
        'details = \'{"name": "other"}\'',
        "salt = NULL",
        "salt = set_byte(salt, 0, get_byte(salt, 0) # 1)",
        "details_digest = set_byte(details_digest, 0, get_byte(details_digest, 0) # 1)",
        "details_digest = NULL",
        "format = 1",
        "format = 2",
        "resource_digest = details_digest",
        "resource_id = 'sess_2'",
        "actor_label = 'mallory'",
        "action = 'label.removed'",
        "created_at = created_at + interval '1 microsecond'",
        "details = '{}', salt = NULL, actor_id = 'user_2'",
        "details = '{}', salt = NULL, details_digest = leaf",
        'details = \'{"name": "a"}\', salt = NULL',
    ],
)
def test_what_is_changed_is_named_whatever_was_erased(columns: str) -> None:
    for name in ("a", "b", "c"):
        act({"name": name})

    change(2, columns)

    assert verdict().broken_at == 2


def test_erased_details_are_counted_and_the_chain_holds() -> None:
    end = [act({"name": name}) for name in ("a", "b", "c")][-1].chain

    change(2, "details = '{}', salt = NULL")

    found = verdict()
    assert (found.is_intact, found.erased, found.chain) == (True, 1, end)


def test_an_act_without_details_is_not_counted_as_erased() -> None:
    act({})

    assert verdict().erased == 0


def test_records_of_before_hold_beside_new_ones() -> None:
    before = make_record(project_id=PROJECT, stream_id=PROJECT)
    before.save(force_insert=True)
    act({"name": "brief"})

    found = verdict()

    assert (found.is_intact, found.count) == (True, 2)
