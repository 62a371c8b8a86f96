"""What search and lists read of a session goes with what it was read from."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from apps.accounts.models import Project
from apps.core.roles.names import Role
from apps.timeline.models import Opening, Session, Summary, Text
from apps.timeline.operations import keeping
from apps.timeline.projection.texts import TextKind
from apps.timeline.search import rebuild
from tests.acting import acting_as
from tests.audit.rows.looking import found
from tests.feeding import project_all
from tests.timeline import runs
from tests.timeline.keeping.taking import empty, prune, remove

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(begin: runs.Begin) -> runs.Run:
    """A session of six versions: each brings a message, a reasoning and a turn."""
    made = begin({"n": 0, "messages": [said(0)]})
    for n in range(1, 6):
        state = {"n": n, "messages": [said(each) for each in range(n + 1)]}
        made.turn(
            f"ask{n} please", f"answer{n}", state_after=state, reasoning=f"reason{n}"
        )
    made.post("summaries", {"first_turn": 1, "last_turn": 2, "text": "shortly one"})
    made.post("summaries", {"first_turn": 3, "last_turn": 4, "text": "shortly two"})
    project_all()
    return made


def said(n: int) -> dict[str, str]:
    return {"role": "user", "content": f"message{n} here"}


def words(run: runs.Run) -> set[str]:
    """Return all words that search has of the session."""
    texts = Text.objects.filter(session_id=run.id).values_list("words", flat=True)
    return {one.split("'")[1] for text in texts for one in str(text).split()}


def kinds(run: runs.Run, kind: TextKind) -> list[int]:
    texts = Text.objects.filter(session_id=run.id, kind=kind)
    return sorted(texts.values_list("number", flat=True))


@pytest.mark.parametrize("take", [empty, prune], ids=["empty", "prune"])
def test_no_word_of_what_went_is_left(told: runs.Run, take: Any) -> None:
    before = words(told)
    assert {"message1", "reason2", "ask1", "answer2", "shortly"} <= before
    assert Opening.objects.get(session_id=told.id).text.startswith("ask1")

    assert take(told, 0, 2).versions == 3

    left = words(told)
    for n in (1, 2):
        assert not {f"message{n}", f"reason{n}", f"ask{n}", f"answer{n}"} & left
    assert {"message4", "reason3", "ask3", "answer4"} <= left
    assert not Opening.objects.filter(session_id=told.id).exists()


@pytest.mark.parametrize("take", [empty, prune], ids=["empty", "prune"])
def test_a_summary_goes_with_what_it_told_and_that_is_accounted_for(
    told: runs.Run, take: Any
) -> None:
    session = Session.objects.get(id=told.id)
    project = Project.objects.get(id=session.project_id)
    take(told, 0, 2)

    (left,) = Summary.objects.filter(session_id=told.id)
    assert left.text == "shortly two"
    assert kinds(told, TextKind.SUMMARY) == [left.ordinal]
    assert found(project) == []
    (shown,) = told.get("summaries")["data"]
    assert shown["id"] == left.id


def test_what_is_thinned_has_its_words_in_its_states_alone(told: runs.Run) -> None:
    with acting_as(Role.RETENTION):
        keeping.thin_session(session_id=told.id, below=3)

    assert kinds(told, TextKind.REASONING) == [3, 4, 5]
    assert kinds(told, TextKind.MESSAGES) == [3, 4, 5]
    # Turns and summaries are not thinned.
    assert kinds(told, TextKind.TURN) == [1, 2, 3, 4, 5]
    assert kinds(told, TextKind.SUMMARY) == [1, 2]


def test_making_the_index_anew_adds_nothing_that_went(told: runs.Run) -> None:
    prune(told, 1, 1)
    empty(told, 2, 2)
    with acting_as(Role.RETENTION):
        keeping.thin_session(session_id=told.id, below=4)
    before = words(told)

    assert rebuild.differences(told.id) is None
    rebuild.rebuild(told.id)

    assert words(told) == before
    said = StringIO()
    call_command("rebuild_search", "--check", "--session", told.id, stdout=said)
    assert "0 sessions compared" in said.getvalue()
    assert "1 more have lost something to a removal" in said.getvalue()
    said = StringIO()
    call_command("verify", "--search", "--session", told.id, stdout=said)
    assert "1 of the sessions lost something to a removal" in said.getvalue()
    assert "All of it holds." in said.getvalue()


def test_a_removed_session_leaves_no_word(told: runs.Run) -> None:
    remove(told, erasing=True)

    assert words(told) == set()
    assert not Opening.objects.filter(session_id=told.id).exists()
