"""What is open is made anew, repaired, and held against a recount."""

from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.accounts.models import Project
from apps.timeline import bodies
from apps.timeline.models import Open
from apps.timeline.verification import Kind, Limits, findings, verify_session
from tests.acting import tampering
from tests.timeline.damage import damage, place_of
from tests.timeline.open_history import Acts, Row, counted, stored
from tests.timeline.runs import Begin, Run

pytestmark = pytest.mark.django_db

ACTS = 60


@pytest.fixture
def run(begin: Begin) -> Run:
    """v1 lost something and asks for a human; v2 paused it."""
    made = begin({"a": 1})
    made.patch({"a": None, "escalated": True})
    made.hold("pause")
    return made


def of_kinds(rows: set[Row], *kinds: str) -> set[Row]:
    return {row for row in rows if row[0] in kinds}


@pytest.mark.parametrize("seed", range(20, 24))
def test_what_is_lost_is_made_anew(project: Project, seed: int) -> None:
    acts = Acts(project, Random(seed))
    for _ in range(ACTS):
        acts.act()
    wanted = {one: counted(one) for one in acts.sessions}
    assert any(wanted.values())
    Open.objects.all().delete()

    call_command("rebuild_open")

    assert {one: stored(one) for one in wanted} == wanted
    call_command("rebuild_open")
    assert {one: stored(one) for one in wanted} == wanted


def test_one_project_is_made_anew_alone(
    begin: Begin, project: Project, other_project: Project
) -> None:
    here, there = begin({"escalated": True}), Acts(other_project, Random(1))
    for _ in range(ACTS):
        there.act()
    whole = stored(here.id)
    Open.objects.all().delete()

    call_command("rebuild_open", "--project", project.slug)

    assert stored(here.id) == whole != set()
    assert [stored(one) for one in there.sessions] == [set() for _ in there.sessions]


DAMAGE = {
    "it waits and is not listed": (
        "DELETE FROM timeline_open WHERE kind = 'waiting'",
        "it is waiting since v1; listed is nothing",
    ),
    "it is held and not listed": (
        "DELETE FROM timeline_open WHERE kind = 'held'",
        "it is held since v2; listed is nothing",
    ),
    "it is flagged and not listed": (
        "DELETE FROM timeline_open WHERE kind = 'flagged'",
        "v1 is flagged, but not listed so",
    ),
    "since another version": (
        "UPDATE timeline_open SET number = 0 WHERE kind = 'waiting'",
        "what is open in it is listed with another time, project or agent",
    ),
    "of another version": (
        "UPDATE timeline_open SET number = 2, at = (SELECT v.created_at"
        " FROM timeline_version v WHERE v.session_id = timeline_open.session_id"
        " AND v.number = 2) WHERE kind = 'flagged'",
        "v1 is flagged, but not listed so",
    ),
    "of another time": (
        "UPDATE timeline_open SET at = at + interval '1 hour' WHERE kind = 'held'",
        "what is open in it is listed with another time, project or agent",
    ),
    "of another project": (
        "UPDATE timeline_open SET project_id = 'proj_x' WHERE kind = 'held'",
        "what is open in it is listed with another time, project or agent",
    ),
    "it is over": (
        "UPDATE timeline_session SET expired_at = now()",
        "it is over, but listed as flagged, held, waiting",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_as_derived_and_repaired(run: Run, name: str) -> None:
    statement, sentence = DAMAGE[name]
    assert list(findings(run.id)) == []
    with tampering("timeline_open"), connection.cursor() as cursor:
        cursor.execute(statement)

    found = list(findings(run.id))

    assert [one.kind for one in found] == len(found) * [Kind.DERIVED]
    assert found[0].sentence == sentence
    with pytest.raises(CommandError, match="proof holds"):
        call_command("verify", "--session", run.id)
    call_command("rebuild_open", "--session", run.id)
    assert list(findings(run.id)) == []
    assert stored(run.id) == counted(run.id)


def test_damage_stops_no_write(run: Run, project: Project) -> None:
    run.hold("resume")
    run.rollback(0)
    whole = stored(run.id)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO timeline_open"
            " SELECT s.id, k, n, s.project_id, s.agent_id, now()"
            " FROM timeline_session s, unnest(ARRAY['waiting', 'flagged', 'held']) k,"
            " generate_series(0, 12) n WHERE s.id = %s ON CONFLICT DO NOTHING",
            [run.id],
        )

    run.rollback(2)
    run.patch({"a": 1, "escalated": None})
    run.patch({"a": None, "escalated": True})
    run.hold("pause")
    run.rollback(0)

    assert stored(run.id) != counted(run.id)
    call_command("rebuild_open", "--session", run.id)
    assert stored(run.id) == counted(run.id) != whole


@pytest.mark.parametrize("after", range(6))
def test_a_pass_that_begins_in_the_middle_is_not_mistaken(run: Run, after: int) -> None:
    run.hold("resume")
    run.patch({"a": None})
    run.patch({"a": 1, "escalated": None})
    run.patch({"a": None, "escalated": True})
    assert verify_session(run.id, Limits(after=after)).derived == 0

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM timeline_open WHERE kind = 'waiting'")
    assert verify_session(run.id, Limits(after=after)).derived == 1


def test_a_state_that_cannot_be_read_leaves_it_open_whether_it_waits(
    run: Run,
) -> None:
    whole = stored(run.id)
    run.hold("resume")
    damage(place_of(run, "body", 1, "data"), b"\x00")
    bodies.cache.forget(run.id)

    found = {one.kind for one in findings(run.id)}
    with pytest.raises(CommandError, match="1 sessions could not be read"):
        call_command("rebuild_open", "--session", run.id)

    assert found == {Kind.BODY}
    assert stored(run.id) == of_kinds(whole, "flagged", "waiting")


def test_it_wants_a_session_that_there_is(db: None) -> None:
    with pytest.raises(CommandError, match="There is no session"):
        call_command("rebuild_open", "--session", "sess_none")
