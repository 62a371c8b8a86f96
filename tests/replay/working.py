"""The working state that an airline agent would keep, step after step.

Pure: each function returns a new state and leaves the old one alone, so that every
prefix of a run has one state, however often and wherever it is computed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, TypeAlias

State: TypeAlias = dict[str, Any]

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_PROMISE = re.compile(r"\b(will|'ll|has been|have been|can offer)\b", re.IGNORECASE)
_KINDS = {
    "refund": "refund",
    "certificate": "certificate",
    "voucher": "certificate",
    "compensat": "compensation",
}
_KIND = re.compile(rf"\b({'|'.join(_KINDS)})", re.IGNORECASE)
_CONDITIONAL = re.compile(r"^\W*(if|once|should)\b|\?\s*$", re.IGNORECASE)
_AMOUNT = re.compile(r"\$(\d[\d,]*(?:\.\d+)?)")
_CERTIFICATE = re.compile(r"Certificate (\S+) added")
_SUMMARY = ("origin", "destination", "flight_type", "cabin", "insurance", "status")
_CHANGING = ("book_reservation", "cancel_reservation")


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call and what it returned; `key` is its id, made unique in the run."""

    key: str
    id: str
    name: str
    arguments: dict[str, Any]
    content: str | None

    @property
    def failed(self) -> bool:
        return self.content is None or self.content.startswith("Error")

    @property
    def result(self) -> Any:
        """What was returned, as a value where it is JSON."""
        try:
            return json.loads(self.content or "")
        except ValueError:
            return self.content

    @property
    def changes_reservation(self) -> bool:
        return self.name in _CHANGING or self.name.startswith("update_reservation")


def initial() -> State:
    """Return the state before anything was said."""
    return {
        "step": 0,
        "status": "new",
        "user": None,
        "reservations_seen": {},
        "reservations_changed": {},
        "last_tool": None,
        "promised": [],
        "given": [],
    }


def called(state: State, call: Call) -> State:
    """Return the state after a tool call."""
    last = {"name": call.name, "id": call.id, "failed": call.failed}
    state = state | {"last_tool": last | {"arguments": call.arguments}}
    if call.failed:
        return state | {"status": "tool_failed"}
    if call.name == "transfer_to_human_agents":
        return state | {"status": "transferred"}
    state = _user_known(state, call) | {"status": "working"}
    if call.name == "send_certificate":
        return _given(state, call)
    return _reservation_known(state, call)


def answered(state: State, text: str) -> State:
    """Return the state after the agent has spoken to the user."""
    found = [_promise(sentence, state["step"]) for sentence in _SENTENCE.split(text)]
    promised = [*state["promised"], *(promise for promise in found if promise)]
    status = state["status"]
    status = status if status == "transferred" else "waiting_for_user"
    return state | {"status": status, "promised": promised}


def ended(state: State) -> State:
    """Return the state after the user's last word."""
    status = state["status"]
    return state | {"status": status if status == "transferred" else "ended"}


def _user_known(state: State, call: Call) -> State:
    details = call.result
    if not isinstance(details, dict):
        return state
    if call.name == "get_user_details":
        name = details.get("name") or {}
        user = {
            "id": call.arguments.get("user_id"),
            "name": " ".join(name.values()),
            "membership": details.get("membership"),
            "payment_methods": details.get("payment_methods"),
        }
        return state | {"user": user}
    if state["user"] is None and "user_id" in details:
        return state | {"user": {"id": details["user_id"]}}
    return state


def _reservation_known(state: State, call: Call) -> State:
    details = call.result
    if not isinstance(details, dict) or "reservation_id" not in details:
        return state
    code = details["reservation_id"]
    summary = {name: details.get(name) for name in _SUMMARY}
    summary["flights"] = details.get("flights", [])
    summary["passengers"] = len(details.get("passengers", []))
    seen = state["reservations_seen"] | {code: summary}
    state = state | {"reservations_seen": seen}
    if not call.changes_reservation:
        return state
    changes = state["reservations_changed"]
    change = {"tool": call.name, "step": state["step"]}
    changed = changes | {code: [*changes.get(code, []), change]}
    return state | {"reservations_changed": changed}


def _given(state: State, call: Call) -> State:
    found = _CERTIFICATE.search(call.content or "")
    gift = {
        "certificate": found[1] if found else None,
        "amount": call.arguments.get("amount"),
        "step": state["step"],
    }
    return state | {"given": [*state["given"], gift]}


def _promise(sentence: str, step: int) -> dict[str, Any] | None:
    """Return what a sentence promises; questions and conditions promise nothing."""
    kind = _KIND.search(sentence)
    if not kind or not _PROMISE.search(sentence) or _CONDITIONAL.search(sentence):
        return None
    amount = _AMOUNT.search(sentence)
    return {
        "kind": _KINDS[kind[1].lower()],
        "amount": float(amount[1].replace(",", "")) if amount else None,
        "step": step,
    }
