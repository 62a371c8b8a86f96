"""The client beside the OpenAPI document: every operation, parameter and answer.

Each method is called with all that it takes and with what it needs; what it would send
is held to the document, and what it returns is read from an answer that the document
allows. No server answers.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from stepback import Stepback, UnexpectedAnswer, calls
from stepback.answers import Page
from stepback.answers.base import Answer
from stepback.calls import Call
from tests.contracts.document import BINARY, Document

# Operations that have no method, and why.
ELSEWHERE = {
    "GET /v1/agents/{agent}/data/prefix/{prefix}": "list, as Anchor spells it",
    "DELETE /v1/agents/{agent}/data/prefix/{prefix}": "delete_prefix, as Anchor has it",
    "GET /v1/agents/{agent}/data/{key}/full": "read tells the same",
    "POST /v1/agents/{agent}/audit/verify": "verify, as Anchor's documents have it",
    "POST /v1/sessions/{session_id}/state": "replace_state, as StateBase spells it",
    "POST /v1/sessions/{session_id}/state/rollback": "rollback, as StateBase spells it",
    "GET /v1/sessions/{session_id}/state/history": "list_versions tells more",
    "GET /v1/dashboard/stats": "StateBase's dashboard; metrics tells more",
    "GET /v1/dashboard/keys": "StateBase's dashboard; keys are the console's",
    "POST /v1/dashboard/keys": "StateBase's dashboard; keys are the console's",
    "DELETE /v1/dashboard/keys/{key_id}": "as the two before",
    "GET /v1/plans/{export_id}/archive": "a file, which any HTTP client downloads",
    "POST /v1/blobs/missing": "save_files asks",
    "PUT /v1/blobs/{sha256}": "save_files sends bytes",
    "GET /v1/sessions/{session_id}/versions/{number}/files": "restore_files asks",
    "GET /v1/sessions/{session_id}/versions/{number}/files/{path}": "as the one before",
    "GET /v1/exports/{history_export_id}/file": "download reads it by ranges",
    "GET /v1/memories/search": "search, as StateBase's first client spells it",
    "POST /v1/sessions/{session_id}/memories": "add, with the session's id",
    "GET /v1/sessions/{session_id}/memories": "list, with the session's id",
    "POST /v1/sessions/{session_id}/memories/search": "search, as the two before",
    "PUT /v1/agents/{reference}": "update, as Anchor's older clients spell it",
}
# Parameters that no method sends, and why.
OTHER_NAMES = {
    "config": "metadata, as Anchor spells it",
    "updates": "state, as Anchor spells it",
    "reason": "reasoning, where both are taken",
    "new_agent_id": "agent_id, as StateBase spells it",
    "count": "version, negative",
    "turn_id": "version, which a turn tells",
    "targetTurnId": "version, which a turn tells",
    "at_turn_id": "version, which a turn tells",
    "source_session_id": "the session of the address",
    "offset": "starting_after has no limit",
    "tags": "tag, several at once",
    "top_k": "limit, as others spell it",
    "threshold": "min_similarity, as Anchor's console spells it",
    "memory_type": "type, as StateBase's examples spell it",
    "action": "decision, as others spell it",
    "results": "memories, as mem0 spells it",
    "preserve_audit": "nothing, in Anchor's words: the audit is always kept",
    "start_time": "start or created_after, as StateBase and Anchor spell it",
    "end_time": "end or created_before, as the one before",
}
# Of some operations alone.
NOT_SENT = {
    ("GET /v1/agents/{agent}/data", "key"): "read asks at the key's own address",
    ("POST /v1/agents/{agent}/data/batch", "items"): "entries",
    ("POST /v1/agents/{agent}/config/rollback", "version"): "target_version",
    ("GET /v1/traces", "session_id"): "asked at the address of the session's traces",
    ("POST /v1/memories/search", "type"): "types",
    ("GET /v1/memories", "type"): "types",
    ("GET /v1/memories", "query"): "search asks",
    # The reason says it.
    ("POST /v1/sessions/{session_id}/fork", "reasoning"): "reason",
    ("POST /v1/sessions/{session_id}/rollback", "reasoning"): "reason",
    ("POST /v1/sessions/{session_id}/undo", "reasoning"): "reason",
    ("POST /v1/handoffs/adopt", "reasoning"): "reason",
}
# Twice is once by what they do, so that they need no key.
ONCE_BY_NATURE = {
    "POST /v1/sessions/{session_id}/writes",
    "POST /v1/sessions/{session_id}/hidden",
    "POST /v1/shared/{name}/lease",
    "POST /v1/shared/{name}/lease/renew",
    "POST /v1/shared/{name}/lease/release",
}
# Takes any fields beside those that mean something to the server.
OPEN = {"PUT /v1/agents/{agent}/config"}
# One of two, which the document tells as one.
MERGED = {"DataKeyListOrEntry": ("DataKeyList", "DataEntry")}
# Left out of an answer only where a caller asks for little (Prefer: return=minimal).
ASKED_FOR = {"state"}
# Sends reads alone, and writes a file here.
WRITING = {"exports.download"}
DEEPEST = 8
NUMBERS = {"integer", "number"}
KINDS = {str: {"string"}, int: {"integer"}, bool: {"boolean"}, float: NUMBERS}
EVERYTHING = {"string", "integer", "number", "boolean", "array", "object", "null"}
VALUES = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "null": None}


class Recorder:
    """Stands where the network is, and keeps what would be sent."""

    read_timeout = None

    def __init__(self) -> None:
        self.calls: list[Call[Any]] = []

    def run(self, call: Call[Any]) -> Any:
        """Return what nobody has to wait for."""
        self.calls.append(call)
        return types.SimpleNamespace(
            is_pending=False,
            is_making=False,
            migrated_from=None,
            # Newer than the one that is had.
            version=2,
            fence=1,
        )


def methods(client: Stepback) -> Iterator[tuple[str, Any]]:
    yield "search", client.search
    yield "search_by_meaning", client.search_by_meaning
    for name, part in vars(client).items():
        if type(part).__module__.startswith("stepback._sync.") and name != "transport":
            for verb, method in inspect.getmembers(part, inspect.ismethod):
                if not verb.startswith("_") and f"{name}.{verb}" not in WRITING:
                    yield f"{name}.{verb}", method


def arguments(method: Any, *, whole: bool) -> dict[str, Any]:
    """Return a sample of each argument, or of those that have to be given."""
    hints, found = get_type_hints(method), {}
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            (story,) = get_args(hints[name])
            found |= sample(story) if whole else {}
        elif whole or parameter.default is parameter.empty:
            found[name] = sample(hints[name])
    return found


def sample(hint: Any) -> Any:
    """Return a value of this type, with all that it may have."""
    if typing.is_typeddict(hint):
        return {name: sample(one) for name, one in get_type_hints(hint).items()}
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return sample(next(one for one in inner if one is not type(None)))
    if origin is Literal:
        return inner[0]
    if origin is Sequence:
        return [sample(inner[0])]
    if origin is Mapping:
        return {"key": "value"}
    return {str: "x", int: 1, float: 1.5, bool: True}.get(hint, "anything")


@pytest.fixture(scope="module")
def sent() -> dict[str, list[Call[Any]]]:
    """What every method would send, with all arguments and with few."""
    found = {}
    with Stepback("sb_key", "http://nobody.invalid") as client:
        parts = [part for part in vars(client).values() if hasattr(part, "_transport")]
        recorder = Recorder()
        client.transport, transport = recorder, client.transport  # type: ignore[assignment]
        for part in parts:
            part._transport = recorder
        for name, method in methods(client):
            recorder.calls = []
            for whole in (True, False):
                method(**arguments(method, whole=whole))
            found[name] = recorder.calls
        client.transport = transport
    return found


def operation_of(document: Document, call: Call[Any]) -> str:
    """Return the operation that a call is of; fixed words go before parameters."""
    found = [
        name
        for name in document.operations()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", name), f"{call.method} {call.path}")
    ]
    assert found, f"{call.method} {call.path} is no operation."
    return min(found, key=lambda name: name.count("{"))


@pytest.fixture(scope="module")
def by_operation(
    document: Document, sent: dict[str, list[Call[Any]]]
) -> dict[str, list[Call[Any]]]:
    found: dict[str, list[Call[Any]]] = {}
    for made in sent.values():
        for call in made:
            found.setdefault(operation_of(document, call), []).append(call)
    return found


def test_every_operation_has_a_method_or_is_told_not_to(
    document: Document, by_operation: dict[str, list[Call[Any]]]
) -> None:
    known = set(document.operations())

    assert known - set(by_operation) == set(ELSEWHERE)


def test_every_parameter_can_be_said_and_none_is_invented(
    document: Document, by_operation: dict[str, list[Call[Any]]]
) -> None:
    for name, made in by_operation.items():
        told = document.operations()[name]
        inside = {
            one["name"] for one in told.get("parameters", ()) if one["in"] == "query"
        }
        inside |= set(properties(document, body_of(told)))
        said = {part for call in made for part in (*call.query, *(call.body or {}))}
        excused = {part for operation, part in NOT_SENT if operation == name}

        if name in OPEN:
            continue
        assert said <= inside, name
        assert inside - said <= set(OTHER_NAMES) | excused, name
        assert not excused & said, name


def test_the_versions_of_a_batch_can_say_all_that_one_can(
    document: Document, by_operation: dict[str, list[Call[Any]]]
) -> None:
    name = "POST /v1/sessions/{session_id}/versions"
    body = properties(document, body_of(document.operations()[name]))
    inside = set(properties(document, body["versions"]["items"]))
    said = {part for call in by_operation[name] for part in call.body["versions"][0]}

    assert said <= inside
    assert inside - said <= set(OTHER_NAMES)


def test_what_takes_an_idempotency_key_is_sent_with_one(
    document: Document, by_operation: dict[str, list[Call[Any]]]
) -> None:
    for name, made in by_operation.items():
        told = document.operations()[name].get("parameters", ())
        takes = any(one["name"] == "Idempotency-Key" for one in told)
        takes = takes and name not in ONCE_BY_NATURE

        # What is only tried needs none.
        made = [call for call in made if not (call.body or {}).get("dry_run")]
        assert {calls.key_of(call) is not None for call in made} == {takes}, name
        given = {call.idempotency_key for call in made} - {None}
        assert given == ({"x"} if takes else set()), name


def test_every_answer_is_read_with_the_types_that_it_has(
    document: Document, by_operation: dict[str, list[Call[Any]]]
) -> None:
    for name, made in by_operation.items():
        schema = answer_of(document, name, made[0])
        for call in made:
            if schema is None:
                assert call.read(None) is None
            elif schema == BINARY:
                assert call.is_raw, name
                assert call.read(b"a file") == b"a file", name
            else:
                ways = either(document, schema)
                assert any(reads(document, name, call, one) for one in ways), name


def either(document: Document, schema: Any) -> list[Any]:
    """Return the answers of which it is one."""
    merged = MERGED.get(schema.get("$ref", "").rpartition("/")[2])
    if merged:
        return [{"$ref": f"#/components/schemas/{name}"} for name in merged]
    found: list[Any] = resolved(document, schema).get("oneOf", [schema])
    return found


def reads(document: Document, name: str, call: Call[Any], schema: Any) -> bool:
    """Read one such answer and hold it to its schema; say whether it could be read."""
    try:
        read = call.read(value(document, schema))
    except UnexpectedAnswer:
        return False
    if isinstance(read, Page):
        assert required(document, schema) >= {"data", "has_more"}
        (read,) = read.data
        schema = properties(document, schema)["data"]["items"]
    if isinstance(read, Answer):
        agrees(document, schema, read, name)
    return True


def agrees(document: Document, schema: Any, read: Answer, name: str) -> None:
    """Hold each field of an answer to what the document says of it."""
    told, always = properties(document, schema), required(document, schema)
    hints = get_type_hints(type(read))
    for one in fields(read):
        if one.name == "raw":
            continue
        about = f"{name}: {type(read).__name__}.{one.name}"
        assert one.name in told, about
        if one.default is MISSING and one.default_factory is MISSING:
            assert one.name in always | ASKED_FOR, about
        said = kinds(document, told[one.name])
        if one.name not in always and one.default is None:
            said = said | {"null"}
        assert said <= hinted(hints[one.name]), about


def hinted(hint: Any) -> set[str]:
    """Return the kinds of JSON that a type covers."""
    origin = get_origin(hint) or hint
    if hint is Any:
        return EVERYTHING
    if origin in (Union, types.UnionType):
        return {kind for one in get_args(hint) for kind in hinted(one)}
    if hint is type(None):
        return {"null"}
    if origin in (dict, Mapping):
        return {"object"}
    return {"array"} if origin is Sequence else KINDS[hint]


def kinds(document: Document, schema: Any) -> set[str]:
    """Return the kinds of JSON that a schema allows."""
    schema = resolved(document, schema)
    for many in ("oneOf", "anyOf", "allOf"):
        if many in schema:
            return {kind for one in schema[many] for kind in kinds(document, one)}
    told = schema.get("type")
    if told is None:
        return {"string"} if "enum" in schema else EVERYTHING
    return {told} if isinstance(told, str) else set(told)


def value(document: Document, schema: Any, depth: int = 0) -> Any:
    """Return an answer with all that the schema names; what has no end is cut."""
    schema = resolved(document, schema)
    for many in ("oneOf", "anyOf", "allOf"):
        if many in schema:
            return value(document, schema[many][0], depth + 1)
    kind = sorted(kinds(document, schema) - {"null"} or {"null"})[0]
    if kind == "array":
        items = schema.get("items", {})
        return [] if depth > DEEPEST else [value(document, items, depth + 1)]
    if kind == "object":
        inside = {} if depth > DEEPEST else properties(document, schema)
        return {name: value(document, one, depth + 1) for name, one in inside.items()}
    return VALUES[kind]


def resolved(document: Document, schema: Any) -> Any:
    while "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document.raw["components"]["schemas"][name]
    return schema


def properties(document: Document, schema: Any) -> dict[str, Any]:
    found: dict[str, Any] = resolved(document, schema).get("properties", {})
    return found


def required(document: Document, schema: Any) -> set[str]:
    return set(resolved(document, schema).get("required", ()))


def body_of(operation: Any) -> Any:
    body = operation.get("requestBody", {"content": {}})["content"]
    return body.get("application/json", {"schema": {}})["schema"]


def answer_of(document: Document, name: str, call: Call[Any]) -> Any:
    """Return the schema of the answer to this call; None where there is no body."""
    responses = document.operations()[name]["responses"]
    made = [one.get("content") for status, one in responses.items() if status[0] == "2"]
    first, *others = [
        next(iter(one.values()))["schema"] if one else one for one in made
    ]
    assert [one for one in others if one != first] == [], name
    return first
