"""`manage.py verify`: what it prints, and how it exits."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.accounts.models import Project
from apps.timeline import bodies
from tests.acting import erasing
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.damage import Place, damage, make_history, place_of, unchain

pytestmark = pytest.mark.django_db
UNKNOWN = "sess_" + "0" * 26


@pytest.fixture
def history(begin: runs.Begin) -> runs.Run:
    return make_history(begin)


def verified(*arguments: str) -> tuple[str, str]:
    """Return what the command prints and what it says on the way."""
    out, err = StringIO(), StringIO()
    call_command("verify", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_command_verifies_everything(
    history: runs.Run, api: runs.Clients, make_key: runs.Keys, other_project: Project
) -> None:
    runs.begin(api(make_key(project=other_project)), {"n": 1})

    out, _ = verified()

    assert out.startswith("Verified 3 sessions, 15 versions, 8 bodies, 2 turns, ")
    assert " records of acts.\n" in out
    assert out.endswith("All of it holds.\n")


def test_the_command_verifies_a_session_or_a_project(
    history: runs.Run, other_project: Project
) -> None:
    assert "1 sessions, 12 versions" in verified("--session", history.id)[0]
    assert "2 sessions, 14 versions" in verified("--project", "checkout")[0]
    assert "0 sessions, 0 versions" in verified("--project", "returns")[0]


def test_the_command_tells_how_far_it_is(
    history: runs.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "apps.timeline.management.commands.verify.SECONDS_BETWEEN_LINES"
    monkeypatch.setattr(name, 0)

    _, err = verified("--session", history.id)

    assert "12 versions" in err


def test_the_command_fails_and_names_the_first_broken_link(history: runs.Run) -> None:
    damage(place_of(history, "version", 6, "leaf"), bytes(32))

    with pytest.raises(CommandError) as refused:
        verified()

    assert refused.value.returncode == 1
    assert f"The first broken link: {history.id} v6 (chain)" in str(refused.value)


def test_the_command_fails_for_derived_data_and_says_that_the_proof_holds(
    history: runs.Run,
) -> None:
    damage(Place("timeline_session", history.id, None, "turn_count", None), 9)

    with pytest.raises(CommandError, match="The proof holds, but") as refused:
        verified("--session", history.id)

    assert history.id in str(refused.value)


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        ("DELETE FROM timeline_term WHERE session_id = %s", "values and marks"),
        ("DELETE FROM timeline_text WHERE session_id = %s", "words"),
    ],
)
def test_the_command_also_verifies_what_search_reads_if_asked(
    history: runs.Run, broken: str, part: str
) -> None:
    project_all()
    assert verified("--search")[0].endswith("All of it holds.\n")
    with connection.cursor() as cursor:
        cursor.execute(broken, [history.id])
        assert cursor.rowcount > 0

    assert verified()[0].endswith("All of it holds.\n")
    for which in ([], ["--project", "checkout"], ["--session", history.id]):
        with pytest.raises(CommandError, match="The proof holds, but") as refused:
            verified("--search", *which)
        assert f"{history.id}: what search reads ({part})" in str(refused.value)


def test_a_broken_turn_is_named(history: runs.Run) -> None:
    damage(place_of(history, "turn", 2, "data"), b"damaged")

    with pytest.raises(CommandError, match=rf"{history.id} turn 2 \(body\)"):
        verified()


def test_turns_from_before_there_was_a_chain_are_counted(history: runs.Run) -> None:
    unchain(history.id, 1, 2)

    out, _ = verified()

    assert "\n2 of the turns came before there was a chain of turns: nothing" in out
    assert out.endswith("All of it holds.\n")


def test_a_turn_that_cannot_be_read_is_told(history: runs.Run) -> None:
    unchain(history.id, 1, 2)
    stored = bodies.encode(b"no parts", number=0, base=None, salt=b"")
    for column in ("data", "size", "codec"):
        damage(place_of(history, "turn", 1, column), getattr(stored, column))

    with pytest.raises(CommandError, match=f"{history.id}: a turn cannot be read"):
        verified("--search")


def test_of_a_broken_session_the_break_alone_is_told(history: runs.Run) -> None:
    damage(place_of(history, "version", 6, "leaf"), bytes(32))

    with pytest.raises(CommandError, match="The first broken link") as refused:
        verified("--search")

    assert "1 of them do not hold" in str(refused.value)


def test_the_command_finds_a_session_that_lost_its_project(history: runs.Run) -> None:
    place = place_of(history, "session", None, "project_id")
    damage(place, "proj_" + "0" * 26)

    with pytest.raises(CommandError, match=history.id):
        verified()


@pytest.mark.parametrize("whose", ["project", "installation"])
def test_the_command_verifies_the_record_of_peoples_acts(
    project: Project, whose: str
) -> None:
    chain_of = project.id if whose == "project" else "installation"
    with erasing(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE audit_auditrecord"
            " SET stream_id = %s, project_id = %s, actor_label = 'mallory'",
            [chain_of, chain_of],
        )

    with pytest.raises(CommandError, match=f"the record of .*{whose}.*number 1"):
        verified()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--session", UNKNOWN), "no such session\\."),
        (("--project", "nowhere"), "no project nowhere"),
    ],
)
def test_the_command_says_what_it_does_not_know(
    project: Project, arguments: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        verified(*arguments)
