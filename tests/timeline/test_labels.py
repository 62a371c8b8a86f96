"""Names for versions: given, listed, taken away."""

from typing import Any
from urllib.parse import quote

import pytest

from apps.accounts.models import Project
from apps.timeline.models import Label
from tests.timeline.runs import Clients, Keys, Run, assert_refused

pytestmark = pytest.mark.django_db


def label(run: Run, name: Any = "good", number: Any = 1) -> Any:
    return run.client.post(run.path("versions", number, "labels"), {"label": name})


def test_it_names_a_version(run: Run) -> None:
    answer = label(run)

    assert answer.status == 201
    assert answer.body["object"] == "label"
    assert (answer.body["session_id"], answer.body["version"]) == (run.id, 1)
    assert answer.body["label"] == "good"
    assert answer.body["created_at"].endswith("Z")
    assert answer.body["created_by"]
    assert run.get("versions", 1)["labels"] == ["good"]


def test_it_is_shown_in_the_list_of_versions(run: Run) -> None:
    label(run, "b")
    label(run, "a")
    label(run, "a", number=2)

    data = run.get("versions")["data"]

    assert [version["labels"] for version in data] == [["a"], ["a", "b"], []]


def test_giving_it_twice_is_giving_it_once(run: Run) -> None:
    first, again = label(run), label(run)

    assert (again.status, again.body) == (201, first.body)
    assert Label.objects.count() == 1


def test_minus_one_is_the_version_before_the_head(run: Run) -> None:
    assert label(run, number=-1).body["version"] == 1


def test_it_makes_no_version(run: Run) -> None:
    label(run)

    assert run.head == 2


def test_it_can_be_taken_away(run: Run) -> None:
    label(run)
    path = run.path("versions", 1, "labels", "good")

    answer = run.client.delete(path)

    assert (answer.status, answer.content) == (204, b"")
    assert run.get("versions", 1)["labels"] == []
    assert_refused(run.client.delete(path), 404, "label_not_found")


@pytest.mark.parametrize("name", ["release/7", "/", "a?b", "..", "100 %", "größe"])
def test_any_label_that_was_given_can_be_taken_away(run: Run, name: Any) -> None:
    run.send("POST", "versions/1/labels", {"label": name})

    path = run.path("versions", 1, "labels", quote(name, safe=""))
    answer = run.client.delete(path)

    assert answer.status == 204
    assert run.get("versions", 1)["labels"] == []


def test_taking_it_away_leaves_other_versions_theirs(run: Run) -> None:
    label(run, number=1)
    label(run, number=2)

    run.client.delete(run.path("versions", 1, "labels", "good"))

    assert run.get("versions", 2)["labels"] == ["good"]


def test_text_of_people_is_kept_as_it_is(run: Run) -> None:
    name = "<script>{{7*7}} =cmd() ä 🚀"

    label(run, name)

    assert run.get("versions", 1)["labels"] == [name]


@pytest.mark.parametrize(
    "name", [None, "", "  ", 5, ["a"], "l" * 101, "a\0", "a\nb", "\u202e"]
)
def test_it_refuses_what_is_no_label(run: Run, name: Any) -> None:
    assert_refused(label(run, name), 400, "invalid_request", "label")
    assert Label.objects.count() == 0


@pytest.mark.parametrize("number", [3, 99, -3])
def test_a_version_that_is_not_there_is_not_found(run: Run, number: Any) -> None:
    assert_refused(label(run, number=number), 404, "version_not_found")


@pytest.mark.parametrize(
    "number", ["latest", "1e2", "1.0", "--1", "-", "v1", "٣", "9" * 20, "9" * 5000]
)
def test_what_is_no_version_number_is_refused(run: Run, number: Any) -> None:
    assert_refused(label(run, number=number), 400, "invalid_request", "version")


def test_it_is_told_in_the_traces(run: Run) -> None:
    label(run)
    run.client.delete(run.path("versions", 1, "labels", "good"))

    given, taken = (
        run.client.get("/v1/traces", {"action": action}).body["data"][0]
        for action in ("version.labelled", "version.unlabelled")
    )

    assert given["details"] == taken["details"] == {"label": "good", "version": 1}


def test_a_session_of_another_project_is_not_found(
    api: Clients, run: Run, make_key: Keys, other_project: Project
) -> None:
    stranger = api(make_key(project=other_project))
    path = run.path("versions", 1, "labels")

    assert_refused(stranger.post(path, {"label": "x"}), 404, "session_not_found")
    assert_refused(stranger.delete(f"{path}/x"), 404, "session_not_found")
