"""Notes on a session or on a version; they stay as they were written."""

from typing import Any

import pytest

from apps.audit.models import Event
from tests.timeline.runs import Run, assert_refused

pytestmark = pytest.mark.django_db


def test_a_note_is_about_a_version_or_the_session(run: Run) -> None:
    on_version = run.post("notes", {"text": "Wrong city.", "version": 1})
    on_session = run.post("notes", {"text": "Customer called.\nTwice."})

    assert (on_version["version"], on_session["version"]) == (1, None)
    assert on_session["text"] == "Customer called.\nTwice."
    assert run.get("notes")["data"] == [on_session, on_version]


def test_notes_come_page_by_page(run: Run) -> None:
    made = [run.post("notes", {"text": f"n{n}"})["id"] for n in range(3)]

    first = run.client.get(run.path("notes"), {"limit": 2}).body
    query = {"limit": 2, "starting_after": first["last_id"]}
    second = run.client.get(run.path("notes"), query).body

    assert [one["id"] for one in first["data"] + second["data"]] == made[::-1]
    assert (first["has_more"], second["has_more"]) == (True, False)


def test_a_note_makes_no_version_and_is_recorded_without_its_text(run: Run) -> None:
    note = run.post("notes", {"text": "secret word"})

    event = Event.objects.get(resource_id=note["id"])
    assert run.get("versions")["current_version"] == 2
    assert (event.action, event.details) == ("note.added", {"version": None})


def test_a_closed_session_still_takes_notes(run: Run) -> None:
    run.post("close", {})

    assert run.post("notes", {"text": "post-mortem"})["text"] == "post-mortem"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": " \n"},
        {"text": None},
        {"text": "a\x00"},
        {"text": "x" * 10_001},
        {"text": "x", "version": -1},
        {"text": "x", "version": "v1"},
    ],
)
def test_a_note_that_is_none_is_refused(run: Run, body: Any) -> None:
    answer = run.client.post(run.path("notes"), body)

    assert_refused(answer, 400, "invalid_request")


def test_a_note_on_an_unknown_version_is_refused(run: Run) -> None:
    answer = run.client.post(run.path("notes"), {"text": "x", "version": 9})

    assert_refused(answer, 404, "version_not_found")
