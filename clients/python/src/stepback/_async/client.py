"""The client: one server, one key, and the resources behind them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import httpx

from stepback import answers, calls
from stepback._async.agent_audit import AsyncAudit
from stepback._async.agent_checkpoints import AsyncAgentCheckpoints
from stepback._async.agents import AsyncAgents
from stepback._async.alerts import AsyncAlerts
from stepback._async.approvals import AsyncApprovals
from stepback._async.budgets import AsyncBudgets
from stepback._async.checkpoints import AsyncSessionCheckpoints
from stepback._async.closing import AsyncClosing
from stepback._async.configs import AsyncConfigs
from stepback._async.data import AsyncData
from stepback._async.effects import AsyncSessionEffects
from stepback._async.erasures import AsyncErasures
from stepback._async.exceptions import AsyncExceptions
from stepback._async.exports import AsyncExports
from stepback._async.files import AsyncFiles
from stepback._async.guards import AsyncGuards
from stepback._async.heartbeats import AsyncHeartbeats
from stepback._async.incidents import AsyncIncidents
from stepback._async.investigating import AsyncExperiments, AsyncSurveys
from stepback._async.labels import AsyncLabels
from stepback._async.memories import AsyncMemories
from stepback._async.merges import AsyncSessionMerges
from stepback._async.metrics import AsyncMetrics
from stepback._async.migrating import AsyncSessionMigrations
from stepback._async.plans import AsyncPlans
from stepback._async.project import AsyncProject
from stepback._async.retention import AsyncLegalHolds, AsyncRetention
from stepback._async.roots import AsyncRoots
from stepback._async.schemas import AsyncSchemas
from stepback._async.sessions import AsyncSessionLives
from stepback._async.shared import AsyncShared
from stepback._async.traces import AsyncTraces
from stepback._async.transport import AsyncTransport
from stepback._async.turns import AsyncSessionTurns
from stepback._async.versions import AsyncSessionVersions
from stepback._async.webhooks import AsyncWebhooks
from stepback._async.working import AsyncSessionWork
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.settings import address, identity, required
from stepback.stories import Json


class AsyncSessions(
    AsyncSessionLives,
    AsyncSessionMigrations,
    AsyncSessionMerges,
    AsyncSessionTurns,
    AsyncSessionVersions,
    AsyncSessionEffects,
    AsyncSessionWork,
    AsyncSessionCheckpoints,
):
    """Sessions: reading, writing, rolling back, forking."""


class AsyncStepback(AsyncClosing):
    """A client of one project. Unset arguments come from the environment.

    `api_key` from STEPBACK_API_KEY, `base_url` from STEPBACK_URL. `retries` is how
    often a call is repeated that got no answer, or one that may pass (429, 502, 503,
    504); a write carries one idempotency key through all of them, so it is done once.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        key = required("api_key", api_key, "STEPBACK_API_KEY")
        url = address(base_url)
        client = http_client or httpx.AsyncClient(base_url=url, timeout=timeout)
        if base_url or not client.base_url.host:
            client.base_url = httpx.URL(url)
        transport = AsyncTransport(client, retries=retries, headers=identity(key))
        self.transport = transport
        self.base_url = url
        self.sessions = AsyncSessions(transport)
        self.labels = AsyncLabels(transport)
        self.agents = AsyncAgents(transport)
        self.data = AsyncData(transport)
        self.config = AsyncConfigs(transport)
        self.checkpoints = AsyncAgentCheckpoints(transport)
        self.exceptions = AsyncExceptions(transport)
        self.memory = AsyncMemories(transport)
        self.audit = AsyncAudit(transport)
        self.traces = AsyncTraces(transport)
        self.metrics = AsyncMetrics(transport)
        self.alerts = AsyncAlerts(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.plans = AsyncPlans(transport)
        self.incidents = AsyncIncidents(transport)
        self.surveys = AsyncSurveys(transport)
        self.experiments = AsyncExperiments(transport)
        self.retention = AsyncRetention(transport)
        self.erasures = AsyncErasures(transport)
        self.exports = AsyncExports(transport)
        self.roots = AsyncRoots(transport)
        self.legal_holds = AsyncLegalHolds(transport)
        self.approvals = AsyncApprovals(transport)
        self.schemas = AsyncSchemas(transport)
        self.budgets = AsyncBudgets(transport)
        self.guards = AsyncGuards(transport)
        self.shared = AsyncShared(transport)
        self.heartbeats = AsyncHeartbeats(transport)
        self.project = AsyncProject(transport)

    async def search(
        self,
        query: str = "",
        *,
        kind: Literal["sessions", "versions"] = "sessions",
        limit: int = 20,
        starting_after: str | None = None,
        include_facets: bool | None = None,
    ) -> answers.Page[answers.Found]:
        """Find sessions or versions that meet all terms, and why each was found.

        While `next` is there, there may be more; `notices` say how far was looked.
        With `include_facets`, `raw["facets"]` has what the newest share, as terms.
        """
        return await self.transport.run(
            Call(
                method="GET",
                path=calls.path("search"),
                read=page_of(answers.Found.of),
                query=given(
                    q=query,
                    kind=kind,
                    limit=limit,
                    starting_after=starting_after,
                    include_facets=include_facets,
                ),
            )
        )

    async def search_by_meaning(
        self, query: str, *, limit: int = 10, starting_after: str | None = None
    ) -> answers.Page[answers.NearVersion]:
        """Find versions by what their reasoning and changes mean, the nearest first.

        Of 20,000 versions, the newest; `next` goes on to older ones. What `raw` says of
        `pending` and `catching_up` is not looked at yet.
        """
        return await self.transport.run(
            Call(
                method="GET",
                path=calls.path("search", "meaning"),
                read=page_of(answers.NearVersion.of),
                query=given(q=query, limit=limit, starting_after=starting_after),
            )
        )

    async def save_files(
        self,
        session_id: str,
        folder: str | os.PathLike[str],
        reasoning: str | None = None,
        *,
        artifacts: Sequence[Json] = (),
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> answers.State:
        """Save all files of a folder with a new version; other `artifacts` beside them.

        Only bytes that the server has not are sent. Symbolic links are not followed.

        Raises: Conflict if `expected_version` is not the head.
        """
        body = given(reasoning=reasoning, expected_version=expected_version)
        return await AsyncFiles(self.transport).save(
            session_id, folder, artifacts, body, idempotency_key
        )

    async def restore_files(
        self, session_id: str, folder: str | os.PathLike[str], version: int
    ) -> list[str]:
        """Write the files of a version into a folder; return the paths that changed.

        What else is in the folder stays. Each file is checked and moved into its place
        whole. Raises: UnsafePath before anything is written.
        """
        return await AsyncFiles(self.transport).restore(session_id, folder, version)

    async def health(self) -> dict[str, Any]:
        """Ask the server how it is; needs no key."""
        found: dict[str, Any] = await self.transport.run(
            Call(method="GET", path="/health", read=answers.anything)
        )
        return found

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self.transport.aclose()
