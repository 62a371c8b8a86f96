"""What is under a legal hold stays through every sweep, and goes once that is over."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Project
from apps.retention import operations as retention
from apps.retention.models import LegalHold, Removal
from apps.retention.words import HoldKind
from tests.acts import act_in
from tests.feeding import feed_all
from tests.retention.aged import Past, ago, enabled, swept, taken

pytestmark = pytest.mark.django_db


@pytest.fixture
def pasts(project: Project) -> list[Past]:
    """Two old sessions: ann's of the agent travel, and ben's of the agent desk."""
    days = [90.5, 80.5, 70.5]
    made = [
        Past.of(project, [*days], agent="travel", user_id="ann"),
        Past.of(project, [*days], agent="desk", user_id="ben"),
    ]
    feed_all()
    return made


def hold(project: Project, kind: HoldKind, value: str | None, **more: Any) -> LegalHold:
    act = act_in(project, now=more.pop("now", None))
    said = {"kind": kind, "value": value, "reason": "Smith v. Jones"}
    return retention.set_legal_hold(act=act, **said, **more)


@pytest.mark.parametrize("kind", [HoldKind.SESSION, HoldKind.USER, HoldKind.AGENT])
def test_what_is_held_stays_until_the_hold_is_ended(
    project: Project, pasts: list[Past], kind: HoldKind
) -> None:
    mine, other = pasts
    names = {HoldKind.SESSION: mine.id, HoldKind.USER: "ann", HoldKind.AGENT: "travel"}
    policy = enabled(project, thin_days=10, empty_days=30, remove_days=60)
    held = hold(project, kind, names[kind])
    swept()

    assert (mine.full, mine.row.thinned_below) == ([0, 1, 2], None)
    assert not other.is_there
    assert taken(policy).counts["held"] == 1

    act = act_in(project)
    retention.end_legal_hold(act=act, hold_id=held.id, reason="Settled")
    swept()
    assert not mine.is_there


def test_all_of_a_project_stays_and_a_removal_that_took_nothing_is_none(
    project: Project, pasts: list[Past]
) -> None:
    enabled(project, empty_days=30, remove_days=60)
    hold(project, HoldKind.PROJECT, None)
    swept()

    assert [past.full for past in pasts] == [[0, 1, 2]] * 2
    assert not Removal.objects.removals().exists()


def test_of_two_holds_each_holds_by_itself(project: Project, pasts: list[Past]) -> None:
    enabled(project, remove_days=60)
    first = hold(project, HoldKind.USER, "ann")
    hold(project, HoldKind.SESSION, pasts[0].id)
    act = act_in(project)
    retention.end_legal_hold(act=act, hold_id=first.id, reason="Settled")
    swept()

    assert [past.is_there for past in pasts] == [True, False]


def test_one_whose_until_has_come_holds_nothing(
    project: Project, pasts: list[Past]
) -> None:
    enabled(project, remove_days=60)
    hold(project, HoldKind.PROJECT, None, now=ago(2), until=ago(1))
    hold(project, HoldKind.USER, "ann", until=ago(-1))
    swept()

    assert [past.is_there for past in pasts] == [True, False]


def test_a_preview_says_how_many_sessions_are_held(
    project: Project, pasts: list[Past]
) -> None:
    hold(project, HoldKind.AGENT, "desk")
    policy = enabled(project, empty_days=30)

    (preview,) = Removal.objects.previews()
    assert preview.policy_id == policy.id
    assert preview.counts["held"] == 1
    assert preview.counts["steps"]["empty"]["sessions"] == 1
