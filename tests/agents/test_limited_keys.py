"""Keys limited to certain agents: the others do not exist for them."""

import pytest

from apps.agents.models import Agent


@pytest.fixture
def limited(api, make_key):
    """A key for `billing` alone, in a project that also has `refunds`."""
    writer = api()
    writer.post("/v1/agents", {"external_id": "billing"})
    writer.post("/v1/agents", {"external_id": "refunds"})
    return api(make_key(agents=["billing", "planned"]))


def test_it_sees_its_own_agents_only(limited):
    listed = limited.get("/v1/agents").body["data"]

    assert [agent["external_id"] for agent in listed] == ["billing"]
    assert limited.get("/v1/agents/billing").status == 200
    assert limited.get("/v1/agents/refunds").status == 404


@pytest.mark.parametrize("by_our_id", [False, True])
@pytest.mark.parametrize("verb", ["", "/suspend", "/activate"])
def test_it_cannot_touch_another_agent(limited, verb, by_our_id):
    refunds = Agent.objects.get(external_id="refunds")
    path = f"/v1/agents/{refunds.id if by_our_id else 'refunds'}{verb}"

    answer = limited.post(path) if verb else limited.patch(path, {"name": "x"})

    assert (answer.status, answer.code) == (404, "agent_not_found")
    assert Agent.objects.get(id=refunds.id).updated_at == refunds.updated_at


def test_it_creates_its_own_agents_and_no_others(limited):
    assert limited.post("/v1/agents", {"external_id": "planned"}).status == 201

    for told in ({"external_id": "other"}, {"external_id": "refunds"}, {"name": "n"}):
        answer = limited.post("/v1/agents", told)
        assert (answer.status, answer.code) == (403, "permission_denied")


def test_it_changes_its_own_agent(limited):
    assert limited.patch("/v1/agents/billing", {"name": "B"}).body["name"] == "B"
    assert limited.post("/v1/agents/billing/suspend").status == 200


def test_it_is_not_told_an_answer_about_another_agent(limited, api):
    api().patch("/v1/agents/refunds", {"name": "R"}, Idempotency_Key="k")

    answer = limited.patch("/v1/agents/refunds", {"name": "R"}, Idempotency_Key="k")

    assert answer.status == 422
    assert "R" not in answer.body
