"""Our client makes guards, has them tried, and reads verdicts; a server answers."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import errors
from tests.live import Server

LOST = {"destination": None, "dates": None}


@pytest.fixture
def admin(connect: Any, live: Server) -> Any:
    return connect(api_key=live.key("stepback-client", "--scope", "admin"))


def test_a_guard_is_made_tried_read_and_withdrawn(connect: Any, admin: Any) -> None:
    sb = connect()
    trip = {"destination": "Lisbon", "dates": "May"}
    session = sb.sessions.create("guarded", initial_state=trip).id

    guard = admin.guards.create("guarded", "No nulls", "null_spree", {"values": 2})
    with pytest.raises(errors.GuardUntried):
        admin.guards.change(guard.id, mode="refuse")
    trial = admin.guards.start_trial(guard.id, days=1)
    renamed = admin.guards.change(guard.id, name="Nothing lost")

    assert (guard.mode, guard.line, renamed.name) == ("observe", "2", "Nothing lost")
    assert guard.words == "2 values or more turn null at once"
    assert admin.guards.get_trial(guard.id, trial.id).revision == 1
    assert [one.id for one in admin.guards.list(agent_id="guarded")] == [guard.id]
    sb.sessions.update_state(session, LOST)
    assert {one.outcome for one in sb.guards.list_verdicts(session)} <= {"failed"}
    assert {one.guard_id for one in sb.guards.list_guard_verdicts(guard.id)} <= {
        guard.id
    }
    assert admin.guards.withdraw(guard.id).withdrawn_at is not None
    with pytest.raises(errors.GuardNotFound):
        admin.guards.change(guard.id, name="x")


def test_what_is_no_guard_is_refused_with_the_place(admin: Any, connect: Any) -> None:
    connect().sessions.create("guarded")

    with pytest.raises(errors.UnacceptableGuard) as refused:
        admin.guards.create("guarded", "Nothing", "check", {"check": "state.a>"})

    assert refused.value.param == "rule.check"
