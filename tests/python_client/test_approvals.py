"""Our client asks, waits, and reads how it stands; a server answers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from stepback import errors
from tests.live import Server


@pytest.fixture
def session(connect: Any) -> tuple[Any, str]:
    sb = connect()
    return sb, sb.sessions.create("refunds", initial_state={"total": 249}).id


def test_what_is_asked_is_read_and_listed(session: tuple[Any, str]) -> None:
    sb, id = session
    arguments = {"amount": 249}

    asked = sb.approvals.request_approval(
        id, "issue_refund", arguments, key="r-1", depends_on=["/total"], votes=2
    )
    again = sb.approvals.request_approval(id, "issue_refund", arguments, key="r-1")

    assert asked.is_pending
    assert asked.outcome is None
    assert (again.id, again.votes_needed) == (asked.id, 2)
    assert sb.approvals.get(asked.id) == asked
    found = sb.approvals.list(status="pending", agent_id="refunds", limit=100)
    assert asked.id in [one.id for one in found]


def test_waiting_ends_with_its_time(session: tuple[Any, str]) -> None:
    sb, id = session
    asked = sb.approvals.request_approval(id, "issue_refund", {})
    began = time.monotonic()

    found = sb.approvals.wait_for_approval(asked.id, seconds=1)

    assert found.is_pending
    assert 0.9 < time.monotonic() - began < 15


def test_what_cannot_be_asked_is_an_error_of_its_own(session: tuple[Any, str]) -> None:
    sb, id = session

    with pytest.raises(errors.UnacceptableApproval):
        sb.approvals.request_approval(id, "issue_refund", {}, ttl_seconds=0)
    with pytest.raises(errors.UnacceptableArguments) as refused:
        sb.approvals.request_approval(
            id, "issue_refund", {}, schema={"required": ["amount"]}
        )
    assert refused.value.param == "/arguments"
    with pytest.raises(errors.ApprovalNotFound):
        sb.approvals.get("appr_" + "0" * 26)


def test_rules_are_made_and_removed(connect: Any, live: Server) -> None:
    admin = connect(api_key=live.key("stepback-client", "--scope", "admin"))
    admin.sessions.create("ruled")

    made = admin.approvals.create_rule(
        "ruled", tool="wire", effect_class="irreversible", check="state.amount>500"
    )

    assert [one.id for one in admin.approvals.rules("ruled")] == [made.id]
    assert made.raw["class"] == "irreversible"
    assert admin.approvals.delete_rule("ruled", made.id).id == made.id
    assert not admin.approvals.rules("ruled").data
