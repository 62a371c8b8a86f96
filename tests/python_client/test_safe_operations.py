"""`with sb.agents.checkpoint(…)`: what it undoes, what it leaves, and what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stepback import AsyncStepback, RestoreFailed, Stepback, VerificationFailed, errors
from tests.live import Server

LABEL = "pre-batch-import"


@pytest.fixture
def agent(sb: Any, agent_id: str) -> str:
    sb.agents.create(external_id=agent_id)
    sb.data.write(agent_id, "kept", "as it was")
    return agent_id


def standing(sb: Any, agent: str) -> dict[str, str]:
    return {one.key: one.value for one in sb.data.list(agent, full=True)}


def attempt(
    sb: Any, agent: str, work: Callable[[], Any] | None = None, **options: Any
) -> Any:
    """Do some work between a checkpoint and its check; without any, write a key."""
    with sb.agents.checkpoint(agent, LABEL, **options) as operation:
        sb.data.write(agent, "new", "1")
        if work is not None:
            work()
    return operation


def test_what_passes_its_check_stays(sb: Any, agent: str) -> None:
    asked = []

    operation = attempt(sb, agent, verify=lambda one: asked.append(one) or True)

    assert asked == [agent]
    assert (operation.checkpoint.label, operation.restored) == (LABEL, None)
    assert standing(sb, agent) == {"kept": "as it was", "new": "1"}


def test_an_exception_undoes_everything_and_goes_on_with_a_note(
    sb: Any, agent: str, caplog: pytest.LogCaptureFixture
) -> None:
    def work() -> None:
        sb.config.update(agent, {"tone": "rude"})
        sb.data.write(agent, "kept", "overwritten")
        raise KeyError("a secret value")

    with pytest.raises(KeyError) as raised:
        attempt(sb, agent, work)

    (made,) = sb.checkpoints.list(agent)
    note = (
        f"Stepback restored {agent} to the checkpoint '{LABEL}' "
        f"({made.id}): config set back, 1 of its keys set back, 1 newer ones "
        "removed; verified"
    )
    assert raised.value.__notes__ == [note]
    assert caplog.messages.count(note) == 1
    assert standing(sb, agent) == {"kept": "as it was"}
    assert sb.config.get(agent).config == {}
    (newest, *_) = sb.data.versions(agent, "kept")
    assert newest.cause == "restored"
    assert newest.reasoning == f"Undone to the checkpoint '{LABEL}': KeyError"


@pytest.mark.parametrize("outcome", [False, None, 0, []])
def test_a_check_that_returns_nothing_true_undoes_it(
    sb: Any, agent: str, outcome: Any
) -> None:
    with pytest.raises(VerificationFailed) as raised:
        attempt(sb, agent, verify=lambda _: outcome)

    error = raised.value
    assert str(error).startswith(
        f"What followed the checkpoint '{LABEL}' did not pass its check. "
        f"Stepback restored {agent} to the checkpoint '{LABEL}'"
    )
    assert error.restored.checkpoint_id == error.checkpoint.id
    assert standing(sb, agent) == {"kept": "as it was"}


def test_a_check_that_raises_undoes_it_and_is_told(sb: Any, agent: str) -> None:
    def check(one: str) -> bool:
        raise AssertionError(f"{one} has lost a booking")

    with pytest.raises(AssertionError, match="lost a booking") as raised:
        attempt(sb, agent, verify=check)

    assert len(raised.value.__notes__) == 1
    assert standing(sb, agent) == {"kept": "as it was"}


def test_only_the_part_that_is_named_is_set_back(sb: Any, agent: str) -> None:
    def work() -> None:
        sb.config.update(agent, {"policies": {"block_pii": True}})

    with pytest.raises(VerificationFailed):
        attempt(sb, agent, work, verify=lambda _: False, restore_config=False)

    assert sb.config.get(agent).config == {"policies": {"block_pii": True}}
    assert standing(sb, agent) == {"kept": "as it was"}


def test_what_cannot_be_undone_is_said_above_all(sb: Any, agent: str) -> None:
    def work() -> None:
        (made,) = sb.checkpoints.list(agent)
        sb.checkpoints.delete(agent, made.id)
        raise KeyError("lost")

    with pytest.raises(RestoreFailed, match=f"could not restore {agent}") as raised:
        attempt(sb, agent, work)

    error = raised.value
    assert error.checkpoint.label == LABEL
    assert isinstance(error.__cause__, errors.CheckpointNotFound)
    assert isinstance(error.__cause__.__context__, KeyError)
    assert standing(sb, agent)["new"] == "1"


@pytest.mark.parametrize(
    ("parts", "error"),
    [
        ({"restore_dta": False}, TypeError),
        ({"restore_data": False, "restore_config": False}, ValueError),
    ],
)
def test_what_could_not_be_restored_is_not_begun(
    sb: Any, agent: str, parts: dict[str, bool], error: type[Exception]
) -> None:
    with pytest.raises(error):
        attempt(sb, agent, **parts)

    assert standing(sb, agent) == {"kept": "as it was"}
    assert sb.checkpoints.list(agent).data == ()


def test_without_a_checkpoint_nothing_is_begun(sb: Any) -> None:
    begun = []

    with pytest.raises(errors.AgentNotFound):
        attempt(sb, "nobody", lambda: begun.append(True))

    assert begun == []


def test_a_check_that_has_to_be_awaited_is_awaited_or_refused(
    sb: Any, agent: str, live: Server, secret: str
) -> None:
    async def check(one: str) -> bool:
        await asyncio.sleep(0)
        return one == agent

    async def story() -> None:
        async with (
            AsyncStepback(secret, live.url) as client,
            client.agents.checkpoint(agent, LABEL, verify=check),
        ):
            await client.data.write(agent, "first", "1")

    asyncio.run(story())
    client = Stepback(secret, live.url)
    with client, pytest.raises(TypeError, match="AsyncStepback"):
        attempt(client, agent, verify=check)

    assert standing(sb, agent) == {"kept": "as it was", "first": "1"}
