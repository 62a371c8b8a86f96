"""Every order of two decisions, and of one against what could make it wrong.

Whatever the order: there is one outcome and one version `decide`, each person's vote is
kept, votes count as long as those who gave them have the right, and after an
acknowledged rollback nothing begins on what it set aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from apps.accounts import operations as accounts
from apps.accounts.access import actor_of
from apps.accounts.models import Membership, Project, Role, User
from apps.agents.acts import Act
from apps.approvals import operations as approvals
from apps.approvals.models import Approval, Undecided, Vote
from apps.approvals.operations import Asked, Said
from apps.approvals.standing import standings
from apps.approvals.words import Verdict
from apps.core.actors import SYSTEM, Actor
from apps.timeline import operations as timeline
from apps.timeline.models import EffectStep, Version
from apps.timeline.verification import findings
from apps.timeline.versions.reading import Step
from tests.accounts.make import make_member
from tests.acts import act_by
from tests.races.interleavings import stage as stages
from tests.races.interleavings.conftest import made_doors
from tests.races.interleavings.pairs import AGENT, HEAD, Pairs, Verb, begin, pause
from tests.races.interleavings.stage import Played, Stage, stop_writers

pytestmark = pytest.mark.django_db

# Reading who is a member, and changing it.
MEMBERSHIP = re.compile(r'(FROM|UPDATE) "accounts_membership"')


def ask(votes: int = 1) -> Verb:
    def asked(act: Act, session_id: str) -> str:
        wanted = Asked(tool="send_mail", arguments={}, key="mail", votes=votes)
        approvals.ask(act=act, session_id=session_id, asked=wanted)
        return "asked"

    return asked


def approve(act: Act, session_id: str) -> str:
    return _voted(act, session_id, Verdict.APPROVE)


def reject(act: Act, session_id: str) -> str:
    return _voted(act, session_id, Verdict.REJECT)


def _voted(act: Act, session_id: str, verdict: Verdict) -> str:
    (asked,) = Approval.objects.of_session(session_id)
    given = approvals.vote(act=act, approval_id=asked.id, said=Said(verdict=verdict))
    return str(given.outcome or "counted")


def expire(act: Act, session_id: str) -> str:
    """Do what time does: a day is over."""
    return "looked at" if approvals.sweep(actor=SYSTEM, now=act.now) else "not due"


def back(act: Act, session_id: str) -> str:
    """Set the wait aside, and not the version that the mail was decided on."""
    timeline.rollback(act=act, session_id=session_id, to=HEAD, step=Step())
    return "rolled back"


@dataclass(frozen=True, kw_only=True)
class Left:
    """What an order came to."""

    session_id: str
    status: str
    votes: list[Vote]
    decisions: int
    is_undecided: bool
    # On which heads the mail began.
    began: list[int]
    wrong: list[Any]

    @property
    def voters(self) -> list[str]:
        return sorted(one.actor_id for one in self.votes)


class Decisions(Pairs):
    """Plays all orders of two acts, with the one approval that is asked for before."""

    without = frozenset({"record"})

    def orders(
        self, first: tuple[Verb, Actor], second: tuple[Verb, Actor], *before: Any
    ) -> Iterator[tuple[Played, Left]]:
        for played, session_id in self.played(first, second, before=before):
            left = self.stage.aside(lambda session_id=session_id: _left(session_id))
            assert left.wrong == [], str(played)
            yield played, left

    def clock(self, verb: Verb) -> timedelta:
        return timedelta(days=1) if verb is expire else timedelta()


def _left(session_id: str) -> Left:
    (asked,) = Approval.objects.of_session(session_id)
    stands = standings([asked], now=act_by().now)[asked.id]
    steps = EffectStep.objects.filter(session_id=session_id, status="begun")
    decisions = Version.objects.filter(session_id=session_id, op="decide")
    return Left(
        session_id=session_id,
        status=str(stands.status),
        votes=list(stands.votes),
        decisions=decisions.count(),
        is_undecided=Undecided.objects.of_session(session_id).exists(),
        began=list(steps.values_list("head_number", flat=True)),
        wrong=list(findings(session_id)),
    )


@dataclass(frozen=True)
class People:
    """Three who may decide in the project of a test."""

    project: Project
    users: dict[str, User]

    def __getattr__(self, name: str) -> Actor:
        return actor_of(self.users[name])

    def lose_role(self, name: str) -> Verb:
        """Return the act that leaves somebody only to look on."""

        def lost(act: Act, session_id: str) -> str:
            self._become(name, Role.VIEWER, act)
            return "lost"

        return lost

    def gain_role(self, name: str) -> Verb:
        def gained(act: Act, session_id: str) -> str:
            members = Membership.objects.in_project(self.project.id)
            member = members.get(user_id=self.users[name].id)
            if member.role != Role.OPERATOR:
                self._become(name, Role.OPERATOR, act)
            return "gained"

        return gained

    def _become(self, name: str, role: Role, act: Act) -> None:
        user = self.users[name]
        accounts.change_role(project=self.project, user=user, role=role, act=act)


@pytest.fixture
def decisions(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Decisions:
    doors = stage.aside(made_doors)
    stop_writers(monkeypatch)
    return Decisions(stage, doors.project)


@pytest.fixture
def people(decisions: Decisions) -> People:
    project, stage = decisions.project, decisions.stage
    names = ("olga", "dana", "ada")
    users = {
        name: stage.aside(
            lambda name=name: make_member(
                project, f"{name}-{project.slug}", Role.OPERATOR
            )
        )
        for name in names
    }
    return People(project, users)


@pytest.mark.parametrize("second", [approve, reject])
@pytest.mark.parametrize("votes", [1, 2])
def test_of_two_people_at_once_both_votes_are_kept_and_there_is_one_outcome(
    decisions: Decisions, people: People, second: Verb, votes: int
) -> None:
    came = set()

    for played, left in decisions.orders(
        (approve, people.olga), (second, people.dana), (ask(votes), AGENT)
    ):
        ends = [one.outcome for one in left.votes if one.outcome is not None]
        assert ends == [left.status], str(played)
        assert left.decisions == 1
        assert not left.is_undecided
        assert left.voters == sorted([people.olga.id, people.dana.id])
        refused = list(played.told.values()).count("approval_closed")
        assert refused == sum(one.is_late for one in left.votes)
        came.add(left.status)
    if second is approve:
        assert came == {"approved"}
    else:
        # The first decides where one does; where two have to agree, no is no.
        assert came == ({"approved", "rejected"} if votes == 1 else {"rejected"})


def test_of_one_person_in_two_tabs_one_vote_counts(
    decisions: Decisions, people: People
) -> None:
    for played, left in decisions.orders(
        (approve, people.olga), (approve, people.olga), (ask(2), AGENT)
    ):
        assert sorted(played.told.values()) == ["already_voted", "counted"]
        assert (left.status, len(left.votes)) == ("pending", 1), str(played)


def test_who_asked_is_none_of_the_two(decisions: Decisions, people: People) -> None:
    for played, left in decisions.orders(
        (approve, people.olga), (approve, people.dana), (ask(2), people.olga)
    ):
        assert played.told == {"A": "permission_denied", "B": "counted"}, str(played)
        assert (left.status, left.voters) == ("pending", [people.dana.id])


@pytest.fixture
def role_steps(decisions: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop before memberships are read and changed, and not where heads are read."""
    steps = (*stages.STEPS, ("membership", MEMBERSHIP))
    monkeypatch.setattr(stages, "STEPS", steps)
    decisions.without |= {"read the head", stages.SHOW}


@pytest.mark.usefixtures("role_steps")
def test_whose_role_is_taken_away_decides_nothing_afterwards(
    decisions: Decisions, people: People
) -> None:
    came = set()

    for played, left in decisions.orders(
        (approve, people.olga),
        (people.lose_role("olga"), SYSTEM),
        (people.gain_role("olga"), SYSTEM),
        (ask(), AGENT),
    ):
        told = played.told["A"]
        came.add(told)
        assert (told, left.status, len(left.votes)) in (
            ("approved", "approved", 1),
            ("permission_denied", "pending", 0),
        ), str(played)
        if played.came_first("B", "A"):
            assert told == "permission_denied", str(played)
    assert came == {"approved", "permission_denied"}


@pytest.mark.usefixtures("role_steps")
def test_a_vote_counts_no_more_once_its_role_is_taken_away(
    decisions: Decisions, people: People
) -> None:
    came = set()

    for played, left in decisions.orders(
        (approve, people.dana),
        (people.lose_role("olga"), SYSTEM),
        (people.gain_role("olga"), SYSTEM),
        (ask(2), AGENT),
        (approve, people.olga),
    ):
        told = played.told["A"]
        came.add(told)
        assert told in ("approved", "counted"), str(played)
        assert left.status == ("approved" if told == "approved" else "pending")
        assert len(left.votes) == 2
        if played.came_first("B", "A"):
            assert told == "counted", str(played)
    assert came == {"approved", "counted"}


@pytest.mark.parametrize("asker", ["agent", "person"])
def test_what_a_rollback_sets_aside_is_not_approved(
    decisions: Decisions, people: People, asker: str
) -> None:
    came = set()
    by = AGENT if asker == "agent" else people.ada

    for played, left in decisions.orders(
        (approve, people.olga), (back, by), (ask(), AGENT)
    ):
        told = played.told["A"]
        came.add(told)
        assert left.status == "voided", str(played)
        assert told in ("approved", "approval_closed")
        assert left.decisions == (told == "approved")
        if played.came_first("B", "A"):
            assert told == "approval_closed", str(played)
    assert came == {"approved", "approval_closed"}


@pytest.mark.parametrize(
    ("stop", "code"), [(back, "approval_closed"), (pause, "session_paused")]
)
def test_what_was_allowed_does_not_begin_after_what_stops_it(
    decisions: Decisions, people: People, stop: Verb, code: str
) -> None:
    came = set()

    for played, left in decisions.orders(
        (begin, AGENT),
        (stop, people.olga),
        (ask(), AGENT),
        (approve, people.dana),
    ):
        told = played.told["A"]
        came.add(told)
        assert told in ("runs", code), str(played)
        # What began did so on the decision, before the other was stored.
        assert left.began == ([HEAD + 2] if told == "runs" else []), str(played)
        if played.came_first("B", "A"):
            assert told == code, str(played)
    assert came == {"runs", code}


@pytest.mark.parametrize("said", [approve, reject])
def test_nothing_begins_before_it_is_allowed(
    decisions: Decisions, people: People, said: Verb
) -> None:
    came = set()

    for played, left in decisions.orders(
        (begin, AGENT), (said, people.olga), (ask(), AGENT)
    ):
        told = played.told["A"]
        came.add(told)
        assert len(left.began) == (told == "runs")
        after = "runs" if said is approve else "approval_closed"
        assert told in ("waits", after), str(played)
        if played.came_first("B", "A"):
            assert told == after, str(played)
        assert left.decisions == 1
    assert len(came) == 2


def test_time_and_a_person_end_it_once(decisions: Decisions, people: People) -> None:
    came = set()

    for played, left in decisions.orders(
        (approve, people.olga), (expire, SYSTEM), (ask(), AGENT)
    ):
        ends = [one.outcome for one in left.votes if one.outcome is not None]
        came.add(left.status)
        assert ends == [left.status], str(played)
        assert left.decisions == 1
        is_first = left.status == "approved"
        assert played.told["A"] == ("approved" if is_first else "approval_closed")
    assert came == {"approved", "expired"}
