"""What to paste into a terminal or a program, with the reader's own address.

Only ids and numbers go in, no state: nothing here has to be quoted.
"""

from __future__ import annotations

from dataclasses import dataclass

CURL = """curl -H "X-API-Key: $STEPBACK_API_KEY" \\
  {root}v1/sessions/{session}/versions/{number}"""
PYTHON = """import os

import httpx

answer = httpx.get(
    "{root}v1/sessions/{session}/versions/{number}",
    headers={{"X-API-Key": os.environ["STEPBACK_API_KEY"]}},
)
state = answer.json()["state"]"""
FORK_CURL = """curl -X PATCH {root}v1/sessions/{session}/state \\
  -H "X-API-Key: $STEPBACK_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{{"state": {{"step": "again"}}, "reasoning": "Trying it again"}}'"""
FORK_PYTHON = """import os

from statebase import StateBase

sb = StateBase(api_key=os.environ["STEPBACK_API_KEY"], base_url="{base}")
session = sb.sessions.get("{session}")
# Run your agent against this session: it begins with the state of the fork.
sb.sessions.update_state(session.id, state={{"step": "again"}})"""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy; `name` is part of the id of its element."""

    name: str
    title: str
    text: str


def reading_snippets(root: str, session_id: str, number: int) -> list[Snippet]:
    """Return how to read this version from a program."""
    told = {"root": root, "session": session_id, "number": number}
    return [
        Snippet("curl", "curl", CURL.format(**told)),
        Snippet("python", "Python", PYTHON.format(**told)),
    ]


def fork_snippets(root: str, session_id: str) -> list[Snippet]:
    """Return how to run an agent against a fork."""
    told = {"root": root, "session": session_id, "base": root.rstrip("/")}
    return [
        Snippet("fork-curl", "curl", FORK_CURL.format(**told)),
        Snippet("fork-python", "Python", FORK_PYTHON.format(**told)),
    ]
