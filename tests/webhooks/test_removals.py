"""What webhooks are told of what went: counts and ids, and nothing that was in it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project, Scope
from apps.webhooks.services import slack
from tests.data.conftest import AGENT, Store, made
from tests.retention.aged import Past, enabled, swept, taken

pytestmark = pytest.mark.django_db(transaction=True)
KINDS = ("session.emptied", "session.pruned", "session.removed")
PLANTED = "ann.planted@example.com"


@pytest.fixture
def told(project: Project, receiver: Any, subscribe: Any, sweep: Any) -> Any:
    """Sweep a session in part and another whole; return what was told, and of whom."""
    subscribe(*KINDS)
    about = {"user_id": PLANTED, "metadata": {"of": PLANTED}}
    part = Past.of(project, [90, 80, 70, 60, 1], **about)
    whole = Past.of(project, [200, 190], **about)
    policy = enabled(project, empty_days=65, prune_days=85, remove_days=150)
    swept()
    sweep()
    return part, whole, taken(policy), receiver.seen


def test_each_step_is_told_by_counts_and_ids_alone(told: Any) -> None:
    part, whole, removal, seen = told

    found = {sent.kind: sent.body["data"] for sent in seen}
    assert sorted(found) == sorted(KINDS)
    for kind, session, versions, ranges, agent in (
        ("session.emptied", part, 2, [(1, 2)], "travel"),
        ("session.pruned", part, 1, [(0, 0)], "travel"),
        ("session.removed", whole, 2, [(0, 1)], None),
    ):
        data = found[kind]
        assert (data["id"], data["session_id"]) == (session.id, session.id)
        assert (data["versions"], data["removal_id"]) == (versions, removal.id)
        assert [(one["first"], one["last"]) for one in data["ranges"]] == ranges
        assert data["agent_id"] == agent
        assert data["actor"]["kind"] == "system"
    assert not any(PLANTED.encode() in sent.content for sent in seen)


def test_slack_is_told_in_a_sentence(told: Any) -> None:
    part, whole, _, seen = told
    said = {
        sent.kind: slack.message(sent.content, "checkout").decode() for sent in seen
    }

    assert "Contents of 2 versions of <" in said["session.emptied"]
    assert part.id in said["session.emptied"]
    assert "Removed 1 version of <" in said["session.pruned"]
    # There is no page of it any more.
    gone = f"Removed 2 versions of {whole.id}, which goes as a whole."
    assert gone in said["session.removed"]


def test_values_of_an_agents_data_are_told_as_those_of_a_document(
    project: Project,
    receiver: Any,
    subscribe: Any,
    sweep: Any,
    api: Any,
    make_key: Any,
) -> None:
    admin = api(make_key(Scope.ADMIN))
    admin.post("/v1/agents", {"name": AGENT, "external_id": AGENT})
    store = Store(admin)
    made(store.write("mail", PLANTED))
    made(store.write("mail", "another"))
    made(store.write("seat", "12A"))
    subscribe(*KINDS)
    enabled(project, empty_days=7)
    swept(now=timezone.now() + timedelta(days=400))
    sweep()

    (sent,) = receiver.seen
    data = sent.body["data"]
    assert (sent.kind, data["object"]) == ("session.emptied", "document")
    assert (data["versions"], data["agent_id"]) == (1, None)
    assert PLANTED.encode() not in sent.content
    said = slack.message(sent.content, "checkout").decode()
    assert "Contents of 1 version of what an agent keeps are removed." in said
    assert "/sessions/" not in said
