"""What a turn reports of its tool and its time, and what is not guessed."""

import pytest

from apps.timeline.hooks.reported import facts

CALL = {"type": "tool_call", "content": "x", "tool_metadata": {"name": "pay"}}
FINE = {"type": "tool_response", "content": "ok", "output": {"is_error": True}}


@pytest.mark.parametrize(
    ("said", "metadata", "name"),
    [
        (CALL, None, "pay"),
        (CALL, {"tool_name": "other"}, "pay"),
        ({"type": "text", "content": "Hi"}, {"tool_name": "pay"}, "pay"),
        ({"type": "text", "content": "Hi"}, {"tool_used": "pay"}, "pay"),
        ({"type": "text", "content": "Hi"}, {"tool_name": 5, "tool_used": "p"}, "p"),
        ({**CALL, "tool_metadata": {"name": "x" * 300}}, None, "x" * 200),
    ],
)
def test_a_tool_is_named(said, metadata, name) -> None:
    assert facts(said, FINE, metadata) == {"tool_name": name, "tool_failed": False}


@pytest.mark.parametrize(
    ("said", "metadata"),
    [
        ({"type": "text", "content": "Hi"}, None),
        ({"type": "tool_call", "tool_metadata": {"name": ""}}, {}),
        ({"type": "tool_call", "tool_metadata": "pay"}, {}),
        ({"type": "tool_call"}, {"tool_name": " ", "tool_used": None}),
        ({"type": ["tool_call"], "tool_metadata": {"name": "pay"}}, {}),
        # What is to be called, not what came of it.
        ({"tool_calls": [{"function": {"name": "pay"}}]}, {"success": False}),
    ],
)
def test_without_a_tool_none_is_told_and_none_failed(said, metadata) -> None:
    assert facts(said, {"type": "error"}, metadata) == {}


@pytest.mark.parametrize(
    ("answered", "metadata"),
    [
        ({"type": "error", "content": "x"}, None),
        ({"type": "tool_response", "is_error": True}, {}),
        (FINE, {"success": False}),
        (FINE, {"error_type": "Timeout"}),
    ],
)
def test_a_call_failed(answered, metadata) -> None:
    assert facts(CALL, answered, metadata)["tool_failed"] is True


@pytest.mark.parametrize(
    "metadata", [{"success": 0}, {"success": None}, {"error_type": ""}, {}]
)
def test_a_call_that_did_not_say_so_did_not_fail(metadata) -> None:
    answered = {"type": "tool_response", "is_error": "true"}

    assert facts(CALL, answered, metadata)["tool_failed"] is False


@pytest.mark.parametrize(
    ("given", "told"), [(0, 0), (12, 12), (12.6, 13), (86_400_000, 86_400_000)]
)
def test_a_latency_is_whole_milliseconds(given, told) -> None:
    assert facts({}, {}, {"latency_ms": given}) == {"latency_ms": told}


@pytest.mark.parametrize(
    "given",
    [-1, True, "12", None, [], 86_400_001, 10**4000, float("nan"), float("inf")],
    ids=["negative", "true", "text", "null", "list", "long", "huge", "nan", "inf"],
)
def test_what_is_no_latency_is_not_told(given) -> None:
    assert facts({}, {}, {"latency_ms": given}) == {}
