"""Turns: numbered, kept whole, and a version only when they leave another state."""

from typing import Any

import pytest

from apps.timeline.models import Version
from tests.timeline.runs import Begin, Run, assert_refused

pytestmark = pytest.mark.django_db


def versions_of(run: Run) -> Any:
    return Version.objects.filter(session_id=run.id).count()


def test_the_first_turn_has_number_1(run: Run) -> None:
    answer = run.client.post(
        run.path("turns"),
        {"input": "Book it", "output": "Done", "reasoning": "Asked.", "trace_id": "t"},
    )

    turn = answer.body
    assert answer.status == 201
    assert answer.headers["ETag"] == '"v2"'
    assert turn["object"] == "turn"
    assert turn["id"].startswith("turn_")
    assert turn["session_id"] == run.id
    assert turn["turn_number"] == 1
    assert turn["input"] == {"type": "text", "content": "Book it"}
    assert turn["output"] == {"type": "text", "content": "Done"}
    assert (turn["input_preview"], turn["output_preview"]) == ("Book it", "Done")
    assert (turn["reasoning"], turn["trace_id"]) == ("Asked.", "t")
    assert turn["state_before"] is turn["state_after"] is turn["metadata"] is None
    assert turn["created_at"].endswith("Z")


def test_turns_are_numbered_without_gaps(run: Run) -> None:
    numbers = [run.turn(state_after={"n": n % 2})["turn_number"] for n in range(4)]

    assert numbers == [1, 2, 3, 4]


def test_without_a_state_it_makes_no_version(run: Run) -> None:
    turn = run.turn()

    assert (turn["version"], turn["made_version"]) == (2, False)
    assert versions_of(run) == 3


def test_another_state_makes_a_version_and_replaces_the_state(run: Run) -> None:
    turn = run.turn(state_after={"city": "Oslo"}, reasoning="Cheaper.")

    assert (turn["version"], turn["made_version"]) == (3, True)
    assert turn["state_after"] == {"city": "Oslo"}
    assert run.state == {"city": "Oslo"}
    version = run.get("versions", 3)
    assert (version["op"], version["reasoning"]) == ("turn", "Cheaper.")


@pytest.mark.parametrize(
    "same", [{"step": 2, "city": "NYC"}, {"city": "NYC", "step": 2}]
)
def test_the_state_of_the_head_makes_no_version(run: Run, same: Any) -> None:
    turn = run.turn(state_after=same)

    assert (turn["version"], turn["made_version"]) == (2, False)
    assert turn["state_after"] == {"step": 2, "city": "NYC"}
    assert versions_of(run) == 3


@pytest.mark.parametrize("other", [2.0, "2", True, None])
def test_a_value_of_another_type_is_another_state(run: Run, other: Any) -> None:
    turn = run.turn(state_after={"step": other, "city": "NYC"})

    assert turn["made_version"] is True
    assert repr(run.state["step"]) == repr(other)


def test_other_parts_make_a_version_and_keep_the_state(run: Run) -> None:
    turn = run.turn(messages=["hi"])

    assert turn["made_version"] is True
    assert turn["state_after"] is None
    checkpoint = run.get("checkpoint")
    assert checkpoint["messages"] == ["hi"]
    assert checkpoint["state"] == {"step": 2, "city": "NYC"}
    assert run.turn(messages=["hi"])["made_version"] is False


@pytest.mark.parametrize("before", [{"step": 2, "city": "NYC"}, {"step": 99}, {}])
def test_it_keeps_the_state_that_the_agent_had_before(run: Run, before: Any) -> None:
    turn = run.turn(state_before=before, state_after={"step": 3})
    run.patch({"step": 4})

    read = run.get("turns", turn["id"])

    assert turn["state_before"] == read["state_before"] == before
    assert read["state_after"] == {"step": 3}


def test_a_tool_call_is_kept_whole(run: Run) -> None:
    said = {
        "type": "tool_call",
        "content": "Call tool search with {'city': 'Oslo'}",
        "tool_metadata": {"name": "search", "arguments": {"n": 2**70}, "id": "c1"},
    }
    heard = {"type": "tool_response", "content": "[]", "output": [], "is_error": False}

    turn = run.turn(said, heard)

    assert turn["input"] == said
    assert turn["output"] == heard
    assert run.get("turns", turn["id"]) == turn


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"city": "Oslo"}, '{"city":"Oslo"}'),
        ([1, {"a": None}], '[1,{"a":null}]'),
        (5, "5"),
        (True, "true"),
        (None, ""),
    ],
)
def test_content_that_is_no_text_is_given_as_text_and_as_it_was(
    run: Run, content: Any, text: Any
) -> None:
    turn = run.turn({"type": "image", "content": content}, "ok")

    assert turn["input"] == {"type": "image", "content": text, "content_json": content}
    assert turn["input_preview"] == text


def test_without_content_there_is_an_empty_text(run: Run) -> None:
    turn = run.turn({"url": "s3://x"}, {})

    assert turn["input"]["content"] == turn["output"]["content"] == ""
    assert turn["input"]["type"] == turn["output"]["type"] == "text"
    assert turn["input"]["url"] == "s3://x"


def test_any_type_is_taken(run: Run) -> None:
    turn = run.turn({"type": "thought", "content": "x"}, {"type": "?", "content": "y"})

    assert (turn["input"]["type"], turn["output"]["type"]) == ("thought", "?")


def test_previews_are_short(run: Run) -> None:
    turn = run.turn("ä" * 500, "")

    assert turn["input_preview"] == "ä" * 200
    assert turn["input"]["content"] == "ä" * 500
    assert turn["output_preview"] == ""


def test_metadata_is_kept(run: Run) -> None:
    metadata = {"tokens": 412, "tool": {"name": "search", "success": None}}

    turn = run.turn(metadata=metadata)

    assert turn["metadata"] == run.get("turns", turn["id"])["metadata"] == metadata


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "input"),
        ({"input": "i"}, "output"),
        ({"input": None, "output": "o"}, "input"),
        ({"input": 5, "output": "o"}, "input"),
        ({"input": ["i"], "output": "o"}, "input"),
        ({"input": "i", "output": True}, "output"),
        ({"input": {"type": "t" * 101}, "output": "o"}, "input.type"),
        ({"input": {"type": "t\0"}, "output": "o"}, "input.type"),
        ({"input": "i", "output": "o", "metadata": [1]}, "metadata"),
        ({"input": "i", "output": "o", "reasoning": 1}, "reasoning"),
        ({"input": "i", "output": "o", "trace_id": "t" * 256}, "trace_id"),
    ],
)
def test_it_names_the_field_that_it_refuses_and_stores_nothing(
    run: Run, body: Any, param: Any
) -> None:
    answer = run.client.post(run.path("turns"), body)

    assert_refused(answer, 400, "invalid_request", param)
    assert run.get("turns")["data"] == []
    assert versions_of(run) == 3


@pytest.mark.parametrize("name", ["input", "output", "metadata"])
def test_what_could_not_be_read_again_is_refused(run: Run, name: Any) -> None:
    deep: Any = "x"
    for _ in range(130):
        deep = {"content": deep}

    answer = run.client.post(
        run.path("turns"), {"input": "i", "output": "o", name: deep}
    )

    assert (answer.status, answer.code) == (422, "unacceptable_json")
    assert (answer.param or "").startswith(f"/{name}/content")
    assert run.get("turns")["data"] == []


@pytest.mark.parametrize(
    ("order", "numbers"), [("desc", [5, 4, 3, 2, 1]), ("asc", [1, 2, 3, 4, 5])]
)
def test_pages_go_in_both_directions(run: Run, order: Any, numbers: Any) -> None:
    made = {run.turn()["turn_number"] for _ in range(5)}
    seen, query = [], {"limit": 2, "order": order}

    while True:
        page = run.get("turns", **query)
        seen += [turn["turn_number"] for turn in page["data"]]
        if not page["has_more"]:
            break
        query["starting_after"] = page["last_id"]

    assert seen == numbers
    assert made == set(numbers)


def test_the_newest_come_first_unless_asked_otherwise(run: Run) -> None:
    first, second = run.turn(), run.turn()

    page = run.get("turns")

    assert [turn["id"] for turn in page["data"]] == [second["id"], first["id"]]
    assert page["data"][0] == second
    assert (page["first_id"], page["last_id"]) == (second["id"], first["id"])
    assert page["has_more"] is False


@pytest.mark.parametrize(
    ("name", "value"),
    [("order", "newest"), ("limit", "101"), ("starting_after", "turn_unknown")],
)
def test_a_list_names_the_parameter_that_it_refuses(
    run: Run, name: Any, value: Any
) -> None:
    answer = run.client.get(run.path("turns"), {name: value})

    assert_refused(answer, 400, "invalid_request", name)


def test_a_turn_of_another_session_is_not_found(run: Run, begin: Begin) -> None:
    turn = begin().turn()

    answer = run.client.get(run.path("turns", turn["id"]))

    assert_refused(answer, 404, "turn_not_found")
    answer = run.client.get(run.path("turns"), {"starting_after": turn["id"]})
    assert_refused(answer, 400, "invalid_request", "starting_after")


@pytest.mark.parametrize("state", [None, {"step": 3}])
def test_a_repeated_request_is_done_once_and_answered_as_it_was(
    run: Run, state: Any
) -> None:
    body = {"input": "i", "output": "o", "state_after": state}
    first = run.client.post(run.path("turns"), body, Idempotency_Key="k")
    run.turn(state_after={"step": 9})

    again = run.client.post(run.path("turns"), body, Idempotency_Key="k")

    assert (again.status, again.body) == (201, first.body)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert run.get()["turn_count"] == 2


def test_turns_on_versions_set_aside_stay_in_the_record(run: Run) -> None:
    run.turn("a", state_after={"step": 3})
    run.rollback(0)

    assert [turn["version"] for turn in run.get("turns")["data"]] == [3]


def test_a_page_ends_before_states_that_do_not_fit(run: Run) -> None:
    large = "x" * 6_000_000
    for step in range(3):
        run.turn(state_after={"step": step, "large": large})

    pages = [run.get("turns")]
    pages.append(run.get("turns", starting_after=pages[0]["last_id"]))

    assert [page["has_more"] for page in pages] == [True, False]
    turns = [turn for page in pages for turn in page["data"]]
    assert [turn["state_after"]["step"] for turn in turns] == [2, 1, 0]


def test_a_single_turn_has_both_its_states_whatever_their_size(run: Run) -> None:
    before, after = {"large": "a" * 9_000_000}, {"large": "b" * 9_000_000}
    run.put(before)

    turn = run.turn(state_before=before, state_after=after)

    assert (turn["state_before"], turn["state_after"]) == (before, after)
