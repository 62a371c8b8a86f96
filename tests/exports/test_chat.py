"""Conversations in OpenAI's chat form, read back by a reader of the test's own."""

import json
from typing import Any

import pytest

from apps.exports.telling.chat import Untold, line, messages_of, messages_of_turns

SEAT = {"type": "text", "text": "seat 4A"}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}
ASKED = {"id": "c1", "function": {"name": "book", "arguments": '{"seat": "4A"}'}}


def read(text: bytes) -> dict[str, Any]:
    """Read a line as the published form says, knowing nothing of who wrote it."""
    assert text.count(b"\n") == 1
    told: dict[str, Any] = json.loads(text)
    assert set(told) == {"messages", "tools", "metadata"}
    names = {tool["function"]["name"] for tool in told["tools"]}
    open_calls: list[str] = []
    for message in told["messages"]:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            assert isinstance(message["content"], str)
            continue
        assert not open_calls
        for call in message.get("tool_calls", []):
            assert call["type"] == "function"
            assert call["function"]["name"] in names
            json.loads(call["function"]["arguments"])
            open_calls.append(call["id"])
        assert isinstance(message["content"], str) or open_calls
    assert not open_calls
    return told


def test_messages_of_langchain_become_those_of_openai() -> None:
    said = [
        {"type": "human", "content": "Book it."},
        {"type": "ai", "content": "", "tool_calls": [ASKED]},
        {"type": "tool", "tool_call_id": "c1", "content": {"ok": True}},
        {"type": "ai", "content": "Booked."},
    ]
    told = read(line(messages_of(said), {"session_id": "sess_1"}))
    assert [one["role"] for one in told["messages"]] == [
        *("user", "assistant", "tool", "assistant"),
    ]
    (call,) = told["messages"][1]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"seat": "4A"}
    assert told["messages"][2]["content"] == '{"ok":true}'
    assert told["metadata"] == {"session_id": "sess_1"}


def test_a_turn_of_a_tool_is_a_call_and_its_result() -> None:
    turns = [
        ({"content": "Book it."}, {"content": "One moment."}),
        (
            {"type": "tool_call", "tool_metadata": {"name": "book", "args": {"n": 1}}},
            {"content": "done"},
        ),
    ]
    told = read(line(messages_of_turns(turns), {}))
    call, result = told["messages"][2:]
    assert call["tool_calls"][0]["id"] == result["tool_call_id"]
    assert json.loads(call["tool_calls"][0]["function"]["arguments"]) == {"n": 1}


def test_a_result_is_told_as_json_and_not_as_a_client_printed_it() -> None:
    called = {"type": "tool_call", "tool_metadata": {"name": "book", "args": {}}}
    result = {"type": "tool_response", "content": "{'ok': True}"}
    told = messages_of_turns([(called, result | {"output": {"ok": True}})])
    assert told[1]["content"] == '{"ok":true}'
    assert messages_of_turns([(called, result)])[1]["content"] == "{'ok': True}"


def test_parts_are_texts_where_they_say_texts_alone() -> None:
    said = [
        {"role": "user", "content": [{"type": "text", "text": "Book "}, SEAT]},
        {
            "role": "assistant",
            "content": [SEAT, {"type": "tool_use", "id": "c1", "name": "book"}],
            "tool_calls": [ASKED],
        },
        {"role": "tool", "tool_call_id": "c1", "content": [SEAT]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "book"}],
            "tool_calls": [ASKED],
        },
        {"role": "tool", "tool_call_id": "c1", "content": [SEAT, PICTURE]},
        {"role": "assistant", "content": [1, 2]},
    ]
    told = read(line(messages_of(said), {}))
    contents = [one["content"] for one in told["messages"]]
    assert contents[:4] == ["Book seat 4A", "seat 4A", "seat 4A", None]
    assert json.loads(contents[4]) == [SEAT, PICTURE]
    assert contents[5] == "[1,2]"


def test_pictures_stay_parts_as_openai_has_them() -> None:
    said = [
        {"role": "user", "content": [SEAT, PICTURE]},
        {"role": "assistant", "content": "A seat."},
    ]
    assert messages_of(said)[0]["content"] == [SEAT, PICTURE]


def test_names_and_texts_stay_what_they_are() -> None:
    hostile = "=1+1\n../../etc\0\u2028"
    told = read(
        line(messages_of([{"role": "user", "content": hostile}]), {"agent": hostile})
    )
    assert told["messages"][0]["content"] == hostile
    assert told["metadata"]["agent"] == hostile


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([], "nothing_said"),
        (["hello"], "no_messages"),
        ([{"role": "critic", "content": "no"}], "unknown_role"),
        ([{"role": "assistant", "tool_calls": [ASKED]}], "call_without_result"),
        ([{"role": "assistant", "tool_calls": [ASKED, ASKED]}], "call_named_twice"),
        ([{"role": "assistant", "tool_calls": [{"id": "c1"}]}], "call_without_name"),
        (
            [{"role": "assistant", "tool_calls": [{"name": "book"}]}],
            "call_without_id",
        ),
        (
            [{"role": "tool", "tool_call_id": "c1", "content": ""}],
            "result_without_call",
        ),
    ],
)
def test_what_the_form_cannot_hold_is_refused_whole(
    said: list[Any], reason: str
) -> None:
    with pytest.raises(Untold) as refused:
        messages_of(said)
    assert refused.value.reason == reason
