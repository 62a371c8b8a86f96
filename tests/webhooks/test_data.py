"""What webhooks are told of agents' data and config: no key, no value."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.core.roles.names import Role
from apps.data.operations import expire_due
from apps.retention import sweeping
from tests.acting import acting_as
from tests.data.conftest import AGENT, Store, made
from tests.retention.aged import enabled

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = (
    "data.blocked",
    "data.deleted",
    "data.expired",
    "config.updated",
    "config.rolled_back",
)
PLANTED = "ann.planted@example.com"


@pytest.fixture
def store(api: Any) -> Store:
    client = api()
    made(client.post("/v1/agents", {"name": "Billing", "external_id": AGENT}))
    return Store(client)


def test_each_act_is_told_without_what_it_was_about(
    store: Store, receiver: Any, subscribe: Any, sweep: Any
) -> None:
    _, secret = subscribe(*KINDS)
    patterns = [{"name": "word", "regex": "planted-[a-z]+"}]
    rules = {"block_pii": True, "custom_blocked_patterns": patterns}
    made(store.configure({"policies": rules, "note": "planted-in-config"}))
    blocked = [
        made(store.write("a", PLANTED)),
        made(store.write("planted-key", "v")),
        made(store.write("a", "v", metadata={"m": PLANTED})),
    ]
    assert [answer["allowed"] for answer in blocked] == [False] * 3
    made(store.roll_back("v0"))
    for key in ("planted-a", "planted-b", "planted-c"):
        made(store.write(key, "planted-value"))
    one = made(store.delete("planted-a"))
    many = made(store.delete_prefix("planted-"))

    sweep()

    told = [(sent.kind, sent.body["data"]) for sent in receiver.seen]
    assert [kind for kind, _ in told] == [
        "config.updated",
        *["data.blocked"] * 3,
        "config.rolled_back",
        *["data.deleted"] * 2,
    ]
    assert all(sent.is_signed_with(secret) for sent in receiver.seen)
    assert not any(b"planted" in sent.content for sent in receiver.seen)
    assert {data["agent_id"] for _, data in told} == {AGENT}
    (_, config), *blocks, (_, back), (_, first), (_, second) = told
    assert (config["version"], config["at"], back["target"]) == ("v1", 1, "v0")
    assert [(data["rule"], data["place"]) for _, data in blocks] == [
        ("policy:block_pii", "value"),
        ("policy:custom_blocked_patterns", "key"),
        ("policy:block_pii", "metadata"),
    ]
    assert [data["audit_id"] for _, data in blocks] == [
        answer["audit_id"] for answer in blocked
    ]
    assert (first["keys"], first["at"]) == (1, one["number"])
    assert (second["keys"], second["at"]) == (2, many["number"])


def test_keys_whose_time_is_over_are_counted(
    store: Store, receiver: Any, subscribe: Any, sweep: Any
) -> None:
    subscribe("data.expired")
    made(store.policies(retention_days=1))
    made(store.batch([{"key": key, "value": "planted"} for key in "abc"]))

    expire_due(actor=SYSTEM, now=timezone.now() + timedelta(days=2))
    sweep()

    (sent,) = receiver.seen
    assert (sent.kind, sent.body["data"]["keys"]) == ("data.expired", 3)
    assert b"planted" not in sent.content


def test_slack_says_it_in_a_sentence(
    store: Store, receiver: Any, subscribe: Any, sweep: Any
) -> None:
    subscribe(*KINDS, format="slack")
    made(store.policies(block_pii=True))
    made(store.write("a", PLANTED))
    made(store.write("a", "v"))
    made(store.delete("a"))
    made(store.roll_back("v0"))

    sweep()

    said = [sent.body["text"] for sent in receiver.seen]
    assert said[0].endswith(f" set the config of {AGENT}: v1.")
    assert said[1] == (
        f"policy:block_pii blocked a write of {AGENT}: email in the value."
    )
    assert said[2].endswith(f" deleted 1 key of {AGENT}.")
    assert said[3].endswith(f" rolled the config of {AGENT} back to v0.")


def test_how_many_keys_went_is_not_told_of_what_was_pruned_since(
    store: Store, project: Project, receiver: Any, subscribe: Any, sweep: Any
) -> None:
    subscribe("data.deleted")
    subscribe("data.deleted", format="slack")
    made(store.write("a", "1"))
    made(store.delete("a"))
    for value in ("2", "3"):
        made(store.write("a", value))
    enabled(project, prune_days=7)
    # The worker was away: nothing is fed before it.
    with acting_as(Role.RETENTION):
        sweeping.sweep(now=timezone.now() + timedelta(days=400))

    sweep()

    told = [sent.body for sent in receiver.seen]
    ((data,), (text,)) = (
        [body[name] for body in told if name in body] for name in ("data", "text")
    )
    assert (data["at"], data["keys"]) == (2, None)
    assert text.endswith(f" deleted keys of {AGENT}.")
