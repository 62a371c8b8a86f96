"""`manage.py storage`: bytes by project, agent and session, and the share saved."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.accounts.models import Project
from apps.timeline.models import Body
from apps.timeline.queries import storage
from tests.timeline import runs

pytestmark = pytest.mark.django_db
LONG = "A sentence that every version of this session shows. " * 40


def storage_said(*arguments: str) -> str:
    out = StringIO()
    call_command("storage", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def large(begin: runs.Begin) -> runs.Run:
    """A session of twelve versions that share nearly all their bytes."""
    made = begin({"text": LONG, "n": 0}, agent_id="writer")
    for n in range(1, 11):
        made.patch({"n": n})
    made.rollback(3)
    return made


def test_it_counts_stored_bytes_once_and_shown_bytes_for_every_version(
    large: runs.Run,
) -> None:
    bodies = list(Body.objects.filter(session_id=large.id).order_by("number"))

    total = storage.usage(project_id=None, largest=5).total

    assert total.versions == 12
    assert total.bodies == len(bodies) == 11
    assert total.stored == sum(len(body.data) for body in bodies)
    # The rollback stores no body and shows that of version 3 again.
    assert total.shown == sum(body.size for body in bodies) + bodies[3].size
    assert total.share_saved == pytest.approx(1 - total.stored / total.shown)
    assert total.share_saved > 0.9


def test_it_sums_by_project_and_by_agent(
    large: runs.Run,
    run: runs.Run,
    api: runs.Clients,
    make_key: runs.Keys,
    other_project: Project,
) -> None:
    runs.begin(api(make_key(project=other_project)), {"n": 1})

    found = storage.usage(project_id=None, largest=5)

    assert [(u.project, u.sessions) for u in found.projects] == [
        ("checkout", 2),
        ("returns", 1),
    ]
    assert {(u.project, u.agent, u.versions) for u in found.agents} == {
        ("checkout", "writer", 12),
        ("checkout", "travel", 3),
        ("returns", "travel", 1),
    }
    for level in (found.projects, found.agents, found.sessions):
        assert sum(u.stored for u in level) == found.total.stored
        assert sum(u.shown for u in level) == found.total.shown


def test_it_looks_at_one_project_alone(
    large: runs.Run, project: Project, other_project: Project
) -> None:
    assert storage.usage(project_id=project.id, largest=5).total.versions == 12
    empty = storage.usage(project_id=other_project.id, largest=5)
    assert (empty.total.sessions, empty.total.stored) == (0, 0)
    assert empty.total.share_saved == 0


def test_it_names_the_largest_sessions_first(large: runs.Run, run: runs.Run) -> None:
    both = storage.usage(project_id=None, largest=5).sessions
    one = storage.usage(project_id=None, largest=1).sessions

    assert [used.session_id for used in both] == [large.id, run.id]
    assert [used.session_id for used in one] == [large.id]


def test_it_counts_a_deleted_session_because_its_bytes_are_there(
    run: runs.Run,
) -> None:
    before = storage.usage(project_id=None, largest=5).total.stored
    runs.succeeded(run.client.delete(run.path()))

    assert storage.usage(project_id=None, largest=5).total.stored >= before > 0


def test_it_knows_the_size_of_every_table() -> None:
    found = storage.tables()

    assert {table.name for table in found} == set(
        connection.introspection.table_names()
    )
    assert [table.size for table in found] == sorted(
        (table.size for table in found), reverse=True
    )


def test_the_command_shows_all_of_it(large: runs.Run) -> None:
    said = storage_said()

    assert "States:\n  all: " in said
    assert "By project:\n  checkout: " in said
    assert "By agent:\n  checkout/writer: " in said
    assert f"Largest sessions:\n  {large.id} (checkout/writer): " in said
    assert "% saved (1 sessions, 12 versions, 11 bodies)" in said
    assert "Tables on disk" in said
    assert "  timeline_version: " in said


def test_the_command_shows_one_project_and_as_many_sessions_as_asked_for(
    large: runs.Run, run: runs.Run
) -> None:
    said = storage_said("--project", "checkout", "--largest", "1")

    assert said.startswith("States:\n  checkout: ")
    assert "By project" not in said
    assert large.id in said
    assert run.id not in said
    assert "Tables" not in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--project", "nowhere"), "no project nowhere"),
        (("--largest", "-1"), "a number from 0"),
    ],
)
def test_the_command_says_what_it_does_not_take(
    project: Project, arguments: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        storage_said(*arguments)
