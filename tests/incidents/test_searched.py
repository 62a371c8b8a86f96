"""Where a search's list is kept, it says what that search could not look into."""

from __future__ import annotations

import pytest
from django.utils import timezone

from apps.incidents.words import Deed
from apps.surveys import operations as surveys
from apps.surveys.errors import UnacceptableSurvey
from tests.acts import act_in
from tests.console.make import Story
from tests.feeding import feed_all

pytestmark = pytest.mark.django_db
MISSING = "Others may be missing."


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """More waits to be indexed than a search looks through."""
    monkeypatch.setattr("apps.timeline.projection.lag.COUNTED", 0)


@pytest.fixture
def sessions(project) -> list[str]:
    return [
        Story(project, {"total": n}, now=timezone.now()).update({"a": n}, release="r1")
        for n in range(2)
    ]


def opened(client, **body):
    return client.post("/v1/incidents", {"title": "lost", **body})


def notes(client, incident):
    told = client.get(f"/v1/incidents/{incident['id']}/notes").body["data"]
    return [(one["by"], one["text"]) for one in told if one["deed"] == Deed.NOTED]


@pytest.mark.parametrize(
    "picked", [{"release": "r1"}, {"search": "agent:travel-agent"}]
)
def test_an_incident_says_that_sessions_may_be_missing(api, sessions, behind, picked):
    client = api()

    incident = opened(client, **picked).body

    ((who, said),) = notes(client, incident)
    assert who == "system"
    assert said.endswith(MISSING)


def test_one_of_named_sessions_or_of_all_says_nothing(api, sessions):
    client = api()
    feed_all()

    named = opened(client, sessions=[one.id for one in sessions]).body
    found = opened(client, release="r1").body

    assert (notes(client, named), notes(client, found)) == ([], [])


def test_none_is_not_said_of_what_is_not_indexed(api, project, olga, sessions, behind):
    refused = opened(api(), release="r9")

    assert refused.status == 422
    assert "so far" in refused.body["error"]["message"]
    assert MISSING in refused.body["error"]["message"]
    with pytest.raises(UnacceptableSurvey, match="so far"):
        surveys.ask(act=act_in(project, olga), check="state.a=1", query="release:r9")


def test_a_survey_does_not_say_that_they_are_all(project, olga, sessions, behind):
    survey = surveys.ask(
        act=act_in(project, olga), check="state.a=1", query="release:r1"
    )

    assert not survey.is_all


def test_a_plan_says_that_there_may_be_more(api, project, sessions, behind):
    plan = api().post("/v1/plans", {"kind": "hold", "q": "release:r1"}).body

    assert (plan["counts"]["planned"], plan["has_more"]) == (2, True)
