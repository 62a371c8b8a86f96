"""The ways to a first session: what to paste, with the reader's own address and key.

A key goes in where it was made just now, its secret is shown once anyway; else the
name of the variable that holds it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from apps.console.pages.session.snippets import Snippet

VARIABLE = "STEPBACK_API_KEY"
CURL = """curl -X POST {root}v1/sessions \\
  -H "X-API-Key: {shell_key}" \\
  -H "Content-Type: application/json" \\
  -d '{{"agent_id": "travel-agent", "initial_state": {{"destination": "NYC"}}}}'"""
STATEBASE = """# pip install statebase
{imports}from statebase import StateBase

sb = StateBase(api_key={python_key}, base_url={base})
session = sb.sessions.create(
    agent_id="travel-agent", initial_state={{"destination": "NYC"}}
)
sb.sessions.update_state(
    session.id, state={{"dates": "May"}}, reasoning="User gave them"
)"""
STEPBACK = """# pip install ./clients/python
{imports}from stepback import Stepback

sb = Stepback(base_url={base}, api_key={python_key})
session = sb.sessions.create("travel-agent", {{"destination": "NYC"}})
sb.sessions.update_state(session.id, {{"dates": "May"}}, "User gave them")"""
LANGGRAPH = """# pip install './clients/python[langgraph]'
{imports}from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from stepback.langgraph import StepbackSaver


class Trip(TypedDict):
    destination: str


builder = StateGraph(Trip)
builder.add_node("plan", lambda trip: {{"destination": "NYC"}})
builder.add_edge(START, "plan")
builder.add_edge("plan", END)
saver = StepbackSaver(base_url={base}, api_key={python_key})
graph = builder.compile(checkpointer=saver)
graph.invoke(
    {{"destination": ""}}, {{"configurable": {{"thread_id": "trip-1"}}}}
)"""


def ways(root: str, secret: str | None = None) -> Sequence[Snippet]:
    """Return a snippet for each kind of client; `root` is where the server answers.

    Without a secret they read it from the variable `VARIABLE`.
    """
    base = root.rstrip("/")
    told = {
        "root": root,
        "base": json.dumps(base),
        "shell_key": secret or f"${VARIABLE}",
        "python_key": json.dumps(secret) if secret else f'os.environ["{VARIABLE}"]',
        "imports": "" if secret else "import os\n\n",
    }
    return [
        Snippet("first-curl", "curl", CURL.format(**told)),
        Snippet("first-statebase", "StateBase SDK", STATEBASE.format(**told)),
        Snippet("first-stepback", "Stepback's Python client", STEPBACK.format(**told)),
        Snippet("first-langgraph", "LangGraph", LANGGRAPH.format(**told)),
        Snippet("first-mcp", "MCP", _mcp(base, secret)),
    ]


def _mcp(base: str, secret: str | None) -> str:
    key = secret or "sb_..."
    server = {
        "command": "stepback-mcp",
        "env": {"STEPBACK_URL": base, "STEPBACK_API_KEY": key},
    }
    return json.dumps({"mcpServers": {"stepback": server}}, indent=2)
