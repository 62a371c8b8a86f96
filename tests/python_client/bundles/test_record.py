"""What a bundle records: calls told of more than once are one, in their order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepback.bundles.differing import first_difference
from stepback.bundles.record import Record, digest_of, record_of
from tests.python_client.bundles import made


def record(**given: Any) -> Record:
    return record_of(json.loads(one) for one in made.trajectory(**given).splitlines())


def effect(tool: str, arguments: Any, result: Any, **more: Any) -> dict[str, Any]:
    told = {"type": "effect", "key": "k", "tool": tool, "number": 0, "status": "done"}
    told |= {"created_at": "2026-11-27T10:00:09Z"}
    return {**told, "arguments": arguments, "result": result, **more}


def asked(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "function": function}]}


def answered(content: str, call_id: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_versions_that_a_rollback_set_aside_are_no_part_of_it() -> None:
    versions = [
        made.version(0, {"n": 0}),
        made.version(1, {"n": 1}, set_aside_by=2),
        made.version(2, {"n": 0}),
        made.version(3, {"n": 3}),
    ]
    aside = made.call("lost", {}, 1, 1)
    found = record(versions=versions, beside=[aside, effect("lost", {}, 1, number=1)])

    # The rollback itself changes nothing against what it restored.
    assert [one.version for one in found.states] == [0, 3]
    assert found.calls == found.beside == []


def test_calls_of_messages_have_the_answer_that_follows_them() -> None:
    messages = [
        asked("find", {"a": 1}),
        answered("first"),
        asked("find", {"a": 2}),
        answered("second"),
        asked("find", {"a": 3}, "c9"),
    ]

    found = record(beside=[], messages=messages)

    assert [one.result for one in found.calls] == ["first", "second", None]
    assert [one.trouble for one in found.calls] == [None, None, "not answered"]


def test_messages_of_langchain_in_a_state_are_read_as_well() -> None:
    messages = [
        {"type": "human", "content": "Hello"},
        {"type": "ai", "tool_calls": [{"name": "find", "args": {"a": 1}, "id": "c1"}]},
        {"type": "tool", "tool_call_id": "c1", "content": "found"},
    ]

    found = record(states=[{"messages": messages}], beside=[], messages=None)

    assert [one["content"] for one in found.messages] == ["Hello"]
    assert [(one.tool, one.result) for one in found.calls] == [("find", "found")]


def test_a_call_that_all_three_tell_of_is_one_with_the_effects_result() -> None:
    beside = [
        made.call("find", {"a": 1.0}, "reported", 1),
        effect("find", {"a": 1}, {"whole": True}),
        effect("alone", {}, 5),
    ]

    found = record(beside=beside, messages=[asked("find", {"a": 1}), answered("text")])

    assert [one.result for one in found.calls] == [{"whole": True}]
    assert [one.tool for one in found.beside] == ["alone"]


def test_who_tells_of_the_most_calls_is_believed() -> None:
    beside = [made.call("find", {}, n, n) for n in (1, 2)] + [effect("find", {}, 9)]

    assert [one.result for one in record(beside=beside).calls] == [1, 2]


@pytest.mark.parametrize("status", ["failed", "unknown", "begun"])
def test_what_returned_nothing_is_known_as_such(status: str) -> None:
    found = record(beside=[effect("pay", {}, None, status=status)])

    assert [one.trouble for one in found.calls] == [status]


def test_a_result_that_is_kept_elsewhere_is_not_there() -> None:
    (call,) = record(
        beside=[effect("pay", {}, None, result_reference="s3://b/1")]
    ).calls

    assert call.trouble == "kept elsewhere, at s3://b/1"


def test_one_number_has_one_digest_and_true_is_no_number() -> None:
    assert digest_of({"a": 1, "b": [2.0]}) == digest_of({"b": [2], "a": 1.0})
    assert digest_of(True) != digest_of(1)


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1}, {"a": 1.0}, None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("/a/1/b", 2, 3)),
        ({"a/b": 1}, {}, ("/a~1b", 1, None)),
        ({}, {"c": 1}, ("/c", None, 1)),
        ([1], [1, 2], ("/1", None, 2)),
        ([1, 2], [1], ("/1", 2, None)),
        (True, 1, ("", True, 1)),
        ({"a": {}}, {"a": []}, ("/a", {}, [])),
        ({"a": None}, {"a": None}, None),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}]}, None),
    ],
)
def test_the_first_difference_of_two_values(one: Any, other: Any, found: Any) -> None:
    assert first_difference(one, other) == found
