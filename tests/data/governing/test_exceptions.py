"""Exceptions from policies: what they let pass, by whom, and for how long."""

from datetime import timedelta
from typing import Any

import pytest

from apps.accounts.models import Project, Scope
from apps.agents.models import Agent
from apps.audit.models import AuditRecord, Event
from apps.audit.operations import verify_records
from apps.data.models import PolicyException
from tests.audit.rows.looking import found, run
from tests.data.conftest import AGENT, Store, made

pytestmark = pytest.mark.django_db

MAIL = "ann.planted@example.com"
REASON = {"reason": "It is the address of our own helpdesk."}


@pytest.fixture
def admin(store: Store, api: Any, make_key: Any) -> Store:
    made(store.policies(block_pii=True, block_secrets=True))
    return store.as_seen_by(api(make_key(Scope.ADMIN)))


def blocked(store: Store, key: str = "contact", value: str = MAIL) -> dict[str, Any]:
    answer: dict[str, Any] = made(store.write(key, value))
    assert not answer["allowed"]
    return answer


def allow(store: Store, **said: Any) -> Any:
    return store.client.post(f"{store.path}/exceptions", {**REASON, **said})


def end(store: Store, exception: Any) -> Any:
    return store.client.delete(f"{store.path}/exceptions/{exception['id']}")


def allowed(store: Store, key: str = "contact", value: str = MAIL, **more: Any) -> bool:
    return bool(made(store.write(key, value, **more))["allowed"])


def test_the_exact_text_passes_and_its_answer_says_why(
    store: Store, admin: Store
) -> None:
    exception = made(allow(admin, audit_id=blocked(store)["audit_id"]))

    again = made(store.write("contact", MAIL))

    assert again["allowed"] is True
    assert again["exceptions"] == [exception["id"]]
    assert made(store.at("contact"))["value"] == MAIL
    assert (exception["kind"], exception["place"]) == ("email", "value")
    assert (exception["active"], exception["prefix"]) == (True, None)
    assert allowed(store, "elsewhere")
    assert not allowed(store, value=f"{MAIL}, bob@example.com")
    assert "exceptions" not in made(store.write("plain", "dark mode"))


def test_it_is_from_one_rule_alone(store: Store, admin: Store) -> None:
    made(allow(admin, rule="policy:block_pii", prefix="import:"))

    assert allowed(store, "import:1")
    assert not allowed(store, "other:1")
    assert not allowed(store, "import:2", f"{MAIL} password=Sup3rSecr3t-77")


def test_of_a_batch_each_says_its_own(store: Store, admin: Store) -> None:
    one = made(allow(admin, rule="policy:block_pii", prefix="a"))
    pair = [{"key": "a", "value": MAIL}, {"key": "b", "value": MAIL}]

    first, second = made(store.batch(pair))["results"]

    assert (first["allowed"], second["allowed"]) == (True, False)
    assert first["exceptions"] == [one["id"]]


def test_what_is_ended_or_over_lets_nothing_pass(store: Store, admin: Store) -> None:
    audit_id = blocked(store)["audit_id"]
    first = made(allow(admin, audit_id=audit_id))

    ended = made(end(admin, first))

    assert ended["ended_at"] is not None
    assert ended["active"] is False
    assert made(end(admin, first)) == ended
    assert not allowed(store)
    short = made(allow(admin, audit_id=audit_id, days=0.5))
    assert allowed(store)
    age(short, timedelta(days=1))
    # Sent again it would be answered as it was; it is another write that is judged.
    assert not allowed(store, "elsewhere")
    listed = made(store.client.get(f"{store.path}/exceptions", {"limit": 1}))
    assert [one["id"] for one in listed["data"]] == [short["id"]]
    after = {"starting_after": listed["last_id"]}
    rest = made(store.client.get(f"{store.path}/exceptions", after))
    assert rest["data"] == [ended]
    assert made(store.client.get(f"{store.path}/exceptions/{first['id']}")) == ended


def test_it_is_chained_in_both_records_and_nothing_of_the_text_is(
    store: Store, admin: Store, project: Project
) -> None:
    exception = made(allow(admin, audit_id=blocked(store)["audit_id"]))
    made(store.write("contact", MAIL))
    made(end(admin, exception))

    agent = Agent.objects.get(external_id=AGENT)
    for stream in (agent.id, project.id):
        assert verify_records(stream_id=stream).is_intact
    ours = AuditRecord.objects.filter(stream_id=agent.id)
    assert list(
        ours.filter(resource_id=exception["id"])
        .order_by("number")
        .values_list("action", flat=True)
    ) == ["exception.create", "exception.end"]
    passed = ours.get(action="data.write", result="allowed")
    assert passed.details["exceptions"] == [exception["id"]]
    theirs = AuditRecord.objects.filter(stream_id=project.id)
    assert list(
        theirs.filter(resource_type="exception")
        .order_by("number")
        .values_list("action", flat=True)
    ) == ["exception.created", "exception.ended"]
    rows = [PolicyException.objects.values(), theirs.values(), Event.objects.values()]
    assert MAIL not in repr([list(one) for one in rows])


def test_only_administrators_keys_make_and_end_one(store: Store, admin: Store) -> None:
    audit_id = blocked(store)["audit_id"]
    exception = made(allow(admin, audit_id=audit_id))

    for refused in (allow(store, audit_id=audit_id), end(store, exception)):
        assert (refused.status, refused.code) == (403, "permission_denied")
    assert allowed(store)


def test_another_one_for_the_same_is_refused_and_a_lost_answer_is_not(
    store: Store, admin: Store
) -> None:
    audit_id = blocked(store)["audit_id"]
    first = made(allow(admin, audit_id=audit_id))

    repeated = allow(admin, audit_id=audit_id)
    other = allow(admin, audit_id=audit_id, days=60)

    assert made(repeated)["id"] == first["id"]
    assert (other.status, other.code) == (409, "exception_exists")
    assert other.body["error"]["exception_id"] == first["id"]


@pytest.mark.parametrize(
    ("said", "param"),
    [
        ({}, "audit_id"),
        ({"audit_id": "aud_nothing"}, "audit_id"),
        ({"rule": "policy:block_pii"}, "prefix"),
        ({"rule": "policy:block_pii", "prefix": ""}, "prefix"),
        ({"rule": "policy:max_keys_per_agent", "prefix": "a"}, "rule"),
        ({"rule": "policy:block_pii", "prefix": "a", "days": 91}, "days"),
        ({"rule": "policy:block_pii", "prefix": "a", "days": 0}, "days"),
        ({"rule": "policy:block_pii", "prefix": "a", "reason": " "}, "reason"),
        ({"rule": "policy:block_pii", "prefix": "a", "audit_id": "x"}, "audit_id"),
    ],
)
def test_what_is_not_understood_is_named(
    admin: Store, said: dict[str, Any], param: str
) -> None:
    answer = allow(admin, **said)

    assert (answer.status, answer.body["error"]["param"]) == (400, param)


def test_what_was_not_blocked_by_a_detector_has_none(
    store: Store, admin: Store
) -> None:
    stored = made(store.write("plain", "dark"))["audit_id"]
    made(store.policies(denied_key_prefixes=["internal:"]))
    denied = blocked(store, "internal:1", "v")["audit_id"]

    for audit_id in (stored, denied):
        answer = allow(admin, audit_id=audit_id)
        assert (answer.status, answer.body["error"]["param"]) == (400, "audit_id")


def test_one_added_behind_the_products_back_is_named(
    store: Store, admin: Store, project: Project
) -> None:
    exception = made(allow(admin, audit_id=blocked(store)["audit_id"]))
    assert not found(project)

    age(exception, -timedelta(days=1))

    (damage,) = found(project)
    assert exception["id"] in damage
    assert "expires_at" in damage


def age(exception: dict[str, Any], by: timedelta) -> None:
    """Move an exception's end into the past, as no operation can."""
    statement = "UPDATE data_exception SET expires_at = expires_at - %s WHERE id = %s"
    run("data_exception", statement, by, exception["id"])
