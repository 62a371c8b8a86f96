"""Write what was said in OpenAI's chat form, which TRL reads too.

Calls have ids and their arguments are JSON text; a result names its call. Pure: values
in, messages out. What cannot be written in this form is refused whole, with a reason:
half a conversation would teach a model something that nobody said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from apps.core import json
from apps.core.json import Json
from apps.timeline.queries import ToolCall, call_of, calls_of, name_of

Message = dict[str, Any]
# The roles of the form, by the names that OpenAI and LangChain give them.
ROLES = {
    "system": "system",
    "developer": "developer",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool",
}
# What a content may be a list of in OpenAI's form.
PARTS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})


class Untold(Exception):
    """A conversation that this form cannot hold; `reason` is what it is counted as."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def messages_of(said: Iterable[Json]) -> list[Message]:
    """Return messages of OpenAI or LangChain in the form.

    Raises: Untold.
    """
    return complete([_message(one) for one in said])


def messages_of_turns(turns: Iterable[tuple[Json, Json]]) -> list[Message]:
    """Return turns, each an input and an output, in the form.

    Raises: Untold.
    """
    found: list[Message] = []
    for number, (said, answered) in enumerate(turns):
        found += _turn(said, answered, number)
    return complete(found)


def complete(messages: Sequence[Message]) -> list[Message]:
    """Return the messages, once each call is known to be answered, right after it.

    Raises: Untold.
    """
    waiting: set[str] = set()
    for one in messages:
        if one["role"] == "tool":
            if one["tool_call_id"] not in waiting:
                raise Untold("result_without_call")
            waiting.remove(one["tool_call_id"])
            continue
        if waiting:
            raise Untold("call_without_result")
        waiting = {call["id"] for call in one.get("tool_calls", ())}
        if len(waiting) != len(one.get("tool_calls", ())):
            raise Untold("call_named_twice")
    if waiting:
        raise Untold("call_without_result")
    if not messages:
        raise Untold("nothing_said")
    return list(messages)


def tools_of(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Return the tools that were called, by name; what they take nobody has said."""
    names = {
        call["function"]["name"]
        for one in messages
        for call in one.get("tool_calls", ())
    }
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"type": "object", "properties": {}},
            },
        }
        for name in sorted(names)
    ]


def line(messages: Sequence[Message], metadata: Mapping[str, Json]) -> bytes:
    """Return the line of one session."""
    told = {
        "messages": messages,
        "tools": tools_of(messages),
        "metadata": dict(metadata),
    }
    return json.dumps(told) + b"\n"


def _turn(said: Json, answered: Json, number: int) -> Iterator[Message]:
    if not isinstance(said, dict) or not isinstance(answered, dict):
        raise Untold("no_messages")
    about = said.get("tool_metadata")
    if said.get("type") == "tool_call" and isinstance(about, dict) and name_of(about):
        call = call_of(about)
        call_id = call.id or f"call_{number}"
        yield _assistant(None, [_written(call, call_id)])
        yield {
            "role": "tool",
            "tool_call_id": call_id,
            # Our clients write the result itself beside what they made a text of.
            "content": _text(answered.get("output", answered.get("content"))),
        }
        return
    yield _message({"role": "user"} | said)
    yield _message({"role": "assistant"} | answered)


def _message(said: Json) -> Message:
    if not isinstance(said, dict):
        raise Untold("no_messages")
    named = said.get("role", said.get("type"))
    role = ROLES.get(named) if isinstance(named, str) else None
    if role is None:
        raise Untold("unknown_role")
    if role == "tool":
        return _result(said)
    if role != "assistant":
        return {"role": role, "content": _content(said.get("content"))}
    calls = []
    for call in calls_of(said):
        if call.id is None:
            raise Untold("call_without_id")
        calls.append(_written(call, call.id))
    if len(calls) != len(_listed(said)):
        raise Untold("call_without_name")
    return _assistant(said.get("content"), calls)


def _result(said: Mapping[str, Json]) -> Message:
    call_id = said.get("tool_call_id")
    if not isinstance(call_id, str) or not call_id:
        raise Untold("result_without_call")
    content = _text(said.get("content"))
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _assistant(content: Json, calls: list[dict[str, Any]]) -> Message:
    if not calls:
        return {"role": "assistant", "content": _content(content)}
    if isinstance(content, list):
        # LangChain repeats calls there as their provider writes them.
        content = [one for one in content if _type_of(one) != "tool_use"]
    # Content is null beside calls alone where nothing was said.
    told = _content(content) if content not in (None, "", []) else None
    return {"role": "assistant", "content": told, "tool_calls": calls}


def _listed(said: Mapping[str, Json]) -> Sequence[Json]:
    found = said.get("tool_calls")
    return found if isinstance(found, list) else ()


def _written(call: ToolCall, call_id: str) -> dict[str, Any]:
    arguments = {} if call.arguments is None else call.arguments
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": json.dumps(arguments).decode()},
    }


def _content(content: Json) -> str | list[Json]:
    """Return a text; where there are pictures or sounds as well, the parts."""
    if not isinstance(content, list) or _texts(content) is not None:
        return _text(content)
    is_parts = all(_type_of(one) in PARTS for one in content)
    return content if is_parts else _text(content)


def _text(content: Json) -> str:
    if isinstance(content, str):
        return content
    texts = _texts(content)
    if texts is not None:
        return "".join(texts)
    return "" if content is None else json.dumps(content).decode()


def _texts(content: Json) -> list[str] | None:
    """Return what is said in parts that are texts alone; None where they are not."""
    if not isinstance(content, list) or not content:
        return None
    texts = [one.get("text") for one in content if _type_of(one) == "text"]
    told = [one for one in texts if isinstance(one, str)]
    return told if len(told) == len(content) else None


def _type_of(part: Json) -> str | None:
    found = part.get("type") if isinstance(part, dict) else None
    return found if isinstance(found, str) else None
