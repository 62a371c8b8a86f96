"""An export of an agent's audit: frozen, signed, whole, and no formula in it."""

import csv
import io
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.agents.models import Agent
from apps.audit import operations as audit
from apps.audit.models import AuditRecord, Event
from apps.core import json
from apps.data import operations as data
from apps.data.audit import files
from apps.data.errors import ExportNotFound
from apps.data.models import Export
from apps.data.operations import exports
from tests.conftest import Api
from tests.data.make import make_agent, write

AUDIT = "/v1/agents/billing/audit"


@pytest.fixture
def agent(project: Any) -> Agent:
    return make_agent(project)


@pytest.fixture
def client(api: Any, agent: Agent) -> Api:
    return api()


def export(client: Api, **asked: Any) -> dict[str, Any]:
    answer = client.post(f"{AUDIT}/export", asked)
    assert answer.status == 201, answer.content
    found: dict[str, Any] = answer.body
    return found


def opened(made: dict[str, Any]) -> Any:
    """Open the link as anybody does: without a key."""
    return Client().get(made["download_url"].removeprefix("http://testserver"))


def lines(made: dict[str, Any]) -> list[Any]:
    response = opened(made)
    assert response.status_code == 200, response.content
    return [json.parse(line) for line in response.getvalue().splitlines()]


def actions(agent: Agent) -> list[str]:
    stream = AuditRecord.objects.for_stream(agent.id).oldest_first()
    return [one.action for one in stream]


def test_json_has_a_line_for_each_event_as_the_api_shows_it(
    client: Api, agent: Agent
) -> None:
    write(agent)
    listed = client.get(AUDIT).body["data"][::-1]

    made = export(client, format="json")
    file = opened(made)

    assert lines(made) == listed
    assert file["Content-Type"] == "application/x-ndjson"
    assert file["Content-Disposition"].endswith(f'{made["export_id"]}.jsonl"')
    assert (made["format"], made["event_count"]) == ("json", 2)
    assert made["id"] == made["export_id"]
    assert made["export_id"].startswith("exp_")
    assert made["chain_end"] == listed[-1]["hash"]


def test_the_answer_verifies_what_the_file_has(client: Api, agent: Agent) -> None:
    write(agent)

    made, silent = export(client), export(client, include_verification=False)

    assert made["format"] == "json"
    assert made["verification"]["valid"]
    assert made["verification"]["events_checked"] == made["event_count"] == 2
    assert made["verification"]["chain_end"] == made["chain_end"]
    assert silent["verification"] is None


def test_csv_is_no_formula_in_any_cell(client: Api, agent: Agent) -> None:
    write(agent, "=HYPERLINK(A1)", details={"@x": "+1\u202e"})

    made = export(client, format="csv")
    file = opened(made)
    header, *rows = csv.reader(io.StringIO(file.getvalue().decode()))

    assert tuple(header) == files.COLUMNS
    event = dict(zip(header, rows[1], strict=True))
    assert event["resource"] == "'=HYPERLINK(A1)"
    assert "\u202e" not in event["metadata"]
    assert (event["number"], event["operation"]) == ("2", "data.write")
    assert file["Content-Type"] == "text/csv; charset=utf-8"
    assert file["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_what_comes_later_is_not_in_it(client: Api, agent: Agent) -> None:
    made = export(client)
    write(agent)

    assert [one["operation"] for one in lines(made)] == ["agent.created"]
    assert len(lines(made)) == made["event_count"] == 1


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"start": "2026-03-01T12:01:00+00:00"}, [3, 4]),
        ({"start_time": "2026-03-01T12:01:00Z"}, [3, 4]),
        ({"end": "2026-03-01T12:01:00Z"}, [1, 2]),
        ({"start": "2026-03-01T12:00:00Z", "end_time": "2026-03-01T12:02:00Z"}, [2, 3]),
        ({"start": "2026-03-01T12:02:00Z", "end": "2026-03-01"}, []),
        ({"start": "2030-01-01"}, []),
    ],
)
def test_it_has_the_piece_that_was_asked_for(
    client: Api, agent: Agent, asked: dict[str, str], numbers: list[int]
) -> None:
    for at in range(3):
        write(agent, at=at)

    made = export(client, **asked)

    assert [one["number"] for one in lines(made)] == numbers
    assert made["event_count"] == len(numbers)
    assert made["verification"]["events_checked"] == len(numbers)


def test_a_long_audit_is_exported_in_pieces(
    client: Api, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "MOST", 2)
    monkeypatch.setattr(files, "AT_ONCE", 1)
    for at in range(2):
        write(agent, at=at)

    first = export(client, format="json")
    rest = export(client, start=first["next_start"])

    assert [one["number"] for one in lines(first)] == [1, 2]
    assert first["has_more"]
    # The export itself was recorded meanwhile.
    assert [one["number"] for one in lines(rest)] == [3, 4]
    assert (rest["has_more"], rest["next_start"]) == (False, None)
    assert lines(rest)[0]["previous_hash"] == first["chain_end"]


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"format": "xml"}, "format"),
        ({"start": "soon"}, "start"),
        ({"end_time": "later"}, "end_time"),
        ({"end": 7}, "end"),
        ({"start": "2026-03-01", "start_time": "2026-03-02"}, "start_time"),
        ({"include_verification": "perhaps"}, "include_verification"),
        ({"operations": "data.write"}, "operations"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(
    client: Api, asked: dict[str, Any], param: str
) -> None:
    answer = client.post(f"{AUDIT}/export", asked)

    assert (answer.status, answer.param) == (400, param)
    assert not Export.objects.exists()


def test_exports_and_downloads_are_recorded_in_the_chain(
    client: Api, agent: Agent
) -> None:
    made = export(client)
    opened(made)
    opened(made)

    assert actions(agent) == [
        "agent.created",
        "audit.export",
        "audit.download",
        "audit.download",
    ]
    last = AuditRecord.objects.for_stream(agent.id).newest_first()[0]
    assert (last.resource_id, last.actor_kind) == (made["id"], "key")
    assert Event.objects.filter(action="audit.exported").count() == 1
    assert audit.verify_records(stream_id=agent.id).is_intact


def test_a_link_opens_for_a_quarter_of_an_hour(
    client: Api, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(client)
    made = Export.objects.get()
    token = data.link_token(export=made)

    assert made.expires_at - made.created_at == timedelta(minutes=15)
    just_before = made.expires_at - timedelta(seconds=1)
    assert data.opened_export(token=token, now=just_before).id == made.id
    with pytest.raises(ExportNotFound):
        data.opened_export(token=token, now=made.expires_at)
    assert actions(agent).count("audit.download") == 1


@pytest.mark.parametrize("spoil", [str.lower, lambda token: f"{token}0", lambda _: "x"])
def test_another_link_opens_nothing(
    client: Api, agent: Agent, spoil: Callable[[str], str]
) -> None:
    made = export(client)
    address, _, token = made["download_url"].rpartition("/")

    response = opened({"download_url": f"{address}/{spoil(token)}"})

    assert response.status_code == 404
    assert "audit.download" not in actions(agent)


def test_a_link_that_is_not_ours_is_an_export_that_is_not_found(client: Api) -> None:
    response = Client().get("/exports/nonsense")

    assert response.status_code == 404
    assert json.parse(response.content)["error"]["code"] == "export_not_found"


@pytest.mark.parametrize("method", ["post", "put", "delete", "head"])
def test_a_file_is_only_read(client: Api, method: str) -> None:
    path = export(client)["download_url"].removeprefix("http://testserver")

    assert getattr(Client(), method)(path).status_code == 405


def test_a_repeated_request_is_answered_with_the_same_export(
    client: Api, agent: Agent
) -> None:
    first, second = (
        client.post(f"{AUDIT}/export", {"format": "csv"}, Idempotency_Key="one")
        for _ in range(2)
    )

    assert first.content == second.content
    assert Export.objects.count() == 1
    assert actions(agent).count("audit.export") == 1


@pytest.mark.django_db(transaction=True)
def test_exports_at_once_are_each_recorded(project: Any, make_key: Any) -> None:
    agent, secret = make_agent(project), make_key()

    def ask() -> None:
        try:
            barrier.wait(30)
            export(Api(secret))
        finally:
            connection.close()

    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Export.objects.count() == actions(agent).count("audit.export") == 4
    assert audit.verify_records(stream_id=agent.id).count == 5
    assert timezone.now() < min(one.expires_at for one in Export.objects.all())
