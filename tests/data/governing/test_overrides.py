"""Writes that an administrator's key lets through, with a reason, once."""

from typing import Any

import pytest

from apps.accounts.models import Scope
from apps.audit.models import AuditRecord
from tests.data.conftest import Store, made

pytestmark = pytest.mark.django_db

MAIL = "ann.planted@example.com"
WHY = {"override_reason": "The customer asked for it in writing."}


@pytest.fixture
def admin(store: Store, api: Any, make_key: Any) -> Store:
    made(
        store.policies(block_pii=True, denied_key_prefixes=["x:"], max_keys_per_agent=2)
    )
    return store.as_seen_by(api(make_key(Scope.ADMIN)))


def test_it_is_stored_once_and_said_in_answer_and_record(
    store: Store, admin: Store
) -> None:
    stored = made(admin.write("contact", MAIL, **WHY))

    assert stored["allowed"] is True
    assert "blocked_by" not in stored
    assert stored["override"] == {
        "rule": "policy:block_pii",
        "kind": "email",
        "place": "value",
        "masked": "aaa.aaaaaaa@aaaaaaa.aaa",
        "floor": False,
        "reason": WHY["override_reason"],
    }
    record = AuditRecord.objects.get(resource_id="contact")
    assert (record.result, record.rule) == ("allowed", None)
    assert record.details["override"] == stored["override"]
    assert MAIL not in repr(record.details)
    assert made(admin.write("contact", MAIL))["allowed"] is False
    assert made(store.at("contact"))["value"] == MAIL


def test_every_rule_gives_way_and_what_nothing_blocks_says_nothing(
    admin: Store, store: Store
) -> None:
    entries = [{"key": key, "value": "v"} for key in ("x:1", "a", "b", "c")]
    body = {"entries": entries, **WHY}

    results = made(admin.client.post(f"{admin.path}/data/batch", body))["results"]

    rules = [one.get("override", {}).get("rule") for one in results]
    assert all(one["allowed"] for one in results)
    assert rules[0] == "policy:denied_key_prefixes"
    assert rules.count("policy:max_keys_per_agent") == 2
    assert rules.count(None) == 1
    assert len(store.keys()) == 4
    assert made(store.write("d"))["blocked_by"] == "policy:max_keys_per_agent"


def test_others_and_no_reason_are_refused(store: Store, admin: Store) -> None:
    refused = store.write("contact", MAIL, **WHY)
    blank = admin.write("contact", MAIL, override_reason=" ")

    assert (refused.status, refused.code) == (403, "permission_denied")
    assert (blank.status, blank.body["param"]) == (400, "override_reason")
    assert store.keys() == []
