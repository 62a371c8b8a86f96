"""Runs that are posted where something stands under their name already."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepback import Stepback
from tests.python_client.test_command_line import RUN, client, run, told

__all__ = ["client", "run"]
Post = Callable[..., Any]
ASKED = {"role": "user", "content": "A seat, please"}
SAID = {"role": "assistant", "content": "Which one?"}
CHOSE = {"role": "user", "content": "12A"}
DONE = {"role": "assistant", "content": "It is yours."}
OTHER = {"role": "assistant", "content": "There is none."}


@pytest.fixture
def post(run: Any, tmp_path: Path, agent_id: str) -> Post:
    """`post(*messages)` posts them as the run of one and the same name."""

    def posted(*messages: Any, status: int = 0) -> Any:
        file = tmp_path / "runs.jsonl"
        file.write_text(json.dumps({"id": agent_id, "messages": messages}))
        command = ("--json", "post", str(file), "--agent", agent_id)
        printed = run(*command, status=status)
        return printed if status else told(printed)[0]["outcome"]

    return posted


def messages_of(client: Stepback, name: str) -> Any:
    (session,) = client.sessions.list(external_id=name).data
    return client.sessions.checkpoint(session.id).messages


def test_a_run_that_went_on_within_a_step_is_not_told_as_there(
    post: Post, client: Stepback, agent_id: str
) -> None:
    post(ASKED, SAID, CHOSE)

    said = post(ASKED, SAID, CHOSE, DONE, status=1)

    assert "another stands there, or this one as it was before it went on" in said
    assert messages_of(client, agent_id) == [ASKED, SAID, CHOSE]


@pytest.mark.parametrize("more", [(), (CHOSE, DONE)])
def test_another_run_of_the_same_name_is_refused(
    post: Post, client: Stepback, agent_id: str, more: Any
) -> None:
    post(ASKED, SAID)

    assert "is not of this run" in post(ASKED, OTHER, *more, status=1)
    assert messages_of(client, agent_id) == [ASKED, SAID]


def test_a_run_is_not_added_to_a_session_that_only_began(
    post: Post, client: Stepback, agent_id: str
) -> None:
    client.sessions.create(agent_id, {"seat": None}, external_id=agent_id)

    assert "is not of this run" in post(ASKED, SAID, status=1)
    assert messages_of(client, agent_id) is None


def test_a_run_of_which_only_the_session_was_made_is_gone_on_with(
    post: Post, client: Stepback, agent_id: str
) -> None:
    client.sessions.create(agent_id, {"step": 0}, external_id=agent_id)

    assert post(ASKED, SAID) == "posted"
    assert messages_of(client, agent_id) == [ASKED, SAID]


def test_a_beginning_of_what_is_there_was_there(post: Post) -> None:
    post(ASKED, SAID, CHOSE, DONE)

    assert post(ASKED, SAID) == "was there"
    assert post(ASKED, SAID, CHOSE) == "was there"


def test_a_run_that_was_stepped_back_since_was_there(
    post: Post, client: Stepback, agent_id: str
) -> None:
    post(*RUN["messages"])
    (session,) = client.sessions.list(external_id=agent_id).data
    client.sessions.rollback(session.id, 1)

    assert post(*RUN["messages"]) == "was there"


def test_what_stands_in_messages_is_found_as_it_was_posted(post: Post) -> None:
    odd = {"role": "assistant", "content": "e\u0301 \u00e9 \U0001f468", "refusal": None}
    numbers = {"role": "tool", "content": [0.1, -0.0, 1e22, 2**53, 1.0, {"": []}]}

    assert post(ASKED, odd, numbers) == "posted"
    assert post(ASKED, odd, numbers) == "was there"
