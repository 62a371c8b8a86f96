"""Threads and their sessions: one session for each namespace of a thread."""

from __future__ import annotations

import hashlib
from typing import Any

LONGEST = 255
MARK = "langgraph:"


def external_id(thread: tuple[str, str]) -> str:
    """Return the session's name: the thread's id, or for a sub-graph a digest.

    Both may hold anything, so that no way of joining them would be safe; what they are
    stands readable in the session's metadata.
    """
    thread_id, namespace = thread
    is_plain = len(thread_id) <= LONGEST and not thread_id.startswith(MARK)
    if not namespace and thread_id and is_plain:
        return thread_id
    digest = hashlib.sha256(repr(thread).encode("utf-8", "surrogatepass")).hexdigest()
    return MARK + digest


def about(thread: tuple[str, str], parent: str | None) -> dict[str, Any]:
    """Return the metadata of a thread's session."""
    thread_id, namespace = thread
    told = {"thread_id": thread_id, "checkpoint_ns": namespace}
    return {"langgraph": told} | ({"parent_session_id": parent} if parent else {})


def thread_of(metadata: dict[str, Any], external: str | None) -> tuple[str, str] | None:
    """Return which thread a session is of."""
    told = metadata.get("langgraph")
    if not isinstance(told, dict):
        return None
    thread_id, namespace = told.get("thread_id"), told.get("checkpoint_ns")
    if not isinstance(thread_id, str) or not isinstance(namespace, str):
        return None
    thread = (thread_id, namespace)
    return thread if external in (None, external_id(thread)) else None
