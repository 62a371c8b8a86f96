"""Every page, list and answer counts rollbacks alike: taking one back is none.

`docs/metrics.md` has the definition in words. One session, which was
rolled back three times; two of these were taken back, one of them for a while.
"""

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Project, Role
from apps.agents.models import Agent
from apps.metrics import exposition
from apps.timeline.verification import findings
from tests.console.make import HTML, signed_in
from tests.contracts.world import add_member
from tests.metrics.make import Told

pytestmark = pytest.mark.django_db

ROLLBACKS, UNDONE = 3, 3


@pytest.fixture
def told(project: Project) -> Told:
    now = timezone.now() - timedelta(minutes=20)
    one = Told(project, now, agent="travel").update(now, now)
    one.back(1, now).undo(3, now)
    one.back(0, now).undo(5, now).undo(6, now)  # and back again
    return one.update(now).back(7, now, reason="wrong_state")


@pytest.fixture
def see(project: Project) -> Any:
    reader = signed_in(Client(), add_member(project, "vera", Role.VIEWER))

    def get(path: str) -> str:
        answer = reader.get(f"/console/{project.slug}{path}", headers=HTML)
        assert answer.status_code == 200, answer.content
        if answer.streaming:
            return b"".join(answer.streaming_content).decode()
        return answer.content.decode()

    return get


def test_the_session_and_its_lists(told: Told, see: Any, api: Any) -> None:
    client = api()
    shown = client.get(f"/v1/sessions/{told.id}").body
    (listed,) = client.get("/v1/sessions").body["data"]
    (found,) = client.get("/v1/search", {"q": "rolled-back:yes"}).body["data"]
    (row,) = csv.DictReader(io.StringIO(see("/sessions/export")))
    page = see(f"/sessions/{told.id}")

    assert shown["rollback_count"] == listed["rollback_count"] == ROLLBACKS
    assert found["session"]["rollback_count"] == ROLLBACKS
    assert int(row["rollbacks"]) == ROLLBACKS
    assert f", {ROLLBACKS} rollbacks</span>" in page
    assert list(findings(told.id)) == []


def test_the_agents_pages(told: Told, see: Any) -> None:
    agent = Agent.objects.get(external_id="travel")

    for path in ("/agents", f"/agents/{agent.id}"):
        shown = re.sub(r"<[^>]*>", " ", see(path).partition("<main")[2])
        assert re.search(rf"\b{ROLLBACKS}\b", shown), path
        assert not re.search(rf"\b{ROLLBACKS + UNDONE}\b", shown), path


def test_the_first_page_and_the_list_behind_metrics(told: Told, see: Any) -> None:
    home = see("").partition('id="rollbacks"')[2].partition("</section>")[0]
    behind = see("/metrics/rollbacks?window=24h")
    metrics = see("/metrics?window=24h")

    assert home.count("<li>") == ROLLBACKS
    assert behind.count("◆") == ROLLBACKS
    assert f"{ROLLBACKS} rollbacks, {UNDONE} taken back" in metrics


def test_the_numbers_of_the_api_and_of_prometheus(
    told: Told, api: Any, project: Project
) -> None:
    client, day = api(), {"window": "24h"}
    figures = client.get("/v1/metrics/summary", day).body["figures"]
    series = client.get("/v1/metrics/series", day).body["data"]
    (agent,) = client.get("/v1/metrics/agents", day).body["data"]
    counted = {
        by: sum(
            row["rollbacks"]
            for row in client.get("/v1/metrics/breakdown", day | {"by": by}).body[
                "data"
            ]
        )
        for by in ("release", "model", "reason", "actor")
    }
    (gauge,) = [
        one
        for one in exposition.families(timezone.now())
        if one.name == "stepback_rollbacks"
    ]

    assert (figures["rollbacks"], figures["undone"]) == (ROLLBACKS, UNDONE)
    assert sum(one["rollbacks"] for one in series) == ROLLBACKS
    assert agent["rollbacks"] == ROLLBACKS
    assert counted == dict.fromkeys(counted, ROLLBACKS)
    values = {value for labels, value in gauge.samples if "24h" in labels}
    assert values == {ROLLBACKS}
