"""Releases and models beyond the first ten that a session has in an hour.

They are counted together, so that rollups are not as large as the ledger.
"""

from collections import defaultdict
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.accounts.models import Role
from apps.agents.models import Agent
from apps.metrics.facts import HOUR, hour_of
from apps.metrics.models import Reach
from apps.metrics.ranking import breakdown
from apps.timeline.models import Session, Version
from tests.conftest import make_project
from tests.console.make import HTML, signed_in
from tests.contracts.world import add_member
from tests.metrics.make import DAY, Told, at, reading, roll_up
from tests.metrics.test_rollups import stored

pytestmark = pytest.mark.django_db(transaction=True)

NAMED = 10


def many(told, hour, count, first=0):
    """Say so many releases, one after the other."""
    for number in range(first, first + count):
        told.update(f"{hour}:{number:02}", release=f"r{number}", model=f"m{number}")
    return told


def by(project, what, start="00:00", end="+1 00:00"):
    """Return {value: (sessions, rolled back, rollbacks)}; of None are the others."""
    found = breakdown(reading(project, start, end, now=at("+3 00:00")), what)
    return {
        value: (one.sessions, one.rolled_back, one.rollbacks) for value, one in found
    }


@pytest.mark.parametrize(("what", "letter"), [("release", "r"), ("model", "m")])
def test_the_first_ten_have_names_and_the_rest_are_others(
    project, counted, what, letter
):
    many(Told(project, "10:00"), "10", 13)
    # Somebody who says few, among them one of those, and what others are called.
    few = Told(project, "10:00", **{what: f"{letter}12"})
    few.update("10:30", **{what: "others, by hour"}).update("10:31", **{what: ""})
    counted()

    found = by(project, what)

    named = {f"{letter}{number}": (1, 0, 0) for number in range(NAMED)}
    mine = {f"{letter}12": (1, 0, 0), "others, by hour": (1, 0, 0)}
    # The first told none when it began, which takes no name from the ten; the other
    # told an empty one.
    mine |= {"": (2, 0, 0)}
    assert found == named | mine | {None: (1, 0, 0)}
    assert reading(project, "00:00", "+1 00:00").totals().sessions == 2


def test_what_was_one_of_the_others_has_its_name_in_a_quieter_hour(project, counted):
    told = many(Told(project, "10:00"), "10", 13)
    told.update("12:00", release="r12").update("13:00", release="r12", model="m0")
    counted()

    whole = by(project, "release")
    assert whole["r12"] == whole["r3"] == whole[None] == (1, 0, 0)
    assert by(project, "release", "10:00", "12:00").get("r12") is None
    assert by(project, "release", "13:00", "14:00") == {"r12": (1, 0, 0)}
    # m0 had its name at once, and is the same session's.
    assert by(project, "model")["m0"] == (1, 0, 0)


def test_a_rollback_is_laid_to_the_others_where_its_release_is_one(project, counted):
    told = many(Told(project, "10:00"), "10", 13)
    # r12 is the version 13: what went wrong after 12. And r3, after 3.
    told.back(12, "10:20").back(3, "10:21")
    counted()

    found = by(project, "release")

    assert found[None] == (1, 1, 1)
    assert found["r3"] == (1, 1, 1)
    assert sum(rollbacks for _, _, rollbacks in found.values()) == 2
    assert reading(project, "00:00", "+1 00:00").totals().rolled_back == 1


def test_rollups_do_not_grow_with_what_versions_say(project):
    rows = []
    for hour, count in (("10", 12), ("12", 24), ("14", 48)):
        many(Told(project, f"{hour}:00"), hour, count)
        roll_up(f"{int(hour) + 2}:00")
        rows.append(Reach.objects.filter(hour=at(f"{hour}:00")).count())

    # Ten releases, ten models, the others of both, what its beginning did not tell of
    # both, and that it was active.
    assert rows == [25, 25, 25]


def test_others_have_no_name_in_the_api_and_lead_nowhere_on_the_page(
    project, api, client
):
    told = many(Told(project, "10:00"), "10", 13)
    told.back(12, "10:20")
    asked = {"from": "2026-03-10", "to": "2026-03-11"}
    reader = signed_in(client, add_member(project, "vera", Role.VIEWER))

    data = api().get("/v1/metrics/breakdown", {"by": "release", **asked}).body["data"]
    page = reader.get(f"/console/{project.slug}/metrics", asked, headers=HTML)

    (others,) = [row for row in data if row["value"] is None]
    assert (others["sessions"], others["rolled_back"]) == (1, 1)
    assert len(data) == NAMED + 2
    shown = page.content.decode()
    assert shown.count('<span class="none">others, by hour</span>') == 2
    assert "release=None" not in shown


def by_hand(project, start, end):
    """Return {(measure, value): (sessions, acts)} of named releases in a range."""
    sessions, acts = defaultdict(set), defaultdict(int)
    for session in Session.objects.filter(project_id=project.id):
        versions = list(
            Version.objects.filter(session_id=session.id).order_by("number")
        )
        first: dict[object, list[str]] = defaultdict(list)
        for one in versions:
            is_failure = one.restored_number is not None and not one.undo_of
            bad = versions[one.restored_number + 1] if is_failure else one
            laid = bad.release or one.release or ""
            known = first[hour_of(one.created_at)]
            if laid and laid not in known:
                known.append(laid)
            is_named = not laid or laid in known[:NAMED]
            if not (is_named and start <= one.created_at < end):
                continue
            for measure in ("release", "release_rolled_back")[: 1 + is_failure]:
                sessions[measure, laid].add(session.id)
                acts[measure, laid] += 1
    return {key: (len(sessions[key]), acts[key]) for key in acts}


def told_of(project, start, end, now):
    groups = reading(project, start, end, now=now).groups(
        "release", "release_rolled_back"
    )
    return {
        (one.measure, one.value): (one.sessions, one.acts)
        for one in groups
        if one.sessions or one.acts
    }


# An hour of a session: how long after the one before, which session, the releases it
# says and in which order, to which version it is rolled back then, if to any.
HOURS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 1),
        st.permutations(range(13)).flatmap(
            lambda order: st.integers(1, 13).map(lambda count: order[:count])
        ),
        st.none() | st.integers(0, 30),
        st.booleans(),
    ),
    min_size=4,
    max_size=8,
)


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(hours=HOURS, begins=st.integers(0, 3), lasts=st.integers(3, 12))
def test_names_are_the_same_kept_up_made_anew_and_by_hand(hours, begins, lasts, db):
    project = make_project(f"o{Agent.objects.count()}-{Session.objects.count()}")
    now, told, heads = DAY, [Told(project, DAY), Told(project, DAY)], [0, 0]
    for later, which, releases, back_to, is_swept in hours:
        now += later * HOUR
        for release in releases:
            told[which].update(now, release=f"r{release}")
        heads[which] += len(releases)
        if back_to is not None:
            told[which].back(back_to % heads[which], now)
            heads[which] += 1
        if is_swept:
            roll_up(now)
    start, later = DAY + begins * HOUR, now + timedelta(days=2)
    end = start + lasts * HOUR
    expected = by_hand(project, start, end)

    assert told_of(project, start, end, later) == expected
    roll_up(later)
    kept = stored(project)
    assert told_of(project, start, end, later) == expected
    call_command("rebuild_rollups", project=project.slug, stdout=StringIO())
    assert stored(project) == kept
