"""Proofs of `anchor.checkpoints`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.anchor.calls import Given, proves
from tests.anchor.releases import Raised


def made(given: Given) -> str:
    """Return an agent with a config and two keys."""
    agent_id = str(given.anchor.agents.create(name="keeper").id)
    given.anchor.config.update(agent_id, {"tone": "kind"})
    given.anchor.data.write_batch(agent_id, {"a": "1", "b": "22"})
    return agent_id


def assert_not_found(raised: Raised) -> None:
    assert (raised.kind, raised.status_code) == ("NotFoundError", 404)
    assert raised.response["code"] == "checkpoint_not_found"


@proves("checkpoints.create")
def create(given: Given) -> None:
    agent_id = made(given)

    one = given.anchor.checkpoints.create(agent_id, "pre-import", "Before the import")

    assert one.kind == "Checkpoint"
    assert one.id.startswith("cp_")
    assert (one.agent_id, one.label) == (agent_id, "pre-import")
    assert one.description == "Before the import"
    assert one.config_version == "v1"
    assert one.data_snapshot == {"key_count": 2, "total_size_bytes": 3}
    assert one.created_at.utcoffset() == timedelta(0)
    assert one.audit_id.startswith("aud_")
    # A lost answer is asked for again without a key.
    again = given.anchor.checkpoints.create(agent_id, "pre-import", "Before the import")
    assert again == one
    bare = given.anchor.checkpoints.create(agent_id)
    assert (bare.label, bare.description) == (None, None)
    assert given.anchor.agents.get(agent_id).checkpoint_count == 2


@proves("checkpoints.list")
def list_(given: Given) -> None:
    agent_id = made(given)
    assert given.anchor.checkpoints.list(agent_id) == []
    ones = [given.anchor.checkpoints.create(agent_id, f"step {n}") for n in range(3)]

    listed = given.anchor.checkpoints.list(agent_id)

    assert listed == ones[::-1]
    assert given.anchor.checkpoints.list(agent_id, limit=1) == ones[-1:]


@proves("checkpoints.get")
def get(given: Given) -> None:
    agent_id = made(given)
    one = given.anchor.checkpoints.create(agent_id, "pre-import")
    given.anchor.data.write(agent_id, "a", "other")

    assert given.anchor.checkpoints.get(agent_id, one.id) == one
    other = given.anchor.agents.create(name="other").id
    for about in ((agent_id, "cp_nothing"), (other, one.id)):
        with pytest.raises(Raised) as refused:
            given.anchor.checkpoints.get(*about)
        assert_not_found(refused.value)


@proves("checkpoints.restore")
def restore(given: Given) -> None:
    agent_id = made(given)
    one = given.anchor.checkpoints.create(agent_id, "pre-import")
    given.anchor.config.update(agent_id, {"tone": "curt"})
    given.anchor.data.write(agent_id, "a", "other")
    given.anchor.data.write(agent_id, "c", "new")

    done = given.anchor.checkpoints.restore(agent_id, one.id)

    assert done.kind == "RestoreResult"
    assert done.restored_from == one.id
    assert (done.config_restored, done.config_version) == (True, "v3")
    assert (done.data_restored, done.data_keys_restored) == (True, 2)
    assert done.data_keys_removed == 1
    assert done.audit_id.startswith("aud_")
    assert done.restored_at > one.created_at
    assert kept(given, agent_id) == {"a": "1", "b": "22"}
    assert given.anchor.checkpoints.restore(agent_id, one.id) == done
    given.anchor.data.write(agent_id, "a", "third")
    given.anchor.config.update(agent_id, {"tone": "curt"})
    alone = given.anchor.checkpoints.restore(agent_id, one.id, restore_config=False)
    assert (alone.config_restored, alone.config_version) == (False, "v4")
    assert given.anchor.config.get(agent_id).config == {"tone": "curt"}
    config = given.anchor.checkpoints.restore(agent_id, one.id, restore_data=False)
    assert (config.data_restored, config.data_keys_restored) == (False, 0)
    assert given.anchor.config.get(agent_id).config == {"tone": "kind"}
    with pytest.raises(Raised) as refused:
        given.anchor.checkpoints.restore(agent_id, "cp_nothing")
    assert_not_found(refused.value)


def kept(given: Given, agent_id: str) -> dict[str, Any]:
    keys = given.anchor.data.list(agent_id)
    return {key: given.anchor.data.read(agent_id, key) for key in keys}


@proves("checkpoints.delete")
def delete(given: Given) -> None:
    agent_id = made(given)
    one = given.anchor.checkpoints.create(agent_id, "pre-import")

    assert given.anchor.checkpoints.delete(agent_id, one.id) is True

    # A lost answer is asked for again.
    assert given.anchor.checkpoints.delete(agent_id, one.id) is True
    assert given.anchor.checkpoints.list(agent_id) == []
    with pytest.raises(Raised) as refused:
        given.anchor.checkpoints.restore(agent_id, one.id)
    assert_not_found(refused.value)
    assert kept(given, agent_id) == {"a": "1", "b": "22"}
