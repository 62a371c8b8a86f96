"""`status:` finds sessions as their rows say they stand, the first that applies."""

import pytest

from apps.timeline.search.sessions import standing
from tests.timeline.runs import Begin, Run
from tests.timeline.search.asking import ids, page

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(begin: Begin) -> list[Run]:
    return [begin({"escalated": True, "n": number}) for number in range(3)]


def test_what_waits_is_found_until_it_is_answered_or_held(waiting: list[Run]) -> None:
    client = waiting[0].client
    waiting[1].patch({"escalated": False})
    waiting[2].hold("pause")

    assert ids(client, "status:waiting") == [waiting[0].id]
    assert ids(client, "status:held") == [waiting[2].id]
    assert ids(client, "status:active") == [waiting[1].id]
    assert ids(client, "-status:waiting") == [waiting[2].id, waiting[1].id]


def test_what_looks_wrong_is_found_until_somebody_knows_better(begin: Begin) -> None:
    made = [begin({"city": "Oslo"}) for _ in range(3)]
    for run in made:
        run.patch({"city": None})
    made[1].rollback(0)
    made[2].send("POST", "versions/1/labels", {"label": "known-good"})
    client = made[0].client

    assert ids(client, "status:looks-wrong") == ids(client, "status:wrong")
    assert ids(client, "status:wrong") == [made[0].id]
    assert ids(client, "status:rolled-back") == [made[1].id]
    assert ids(client, "status:active") == [made[2].id]


def test_a_good_version_that_was_set_aside_says_nothing(begin: Begin) -> None:
    run = begin({"city": "Oslo"})
    run.patch({"city": None})
    run.patch({"n": 1})
    run.send("POST", "versions/2/labels", {"label": "known-good"})
    assert ids(run.client, "status:wrong") == []
    run.rollback(1)

    assert ids(run.client, "status:wrong") == [run.id]


def test_reviews_and_scores_say_what_failed(begin: Begin) -> None:
    scored, reviewed, fine, closed = (begin({"n": 1}) for _ in range(4))
    scored.client.put(scored.path("score"), {"name": "reward", "value": 0})
    reviewed.client.put(reviewed.path("review"), {"outcome": "failed"})
    fine.client.put(fine.path("score"), {"name": "reward", "value": 0})
    fine.client.put(fine.path("review"), {"outcome": "fine"})
    closed.hold("close")
    client = scored.client

    assert ids(client, "status:failed", limit=1) == [reviewed.id, scored.id]
    assert ids(client, "status:ended") == ids(client, "status:closed") == [closed.id]


def test_of_more_than_are_kept_the_newest_sessions_are_looked_through(
    waiting: list[Run], begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = waiting[0].client
    assert page(client, "status:waiting")["notices"] == []
    monkeypatch.setattr(standing, "MOST_OPEN", 2)

    assert ids(client, "status:waiting", limit=1) == [one.id for one in waiting[::-1]]
    assert "more than 2 of these" in str(page(client, "status:waiting")["notices"])
