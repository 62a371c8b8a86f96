"""What agents' data leaves in the audit, and what a block leaves nowhere."""

from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from apps.accounts.models import Role as AccountRole
from apps.accounts.models import Scope
from apps.agents.models import Agent
from apps.audit.models import AuditRecord, Event
from apps.audit.operations import verify_records
from apps.core.roles.names import Role
from apps.timeline.bodies import reconstruct
from apps.timeline.operations import Document
from apps.timeline.versions.deltas import stored_chains
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.conftest import Answer
from tests.console.make import signed_in
from tests.data.conftest import AGENT, Store, made

SECRET = "ann.planted@example.com"


def stream_id() -> str:
    agent = Agent.objects.select_related("project").get(external_id=AGENT)
    return Document.of_agent(agent.project, agent.id).stream_id


def stream() -> list[tuple[str, str, str | None, str]]:
    records = AuditRecord.objects.filter(stream_id=stream_id()).order_by("number")
    return [
        (one.action, one.result, one.rule, one.resource_id)
        for one in records
        if not one.action.startswith("agent.")
    ]


def test_every_operation_is_a_record(store: Store) -> None:
    made(store.write("a"))
    made(store.at("a"))
    made(store.listed(prefix="a"))
    made(store.search("v"))
    made(store.versions("a"))
    made(store.delete("a"))
    made(store.write("b"))
    made(store.delete_prefix("b"))
    made(store.configure({"a": 1}))
    made(store.config())
    made(store.roll_back("v0"))

    assert stream() == [
        ("data.write", "allowed", None, "a"),
        ("data.read", "success", None, "a"),
        ("data.list", "success", None, "a"),
        ("data.search", "success", None, ""),
        ("data.read", "success", None, "a"),
        ("data.delete", "success", None, "a"),
        ("data.write", "allowed", None, "b"),
        ("data.delete_prefix", "success", None, "b"),
        ("config.update", "success", None, "v1"),
        ("config.read", "success", None, "v1"),
        ("config.rollback", "success", None, "v0"),
    ]
    assert verify_records(stream_id=stream_id()).is_intact


def test_reads_of_what_is_beside_keys_are_records(store: Store) -> None:
    made(store.configure({"a": 1}))
    one = made(store.checkpoint("c"))
    paths = {
        "config/versions": ("config.read", "config", ""),
        "config/versions/v1": ("config.read", "config", "v1"),
        "checkpoints": ("data.list", "checkpoint", ""),
        f"checkpoints/{one['id']}": ("data.list", "data", ""),
        f"checkpoints/{one['id']}/compare/{one['id']}": ("data.list", "checkpoint", ""),
        "exceptions": ("data.list", "exception", ""),
    }
    for path, record in paths.items():
        made(store.client.get(f"{store.path}/{path}"))
        last = AuditRecord.objects.filter(stream_id=stream_id()).order_by("-number")[0]
        assert (last.action, last.resource_type, last.resource_id) == record, path
        assert last.number == 4 + list(paths).index(path)


def test_a_read_of_an_exception_is_a_record(
    store: Store, api: Any, make_key: Any
) -> None:
    admin = store.as_seen_by(api(make_key(scope=Scope.ADMIN)))
    said = {"rule": "policy:block_pii", "prefix": "help:", "reason": "ours"}
    one = made(admin.client.post(f"{store.path}/exceptions", said))

    made(store.client.get(f"{store.path}/exceptions/{one['id']}"))

    last = AuditRecord.objects.filter(stream_id=stream_id()).order_by("-number")[0]
    facts = (last.action, last.resource_type, last.resource_id)
    assert facts == ("data.read", "exception", one["id"])


def test_what_tells_of_neither_data_nor_config_is_no_record(store: Store) -> None:
    made(store.write("a"))
    before = AuditRecord.objects.count()
    for path in ("", "/checkpoints/schedule", "/audit", "/audit/verify"):
        made(store.client.get(f"{store.path}{path}"))
    assert AuditRecord.objects.count() == before


def test_an_answer_names_its_record(store: Store) -> None:
    made(store.policies(block_pii=True))
    answers = [
        made(store.write("a")),
        made(store.write("b", SECRET)),
        made(store.at("a")),
        made(store.listed()),
        made(store.delete("a")),
    ]

    ids = {f"aud_{one.event_id.partition('_')[2]}" for one in AuditRecord.objects.all()}

    assert {one["audit_id"] for one in answers} <= ids


def test_reads_are_kept_out_where_the_config_says_so(store: Store) -> None:
    made(store.configure({"audit": {"reads": False}}))
    made(store.write("a"))
    before = len(stream())

    assert made(store.at("a"))["audit_id"] == ""
    assert made(store.listed())["audit_id"] is None
    assert made(store.search("v"))["audit_id"] is None
    assert made(store.config())["version"] == "v1"
    for path in ("config/versions", "checkpoints", "exceptions"):
        made(store.client.get(f"{store.path}/{path}"))
    checkpoint = made(store.checkpoint())
    before += 1
    made(store.restore(checkpoint, dry_run=True))
    assert len(stream()) == before
    made(store.write("b"))
    assert len(stream()) == before + 1


def test_a_write_is_in_its_agents_record_and_in_no_event(store: Store) -> None:
    body = {"entries": [{"key": key, "value": "vv"} for key in "ab"]}
    path = f"{store.path}/data/batch"
    made(store.client.post(path, body, X_Request_Id="req-1"))

    records = AuditRecord.objects.filter(stream_id=stream_id(), action="data.write")
    told = [(one.version, one.resource_id, one.details) for one in records]
    details = {"size": 2, "request_id": "req-1"}
    assert sorted(told) == [(1, "a", details), (2, "b", details)]
    assert not Event.objects.filter(action="data.written").exists()
    refused = store.client.get("/v1/traces", {"action": "data.written"})
    assert refused.status == 400
    assert "/v1/agents/{agent}/audit" in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("policies", "body"),
    [
        ({"block_pii": True}, {"key": "a", "value": f"to {SECRET}"}),
        ({"block_pii": True}, {"key": SECRET, "value": "v"}),
        ({"block_pii": True}, {"key": "a", "value": "v", "metadata": {"m": SECRET}}),
        (
            {"block_pii": True, "denied_key_prefixes": ["ann"]},
            {"key": SECRET, "value": SECRET},
        ),
        (
            {"block_pii": True, "max_value_size_bytes": 3},
            {"key": SECRET, "value": SECRET},
        ),
        (
            {"custom_blocked_patterns": [{"name": "p", "regex": "planted"}]},
            {"key": "a", "value": SECRET},
        ),
        (
            {"block_secrets": True},
            {"key": "a", "value": "postgres://app:planted@db.internal/orders"},
        ),
    ],
)
def test_what_is_blocked_is_kept_nowhere(
    store: Store, policies: dict[str, Any], body: dict[str, Any], caplog: Any
) -> None:
    made(store.policies(**policies))

    answer = made(store.client.post(f"{store.path}/data", body))

    assert answer["allowed"] is False
    assert everywhere("planted@") == []
    assert "planted@" not in caplog.text
    (event,) = Event.objects.filter(action="data.blocked")
    assert event.details["rule"] == answer["blocked_by"]
    assert stream()[-1][:3] == ("data.write", "blocked", answer["blocked_by"])


@pytest.mark.parametrize("place", ["key", "value", "metadata"])
@pytest.mark.parametrize("is_batch", [False, True])
def test_what_is_blocked_is_not_in_a_stored_answer(
    store: Store, place: str, is_batch: bool
) -> None:
    made(store.policies(block_pii=True))
    planted = {"key": "a", "value": "v"}
    planted |= {"metadata": {"m": SECRET}} if place == "metadata" else {place: SECRET}
    path, body = f"{store.path}/data", planted
    if is_batch:
        others = [{"key": key, "value": "v"} for key in "bc"]
        path, body = f"{path}/batch", {"entries": [others[0], planted, others[1]]}

    first = store.client.post(path, body, Idempotency_Key="once")
    again = store.client.post(path, body, Idempotency_Key="once")

    (blocked,) = [one for one in results_of(first) if not one["allowed"]]
    assert blocked["key"] == planted["key"]
    assert everywhere("planted@") == []
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.content == first.content
    assert AuditRecord.objects.filter(result="blocked").count() == 1


def test_the_shape_of_what_is_blocked_is_in_the_agents_own_record_alone(
    store: Store,
) -> None:
    made(store.policies(block_pii=True))
    answer = made(store.write("a", f"to {SECRET}"))

    traces = store.client.get("/v1/traces", {"action": "data.blocked"})

    (event,) = traces.body["data"]
    rule = "policy:block_pii"
    assert event["details"] == {"rule": rule, "kind": "email", "place": "value"}
    record = AuditRecord.objects.get(stream_id=stream_id(), result="blocked")
    assert record.details["masked"] == answer["masked"] == "aaa.aaaaaaa@aaaaaaa.aaa"
    assert everywhere(answer["masked"]) == ["audit_auditrecord"]


def test_what_is_allowed_is_found_where_a_block_is_looked_for(store: Store) -> None:
    """Else nothing would be found of what is blocked either."""
    body = {"key": SECRET, "value": f"{SECRET} " * 500}
    made(store.client.post(f"{store.path}/data", body, Idempotency_Key="once"))

    found = everywhere("planted@")

    assert {"accounts_storedanswer", "audit_auditrecord", "timeline_body"} <= set(found)


def test_what_is_blocked_is_in_no_page_and_no_metric(
    store: Store, client: Any, project: Any, settings: Any
) -> None:
    settings.METRICS_TOKEN = "t" * 32
    made(store.policies(block_pii=True, block_secrets=True))
    made(store.write("a", SECRET))
    made(store.write(SECRET, "postgres://app:planted@db.internal/orders"))
    agent = Agent.objects.get(external_id=AGENT)
    browser = signed_in(client, make_member(project, "ada", AccountRole.ADMIN))

    pages = [
        browser.get(reverse(f"console:{name}", args=[project.slug, agent.id]))
        for name in ("agent_detail", "agent_data", "agent_audit", "agent_blocked")
    ]
    pages += [
        browser.get(reverse(f"console:{name}", args=[project.slug]))
        for name in ("audit_log", "metrics", "project")
    ]
    bearer = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
    pages.append(client.get("/metrics", headers=bearer))

    assert [page.status_code for page in pages] == [200] * len(pages)
    assert not [page for page in pages if b"planted" in page.content]


def test_a_key_that_is_not_what_is_blocked_is_named(store: Store) -> None:
    made(store.policies(block_pii=True))
    made(store.write("note:1", SECRET))

    assert stream()[-1][3] == "note:1"


def results_of(answer: Answer) -> list[Any]:
    body = made(answer)
    return list(body.get("results", [body]))


def everywhere(text: str) -> list[str]:
    """Return the tables with a row that holds a text, in whichever column.

    Bytes are printed in hex; those of a body are looked at decoded as well.
    """
    with acting_as(Role.OWNER), connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        holding = set()
        for table in tables:
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t'
                " WHERE t::text LIKE %s OR t::text LIKE %s",
                [f"%{text}%", f"%{text.encode().hex()}%"],
            )
            if cursor.fetchone()[0]:
                holding.add(table)
        cursor.execute("SELECT session_id, number FROM timeline_body")
        bodies = cursor.fetchall()
        if any(text.encode() in reconstruct(stored_chains([one])) for one in bodies):
            holding.add("timeline_body")
    return sorted(holding)
