"""The MCP server's reads of guards, schemas, budgets and shared documents."""

from __future__ import annotations

import asyncio

from stepback import Stepback
from tests.live import Server
from tests.python_client.test_mcp import Connect, connect, served

__all__ = ["connect", "served"]
LOST = {"destination": None, "dates": None}


def test_what_a_thread_is_held_to_is_read_over_a_real_connection(
    connect: Connect, live: Server, secret: str, agent_id: str
) -> None:
    admin_key = live.key("stepback-client", "--scope", "admin")
    with Stepback(admin_key, live.url) as sb:
        session = sb.sessions.create(agent_id, {"destination": "X", "dates": "May"}).id
        guard = sb.guards.create(agent_id, "No nulls", "null_spree")
        trial = sb.guards.start_trial(guard.id, days=1)
        sb.schemas.declare(agent_id, "1.0.0", {"type": "object"})
        budget = sb.budgets.create("turns", 5, session_id=session)
        board = f"public/{agent_id}"
        sb.shared.update(board, {"seat": "3C"})
        sb.shared.take_lease(board, "planner", 60)

    async def story() -> None:
        async with connect(secret) as call:
            listed = await call("guards", agent=agent_id)
            assert [one["id"] for one in listed["guards"]] == [guard.id]
            one = await call("guards", guard_id=guard.id)
            assert one["words"] == "2 values or more turn null at once"
            assert one["trial"]["id"] == trial.id
            assert (await call("guard_verdicts", thread_id=session))["verdicts"] == []
            said = await call("guard_verdicts", guard_id=guard.id)
            assert (said["verdicts"], said["has_more"]) == ([], False)
            found = await call("schemas", agent=agent_id)
            assert [one["version"] for one in found["schemas"]] == ["1.0.0"]
            assert found["migrations"] == []
            (held,) = (await call("budgets", thread_id=session))["budgets"]
            assert (held["id"], held["used"], held["limit"]) == (budget.id, "0", "5")
            of_both = await call("budgets", thread_id=session, agent=agent_id)
            assert [one["id"] for one in of_both["budgets"]] == [budget.id]
            shared = await call("shared", name=board)
            assert shared["state"] == {"seat": "3C"}
            assert shared["lease"]["holder"] == "planner"
            names = [one["name"] for one in (await call("shared"))["documents"]]
            assert board in names

    asyncio.run(story())


def test_what_is_not_there_is_told_as_data(connect: Connect, secret: str) -> None:
    async def story() -> None:
        async with connect(secret) as call:
            nobody = await call("guards", guard_id="guar_" + "0" * 26)
            assert nobody["error"].startswith("guards failed: ")
            missing = await call("guard_verdicts", thread_id="run-nobody")
            assert missing == {"error": "thread not found: run-nobody"}
            both = await call("guard_verdicts", thread_id="run-1", guard_id="guar_1")
            assert both == {"error": "Give thread_id or guard_id, not both."}
            none = await call("guards", trial_id="tria_1")
            assert none == {"error": "trial_id takes the guard_id of its guard."}
            for tool in ("schemas", "shared"):
                given = {"agent": "nobody"} if tool == "schemas" else {"name": "x/y"}
                told = await call(tool, **given)
                assert told["error"].startswith(f"{tool} failed: ")

    asyncio.run(story())
