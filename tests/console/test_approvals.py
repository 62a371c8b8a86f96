"""The pages of approvals: what waits for me, one request, and an agent's rules."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.agents.models import Agent
from apps.approvals.models import ApprovalRule, Vote
from tests.accounts.make import make_member
from tests.approvals.conftest import begin_other, run
from tests.approvals.make import asked, read, voted
from tests.console.agent_pages import plain
from tests.console.make import HTML, signed_in
from tests.timeline.runs import Run

__all__ = ["begin_other", "run"]
pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert(1)</script>"'


class Person:
    """A member who looks at pages of approvals, and acts there."""

    def __init__(self, project: Any, role: Role, name: str) -> None:
        self.project = project
        self.user: User = make_member(project, name, role)
        self.client: Any = signed_in(Client(), self.user)

    def looks(self, page: str, *names: Any, status: int = 200, **query: Any) -> str:
        where = reverse(f"console:{page}", args=[self.project.slug, *names])
        answer = self.client.get(where, query)
        assert answer.status_code == status, answer.content
        return str(answer.content.decode())

    def acts(self, page: str, *names: Any, **sent: Any) -> Any:
        where = reverse(f"console:{page}", args=[self.project.slug, *names])
        return self.client.post(where, sent, headers=HTML)


@pytest.fixture
def olga(project: Any) -> Person:
    return Person(project, Role.OPERATOR, "olga")


@pytest.fixture
def ada(project: Any) -> Person:
    return Person(project, Role.ADMIN, "ada")


@pytest.fixture
def vera(project: Any) -> Person:
    return Person(project, Role.VIEWER, "vera")


def test_what_waits_is_listed_by_its_deadline_and_counted_beside(
    olga: Person, run: Run
) -> None:
    assert "Nothing waits for a decision" in plain(olga.looks("approvals"))
    late = asked(run, tool="charge_card", ttl_seconds=600)["id"]
    soon = asked(run, tool="issue_refund", ttl_seconds=60)["id"]

    page = olga.looks("approvals")

    assert page.index(soon) < page.index(late)
    assert "cannot be undone" in page
    assert "2490" in page
    assert '<span class="count">2<span class="unseen"> waiting' in page


def test_what_is_set_aside_is_neither_listed_nor_counted(
    olga: Person, run: Run
) -> None:
    asked(run)
    run.rollback(1)

    page = olga.looks("approvals")

    assert "Nothing waits for a decision" in plain(page)
    assert 'data-go="p"' in page
    assert 'class="count"' not in page.split('data-go="p"')[1].split("</a>")[0]


def test_sessions_that_ask_by_their_state_stand_below(
    olga: Person, begin_other: Run
) -> None:
    begin_other.patch({"requires_confirmation": True})

    page = olga.looks("approvals")

    assert "Sessions that ask otherwise" in page
    assert f"{begin_other.id}/versions/1" in page
    assert "vote" not in page


def test_one_request_shows_what_is_asked_and_what_it_rests_on(
    olga: Person, run: Run
) -> None:
    approval = asked(run, reason="Five hours late.")["id"]
    run.patch({"claim": {"amount": 100, "flight": "XQ417"}})

    page = plain(olga.looks("approval", approval))

    assert "travel asks to call issue_refund" in page
    assert "Five hours late." in page
    assert "amount 2490" in page
    assert "/claim/amount 249 100 changed" in page
    assert "it can only be rejected" in page
    assert "Approve…" not in page
    assert "Reject…" in page


def test_one_request_shows_what_its_session_did_outside(olga: Person, run: Run) -> None:
    approval = asked(run)["id"]
    assert "outside so far" not in olga.looks("approval", approval)
    for number in range(11):
        said = {"key": f"mail-{number}", "tool": "send_mail", "class": "compensable"}
        run.send("POST", "effects", said | {"arguments": {"to": HOSTILE}})

    page = olga.looks("approval", approval)

    told = plain(page).partition("What its session did outside so far")[2]
    assert told.count("send_mail can be made up for begun, not finished") == 10
    assert "mail-10" in told
    assert "mail-0 " not in told
    assert "All effects of the session" in told
    assert HOSTILE not in page


def test_a_vote_is_confirmed_before_it_counts(olga: Person, run: Run) -> None:
    approval = asked(run)["id"]
    first = olga.looks("approval", approval)
    assert 'data-key="a"' in first
    assert 'method="post" action' not in first.split("<main")[1].split("Arguments")[0]

    confirming = olga.looks("approval", approval, do="approve")
    assert 'name="verdict" value="approve"' in confirming
    assert not Vote.objects.exists()
    answer = olga.acts(
        "vote_on_approval", approval, verdict="approve", comment="As claimed."
    )

    assert answer.status_code == 303
    page = plain(olga.looks("approval", approval))
    assert "approved by olga" in page
    assert "As claimed." in page
    assert read(run, approval)["status"] == "approved"


def test_edited_arguments_are_allowed_or_refused_where_they_are_typed(
    olga: Person, run: Run
) -> None:
    approval = asked(run)["id"]
    page = olga.looks("approval", approval, do="edit")
    assert "&quot;amount&quot;: 2490" in page

    typed = '{"amount": 0, "to": "x"}'
    refused = olga.acts("vote_on_approval", approval, verdict="edit", arguments=typed)
    text = refused.content.decode()
    assert refused.status_code == 422
    assert "/arguments/amount" in text
    assert typed in unescape(text)
    broken = olga.acts("vote_on_approval", approval, verdict="edit", arguments="[")
    assert broken.status_code == 422
    kept = olga.acts(
        "vote_on_approval",
        approval,
        verdict="edit",
        arguments='{"amount": 249, "to": "x"}',
    )

    assert kept.status_code == 303
    assert read(run, approval)["outcome"]["arguments"] == {"amount": 249, "to": "x"}
    assert "As a person edited them" in olga.looks("approval", approval)


def test_a_vote_that_comes_late_says_what_was_decided(
    olga: Person, ada: Person, run: Run
) -> None:
    approval = asked(run)["id"]
    voted(ada.project, ada.user, approval, "reject", comment="Ask first.")

    late = olga.acts("vote_on_approval", approval, verdict="approve")

    assert late.status_code == 409
    page = plain(olga.looks("approval", approval))
    assert "rejected by ada" in page
    assert "after it was decided" in page


def test_who_may_not_decide_sees_it_and_no_form(
    vera: Person, olga: Person, run: Run
) -> None:
    approval = asked(run, who="admin")["id"]

    for person in (vera, olga):
        page = person.looks("approval", approval, do="approve")
        assert 'name="verdict"' not in page
        assert "Administrators decide about this." in page
    refused = olga.acts("vote_on_approval", approval, verdict="approve")
    assert refused.status_code == 403
    assert not Vote.objects.exists()


def test_decided_ones_stay_with_who_and_why(
    olga: Person, ada: Person, run: Run
) -> None:
    first, second = asked(run)["id"], asked(run)["id"]
    voted(ada.project, ada.user, first, comment="As claimed.")

    page = plain(olga.looks("approvals", show="decided"))
    other = plain(olga.looks("approval", second))

    assert "approved , ada" in page
    assert "As claimed." in page
    assert "Decided before about this tool" in other


def test_an_unknown_list_and_an_unknown_request_are_refused(olga: Person) -> None:
    assert olga.looks("approvals", show="mine", status=400)
    assert olga.looks("approval", "appr_" + "0" * 26, status=404)


def test_what_agents_write_stays_text(olga: Person, run: Run) -> None:
    approval = asked(
        run,
        tool=HOSTILE,
        arguments={HOSTILE: HOSTILE},
        schema=None,
        reason=HOSTILE,
        depends_on=[],
    )["id"]

    for page in (
        olga.looks("approvals"),
        olga.looks("approval", approval),
        olga.looks("approval", approval, do="edit"),
    ):
        assert "<script>alert" not in page


def test_an_administrator_makes_and_removes_rules(
    ada: Person, olga: Person, run: Run
) -> None:
    agent = Agent.objects.get(external_id="travel").id
    assert "Approval rules" in ada.looks("agent_detail", agent)
    assert olga.acts("approval_rules", agent).status_code == 403
    rule = {
        "tool": "issue_refund",
        "check": "state.amount>500",
        "votes": "2",
        "who": "admin",
        "expires_in": "3600",
        "on_expiry": "escalate",
    }

    refused = ada.acts("approval_rules", agent, **rule | {"check": "amount >"})
    (key,) = re.findall(
        r'name="key" value="([^"]+)"', ada.looks("approval_rules", agent)
    )
    made, again = (ada.acts("approval_rules", agent, **rule, key=key) for _ in range(2))
    assert again.status_code == 303

    assert refused.status_code == 422
    assert "amount &gt;" in refused.content.decode()
    assert made.status_code == 303
    assert asked(run)["votes_needed"] == 2
    page = plain(ada.looks("approval_rules", agent))
    assert "state.amount>500" in page
    assert "two administrators" in page
    (kept,) = ApprovalRule.objects.all()
    gone = ada.acts("delete_approval_rule", agent, kept.id)
    assert gone.status_code == 303
    assert not ApprovalRule.objects.exists()


def test_the_first_page_says_what_waits_to_be_decided(run: Run, vera: Person) -> None:
    assert "<h1>Nothing needs you.</h1>" in vera.looks("project")
    first, second = asked(run), asked(run)
    run.patch({"step": 9})  # The head asks nobody any more, the requests stand.

    page = vera.looks("project")

    assert "<h1>2 requests wait to be decided.</h1>" in page
    (link,) = re.findall(r'href="([^"]+)">See approvals', page)
    assert vera.client.get(link).status_code == 200
    voted(vera.project, make_member(vera.project, "otto", Role.OPERATOR), first["id"])
    assert "1 request waits to be decided" in vera.looks("project")
    voted(vera.project, make_member(vera.project, "oda", Role.OPERATOR), second["id"])
    calm = vera.looks("project")
    assert "<h1>Nothing needs you.</h1>" in calm
    assert "No request waits to be decided." in calm
