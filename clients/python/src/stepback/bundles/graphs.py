"""A compiled LangGraph graph as the agent of a replay.

It is given what the recorded run was given, and keeps its checkpoints in memory, each
held to the version that it was then. LangChain's chat models and tools answer from the
record wherever the graph asks them, whatever they are made of; its interrupts are
answered with what people decided, where they were asked as approvals. A node that asks
something else finds the replay in its config, under `stepback_run`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from stepback.bundles.record import called
from stepback.bundles.run import NotRecorded, Run

RUN = "stepback_run"
THREAD = "replay"


class GraphAsked(RuntimeError):
    """The graph asks people, and the record does not say what they answered it."""


class NoInput(RuntimeError):
    """The record does not say what the graph was given."""


def is_graph(found: object) -> bool:
    """Return whether something is a compiled graph; it brought LangGraph along."""
    module = sys.modules.get("langgraph.pregel")
    return module is not None and isinstance(found, module.Pregel)


def agent_of(graph: Any) -> Callable[[Any, Run], None]:
    """Return the graph as an agent."""

    def agent(state: Any, run: Run) -> None:
        run.take_replies_of_models()
        with _answered(run):
            # Nodes may be synchronous or not: run so, both kinds are.
            asyncio.run(_run(graph, run))

    return agent


async def _run(graph: Any, run: Run) -> None:
    held = graph.copy(update={"checkpointer": _held(run)})
    config = {"configurable": {"thread_id": THREAD, RUN: run}}
    for given in _inputs(graph, run):
        await held.ainvoke(given, config, durability="sync")
        asked = (await held.aget_state(config)).interrupts
        while answers := _answers(asked, run):
            await held.ainvoke(_resumed(answers), config, durability="sync")
            asked = (await held.aget_state(config)).interrupts
        if asked:
            run.wait()


def _resumed(answers: dict[str, Any]) -> Any:
    from langgraph.types import Command

    return Command(resume=answers)


def _answers(asked: Sequence[Any], run: Run) -> dict[str, Any]:
    """Return what people answered these interrupts, by their ids.

    None for what waited when the record ended, as it does now: for them, or for the
    graph to go on with what they had decided.

    Raises: GraphAsked for a question that the record does not have.
    """
    from stepback.langgraph.acting.shapes import shape_of

    found: dict[str, Any] = {}
    for one in asked:
        shape = shape_of(one)
        questions = [(each.tool, each.arguments) for each in shape.questions]
        if any(run.waits(*each) for each in questions):
            continue
        try:
            outcomes = [run.decision(*each) for each in questions]
        except NotRecorded as error:
            raise GraphAsked(
                f"The graph asks {one.value!r}, and the record does not say what was "
                "answered: it has what people decided of approvals."
            ) from error
        found[one.id] = shape.answer(outcomes)
    return found


def _inputs(graph: Any, run: Run) -> Iterator[dict[str, Any]]:
    """Yield what the graph was given each time, as its channels tell.

    Raises: NoInput.
    """
    told = run.inputs
    if not told:
        raise NoInput(
            "The record has no input of a graph: it was not kept by StepbackSaver, or "
            "not for people to read."
        )
    for before, after in told:
        yield {
            name: _given(graph.channels.get(name), before.get(name), value)
            for name, value in after.items()
            if name not in before or before[name] != value
        }


def _given(channel: Any, before: Any, after: Any) -> Any:
    """Return what was written to a channel that was so before and so after.

    A channel with a reducer adds what it is given to what it has.
    """
    if not hasattr(channel, "operator") or type(before) is not type(after):
        return after
    if isinstance(after, list):
        return [one for one in after if one not in before] or after
    if isinstance(after, int | float) and not isinstance(after, bool):
        return after - before
    return after


def _held(run: Run) -> Any:
    """Return a checkpointer in memory that holds each checkpoint to the record."""
    from langgraph.checkpoint.memory import InMemorySaver

    from stepback.langgraph.readable import readable_state

    class Held(InMemorySaver):
        def put(
            self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any
        ) -> Any:
            if not config["configurable"].get("checkpoint_ns"):
                # Messages without an id are given one, another in every run.
                run.save(readable_state(checkpoint["channel_values"]), drawn_ids=True)
            return super().put(config, checkpoint, metadata, new_versions)

    return Held()


@contextmanager
def _answered(run: Run) -> Iterator[None]:
    """Have every chat model and tool answer from the record, until this is left."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.tools import BaseTool

    kept: list[tuple[type, str, Any]] = []
    try:
        for base, answers in (
            (BaseChatModel, _model_answers(run)),
            (BaseTool, _tool_answers(run)),
        ):
            for kind in _kinds(base):
                for name in answers.keys() & vars(kind).keys():
                    kept.append((kind, name, vars(kind)[name]))
                    setattr(kind, name, answers[name])
        yield
    finally:
        for kind, name, method in kept:
            setattr(kind, name, method)


def _kinds(base: type) -> Iterator[type]:
    """Yield a class and all that were made of it."""
    yield base
    one: type
    for one in type.__subclasses__(base):
        yield from _kinds(one)


def _model_answers(run: Run) -> Mapping[str, Any]:
    """Return what stands in place of a chat model's methods."""
    from langchain_core.messages import AIMessage, AIMessageChunk
    from langchain_core.outputs import ChatGeneration, LLMResult

    def said() -> dict[str, Any]:
        reply = run.reply()
        content = reply.get("content")
        return {
            "content": "" if content is None else content,
            "id": reply.get("id"),
            "tool_calls": list(map(_asked, reply.get("tool_calls") or ())),
        }

    def invoke(self: Any, *_: Any, **__: Any) -> Any:
        return AIMessage(**said())

    async def ainvoke(self: Any, *_: Any, **__: Any) -> Any:
        return AIMessage(**said())

    def generate(self: Any, messages: Any, *_: Any, **__: Any) -> Any:
        return LLMResult(
            generations=[
                [ChatGeneration(message=AIMessage(**said()))] for _ in messages
            ]
        )

    async def agenerate(self: Any, messages: Any, *_: Any, **__: Any) -> Any:
        return generate(self, messages)

    def stream(self: Any, *_: Any, **__: Any) -> Any:
        yield AIMessageChunk(**said())

    async def astream(self: Any, *_: Any, **__: Any) -> Any:
        yield AIMessageChunk(**said())

    made = (invoke, ainvoke, generate, agenerate, stream, astream)
    return {one.__name__: one for one in made}


def _asked(call: Mapping[str, Any]) -> dict[str, Any]:
    name, arguments = called(call)
    return {"name": name, "args": arguments, "id": str(call.get("id"))}


def _tool_answers(run: Run) -> Mapping[str, Any]:
    """Return what stands in place of a tool's methods."""
    from langchain_core.messages import ToolMessage

    def answer(tool: Any, given: Any, call_id: str | None) -> Any:
        result = run.call(tool.name, _arguments(tool, given))
        if call_id is None:
            return result
        text = result if isinstance(result, str) else json.dumps(result)
        return ToolMessage(text, tool_call_id=call_id, name=tool.name)

    def invoke(self: Any, input: Any, *_: Any, **__: Any) -> Any:
        if isinstance(input, dict) and input.get("type") == "tool_call":
            return answer(self, input["args"], input.get("id"))
        return answer(self, input, None)

    async def ainvoke(self: Any, input: Any, *_: Any, **__: Any) -> Any:
        return invoke(self, input)

    def run_(self: Any, tool_input: Any, *_: Any, **more: Any) -> Any:
        return answer(self, tool_input, more.get("tool_call_id"))

    async def arun(self: Any, tool_input: Any, *_: Any, **more: Any) -> Any:
        return run_(self, tool_input, **more)

    return {"invoke": invoke, "ainvoke": ainvoke, "run": run_, "arun": arun}


def _arguments(tool: Any, given: Any) -> Any:
    """Return the arguments that a model gave, without what the graph put beside."""
    if not isinstance(given, dict):
        return {next(iter(tool.args), "input"): given}
    injected = set(_fields(tool.get_input_schema())) - set(
        _fields(tool.tool_call_schema)
    )
    return {name: one for name, one in given.items() if name not in injected}


def _fields(schema: Any) -> Any:
    if isinstance(schema, dict):
        return schema.get("properties", {})
    return getattr(schema, "model_fields", {})
