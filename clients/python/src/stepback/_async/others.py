"""Labels, agents, traces and metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar, Unpack

from stepback import answers, calls
from stepback._async.transport import AsyncTransport
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import Json, Repeatable

Result = TypeVar("Result")


class AsyncLabels:
    """Names of versions."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def add(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> answers.Label:
        """Give a version a label; giving it twice is giving it once."""
        return await self._transport.run(
            Call(
                method="POST",
                path=calls.path("sessions", session_id, "versions", version, "labels"),
                read=answers.Label.of,
                body={"label": label},
                idempotency_key=once.get("idempotency_key"),
            )
        )

    async def remove(
        self, session_id: str, version: int, label: str, **once: Unpack[Repeatable]
    ) -> None:
        """Take a label away."""
        await self._transport.run(
            Call(
                method="DELETE",
                path=calls.path(
                    "sessions", session_id, "versions", version, "labels", label
                ),
                read=answers.anything,
                idempotency_key=once.get("idempotency_key"),
            )
        )


class AsyncAgents:
    """Agents, by our id or by your name for them."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        name: str | None = None,
        *,
        external_id: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Agent:
        """Register an agent; one is also registered by its first session."""
        body = given(
            name=name,
            external_id=external_id,
            description=description,
            metadata=metadata,
        )
        return await self._act("POST", ("agents",), body, idempotency_key)

    async def get(self, agent: str) -> answers.Agent:
        return await self._act("GET", ("agents", agent), None, None)

    async def update(
        self,
        agent: str,
        *,
        name: str | None = None,
        description: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        idempotency_key: str | None = None,
    ) -> answers.Agent:
        """Set what is said; metadata is merged key by key."""
        body = given(name=name, description=description, metadata=metadata)
        return await self._act("PATCH", ("agents", agent), body, idempotency_key)

    async def suspend(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Refuse the agent's writes (`AgentSuspended`)."""
        key = once.get("idempotency_key")
        return await self._act("POST", ("agents", agent, "suspend"), None, key)

    async def activate(self, agent: str, **once: Unpack[Repeatable]) -> answers.Agent:
        """Let the agent write again."""
        key = once.get("idempotency_key")
        return await self._act("POST", ("agents", agent, "activate"), None, key)

    async def list(
        self,
        *,
        status: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Agent]:
        """List agents, newest first."""
        return await self._transport.run(
            Call(
                method="GET",
                path=calls.path("agents"),
                read=page_of(answers.Agent.of),
                query=given(status=status, limit=limit, starting_after=starting_after),
            )
        )

    async def _act(
        self,
        method: str,
        segments: tuple[str, ...],
        body: dict[str, Any] | None,
        key: str | None,
    ) -> answers.Agent:
        return await self._transport.run(
            Call(
                method=method,
                path=calls.path(*segments),
                read=answers.Agent.of,
                body=body,
                idempotency_key=key,
            )
        )


class AsyncTraces:
    """Every act, as it was recorded."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, trace_id: str) -> answers.Trace:
        return await self._transport.run(
            Call(
                method="GET",
                path=calls.path("traces", trace_id),
                read=answers.Trace.of,
            )
        )

    async def list(
        self,
        *,
        session_id: str | None = None,
        action: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int = 50,
        starting_after: str | None = None,
    ) -> answers.Page[answers.Trace]:
        """List traces, newest first, of all sessions or of one."""
        whole = ("traces",)
        of_one = ("traces", "sessions", str(session_id), "traces")
        return await self._transport.run(
            Call(
                method="GET",
                path=calls.path(*(whole if session_id is None else of_one)),
                read=page_of(answers.Trace.of),
                query=given(
                    action=action,
                    created_after=created_after,
                    created_before=created_before,
                    limit=limit,
                    starting_after=starting_after,
                ),
            )
        )


class Asked(TypedDict, total=False):
    """Of when: a `window` up to now, such as 24h or 7d, or from and to; of whom."""

    window: str | None
    start: str | None
    end: str | None
    agent_id: str | None


class AsyncMetrics:
    """The rollback rate, and what goes with it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def summary(self, **asked: Unpack[Asked]) -> answers.MetricsSummary:
        """Return all figures of a time."""
        return await self._ask("summary", answers.MetricsSummary.of, asked)

    async def series(self, **asked: Unpack[Asked]) -> answers.MetricsList:
        """Return the rollback rate over time."""
        return await self._ask("series", answers.MetricsList.of, asked)

    async def agents(
        self, *, limit: int | None = None, **asked: Unpack[Asked]
    ) -> answers.MetricsList:
        """Rank the agents by their rollback rate, the worst first."""
        return await self._ask("agents", answers.MetricsList.of, asked, limit=limit)

    async def breakdown(self, by: str, **asked: Unpack[Asked]) -> answers.MetricsList:
        """Return the rollbacks of a time by what they have in common."""
        return await self._ask("breakdown", answers.MetricsList.of, asked, by=by)

    async def _ask(
        self, what: str, read: Callable[[Any], Result], asked: Asked, **more: Any
    ) -> Result:
        query: dict[str, Any] = {
            "window": asked.get("window"),
            "from": asked.get("start"),
            "to": asked.get("end"),
            "agent_id": asked.get("agent_id"),
        }
        return await self._transport.run(
            Call(
                method="GET",
                path=calls.path("metrics", what),
                read=read,
                query=query | more,
            )
        )
