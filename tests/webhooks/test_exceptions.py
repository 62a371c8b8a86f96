"""What webhooks are told of exceptions from policies: the rule and why, no key."""

import pytest

from apps.accounts.models import Scope
from tests.data.conftest import AGENT, made

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_exception_from_a_policy_is_told(
    api, make_key, receiver, subscribe, sweep
) -> None:
    subscribe("exception.created")
    client = api(make_key(Scope.ADMIN))
    made(client.post("/v1/agents", {"name": "Billing", "external_id": AGENT}))
    said = {"rule": "policy:block_pii", "prefix": "hidden-1", "reason": "Ours."}
    one = made(client.post(f"/v1/agents/{AGENT}/exceptions", said))
    made(client.delete(f"/v1/agents/{AGENT}/exceptions/{one['id']}"))

    sweep()

    (sent,) = receiver.seen
    told = sent.body["data"]
    assert sent.kind == "exception.created"
    assert (told["object"], told["id"], told["agent_id"]) == (
        *("exception", one["id"]),
        AGENT,
    )
    assert (told["rule"], told["covers"], told["reason"]) == (
        *("policy:block_pii", "prefix"),
        "Ours.",
    )
    assert b"hidden" not in sent.content
