"""What webhooks are told of checkpoints of agents' data: ids and numbers, no words."""

import pytest

from tests.data.conftest import AGENT, Store, made

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_act_on_one_is_told(api, receiver, subscribe, sweep) -> None:
    _, secret = subscribe(
        "checkpoint.created", "checkpoint.restored", "checkpoint.deleted"
    )
    client = api()
    made(client.post("/v1/agents", {"name": "Billing", "external_id": AGENT}))
    store = Store(client)
    made(store.write("a", "hidden-1"))
    one = made(store.checkpoint("hidden-2", description="hidden-3"))
    made(store.restore(one, restore_config=False))
    made(client.delete(f"{store.checkpoints}/{one['id']}"))

    sweep()

    assert [sent.kind for sent in receiver.seen] == [
        f"checkpoint.{verb}" for verb in ("created", "restored", "deleted")
    ]
    assert all(sent.is_signed_with(secret) for sent in receiver.seen)
    for sent in receiver.seen:
        told = sent.body["data"]
        assert (told["object"], told["id"]) == ("checkpoint", one["id"])
        assert (told["checkpoint_id"], told["agent_id"]) == (one["id"], AGENT)
        assert (told["at"], told["config_version"]) == (1, "v0")
        assert b"hidden" not in sent.content
    restored = receiver.seen[1].body["data"]
    assert (restored["config"], restored["data"]) == (False, True)
