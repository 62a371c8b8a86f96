"""Recorded runs as sessions: each step of the agent a version, each answer a turn.

A run is a line of JSON with `messages` in OpenAI's form. Its name is `run`, `id` or
`name`, else its digest: posting a file again finds what is there and adds nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepback._sync.client import Stepback
from stepback.cli.output import Output, Progress
from stepback.errors import ExternalIdTaken
from stepback.stories import Item

NAMES = ("run", "id", "name")
AT_ONCE = 50
BYTES_AT_ONCE = 4 * 1024 * 1024
# With the words cut so short, no answer is half of what the one before it left.
LONGEST_TITLE, LONGEST_SAID = 80, 60
SPEAKERS = {"user": "asked", "assistant": "said"}
BEGUN = {"step": 0}
Message = dict[str, Any]


class NotARun(ValueError):
    """A line is no recorded run."""


def post(client: Stepback, asked: Namespace, output: Output) -> None:
    """Post every run of the file that is not there yet."""
    progress = Progress("runs")
    for name, run in runs(asked.file):
        told = post_run(client, asked.agent, f"{asked.prefix}{name}", run)
        output.result(told, f"{told['session_id']}  {told['name']}  {told['outcome']}")
        progress.step()
    progress.end()


def runs(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the runs with their names.

    Raises: NotARun, naming the line.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                run = json.loads(line)
            except (ValueError, RecursionError):
                raise NotARun(f"Line {number} is no JSON.") from None
            run = {"messages": run} if isinstance(run, list) else run
            if not isinstance(run, dict) or not _are_messages(run.get("messages")):
                raise NotARun(f"Line {number} has no messages.")
            named = [run[one] for one in NAMES if run.get(one) is not None]
            digest = hashlib.sha256(line.strip()).hexdigest()[:32]
            yield str(named[0]) if named else f"run-{digest}", run


def post_run(
    client: Stepback, agent: str, name: str, run: dict[str, Any]
) -> dict[str, Any]:
    """Make the run's session, unless there is one of that name.

    One that was cut off is gone on with: its versions have the names of their steps.

    Raises: NotARun for a session of that name that is of something else.
    """
    facts = {one: value for one, value in run.items() if one != "messages"}
    items = list(steps(run["messages"], str(facts.get("model") or "") or None))
    try:
        made = client.sessions.create(
            agent,
            BEGUN,
            external_id=name,
            title=_title(run["messages"]),
            metadata=facts,
        )
        session_id, head = made.id, 0
    except ExternalIdTaken as taken:
        if taken.session_id is None:
            raise
        session_id = taken.session_id
        head = client.sessions.get_state(session_id).version
        _require_ours(client, session_id, name, head, items)
    missing = items[head:]
    for batch in _batches(missing):
        client.sessions.append_batch(session_id, batch, expected_version=head)
        head += len(batch)
    outcome = "posted" if missing else "was there"
    return {
        "session_id": session_id,
        "name": name,
        "versions": len(items),
        "outcome": outcome,
    }


def _require_ours(
    client: Stepback, session_id: str, name: str, head: int, items: list[Item]
) -> None:
    """Raises: NotARun for a session of something else, or of another run."""
    if not _is_ours(client, session_id, head, items):
        raise NotARun(
            f"{session_id} is named {name}, too, and is not of this run: another "
            "stands there, or this one as it was before it went on. Give it an id of "
            "its own, or post it with another --prefix."
        )


def _is_ours(client: Stepback, session_id: str, head: int, items: list[Item]) -> bool:
    """Compare the last step that is there: a rollback may stand behind it."""
    at = min(head, len(items))
    version = client.sessions.get_version(session_id, at)
    if at == 0:
        return version.state == BEGUN
    if version.external_id != f"step-{at}":
        return False
    said = list(items[at - 1]["messages"] or ())
    kept = list(client.sessions.checkpoint(session_id, at).messages or ())
    # Steps are added exactly where the run was cut off. One that is whole may be the
    # beginning of what is there.
    return (kept if at < len(items) else kept[: len(said)]) == said


def steps(messages: list[Message], model: str | None) -> Iterator[Item]:
    """Return a version for each message of the agent, and one for what follows it.

    Results of tools belong to the step that called them.
    """
    results: dict[str, Any] = {}
    state: dict[str, Any] = {}
    ends = _ends(messages)
    for number, end in enumerate(ends, 1):
        begin = ends[number - 2] if number > 1 else 0
        for one in messages[begin:end]:
            if one.get("role") == "tool":
                # Ids do repeat: the newest answer holds, the messages have all.
                results[str(one.get("tool_call_id"))] = one.get("content")
        last = next(
            (one for one in messages[begin:end] if one.get("role") == "assistant"),
            messages[end - 1],
        )
        state = _state(number, state, messages[begin:end])
        item: Item = {
            "op": "replace",
            "state": state,
            "messages": messages[:end],
            "tool_results": dict(results),
            "reasoning": _reasoning(last),
            "step_number": number,
            "external_id": f"step-{number}",
        }
        yield item | Item(model=model) if model else item


def _ends(messages: list[Message]) -> list[int]:
    """Return where each step ends: before the agent's next message, or at the end."""
    said = [at for at, one in enumerate(messages) if one.get("role") == "assistant"]
    ends = []
    for at in said:
        end = at + 1
        while end < len(messages) and messages[end].get("role") == "tool":
            end += 1
        ends.append(end)
    if not ends or ends[-1] < len(messages):
        ends.append(len(messages))
    return ends


def _state(
    number: int, before: dict[str, Any], messages: list[Message]
) -> dict[str, Any]:
    """Return what the agent knows after a step: the last words, and all it called.

    Nothing is taken back in it, so that a step which says nothing loses nothing. The
    words are excerpts: whole they are in the messages beside the state.
    """
    state = before | {"step": number}
    for one in messages:
        part = SPEAKERS.get(str(one.get("role")))
        if part and (said := _words(one)):
            state[part] = _excerpt(said, LONGEST_SAID)
        calls = [_called(call) for call in one.get("tool_calls") or []]
        if calls:
            state["called"] = [*state.get("called", ()), *calls]
    return state


def _title(messages: list[Message]) -> str | None:
    """Return the beginning of what the customer said first, if anybody did."""
    asked = (_words(one) for one in messages if one.get("role") == "user")
    said = next(filter(None, asked), None)
    return said and _excerpt(said, LONGEST_TITLE)


def _words(message: Message) -> str:
    """Return its text in one line; of content in parts, that of the first with any."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = (one.get("text") if isinstance(one, dict) else one for one in parts)
    said = next((one for one in texts if isinstance(one, str) and one.strip()), "")
    return " ".join(said.split())


def _excerpt(text: str, longest: int) -> str:
    """Cut a text at a word."""
    if len(text) <= longest:
        return text
    cut = text[:longest].rpartition(" ")[0] or text[: longest - 1]
    return f"{cut}…"


def _called(call: Any) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, dict) else None
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    with contextlib.suppress(TypeError, ValueError, RecursionError):
        arguments = json.loads(str(arguments))
    return {"name": function.get("name"), "arguments": arguments}


def _reasoning(message: Message) -> str:
    calls = [_called(one)["name"] for one in message.get("tool_calls") or []]
    if calls:
        return "Called " + ", ".join(str(one) for one in calls)
    return "Answered" if message.get("role") == "assistant" else "The run ended"


def _batches(items: list[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        weight = len(json.dumps(item))
        if batch and (len(batch) == AT_ONCE or size + weight > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += weight
    if batch:
        yield batch


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_message, value))


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or "role" not in value:
        return False
    return isinstance(value.get("tool_calls") or [], list)
