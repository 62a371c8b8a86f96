"""Summaries of turns: kept beside the history, and what a context has of them."""

from typing import Any

import pytest

from apps.audit.models import Event
from apps.timeline.search import rebuild
from tests.timeline.runs import Run, assert_refused, succeeded

pytestmark = pytest.mark.django_db


def talk(run: Run, *words: str) -> None:
    """Add a turn for each word, each of which leaves a state of its own."""
    for word in words:
        run.turn(word, state_after={"said": word})


def summarise(run: Run, first: int, last: int, text: str = "Told.") -> Any:
    told = {"first_turn": first, "last_turn": last, "text": text}
    return run.post("summaries", told)


def context(run: Run, **fields: Any) -> Any:
    return succeeded(run.client.post(run.path("context"), fields)).body


def said(body: Any) -> list[str]:
    return [turn["input"]["content"] for turn in body["recent_turns"]]


def texts(body: Any) -> list[str]:
    return [one["text"] for one in body["older_summaries"]]


def test_a_summary_makes_no_version_and_is_recorded_without_its_text(run: Run) -> None:
    talk(run, "one", "two")
    head = run.get("versions")["current_version"]

    made = summarise(run, 1, 2, "They counted.")

    event = Event.objects.get(resource_id=made["id"])
    assert run.get("versions")["current_version"] == head == made["version"]
    assert (made["first_turn"], made["last_turn"], made["text"]) == (
        1,
        2,
        "They counted.",
    )
    assert made["set_aside_by"] is None
    assert (event.action, event.details) == (
        "summary.added",
        {"first_turn": 1, "last_turn": 2},
    )


def test_they_are_listed_newest_first_and_read_by_their_ids(run: Run) -> None:
    talk(run, "one", "two", "three")
    made = [summarise(run, 1, last)["id"] for last in (1, 2, 3)]

    first = run.client.get(run.path("summaries"), {"limit": 2}).body
    query = {"limit": 2, "starting_after": first["last_id"]}
    second = run.client.get(run.path("summaries"), query).body

    assert [one["id"] for one in first["data"] + second["data"]] == made[::-1]
    assert (first["has_more"], second["has_more"]) == (True, False)
    assert run.get(f"summaries/{made[0]}") == second["data"][0]


def test_a_context_goes_on_from_the_newest_summary(run: Run) -> None:
    talk(run, "one", "two", "three", "four", "five")
    made = summarise(run, 1, 2)

    body = context(run, turn_limit=2)

    assert body["summary"] == made
    assert body["older_summaries"] == []
    assert said(body) == ["five", "four"]
    assert said(context(run)) == ["five", "four", "three"]
    alone = context(run, include_summary=False)
    assert (alone["summary"], len(alone["recent_turns"])) == (None, 5)


def test_the_newest_is_the_one_that_reaches_furthest_and_of_these_the_last(
    run: Run,
) -> None:
    talk(run, "one", "two", "three")
    summarise(run, 1, 2, "First.")
    summarise(run, 1, 2, "Better.")
    summarise(run, 1, 1, "Of before.")

    assert context(run)["summary"]["text"] == "Better."
    assert texts(context(run, older_summaries=5)) == ["First.", "Of before."]
    assert texts(context(run, older_summaries=1)) == ["First."]


def test_what_was_rolled_back_is_not_told_until_that_is_rolled_back(run: Run) -> None:
    talk(run, "one", "two", "three", "four")
    kept = summarise(run, 1, 2, "Kept.")
    summarise(run, 3, 4, "Set aside.")

    back = run.post("rollback", {"version": kept["version"]})
    late = summarise(run, 1, 4, "Written too late.")

    body = context(run, older_summaries=5)
    assert (body["summary"], texts(body), said(body)) == (kept, [], [])
    assert late["set_aside_by"] == back["version"]
    listed = run.get("summaries")["data"]
    assert [one["set_aside_by"] for one in listed] == [back["version"]] * 2 + [None]

    run.post("undo", {})

    body = context(run, older_summaries=5)
    assert body["summary"]["text"] == "Written too late."
    assert texts(body) == ["Set aside.", "Kept."]


def test_turns_that_were_set_aside_come_behind_the_summary_if_asked_for(
    run: Run,
) -> None:
    talk(run, "one", "two", "three")
    kept = summarise(run, 1, 1)
    run.post("rollback", {"version": kept["version"]})
    talk(run, "four")

    assert said(context(run)) == ["four"]
    assert said(context(run, include_set_aside=True)) == ["four", "three", "two"]


def test_older_ones_come_by_how_near_they_are_to_a_question(run: Run) -> None:
    talk(run, *map(str, range(6)))
    summarise(run, 1, 1, "The customer was angry about a late refund.")
    summarise(run, 2, 2, "They compared hotels near the beach.")
    summarise(run, 3, 3, "Booking number TRV-771 was read out.")
    summarise(run, 4, 4, "Small talk about the weather.")

    def nearest(query: str) -> str:
        body = context(run, query=query, older_summaries=2)
        assert body["summary"]["text"].startswith("Small talk")
        near = [one["similarity"] for one in body["older_summaries"]]
        assert near == sorted(near, reverse=True)
        return texts(body)[0]

    assert nearest("Why does he want his money back?").startswith("The customer")
    assert nearest("a place to stay by the sea").startswith("They compared")
    assert nearest("TRV 771").startswith("Booking")


def test_without_a_model_words_say_what_fits(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(run, "one", "two", "three")
    summarise(run, 1, 1, "A refund was promised.")
    summarise(run, 2, 2, "Nothing of note.")
    summarise(run, 3, 3, "Goodbye.")
    monkeypatch.setattr("apps.agents.hooks.NEARNESS", {})

    body = context(run, query="Which refund?", older_summaries=2)

    assert texts(body) == ["A refund was promised.", "Nothing of note."]
    assert [one["similarity"] for one in body["older_summaries"]] == [0.5, 0.0]


def test_what_is_told_is_found_by_its_words(run: Run) -> None:
    talk(run, "one", "two")
    made = summarise(run, 1, 2, "The zeppelin was late, and then it was booked.")

    def found() -> Any:
        (one,) = run.client.get("/v1/search", {"q": 'words:"zeppelin booked"'}).body[
            "data"
        ]
        (match,) = one["matches"]
        return match

    match = found()
    assert (match["where"], match["version"], match["turn_number"]) == (
        "summary",
        made["version"],
        2,
    )
    assert "zeppelin" in match["quote"]
    rebuild.rebuild(run.id)
    assert rebuild.differences(run.id) == []
    assert found() == match


def test_saying_the_same_again_is_the_same_summary(run: Run) -> None:
    talk(run, "one")
    told = {"first_turn": 1, "last_turn": 1, "text": "Told."}
    key = {"Idempotency-Key": "once"}

    first = run.client.post(run.path("summaries"), told, **key)
    again = run.client.post(run.path("summaries"), told, **key)
    without = run.client.post(run.path("summaries"), told)

    assert (first.status, again.status, without.status) == (201, 201, 201)
    assert first.body == again.body == without.body
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(run.get("summaries")["data"]) == 1


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "first_turn"),
        ({"first_turn": 0}, "first_turn"),
        ({"last_turn": "1"}, "last_turn"),
        ({"first_turn": 2, "last_turn": 1}, "first_turn"),
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"text": "a\x00"}, "text"),
        ({"text": "x" * 20_001}, "text"),
    ],
)
def test_what_is_no_summary_is_refused(run: Run, body: Any, param: str) -> None:
    talk(run, "one", "two")
    told = {"first_turn": 1, "last_turn": 2, "text": "Told."} | body if body else {}

    answer = run.client.post(run.path("summaries"), told)

    assert_refused(answer, 400, "invalid_request", param)
    assert run.get("summaries")["data"] == []


def test_turns_that_there_are_not_cannot_be_summarised(run: Run) -> None:
    talk(run, "one")

    answer = run.client.post(
        run.path("summaries"), {"first_turn": 1, "last_turn": 2, "text": "Told."}
    )

    assert_refused(answer, 404, "turn_not_found", "last_turn")
    unknown = run.client.get(run.path("summaries/sum_0"))
    assert_refused(unknown, 404, "summary_not_found")


def test_a_closed_session_still_takes_them(run: Run) -> None:
    talk(run, "one")
    run.post("close", {})

    assert summarise(run, 1, 1)["set_aside_by"] is None
