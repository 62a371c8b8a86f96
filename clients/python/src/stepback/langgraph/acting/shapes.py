"""What an interrupt asks people, and their answer in the shape that it expects.

Two shapes of others are understood: Agent Inbox (`action_request`, `config`; also as a
list) and LangChain's middleware (`action_requests` and `review_configs`, or one call as
`tool_approval`). Everything else is answered with `{approved, comment, arguments}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langgraph.types import Interrupt

from stepback.langgraph.readable import readable, text

Outcome = Mapping[str, Any]
# The key of an interrupt's value by which an effect says which approval it waits for.
MARK = "stepback_approval"
USUAL_TOOL = "interrupt"
LONGEST_TOOL, LONGEST_REASON = 200, 2_000


@dataclass(frozen=True, kw_only=True)
class Question:
    """One call that people are asked about; edited arguments pass the schema."""

    tool: str
    arguments: dict[str, Any]
    reason: str | None = None
    schema: Mapping[str, Any] | None = None


class Shape(Protocol):
    """How one kind of interrupt asks, and how it is answered."""

    @property
    def questions(self) -> Sequence[Question]: ...

    def answer(self, outcomes: Sequence[Outcome]) -> Any:
        """Return what the graph goes on with; an outcome for each question."""


def shape_of(interrupt: Interrupt[Any]) -> Shape:
    """Return the shape of what an interrupt asks."""
    value = interrupt.value
    requests = value if isinstance(value, list) else [value]
    if requests and all(_is_inbox(one) for one in requests):
        return Inbox(requests, is_list=isinstance(value, list))
    if _is_middleware(value):
        return Middleware(value)
    if _is_call(value) and value.get("type") == "tool_approval":
        return OneCall(value, interrupt.response_schema)
    return Other(value)


def approval_in(interrupt: Interrupt[Any]) -> str | None:
    """Return the approval that an effect waits for, if the interrupt is of one."""
    value = interrupt.value
    named = value.get(MARK) if isinstance(value, dict) else None
    return named if isinstance(named, str) else None


def plain_answer(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome in the shape of Stepback's own."""
    return {name: outcome.get(name) for name in ("approved", "comment", "arguments")}


class Inbox:
    """Agent Inbox: a `HumanResponse` for each `HumanInterrupt`."""

    def __init__(self, requests: Sequence[Mapping[str, Any]], *, is_list: bool) -> None:
        self._requests = requests
        self._is_list = is_list

    @property
    def questions(self) -> list[Question]:
        return [
            _question(
                one["action_request"]["action"],
                one["action_request"]["args"],
                one.get("description"),
                None if one["config"].get("allow_edit") else UNCHANGED,
            )
            for one in self._requests
        ]

    def answer(self, outcomes: Sequence[Outcome]) -> Any:
        pairs = zip(self._requests, outcomes, strict=True)
        found = [_human_response(one, outcome) for one, outcome in pairs]
        return found if self._is_list else found[0]


class Middleware:
    """LangChain's middleware, all calls of a turn at once: `{"decisions": [...]}`."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._actions = value["action_requests"]
        self._configs = {one["action_name"]: one for one in value["review_configs"]}

    @property
    def questions(self) -> list[Question]:
        return [
            _question(
                one["name"],
                one["args"],
                one.get("description"),
                self._config(one).get("args_schema")
                if "edit" in self._allowed(one)
                else UNCHANGED,
            )
            for one in self._actions
        ]

    def answer(self, outcomes: Sequence[Outcome]) -> Any:
        pairs = zip(self._actions, outcomes, strict=True)
        return {
            "decisions": [_decision(*pair, self._allowed(pair[0])) for pair in pairs]
        }

    def _allowed(self, action: Mapping[str, Any]) -> Sequence[str]:
        return list(self._config(action).get("allowed_decisions") or ())

    def _config(self, action: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._configs.get(action["name"], {})
        return found


class OneCall:
    """LangChain's middleware, each call by itself: one decision.

    What may be decided, and how arguments may be edited, stands in the schema of the
    answer.
    """

    def __init__(self, value: Mapping[str, Any], schema: Any) -> None:
        self._value = value
        self._branches = _branches(schema if isinstance(schema, dict) else {})

    @property
    def questions(self) -> list[Question]:
        schema = self._branches.get("edit", UNCHANGED)
        value = self._value
        said = value.get("description")
        return [_question(value["name"], value["args"], said, schema)]

    def answer(self, outcomes: Sequence[Outcome]) -> Any:
        return _decision(self._value, outcomes[0], list(self._branches))


class Other:
    """Anything else that a graph asks."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @property
    def questions(self) -> list[Question]:
        shown = readable(self._value)
        arguments = shown if isinstance(shown, dict) else {"value": shown}
        return [_question(USUAL_TOOL, arguments, None, None)]

    def answer(self, outcomes: Sequence[Outcome]) -> Any:
        return plain_answer(outcomes[0])


# Stands for a schema that takes the arguments as they are, and no others.
UNCHANGED: Mapping[str, Any] = {"const": None}


def _question(
    tool: str, arguments: Any, reason: Any, schema: Mapping[str, Any] | None
) -> Question:
    shown = readable(arguments)
    if schema is UNCHANGED:
        schema = {"const": shown}
    name = "".join(one for one in text(tool) if one.isprintable()).strip()
    said = text(reason).replace("\x00", "") if isinstance(reason, str) else ""
    return Question(
        tool=name[:LONGEST_TOOL] or USUAL_TOOL,
        arguments=shown,
        reason=said[:LONGEST_REASON] or None,
        schema=schema,
    )


def _human_response(request: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
    """Return what Agent Inbox would send: accept, edit, response or ignore."""
    config, action = request["config"], request["action_request"]
    comment = outcome.get("comment") or ""
    if not outcome["approved"]:
        if config.get("allow_respond") and (comment or not config.get("allow_ignore")):
            return {"type": "response", "args": comment}
        return {"type": "ignore", "args": None}
    if outcome["edited"]:
        return {"type": "edit", "args": {**action, "args": outcome["arguments"]}}
    if config.get("allow_accept"):
        return {"type": "accept", "args": dict(action)}
    if config.get("allow_edit"):
        return {"type": "edit", "args": dict(action)}
    return {"type": "response", "args": comment}


def _decision(
    action: Mapping[str, Any], outcome: Outcome, allowed: Sequence[str]
) -> dict[str, Any]:
    """Return a decision of LangChain's; what it does not allow, it refuses itself."""
    comment = outcome.get("comment")
    if not outcome["approved"]:
        return {"type": "reject"} | ({"message": comment} if comment else {})
    edited = {"name": action["name"], "args": outcome["arguments"]}
    if outcome["edited"]:
        return {"type": "edit", "edited_action": edited}
    if "approve" in allowed or not allowed:
        return {"type": "approve"}
    if "respond" in allowed:
        return {"type": "respond", "message": comment or ""}
    return {"type": "edit", "edited_action": edited}


def _branches(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any] | None]:
    """Return which decisions an answer may be; of `edit`, the arguments' schema."""
    inner = schema.get("$defs", {})
    found: dict[str, Mapping[str, Any] | None] = {}
    for one in schema.get("oneOf", [schema]):
        branch = _followed(one, inner)
        kind = _followed(branch.get("properties", {}).get("type", {}), inner)
        named = kind.get("const", (kind.get("enum") or [None])[0])
        if isinstance(named, str):
            found[named] = _arguments_in(branch, inner) if named == "edit" else None
    return found


def _arguments_in(
    branch: Mapping[str, Any], inner: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    action = _followed(branch.get("properties", {}).get("edited_action", {}), inner)
    found = action.get("properties", {}).get("args")
    return {**found, "$defs": inner} if isinstance(found, dict) else None


def _followed(schema: Any, inner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a schema says, where it only refers to one beside it."""
    found = schema if isinstance(schema, dict) else {}
    named = str(found.get("$ref", "")).rpartition("/")[2]
    other = inner.get(named)
    return other if isinstance(other, dict) else found


def _is_inbox(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("config"), dict):
        return False
    action = value.get("action_request")
    return (
        isinstance(action, dict)
        and isinstance(action.get("action"), str)
        and isinstance(action.get("args"), dict)
    )


def _is_middleware(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    actions, configs = value.get("action_requests"), value.get("review_configs")
    return (
        isinstance(actions, list)
        and isinstance(configs, list)
        and bool(actions)
        and all(_is_call(one) for one in actions)
        and all(isinstance(one, dict) and "action_name" in one for one in configs)
    )


def _is_call(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("args"), dict)
    )
