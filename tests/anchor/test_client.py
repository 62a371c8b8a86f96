"""Anchor's client, unmodified, against a real server, in each published release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.anchor.calls import NOT_YET_SERVED, PROOFS, Given
from tests.anchor.releases import (
    Client,
    ClientProcess,
    Raised,
    run,
)
from tests.live import Server

# What 1.1.0 has and 1.0.1 has not.
NEWER = {"get_workspace_id"}
NOBODY = "agent_" + "0" * 26


def test_its_process_has_that_release(process: ClientProcess, release: str) -> None:
    assert process.ask("version") == release


def test_every_method_has_a_proof_or_is_not_yet_served(
    process: ClientProcess, release: str
) -> None:
    offered = set(process.ask("methods"))
    later = {name for name in offered if name.partition(".")[0] in NOT_YET_SERVED}
    proven = set(PROOFS) - (NEWER if release == "1.0.1" else set())

    assert offered - later == proven


@pytest.mark.parametrize("name", PROOFS)
def test_it_serves(
    name: str, release: str, anchor: Client, admin: Client, rest: httpx.Client
) -> None:
    if name in NEWER and release == "1.0.1":
        return
    PROOFS[name](Given(release=release, anchor=anchor, admin=admin, rest=rest))


def test_an_error_says_what_and_where(anchor: Client) -> None:
    with pytest.raises(Raised) as refused:
        anchor.agents.create(name="")

    error = refused.value
    assert (error.kind, error.status_code) == ("ValidationError", 400)
    assert error.facts["field"] == error.response["param"] == "name"
    assert error.message == error.response["message"]
    assert "blocked_by" not in error.response


@pytest.mark.parametrize("verb", ["get", "suspend", "activate", "delete"])
def test_an_agent_of_another_project_is_not_found(
    verb: str, admin: Client, connect: Callable[..., Client], live: Server
) -> None:
    agent = admin.agents.create(name="mine")
    stranger = connect(live.key("anchors-rival", "--scope", "admin"))

    for one in (agent.id, NOBODY):
        with pytest.raises(Raised) as refused:
            getattr(stranger.agents, verb)(one)
        assert (refused.value.kind, refused.value.response["code"]) == (
            "NotFoundError",
            "agent_not_found",
        )
    assert stranger.agents.list() == []
    assert admin.agents.get(agent.id).status == "active"


def test_a_key_that_is_none_is_told_so(connect: Callable[..., Client]) -> None:
    with pytest.raises(Raised) as refused:
        connect("anc_" + "0" * 64).agents.list()

    assert (refused.value.kind, refused.value.status_code) == (
        "AuthenticationError",
        401,
    )
    assert "key" in refused.value.message


def test_a_key_that_may_only_read_is_told_what_it_lacks(
    connect: Callable[..., Client], live: Server, secret: str
) -> None:
    reader = connect(live.key("anchor", "--scope", "read"))

    assert isinstance(reader.agents.list(), list)
    with pytest.raises(Raised) as refused:
        reader.agents.create(name="n")
    assert refused.value.kind == "AuthorizationError"
    assert refused.value.facts["required_permission"] == "write"


def test_who_asks_too_often_is_told_how_long_to_wait(
    process: ClientProcess, live: Server, secret: str
) -> None:
    key = live.key("anchor", "--rate-limit", "1")
    once = {"api_key": key, "base_url": live.url, "retry_attempts": 0}
    hurried = process.open(config=once)

    def hurry() -> None:
        for _ in range(3):
            hurried.agents.list()

    with pytest.raises(Raised) as refused:
        hurry()

    assert (refused.value.kind, refused.value.status_code) == ("RateLimitError", 429)
    assert 0 < refused.value.facts["retry_after"] <= 60


def test_processes_that_change_one_agent_at_once_record_each_change_once(
    release: str,
    live: Server,
    anchor: Client,
    secret: str,
    admin_secret: str,
    rest: httpx.Client,
) -> None:
    agent = anchor.agents.create(name="busy")
    processes = [ClientProcess(release) for _ in range(2)]

    def flip(one: ClientProcess) -> None:
        client = one.open(api_key=secret, base_url=live.url)
        for _ in range(5):
            client.agents.suspend(agent.id)
            client.agents.activate(agent.id)

    def delete(one: ClientProcess) -> None:
        one.open(api_key=admin_secret, base_url=live.url).agents.delete(agent.id)

    with ThreadPoolExecutor() as pool:
        list(pool.map(flip, processes))
        assert anchor.agents.get(agent.id).status == "active"
        list(pool.map(delete, processes))
    for one in processes:
        one.close()

    assert anchor.agents.get(agent.id).status == "deleted"
    traces = rest.get("/v1/traces", params={"limit": 100}).json()["data"]
    mine = Counter(one["action"] for one in traces if one["resource_id"] == agent.id)
    # What is so already is not done again, and not recorded.
    assert 1 <= mine["agent.suspended"] == mine["agent.activated"] <= 10
    assert mine["agent.deleted"] == 1


def test_a_program_runs_as_it_is_written(
    release: str, live: Server, secret: str
) -> None:
    program = """
import os
from anchor import Anchor
from anchor.exceptions import NotFoundError

anchor = Anchor(api_key=os.environ["KEY"], base_url=os.environ["URL"])
agent = anchor.agents.create(name="support-bot", metadata={"environment": "staging"})
agent = anchor.agents.update(agent.id, metadata={"version": "2.0"})
print(sorted(agent.metadata), anchor.agents.suspend(agent.id).status)
try:
    anchor.agents.get("agent_nobody")
except NotFoundError as error:
    print(error.status_code)
"""

    printed = run(release, program, KEY=secret, URL=live.url)

    assert printed.splitlines() == ["['environment', 'version'] suspended", "404"]
