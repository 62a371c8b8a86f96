"""A database that was put back: found if nobody says so, and judged anew if signed."""

from pathlib import Path

import pytest
from django.utils import timezone

from apps.core.notes.folder import Folder
from apps.timeline.models import Session
from apps.witness import going_back
from tests.timeline import runs
from tests.witness import forging
from tests.witness.test_finding import sign, verified

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "the backup of\nMonday"


@pytest.fixture
def lost(roots: Path, run: runs.Run, begin: runs.Begin) -> runs.Run:
    """A database as it was before `run` got v3 and v4 and this session began."""
    assert sign() == 1
    facets = Session.objects.get(id=run.id).facets
    for step in (3, 4):
        run.patch({"step": step})
        assert sign() == 1
    made = begin({"n": 1})
    assert sign() == 1
    forging.cut(run.id, 2)
    Session.objects.filter(id=run.id).update(facets=facets)
    forging.remove(made.id)
    return made


def went_back() -> going_back.WentBack:
    found = going_back.went_back(why=WHY, now=timezone.now())
    assert found is not None
    return found


def test_it_is_named_where_nobody_signed_it(lost: runs.Run, run: runs.Run) -> None:
    said, refused = verified()

    assert "2 of them do not hold" in refused
    assert f"{run.id} v4 (signature): " in said
    assert "the history ends at v2" in said
    assert f"{lost.id} v0 (signature): " in said
    assert not run.get("verify")["valid"]


def test_once_signed_what_is_there_counts_and_goes_on(
    lost: runs.Run, run: runs.Run
) -> None:
    found = went_back()

    assert (found.heads, found.contradicting) == (2, 0)
    said, refused = verified()
    assert not refused
    assert "Went back, as note 5 of " in said
    assert "the backup of Monday" in said
    signed = run.get("verify")["signatures"]
    assert signed["signed_to"]["version"] == 2
    assert signed["signed_to"]["went_back"] == "the backup of Monday"

    run.patch({"step": 30})
    assert sign() == 1
    assert run.get("verify")["signatures"]["signed_to"]["version"] == 3
    assert verified()[1] == ""


def test_what_was_rewritten_is_not_signed_as_going_back(
    lost: runs.Run, run: runs.Run
) -> None:
    forging.rewrite(run.id, 1)

    found = went_back()

    assert (found.heads, found.contradicting) == (1, 1)
    assert f"{run.id} v4 (signature): " in verified()[0]
    assert not run.get("verify")["valid"]


def test_what_is_cut_after_it_went_back_is_named(lost: runs.Run, run: runs.Run) -> None:
    went_back()
    forging.cut(run.id, 1)

    assert "note 5 signed v2" in verified()[1]


def test_it_is_signed_in_bounded_notes(
    lost: runs.Run, run: runs.Run, roots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(going_back, "AT_ONCE", 1)

    assert went_back().heads == 2

    assert Folder(roots).newest() == 6
    assert verified()[1] == ""


def test_where_nothing_was_lost_it_is_signed_all_the_same(
    roots: Path, run: runs.Run
) -> None:
    assert sign() == 1

    assert (went_back().heads, Folder(roots).newest()) == (0, 2)


def test_without_a_key_nobody_signs_it(run: runs.Run) -> None:
    assert going_back.went_back(why=WHY, now=timezone.now()) is None
