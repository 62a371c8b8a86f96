"""Requests to try out in the documentation: a trip that loses its destination.

Without them the page fills in every optional field there is, and what it then sends
is refused. A test sends each of them.
"""

from typing import Any

from drf_spectacular.utils import OpenApiExample


def _example(name: str, value: dict[str, Any]) -> list[OpenApiExample]:
    return [OpenApiExample(name, value=value, request_only=True)]


CREATE = _example(
    "A trip begins",
    {
        "agent_id": "travel-agent",
        "user_id": "u_17",
        "initial_state": {"step": "gathering_info"},
        "tasks": [{"id": "flight", "title": "Book a flight"}],
        "facts": [{"key": "price", "value": 620, "source": "airline.example"}],
    },
)
UPDATE = _example(
    "A destination is named",
    {"state": {"destination": "NYC"}, "reasoning": "User named a destination"},
)
REPLACE = _example(
    "The state as a whole",
    {"state": {"step": "searching", "destination": "NYC"}},
)
ROLLBACK = _example(
    "One version back", {"version": -1, "reason": "The destination was lost"}
)
UNDO = _example("The rollback that is the head", {"reason": "It was fine"})
HOLD = _example("With a reason", {"reason": "Looking into it"})
FORK = _example(
    "Look into the head", {"state": {"debug": True}, "reason": "What went wrong?"}
)
PROMOTE = _example(
    "A fork in which it was put right",
    {"fork": "sess_01JD0000000000000000000000", "expected_version": 2},
)
REVERT = _example(
    "One version", {"first_version": 1, "last_version": 1, "expected_version": 2}
)
RESTORE = _example(
    "The destination",
    {"version": 1, "pointers": ["/destination"], "expected_version": 3},
)
BISECT = _example(
    "Since when there is no destination", {"check": "NOT state.destination=null"}
)
BUNDLE = _example("Without the customer's address", {"masks": ["/customer/email"]})
METADATA = _example("A title", {"metadata": {"title": "Trip to New York"}})
TURN = _example(
    "A turn that leaves another state",
    {
        "input": "Book a flight to NYC",
        "output": "Searching flights...",
        "state_after": {"destination": "NYC", "searching": True},
    },
)
CONTEXT = _example("The last five turns", {"turn_limit": 5})
LABEL = _example("Known good", {"label": "known-good"})
NOTE = _example(
    "For whoever looks next", {"text": "Customer was called back", "version": 0}
)
SUMMARY = _example(
    "The first turn",
    {"first_turn": 1, "last_turn": 1, "text": "Wants a flight to New York in May."},
)
REVIEW = _example(
    "It went wrong", {"outcome": "failed", "why": "The refund was promised, not made"}
)
SCORE = _example("A test run passed", {"name": "success", "value": 1})
WRITES = _example(
    "What a task wrote",
    {
        "checkpoint_id": "1f0c2c9e-6f1a-6b51-8003-0242ac120002",
        "task_id": "book",
        "writes": [
            {"index": 0, "channel": "seat", "type": "json", "base64": "IjEyQSI="}
        ],
    },
)
FACTS = _example("What the ticket costs now", {"values": {"price": 620}})
TASK = _example("It is done", {"status": "completed", "note": "Booked: PNR X7K2"})
HAND_OFF = _example("The head", {"to_agent": "reviewer"})
HIDE = _example("The first version", {"first_version": 0, "last_version": 0})
BATCH = _example(
    "Two steps at once",
    {
        "versions": [
            {"state": {"step": 1}, "reasoning": "First"},
            {"state": {"step": 2}, "reasoning": "Second"},
        ]
    },
)
EFFECT = _example(
    "A mail is about to be sent",
    {
        "key": "confirm-booking",
        "tool": "send_mail",
        "arguments": {"to": "u_17", "template": "booking_confirmed"},
        "class": "irreversible",
    },
)
COMPENSATION = _example("The agent is asked to put it right", {"status": "requested"})
FORGET = _example(
    "The tool was down", {"tool": "search_flights", "reason": "It was down."}
)
FINISH = _example(
    "It was sent", {"attempt": 1, "status": "done", "result": {"id": "mail_1"}}
)
