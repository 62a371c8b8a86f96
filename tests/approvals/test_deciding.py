"""People decide: who may, what counts, and what the agent goes on with."""

from typing import Any

import pytest

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import Project, Role, User
from apps.approvals import operations as approvals
from apps.approvals.errors import (
    AlreadyVoted,
    ApprovalClosed,
    ApprovalNotFound,
    ApprovalOutdated,
    UnacceptableArguments,
)
from apps.approvals.models import Vote
from apps.approvals.operations import Asked
from apps.approvals.words import Verdict
from apps.audit.models import AuditRecord
from apps.core.errors import PermissionDenied
from apps.timeline.models import Version
from tests.accounts.make import make_member
from tests.acts import act_by, act_in
from tests.approvals.make import asked, read, voted
from tests.timeline.runs import Run

pytestmark = pytest.mark.django_db


def test_one_vote_decides_and_is_a_version(run: Run, project: Any, olga: User) -> None:
    approval = asked(run)

    voted(project, olga, approval["id"], comment="As the form says.")

    found = read(run, approval["id"])
    version = run.get("versions", 3)
    assert found["status"] == "approved"
    assert found["outcome"]["approved"] is True
    assert found["outcome"]["arguments"] == approval["arguments"]
    assert found["outcome"]["comment"] == "As the form says."
    assert (found["outcome"]["version"], found["outcome"]["decided_by"]) == (3, "olga")
    assert (version["op"], version["reason_code"]) == ("decide", "approved")
    assert version["objective_status"] is None
    assert version["actor"]["label"] == "olga"


def test_a_rejection_allows_nothing(run: Run, project: Any, olga: User) -> None:
    approval = asked(run)

    voted(project, olga, approval["id"], "reject", comment="Ask the customer.")

    outcome = read(run, approval["id"])["outcome"]
    assert (outcome["approved"], outcome["arguments"]) == (False, None)
    assert outcome["comment"] == "Ask the customer."


def test_edited_arguments_are_those_that_are_allowed(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)

    voted(project, olga, approval["id"], arguments={"amount": 249, "to": "x"})

    outcome = read(run, approval["id"])["outcome"]
    assert outcome["arguments"] == {"amount": 249, "to": "x"}
    assert outcome["edited"] is True
    assert run.state["claim"] == {"amount": 249, "flight": "XQ417"}


def test_edited_arguments_pass_the_schema(run: Run, project: Any, olga: User) -> None:
    approval = asked(run)

    with pytest.raises(UnacceptableArguments) as refused:
        voted(project, olga, approval["id"], arguments={"amount": 0, "to": "x"})

    assert refused.value.param == "/arguments/amount"
    assert read(run, approval["id"])["status"] == "pending"


def test_a_key_and_the_system_decide_nothing(run: Run, project: Any) -> None:
    approval = asked(run)

    with pytest.raises(PermissionDenied):
        approvals.vote(
            act=act_in(project),
            approval_id=approval["id"],
            said=approvals.Said(verdict=Verdict.APPROVE),
        )
    assert not Vote.objects.exists()


def test_a_viewer_and_a_stranger_decide_nothing(
    run: Run, project: Any, other_project: Project
) -> None:
    approval = asked(run)
    viewer = make_member(project, "vera", Role.VIEWER)
    stranger = make_member(other_project, "sam", Role.ADMIN)

    with pytest.raises(PermissionDenied):
        voted(project, viewer, approval["id"])
    with pytest.raises(PermissionDenied):
        voted(project, stranger, approval["id"])
    with pytest.raises(ApprovalNotFound):
        voted(other_project, stranger, approval["id"])


def test_what_administrators_decide_no_operator_does(
    run: Run, project: Any, olga: User, ada: User
) -> None:
    approval = asked(run, who="admin")

    with pytest.raises(PermissionDenied):
        voted(project, olga, approval["id"])
    voted(project, ada, approval["id"])

    assert read(run, approval["id"])["status"] == "approved"


def test_two_people_are_two_people(
    run: Run, project: Any, olga: User, dana: User
) -> None:
    approval = asked(run, votes=2)

    voted(project, olga, approval["id"])
    assert read(run, approval["id"])["status"] == "pending"
    assert run.head == approval["version"]
    with pytest.raises(AlreadyVoted):
        voted(project, olga, approval["id"])
    voted(project, dana, approval["id"])

    found = read(run, approval["id"])
    assert found["status"] == "approved"
    assert [one["by"] for one in found["votes"]] == ["olga", "dana"]
    assert Version.objects.filter(session_id=run.id, op="decide").count() == 1


def test_a_role_that_was_taken_away_does_not_count(
    run: Run, project: Any, olga: User, dana: User, ada: User
) -> None:
    approval = asked(run, votes=2)
    voted(project, olga, approval["id"])
    accounts.change_role(
        project=project, user=olga, role=Role.VIEWER, act=act_by(actor_of(ada))
    )

    voted(project, dana, approval["id"])
    assert read(run, approval["id"])["status"] == "pending"
    voted(project, ada, approval["id"])

    assert read(run, approval["id"])["status"] == "approved"


def test_two_people_agree_on_the_arguments(
    run: Run, project: Any, olga: User, dana: User, ada: User
) -> None:
    approval = asked(run, votes=2)
    edited = {"amount": 249, "to": "x"}

    voted(project, olga, approval["id"])
    voted(project, dana, approval["id"], arguments=edited)
    assert read(run, approval["id"])["status"] == "pending"
    voted(project, ada, approval["id"], arguments=dict(reversed(edited.items())))

    assert read(run, approval["id"])["outcome"]["arguments"] == edited


def test_who_asked_is_none_of_the_two(
    run: Run, project: Any, olga: User, dana: User, ada: User
) -> None:
    approval = approvals.ask(
        act=act_in(project, actor_of(olga)),
        session_id=run.id,
        asked=Asked(tool="wire", arguments={}, votes=2),
    )

    with pytest.raises(PermissionDenied):
        voted(project, olga, approval.id)
    voted(project, dana, approval.id)
    voted(project, ada, approval.id)

    assert read(run, approval.id)["status"] == "approved"


def test_one_rejection_ends_it_and_a_late_vote_is_kept_beside(
    run: Run, project: Any, olga: User, dana: User
) -> None:
    approval = asked(run)
    voted(project, olga, approval["id"], "reject")

    with pytest.raises(ApprovalClosed) as refused:
        voted(project, dana, approval["id"])

    found = read(run, approval["id"])
    assert refused.value.details["outcome"] == "rejected"
    assert found["status"] == "rejected"
    assert [(one["by"], one["late"]) for one in found["votes"]] == [
        ("olga", False),
        ("dana", True),
    ]
    assert Version.objects.filter(session_id=run.id, op="decide").count() == 1


def test_what_it_rests_on_has_changed_so_it_is_only_rejected(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    run.patch({"claim": {"amount": 100, "flight": "XQ417"}})

    with pytest.raises(ApprovalOutdated) as refused:
        voted(project, olga, approval["id"])
    assert refused.value.details["changed"] == ["/claim/amount"]
    voted(project, olga, approval["id"], "reject")

    assert read(run, approval["id"])["status"] == "rejected"


def test_what_it_does_not_rest_on_may_change(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    run.patch({"step": "another"})

    voted(project, olga, approval["id"])

    assert read(run, approval["id"])["status"] == "approved"


def test_a_wait_that_is_set_aside_is_void_until_it_is_brought_back(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    run.rollback(1)
    assert read(run, approval["id"])["status"] == "voided"
    with pytest.raises(ApprovalClosed) as refused:
        voted(project, olga, approval["id"])
    assert refused.value.details["outcome"] == "voided"

    run.post("undo", {})

    assert read(run, approval["id"])["status"] == "pending"


def test_a_decision_that_is_set_aside_allows_nothing(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    voted(project, olga, approval["id"])

    run.rollback(approval["version"])

    outcome = read(run, approval["id"])["outcome"]
    assert read(run, approval["id"])["status"] == "voided"
    assert (outcome["approved"], outcome["arguments"]) == (False, None)


def test_a_closed_session_is_asked_about_no_more(
    run: Run, project: Any, olga: User
) -> None:
    approval = asked(run)
    run.hold("close")

    assert read(run, approval["id"])["status"] == "voided"
    with pytest.raises(ApprovalClosed):
        voted(project, olga, approval["id"])


def test_people_decide_in_a_paused_session(run: Run, project: Any, olga: User) -> None:
    approval = asked(run)
    run.hold("pause")

    voted(project, olga, approval["id"])

    assert read(run, approval["id"])["status"] == "approved"
    assert run.get("versions", 4)["hold"] == "paused"


def test_the_session_waits_until_the_last_is_decided(
    run: Run, project: Any, olga: User
) -> None:
    first, second = asked(run), asked(run)

    voted(project, olga, first["id"])
    assert run.get("versions", 4)["objective_status"] == "WAITING_FOR_APPROVAL"
    voted(project, olga, second["id"])

    assert run.get("versions", 5)["objective_status"] is None


def test_votes_stand_in_the_chained_records(
    run: Run, project: Any, olga: User, dana: User
) -> None:
    approval = asked(run, votes=2)
    voted(project, olga, approval["id"])
    voted(project, dana, approval["id"])

    records = AuditRecord.objects.filter(action__startswith="approval.")
    told = [(one.action, one.actor_label) for one in records.order_by("number")]
    assert [action for action, _ in told] == [
        "approval.requested",
        "approval.voted",
        "approval.decided",
    ]
    assert [label for _, label in told[1:]] == ["olga", "dana"]
    verdict = run.get("verify")
    assert verdict["valid"] is True
    assert verdict["records"]["rows_checked"] == 3
