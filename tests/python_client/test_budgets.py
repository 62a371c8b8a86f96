"""Our client says what turns use, and holds sessions to budgets; a server answers."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import errors
from tests.live import Server


@pytest.fixture
def admin(connect: Any, live: Server) -> Any:
    return connect(api_key=live.key("stepback-client", "--scope", "admin"))


@pytest.fixture
def session(connect: Any) -> tuple[Any, str]:
    sb = connect()
    return sb, sb.sessions.create("spending", initial_state={"total": 249}).id


def test_a_turn_says_what_it_used_and_reads_the_totals(
    session: tuple[Any, str],
) -> None:
    sb, id = session
    usage = {"input_tokens": 9, "output_tokens": 1, "cost": "0.10", "currency": "EUR"}

    sb.sessions.add_turn(id, "Hi", "Hello", usage=usage)
    turn = sb.sessions.add_tool_call(id, "pay", {}, "ok", usage=usage)

    assert turn.usage["cost"] == "0.1"
    assert turn.spent["cost"] == "0.2"
    assert turn.spent["tool_calls"] == 1
    used = {one["value"] for one in sb.metrics.usage("agent", window="24h").data}
    assert "spending" in used


def test_a_budget_is_made_changed_listed_and_removed(
    session: tuple[Any, str], admin: Any
) -> None:
    _, id = session

    made = admin.budgets.create("tokens", 100, session_id=id, warn_percent=50)
    changed = admin.budgets.change(made.id, limit=200)

    assert (made.limit, changed.limit, changed.warn_percent) == ("100", "200", 50)
    assert admin.budgets.get(made.id).used == "0"
    assert [one.id for one in admin.budgets.list(session_id=id)] == [made.id]
    assert admin.budgets.delete(made.id).id == made.id
    with pytest.raises(errors.BudgetNotFound):
        admin.budgets.get(made.id)


def test_what_a_budget_refuses_is_an_error_of_its_own(
    session: tuple[Any, str], admin: Any
) -> None:
    sb, id = session
    made = admin.budgets.create("tokens", 10, session_id=id)
    sb.sessions.add_turn(id, "Hi", "Hello", usage={"input_tokens": 10})

    with pytest.raises(errors.BudgetReached) as reached:
        sb.sessions.add_turn(id, "Hi", "Hello")
    with pytest.raises(errors.UnacceptableBudget):
        admin.budgets.create("cost", "1", session_id=id)
    with pytest.raises(errors.UnacceptableUsage):
        sb.sessions.add_turn(id, "Hi", "Hello", usage={"cost": "-1"})

    assert made.id in str(reached.value)


def test_a_price_list_is_made_and_listed(admin: Any) -> None:
    rates = {"large": {"input": "2.5", "output": "10"}}

    made = admin.budgets.create_price_list("USD", rates)

    assert made.models == rates
    assert made.id in [one.id for one in admin.budgets.list_price_lists()]
    with pytest.raises(errors.UnacceptablePrices):
        admin.budgets.create_price_list("USD", {"large": {"input": "1"}})
