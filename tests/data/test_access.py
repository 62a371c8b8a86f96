"""Who may do what with an agent's data, and what becomes of suspended agents."""

from typing import Any

import pytest

from apps.accounts.models import Scope
from tests.data.conftest import AGENT, Store, made


def test_a_read_only_key_reads(store: Store, api: Any, make_key: Any) -> None:
    made(store.write("a"))
    reader = store.as_seen_by(api(make_key(Scope.READ)))

    assert made(reader.at("a"))["value"] == "v"
    assert made(reader.search("v"))["results"][0]["key"] == "a"
    for answer in (
        reader.write("b"),
        reader.delete("a"),
        reader.delete_prefix("a"),
        reader.configure({"a": 1}),
        reader.roll_back("v0"),
    ):
        assert (answer.status, answer.code) == (403, "permission_denied")


def test_nobody_else_sees_it(
    store: Store, api: Any, make_key: Any, other_project: Any
) -> None:
    made(store.write("a"))
    strangers = [
        store.as_seen_by(api(make_key(Scope.ADMIN, project=other_project))),
        store.as_seen_by(api(make_key(Scope.WRITE, agents=["somebody-else"]))),
    ]

    for stranger in strangers:
        for answer in (
            stranger.at("a"),
            stranger.write("a"),
            stranger.listed(),
            stranger.config(),
        ):
            assert (answer.status, answer.code) == (404, "agent_not_found")
    nobody = store.as_seen_by(api(None))
    assert nobody.at("a").status == 401


def test_a_wrong_method_is_named(store: Store) -> None:
    answer = store.client.put(f"{store.path}/data", {})

    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, POST, DELETE, OPTIONS" or (
        "POST" in answer.headers["Allow"]
    )


def test_a_suspended_agent_is_read_alone(store: Store) -> None:
    made(store.policies(block_pii=True))
    made(store.write("a"))
    made(store.client.post(f"{store.path}/suspend"))

    for answer in (
        store.write("b"),
        store.write("b", "ann@example.com"),
        store.delete("a"),
        store.delete_prefix("a"),
        store.configure({"b": 1}),
        store.roll_back("v0"),
    ):
        assert (answer.status, answer.code) == (403, "agent_suspended")
        assert "blocked_by" not in answer.body
    assert made(store.at("a"))["value"] == "v"
    made(store.client.post(f"{store.path}/activate"))
    assert made(store.write("b"))["allowed"]


def test_a_deleted_agent_is_read_alone(store: Store, api: Any, make_key: Any) -> None:
    made(store.write("a"))
    made(api(make_key(Scope.ADMIN)).delete(store.path))

    for answer in (store.write("b"), store.delete("a"), store.configure({"b": 1})):
        assert (answer.status, answer.code) == (403, "agent_deleted")
    assert made(store.at("a"))["value"] == "v"


@pytest.mark.parametrize("ending", ["suspend", "activate", "mapping", "config", "data"])
def test_a_key_may_end_like_an_address_of_the_agent(store: Store, ending: str) -> None:
    key = f"a/{ending}"
    made(store.write(key))

    assert made(store.at(key))["value"] == "v"
    assert made(store.delete(key))["deleted"] == 1


def test_lists_of_agents_tell_how_much_each_keeps(store: Store) -> None:
    made(store.configure({"a": 1}))
    made(store.batch([{"key": key, "value": "v"} for key in "abc"]))

    agent = made(store.client.get(f"/v1/agents/{AGENT}"))

    assert (agent["data_count"], agent["config_version"]) == (3, "v1")
