"""The demo's week: told through the operations, repeatable, and worth looking at."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from apps.accounts.models import ApiKey, Membership, Project, Role
from apps.agents.models import Agent
from apps.agents.scope import Scope
from apps.audit.models import AuditRecord, Event
from apps.audit.operations import verify_records
from apps.core.actors import SYSTEM
from apps.demo import keeping, remembering, week
from apps.demo.people import OPERATOR
from apps.memory.models import Memory
from apps.memory.operations.recalling import recall
from apps.timeline import queries
from apps.timeline.hooks import RecallAsked
from apps.timeline.models import Session, Turn, Version
from apps.timeline.operations import Document
from apps.timeline.queries import list_open_items
from apps.timeline.queries.preview import preview_rollback
from apps.timeline.verification import verify_session
from apps.timeline.versions import fetching, reading
from apps.timeline.words import OpenKind
from tests.acts import act_in

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(django_db_setup: Any, django_db_blocker: Any) -> Iterator[Project]:
    """The demo of all these tests; each of them undoes what it did to it."""
    with django_db_blocker.unblock(), transaction.atomic():
        project = week.begin(actor=SYSTEM, now=NOW)
        load(project)
        yield project
        transaction.set_rollback(True)


@pytest.fixture
def project(made_once: Project, db: None) -> Project:
    """The demo's project, with its whole week."""
    return made_once


def load(project: Project) -> None:
    week.load(project, is_stopping=lambda: False)


def counted() -> Counter[str]:
    models = (Session, Version, Turn, ApiKey, Membership, Event, AuditRecord, Memory)
    return Counter({model.__name__: model.objects.count() for model in models})


def told(name: str) -> Session:
    return Session.objects.get(external_id=name)


def versions(session: Session) -> list[Version]:
    return list(Version.objects.filter(session_id=session.id).order_by("number"))


def state(project: Project, session: Session, number: int) -> dict[str, object]:
    row = fetching.version(Scope(project), session.id, number, now=NOW)
    return json.loads(reading.state(row))


def test_it_spreads_over_seven_days_and_ends_shortly_before_now(project: Project):
    moments = sorted(Version.objects.values_list("created_at", flat=True))
    assert moments[0] >= NOW - timedelta(days=7)
    assert NOW - timedelta(minutes=30) < moments[-1] < NOW
    assert len({moment.date() for moment in moments}) >= 7


def test_it_shows_a_booking_wiped_out_and_brought_back(project: Project):
    booking = told("booking-TRV-48213")
    (rollback,) = [v for v in versions(booking) if v.op == "rollback"]
    good, wiped = rollback.restored_number, rollback.restored_number + 1

    assert state(project, booking, good)["destination"] == "NYC"
    assert state(project, booking, wiped)["destination"] is None
    assert state(project, booking, wiped)["dates"] is None
    assert state(project, booking, rollback.number) == state(project, booking, good)
    assert rollback.actor_label == OPERATOR
    assert rollback.reasoning
    assert "nulled" in Version.objects.get(pk=(booking.id, wiped)).flags
    assert state(project, booking, booking.head_number)["step"] == "booked"


def test_one_release_is_rolled_back_far_more_often_than_the_one_before(
    project: Project,
):
    travels = Session.objects.filter(agent__external_id="travel-agent")
    sessions = Version.objects.filter(session_id__in=travels.values("id"))
    of = {
        release: set(sessions.filter(release=release).values_list("session_id"))
        for release in ("1.8.0", "1.8.1")
    }
    back = set(sessions.filter(op="rollback").values_list("session_id"))

    assert len(of["1.8.0"]) >= 20
    assert not of["1.8.0"] & back
    assert len(of["1.8.1"]) >= 20
    assert len(of["1.8.1"] & back) / len(of["1.8.1"]) > 0.1


def test_one_customer_of_that_release_still_waits(project: Project):
    (waiting,) = list_open_items(project.id, OpenKind.WAITING, limit=5, now=NOW)

    assert waiting.agent == "travel-agent"
    last = Version.objects.get(pk=(waiting.session_id, waiting.number))
    assert last.release == "1.8.1"


def test_it_shows_what_the_agent_did_outside_that_no_rollback_undoes(project: Project):
    booking = told("booking-TRV-48213")
    (rollback,) = [v for v in versions(booking) if v.op == "rollback"]
    good = rollback.restored_number

    found = preview_rollback(Scope(project), booking.id, good, now=NOW)

    assert [(call.name, call.number, call.may_be_part) for call in found.calls] == [
        ("cancel_hotel", good, True),
        ("release_fare", good, True),
        ("hold_fare", rollback.number + 1, False),
        ("email_itinerary", rollback.number + 1, False),
    ]
    assert found.calls[2].arguments == {"id": "UA123"}


def test_it_shows_a_fork_of_the_state_before_the_damage(project: Project):
    booking, fork = told("booking-TRV-48213"), told("debug-TRV-48213")

    assert fork.origin_session_id == booking.id
    assert state(project, fork, 0) == state(project, booking, fork.origin_number)
    assert state(project, fork, 1)["destination"] == "NYC"


@pytest.mark.parametrize("agent", ["refund-agent", "research-agent"])
def test_it_gives_the_other_agents_some_hundred_versions(agent: str, project: Project):
    sessions = Session.objects.filter(agent__external_id=agent).values("id")
    assert 100 <= Version.objects.filter(session_id__in=sessions).count() <= 300


def test_the_travel_agent_keeps_data_and_a_policy_blocked_some(project: Project):
    agent = Agent.objects.get(external_id="travel-agent")
    document = Document.of_agent(project, agent.id)
    kept = queries.standing(document.id, now=NOW)
    seats = queries.history(document.id, keeping.SEAT, before=None, limit=10)
    blocked = AuditRecord.objects.for_stream(agent.id).filter(result="blocked")

    assert kept is not None
    assert (kept.keys, kept.config_ordinal) == (6, 3)
    assert len(seats) == 3
    assert {(one.rule, one.details["masked"]) for one in blocked} == {
        ("policy:block_pii", "aaa.aaaaaa@aaaaaaa.aaa")
    }
    assert verify_records(stream_id=agent.id).is_intact


def test_the_agents_remember_and_something_of_it_is_doubtful(project: Project):
    now = project.created_at + week.WEEK
    believed = Memory.objects.of_project(project.id).believed(now=now)
    proposed = Memory.objects.of_project(project.id).filter(status="proposed")

    assert {one.scope for one in believed} == {"user", "agent", "project"}
    (clash,) = [one for one in believed if one.near]
    (again,) = [one for one in believed if one.reinforced]
    assert clash.owner == again.owner == remembering.TRAVELLER
    assert len(again.taught_by) == 2
    assert [one.type for one in proposed] == ["observation"]
    # What was taught by versions that a rollback set aside is left out of contexts.
    wiped = told(remembering.WIPED)
    act = act_in(project, now=now)
    asked = RecallAsked(
        act=act,
        head=fetching.head(act.scope, wiped.id, now=now),
        query=None,
        limit=20,
        includes_set_aside=False,
    )
    texts = {one["content"] for one in recall(asked)().memories}
    assert "Cancels a whole trip when one part of it changes" not in texts
    assert "Stays with friends in New York, and needs no hotel there" in texts
    for scope, owner in {(one.scope, one.owner) for one in believed}:
        document = Document.of_memories(project, scope, owner)
        assert verify_session(document.id).first_broken is None


def test_it_makes_every_version_that_the_stories_tell(project: Project):
    sessions = Session.objects.filter(kind="session")
    made = {s.external_id: s.head_number for s in sessions}
    assert made == {s.name: s.number for s in week.stories(NOW - week.WEEK)}


def test_it_is_the_same_story_every_time():
    first, second = week.stories(NOW), week.stories(NOW)

    assert [[(scene.at, scene.key) for scene in story.scenes] for story in first] == [
        [(scene.at, scene.key) for scene in story.scenes] for story in second
    ]


def test_it_adds_nothing_when_it_is_loaded_again(project: Project):
    before = counted()

    load(project)

    assert counted() == before


def test_it_records_acts_in_the_order_in_which_they_happened(project: Project):
    records = AuditRecord.objects.for_project(project.id).oldest_first()
    moments = [record.created_at for record in records]
    assert moments == sorted(moments)


def test_its_keys_have_expired_and_its_people_have_no_password(project: Project):
    assert not [key for key in ApiKey.objects.all() if key.is_live(NOW)]
    members = Membership.objects.in_project(project.id).select_related("user")
    assert {member.role for member in members} == {Role.OPERATOR}
    assert not [m for m in members if m.user.has_usable_password()]
