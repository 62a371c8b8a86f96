"""Webhooks and alert rules, by a key of an administrator."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import NotFound, errors
from tests.live import Server


@pytest.fixture(scope="module")
def admin_key(live: Server) -> str:
    return live.key("stepback-client", "--scope", "admin")


@pytest.fixture
def admin(connect: Any, admin_key: str) -> Any:
    return connect(api_key=admin_key)


def test_a_webhook_is_made_changed_tried_and_removed(admin: Any) -> None:
    made = admin.webhooks.create(
        "https://receiver.example/hook", ["session.rolled_back"], description="On call"
    )
    assert made.secret is not None
    assert made.secret.startswith(made.secret_prefix)
    assert made.secret not in repr(made)
    read = admin.webhooks.get(made.id)
    assert (read.url, read.events) == (made.url, ["session.rolled_back"])
    assert "secret" not in read.raw
    assert made.id in [one.id for one in admin.webhooks.list().data]

    changed = admin.webhooks.update(made.id, events=["version.created"], enabled=False)
    assert (changed.events, changed.status) == (["version.created"], "disabled")
    with pytest.raises(errors.WebhookDisabled):
        admin.webhooks.test(made.id)
    admin.webhooks.update(made.id, enabled=True)
    again = admin.webhooks.change_secret(made.id)
    assert again.secret not in (None, made.secret)

    tried = admin.webhooks.test(made.id)
    assert (tried.webhook_id, tried.type) == (made.id, "webhook.test")
    log = admin.webhooks.deliveries(made.id).data
    assert [one.id for one in log] == [tried.id]
    admin.webhooks.delete(made.id)
    with pytest.raises(errors.WebhookNotFound):
        admin.webhooks.get(made.id)


def test_a_message_that_is_still_waiting_is_not_sent_again(admin: Any) -> None:
    made = admin.webhooks.create("https://receiver.example/", ["version.created"])
    waiting = admin.webhooks.test(made.id)

    resent = admin.webhooks.resend(made.id, waiting.id)

    assert resent.id == waiting.id
    assert admin.webhooks.deliveries(made.id, status="delivered").data == ()
    admin.webhooks.delete(made.id)


def test_an_alert_rule_is_made_changed_tried_and_removed(
    admin: Any, agent_id: str
) -> None:
    admin.agents.create(external_id=agent_id)
    made = admin.alerts.create("Too many", 0.05, agent_id=agent_id, window="24h")
    assert (made.threshold, made.agent_id, made.is_active) == (0.05, agent_id, True)
    assert admin.alerts.get(made.id) == made
    assert made.id in [one.id for one in admin.alerts.list(limit=100).data]

    quiet = admin.alerts.update(made.id, silenced_until="2099-01-01T00:00:00Z")
    assert quiet.silenced_until is not None
    loud = admin.alerts.update(made.id, threshold=0.1, silenced_until=None)
    assert (loud.threshold, loud.silenced_until) == (0.1, None)
    assert admin.alerts.test(made.id).id == made.id

    admin.alerts.delete(made.id)
    with pytest.raises(NotFound):
        admin.alerts.get(made.id)


def test_a_key_that_may_only_write_reaches_none_of_it(sb: Any) -> None:
    for ask in (sb.webhooks.list, sb.alerts.list):
        with pytest.raises(errors.PermissionDenied):
            ask()


def test_an_agent_is_described_and_found_by_its_owner(sb: Any, agent_id: str) -> None:
    made = sb.agents.create(
        external_id=agent_id, owner=f"ann-{agent_id}", team="travel", tags=["money"]
    )

    assert (made.team, made.tags) == ("travel", ["money"])
    assert [one.id for one in sb.agents.list(owner=made.owner).data] == [made.id]
    assert sb.agents.update(agent_id, tags=[]).tags == []


def test_holding_says_which_head_it_saw(sb: Any, session: Any) -> None:
    with pytest.raises(errors.Conflict):
        sb.sessions.pause(session.id, expected_version=3)

    sb.sessions.pause(session.id, "Wait", expected_version=5, step_number=7)
    assert sb.sessions.get_version(session.id, 6).step_number == 7


def test_a_floor_is_set_and_no_agent_goes_below_it(admin: Any, agent_id: str) -> None:
    before = admin.project.policies().policies
    admin.agents.create(external_id=agent_id)
    try:
        told = admin.project.set_policies({"block_pii": True})
        blocked = admin.data.write(agent_id, "a", "ann@example.com")
    finally:
        admin.project.set_policies(before)

    assert told.policies == {"block_pii": True}
    assert (blocked.allowed, blocked.floor) == (False, True)
    figures = admin.metrics.data(window="1h", limit=100)
    assert figures.blocked_by_policy["policy:block_pii"] >= 1
    with pytest.raises(errors.InvalidPolicy):
        admin.project.set_policies({"blok_pii": True})


def test_the_key_and_its_project_are_told(admin: Any, admin_key: str) -> None:
    project, me = admin.project.get(), admin.project.me()
    (workspace,) = admin.project.workspaces().data

    assert admin.project.update(handling=project.handling) == project
    assert me.workspace["id"] == workspace.id == project.id
    assert admin_key.startswith(me.apiKey["prefix"])
    assert admin_key not in str(me.raw)


def test_a_title_is_mapped_from_the_state(admin: Any, agent_id: str) -> None:
    admin.agents.create(external_id=agent_id)

    mapped = admin.agents.set_mapping(agent_id, title="/trip/name", noise=["/clock"])

    assert (mapped.title, mapped.user, mapped.noise) == ("/trip/name", None, ["/clock"])
    assert admin.agents.mapping(agent_id).title == "/trip/name"
    assert admin.agents.set_mapping(agent_id).title is None
