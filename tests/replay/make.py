"""Runs made by hand, with what recorded ones have and what they may have.

Calls side by side, an id used twice, a tool that fails, arguments that are no JSON,
a promise, a gift, and the user's last word.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

USER = {
    "name": {"first_name": "Ada", "last_name": "Byron"},
    "membership": "gold",
    "payment_methods": {"gift_card_1": {"source": "gift_card", "amount": 1e3}},
}
RESERVATION = {
    "reservation_id": "ABC123",
    "user_id": "ada_byron_1",
    "origin": "JFK",
    "destination": "SEA",
    "flights": [{"flight_number": "HAT1", "price": 99.50}],
    "passengers": [{"first_name": "Ada"}],
}


def make_run(name: str = "task-0-trial-0", *, bonus: int = 50) -> dict[str, Any]:
    """Return a run of eight steps; `bonus` is what the agent gives away."""
    return {
        "run": name,
        "task_id": 0,
        "trial": 0,
        "reward": 1.0,
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You help travellers."},
            {"role": "user", "content": "I am ada_byron_1, cancel ABC123 — s'il vous"},
            *called(
                ("call_1", "get_user_details", {"user_id": "ada_byron_1"}, USER),
                ("call_2", "get_reservation_details", {"id": "ABC123"}, RESERVATION),
            ),
            said("Shall I cancel it, and would you like a $20 refund?"),
            {"role": "user", "content": "Yes"},
            {"role": "user", "content": "please \u0000 \U0001f6eb"},
            *called(("call_1", "cancel_reservation", "{not JSON", "Error: try again")),
            *called(
                (
                    "call_3",
                    "cancel_reservation",
                    {"reservation_id": "ABC123"},
                    RESERVATION | {"status": "cancelled"},
                )
            ),
            *called(
                (
                    "call_4",
                    "send_certificate",
                    {"user_id": "ada_byron_1", "amount": bonus},
                    f"Certificate certificate_9 added to user with amount {bonus}.",
                )
            ),
            *called(("call_5", "think", {"thought": "All is done."}, "")),
            said(
                f"Done. You will get a ${bonus:,} certificate. The refund will follow."
            ),
            {"role": "user", "content": "Thanks ###STOP###"},
        ],
    }


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def called(*calls: tuple[str, str, Any, Any]) -> list[dict[str, Any]]:
    """Return the message that calls tools side by side, and their answers."""
    asked = [
        {"id": id, "type": "function", "function": _function(name, arguments)}
        for id, name, arguments, _ in calls
    ]
    answers = [
        {"role": "tool", "tool_call_id": id, "name": name, "content": _text(result)}
        for id, name, _, result in calls
    ]
    return [{"role": "assistant", "content": None, "tool_calls": asked}, *answers]


def make_file(folder: Path, *runs: dict[str, Any]) -> Path:
    """Write the runs as a file of recorded runs."""
    path = folder / "runs.jsonl"
    path.write_text("".join(f"{json.dumps(run)}\n" for run in runs))
    return path


def _function(name: str, arguments: Any) -> dict[str, str]:
    return {"name": name, "arguments": _text(arguments)}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
