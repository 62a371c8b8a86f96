"""Threads begun from others: forked, or adopted from what was handed off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stepback.errors import ExternalIdTaken, HandoffNotVerified
from stepback.langgraph.names import external_id
from stepback.mcp.threads import (
    Refused,
    Result,
    Threads,
    summary,
)


class PassingTools(Threads):
    """What makes a new thread of a checkpoint."""

    async def fork(self, source: str, checkpoint_id: str, new_thread_id: str) -> Result:
        """Begin a new thread from one checkpoint of another."""
        found = await self._item(source, checkpoint_id)
        place = f"{source}:{checkpoint_id}"
        if found is None:
            raise Refused(f"source checkpoint not found: {place}")
        try:
            made = await self._client.sessions.fork(
                found.session_id,
                found.version,
                external_id=external_id((new_thread_id, "")),
                reason=f"Forked from {place}",
            )
        except ExternalIdTaken:
            raise await self._exists(new_thread_id, "Fork") from None
        return {
            "source": place,
            "new_thread_id": new_thread_id,
            **await self._named(made.id),
            "forked_from": place,
        }

    async def hand_off(self, thread_id: str, checkpoint_id: str, to: str) -> Result:
        """Return a descriptor that the server signed; nothing is copied."""
        found = await self._item(thread_id, checkpoint_id)
        if found is None:
            raise Refused(f"checkpoint not found: {checkpoint_id}")
        signed = await self._client.sessions.hand_off(
            found.session_id, found.version, to_agent=to or None
        )
        return {
            "source": f"{thread_id}:{checkpoint_id}",
            "thread_id": thread_id,
            "checkpoint_id": checkpoint_id,
            "blob_id": signed["chain"],
            "blob_sha256": signed["commitment"],
            "to_agent": to or None,
            "summary": summary(thread_id, found),
            "stepback": dict(signed),
        }

    async def adopt(self, handoff_json: str, new_thread_id: str) -> Result:
        """Begin a thread from a descriptor, if the server finds that it signed it."""
        told = _descriptor(handoff_json)
        signed = told.get("stepback")
        source = str(told.get("source"))
        if not isinstance(signed, dict):
            raise Refused(f"handoff blob not found: {told.get('blob_id')}")
        names = {"blob_sha256": "commitment", "blob_id": "chain"}
        for name, inner in (*names.items(), ("checkpoint_id", "checkpoint_id")):
            if told.get(name) != signed.get(inner):
                raise Refused(
                    f"handoff integrity check FAILED for {source}: "
                    f"expected {signed.get(inner)}, got {told.get(name)}"
                )
        try:
            made = await self._client.sessions.adopt(
                signed,
                external_id=external_id((new_thread_id, "")),
                reason=f"Adopted from {source}",
            )
        except ExternalIdTaken:
            raise await self._exists(new_thread_id, "Adopt") from None
        except HandoffNotVerified as error:
            raise Refused(
                f"handoff integrity check FAILED for {source}: {error.message}"
            ) from None
        return {
            "adopted_from": source,
            "new_thread_id": new_thread_id,
            **await self._named(made.id),
            "verified": True,
        }


def _descriptor(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except ValueError as error:
        raise Refused(f"handoff_json is not valid JSON: {error}") from None
    if not isinstance(told, dict):
        raise Refused("handoff_json is not valid JSON: it is no object")
    return told
