"""An agent's record in the console: its list, its proof, its export, its blocks."""

import csv
import html
import io

import pytest
from django.db import connection
from django.urls import reverse

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.audit.models import AuditRecord
from apps.core.roles.names import Role as DatabaseRole
from apps.data.audit import looking
from tests.accounts.make import make_member
from tests.acting import acting_as
from tests.console.agent_pages import make_store, plain, row_heads
from tests.console.make import HTML, signed_in
from tests.data.conftest import made

MARKUP = "<img src=x onerror=alert(1)>"
BIDI = "\u202e"


@pytest.fixture
def store(api):
    return make_store(api())


@pytest.fixture
def agent(store):
    return Agent.objects.get(external_id=store.agent)


@pytest.fixture
def operator(client, project):
    return signed_in(client, make_member(project, "olga", Role.OPERATOR))


@pytest.fixture
def viewer(client, project):
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def look(viewer, agent):
    """Open one of the agent's pages."""

    def opened(name="agent_audit", status=200, **query):
        answer = viewer.get(at(agent, name), query, headers=HTML)
        assert answer.status_code == status, answer.content.decode()
        return answer.content.decode()

    return opened


def at(agent, name):
    return reverse(f"console:{name}", args=[agent.project.slug, agent.id])


def test_acts_are_listed_and_narrowed_by_their_operation(store, look):
    made(store.write("seat", "aisle"))
    made(store.at("seat"))
    made(store.delete("seat"))

    page, narrowed = plain(look()), plain(look(operation="data.read"))

    assert page.index("Deleted") < page.index("Read seat") < page.index("Wrote seat")
    assert "Registered the agent" in page
    assert "Read seat" in narrowed
    assert "Wrote" not in narrowed
    assert "#1" in page


def test_looking_at_the_record_is_no_act_on_the_data(agent, store, look):
    made(store.write("seat"))
    before = AuditRecord.objects.count()

    for name in ("agent_audit", "agent_verify"):
        look(name)

    assert AuditRecord.objects.count() == before


def test_looking_at_exceptions_and_checkpoints_is_recorded_as_that(agent, store, look):
    made(store.write("seat"))
    made(store.checkpoint("c"))

    look("agent_blocked")
    look("agent_checkpoints")

    shown = look()
    assert "Listed exceptions" in shown
    assert "Looked at checkpoints" in shown
    assert "Listed keys</" not in shown
    assert "columns" not in shown


def test_the_list_goes_on_page_by_page(store, look, monkeypatch):
    monkeypatch.setattr("apps.console.views.agent.audit.PAGE", 2)
    for number in range(3):
        made(store.write(f"k{number}"))

    first, last = look(), look(before=3)

    assert "before=3" in first
    assert "#4" in first
    assert "#2" in last
    assert "#1<" in last
    assert "before=" not in last


def test_a_rare_operation_is_looked_for_so_far_back(store, look, monkeypatch):
    made(store.write("first"))
    for _ in range(3):
        made(store.delete_prefix("none"))
        made(store.at("first"))
    monkeypatch.setattr(looking, "LOOKED_AT", 2)

    page = look(operation="data.write")

    assert "No such act since" in plain(page)
    assert "Look further back" in page
    while "Look further back" in page and "Wrote first" not in plain(page):
        before = page.rpartition("before=")[2].partition('"')[0]
        page = look(operation="data.write", before=before)
    assert "Wrote first" in plain(page)


def test_the_chain_is_verified(store, look):
    made(store.write("seat", "aisle"))
    made(store.write("seat", "window"))

    page = plain(look("agent_verify"))

    assert "Records #1 to #3 hold." in page


def test_the_first_record_that_does_not_hold_is_named(agent, store, look):
    for number in range(4):
        made(store.write(f"k{number}"))
    with acting_as(DatabaseRole.OWNER), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_auditrecord DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE audit_auditrecord SET actor_label = 'nobody'"
            " WHERE stream_id = %s AND number = 3",
            [agent.id],
        )
        cursor.execute("ALTER TABLE audit_auditrecord ENABLE TRIGGER USER")

    page = plain(look("agent_verify"))

    assert "Record #3 does not hold." in page
    assert "Everything from #1 to #2 holds." in page


def test_a_long_chain_is_verified_piece_by_piece(store, look, monkeypatch):
    monkeypatch.setattr("apps.console.views.agent.audit.VERIFIED", 2)
    made(store.write("a"))
    made(store.write("b"))

    first, second = look("agent_verify"), look("agent_verify", after=2)

    assert "Records #1 to #2 hold." in plain(first)
    assert "?after=2" in first
    assert "Records #3 to #3 hold." in plain(second)
    assert "Verify further" not in second
    assert "nothing to verify after #3" in plain(look("agent_verify", after=3))


@pytest.mark.parametrize("format", ["csv", "json"])
def test_an_operator_exports_it(operator, agent, store, format):
    made(store.write("=1+1", "v"))

    led = operator.post(at(agent, "export_agent_audit"), {"format": format})
    file = operator.get(led["Location"])

    assert led.status_code == 303
    content = b"".join(file.streaming_content).decode()
    assert "data.write" in content
    if format == "csv":
        cells = [one for row in csv.reader(io.StringIO(content)) for one in row]
        assert "'=1+1" in cells
        assert "=1+1" not in cells
    seen = AuditRecord.objects.for_stream(agent.id).filter(actor_label="olga")
    assert [one.action for one in seen.order_by("number")] == [
        "audit.export",
        "audit.download",
    ]


def test_a_viewer_exports_nothing(viewer, agent, look):
    page = look()
    refused = viewer.post(at(agent, "export_agent_audit"), {"format": "csv"})

    assert "An operator can export it." in page
    assert refused.status_code == 403


def test_what_was_blocked_is_told_with_how_often(store, look):
    assert "No write was blocked." in plain(look("agent_blocked"))
    made(store.policies(block_pii=True, denied_key_prefixes=["card:"]))
    for value in ("write to ann@example.org", "or to bob@example.org"):
        made(store.write("contact", value))
    made(store.write("card:1", "x"))

    page = look("agent_blocked")

    assert row_heads(page) == [
        "policy:denied_key_prefixes",
        "policy:block_pii",
    ]
    assert "contact email in the value aaa@aaaaaaa.aaa 2" in plain(page)
    assert "card:1 denied_prefix in the key 1" in plain(page)
    assert "ann@example.org" not in page


def test_a_key_that_is_what_is_protected_is_not_shown(store, look):
    made(store.policies(block_pii=True))
    made(store.write("user:ann@example.org", "x"))

    for name in ("agent_blocked", "agent_audit", "agent_detail"):
        assert "ann@example.org" not in look(name)
    assert "not kept: it was what is protected" in look("agent_blocked")


def test_hostile_texts_in_the_record_are_text(store, look):
    evil = f"=1+1 {MARKUP}{BIDI}"
    pattern = {"name": MARKUP, "regex": "x"}
    made(store.policies(custom_blocked_patterns=[pattern]))
    made(store.write(evil, "y"))
    made(store.write(evil, "x"))

    for name in ("agent_blocked", "agent_audit", "agent_detail"):
        page = look(name)
        assert MARKUP not in page
        assert BIDI not in page
        assert html.escape(MARKUP) in page


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("agent_audit", {"operation": "data.guess"}),
        ("agent_audit", {"before": "0"}),
        ("agent_verify", {"after": "-1"}),
        ("agent_blocked", {"before": "x"}),
    ],
)
def test_what_is_not_understood_is_refused(look, name, query):
    look(name, 400, **query)


def test_an_unknown_format_and_an_unknown_agent_are_refused(operator, agent, project):
    address = at(agent, "export_agent_audit")
    assert operator.post(address, {"format": "pdf"}).status_code == 400
    for name in ("agent_audit", "agent_verify", "agent_blocked"):
        unknown = reverse(f"console:{name}", args=[project.slug, "nobody"])
        assert operator.get(unknown).status_code == 404
        assert operator.post(at(agent, name)).status_code == 405
    assert operator.get(address).status_code == 405
