"""Records as a file, in the shape of the audit's own answers."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from typing import Any

import pytest

from tests.conftest import Api
from tests.exports.reading import EXPORTS, Sweep, file, made
from tests.timeline import runs
from tests.timeline.runs import assert_refused, begin

pytestmark = pytest.mark.django_db
AGENT = "travel"


@pytest.fixture
def agent(api: runs.Clients, admin: Api) -> str:
    """An agent with records of three writes of its data."""
    client = api()
    begin(client, {"n": 0}, agent_id=AGENT)
    for number in range(3):
        write(client, f"note-{number}", f"ann@mail.example {number}")
    return AGENT


def write(client: Api, key: str, value: str = "v") -> None:
    path = f"/v1/agents/{AGENT}/data"
    answer = client.post(path, {"key": key, "value": value})
    assert answer.status in (200, 201), answer.content


def events(admin: Api, export: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file(admin, export).splitlines()]


def test_an_agents_events_are_those_that_the_audit_answers(
    admin: Api, sweep: Sweep, agent: str
) -> None:
    export = made(admin, sweep, "audit", agent=agent, unmasked=True)
    found = events(admin, export)

    answered = admin.get(f"/v1/agents/{agent}/audit?limit=100").body["data"]
    assert found == answered[::-1]
    assert export["rows"] == len(found) >= 3
    (verification,) = export["verification"]
    assert verification["valid"] is True
    assert verification["events_checked"] == len(found)
    assert verification["chain_end"] == found[-1]["hash"]
    for before, after in pairwise(found):
        assert after["previous_hash"] == before["hash"]


def test_without_an_agent_it_is_the_projects_and_all_agents_chains(
    admin: Api, sweep: Sweep, agent: str
) -> None:
    first = made(admin, sweep, "audit")
    export = made(admin, sweep, "audit")

    found = events(admin, export)
    chains = [one["agent_id"] for one in found]
    assert chains == sorted(chains, key=chains.index)
    assert len(set(chains)) == len(export["verification"]) == 2
    # What was asked for before is a record by now.
    asked = [one for one in found if one["operation"] == "export.asked"]
    assert first["id"] in [one["resource"] for one in asked]


def test_a_time_narrows_it_and_without_records_it_is_empty(
    admin: Api, sweep: Sweep, agent: str
) -> None:
    all_of_it = events(admin, made(admin, sweep, "audit", agent=agent))
    at = all_of_it[1]["created_at"]

    later = events(admin, made(admin, sweep, "audit", agent=agent, start=at))
    earlier = events(admin, made(admin, sweep, "audit", agent=agent, end=at))
    none = made(admin, sweep, "audit", agent=agent, end="2020-01-01")

    assert earlier + later == all_of_it
    assert (file(admin, none), none["verification"]) == (b"", [])


def test_a_table_has_the_same_and_runs_in_no_spreadsheet(
    admin: Api, sweep: Sweep, agent: str, api: runs.Clients
) -> None:
    write(api(), "=1+1")

    export = made(admin, sweep, "audit", agent=agent, format="csv", unmasked=True)
    rows = list(csv.DictReader(io.StringIO(file(admin, export).decode())))

    assert len(rows) == export["rows"]
    assert rows[-1]["resource"] == "'=1+1"
    sent = admin.get(f"{EXPORTS}/{export['id']}/file")
    assert sent.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert f'{export["id"]}.csv"' in sent.headers["Content-Disposition"]


def test_masked_it_keeps_its_chain_and_no_address(
    admin: Api, sweep: Sweep, api: runs.Clients, agent: str
) -> None:
    write(api(), "of ann@mail.example")

    found = events(admin, made(admin, sweep, "audit", agent=agent))
    shown = events(admin, made(admin, sweep, "audit", agent=agent, unmasked=True))

    assert found[-1]["resource"] == "of [email]"
    assert shown[-1]["resource"] == "of ann@mail.example"
    assert [one["hash"] for one in found] == [one["hash"] for one in shown]


def test_of_an_agent_that_is_not_there_nothing_is_made(admin: Api) -> None:
    answer = admin.post(EXPORTS, {"kind": "audit", "agent": "nobody"})
    assert_refused(answer, 404, "agent_not_found")
    assert admin.get(EXPORTS).body["data"] == []
