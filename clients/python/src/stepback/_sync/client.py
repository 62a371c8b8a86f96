# Written by make_sync.py from _async/client.py: do not edit.
"""The client: one server, one key, and the resources behind them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import httpx

from stepback import answers, calls
from stepback._sync.agent_audit import Audit
from stepback._sync.agent_checkpoints import AgentCheckpoints
from stepback._sync.agents import Agents
from stepback._sync.alerts import Alerts
from stepback._sync.approvals import Approvals
from stepback._sync.budgets import Budgets
from stepback._sync.checkpoints import SessionCheckpoints
from stepback._sync.closing import Closing
from stepback._sync.configs import Configs
from stepback._sync.data import Data
from stepback._sync.effects import SessionEffects
from stepback._sync.erasures import Erasures
from stepback._sync.exceptions import Exceptions
from stepback._sync.exports import Exports
from stepback._sync.files import Files
from stepback._sync.guards import Guards
from stepback._sync.heartbeats import Heartbeats
from stepback._sync.incidents import Incidents
from stepback._sync.investigating import Experiments, Surveys
from stepback._sync.labels import Labels
from stepback._sync.memories import Memories
from stepback._sync.merges import SessionMerges
from stepback._sync.metrics import Metrics
from stepback._sync.migrating import SessionMigrations
from stepback._sync.plans import Plans
from stepback._sync.project import Project
from stepback._sync.retention import LegalHolds, Retention
from stepback._sync.roots import Roots
from stepback._sync.schemas import Schemas
from stepback._sync.sessions import SessionLives
from stepback._sync.shared import Shared
from stepback._sync.traces import Traces
from stepback._sync.transport import Transport
from stepback._sync.turns import SessionTurns
from stepback._sync.versions import SessionVersions
from stepback._sync.webhooks import Webhooks
from stepback._sync.working import SessionWork
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.settings import address, identity, required
from stepback.stories import Json


class Sessions(
    SessionLives,
    SessionMigrations,
    SessionMerges,
    SessionTurns,
    SessionVersions,
    SessionEffects,
    SessionWork,
    SessionCheckpoints,
):
    """Sessions: reading, writing, rolling back, forking."""


class Stepback(Closing):
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
        http_client: httpx.Client | None = None,
    ) -> None:
        key = required("api_key", api_key, "STEPBACK_API_KEY")
        url = address(base_url)
        client = http_client or httpx.Client(base_url=url, timeout=timeout)
        if base_url or not client.base_url.host:
            client.base_url = httpx.URL(url)
        transport = Transport(client, retries=retries, headers=identity(key))
        self.transport = transport
        self.base_url = url
        self.sessions = Sessions(transport)
        self.labels = Labels(transport)
        self.agents = Agents(transport)
        self.data = Data(transport)
        self.config = Configs(transport)
        self.checkpoints = AgentCheckpoints(transport)
        self.exceptions = Exceptions(transport)
        self.memory = Memories(transport)
        self.audit = Audit(transport)
        self.traces = Traces(transport)
        self.metrics = Metrics(transport)
        self.alerts = Alerts(transport)
        self.webhooks = Webhooks(transport)
        self.plans = Plans(transport)
        self.incidents = Incidents(transport)
        self.surveys = Surveys(transport)
        self.experiments = Experiments(transport)
        self.retention = Retention(transport)
        self.erasures = Erasures(transport)
        self.exports = Exports(transport)
        self.roots = Roots(transport)
        self.legal_holds = LegalHolds(transport)
        self.approvals = Approvals(transport)
        self.schemas = Schemas(transport)
        self.budgets = Budgets(transport)
        self.guards = Guards(transport)
        self.shared = Shared(transport)
        self.heartbeats = Heartbeats(transport)
        self.project = Project(transport)

    def search(
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
        return self.transport.run(
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

    def search_by_meaning(
        self, query: str, *, limit: int = 10, starting_after: str | None = None
    ) -> answers.Page[answers.NearVersion]:
        """Find versions by what their reasoning and changes mean, the nearest first.

        Of 20,000 versions, the newest; `next` goes on to older ones. What `raw` says of
        `pending` and `catching_up` is not looked at yet.
        """
        return self.transport.run(
            Call(
                method="GET",
                path=calls.path("search", "meaning"),
                read=page_of(answers.NearVersion.of),
                query=given(q=query, limit=limit, starting_after=starting_after),
            )
        )

    def save_files(
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
        return Files(self.transport).save(
            session_id, folder, artifacts, body, idempotency_key
        )

    def restore_files(
        self, session_id: str, folder: str | os.PathLike[str], version: int
    ) -> list[str]:
        """Write the files of a version into a folder; return the paths that changed.

        What else is in the folder stays. Each file is checked and moved into its place
        whole. Raises: UnsafePath before anything is written.
        """
        return Files(self.transport).restore(session_id, folder, version)

    def health(self) -> dict[str, Any]:
        """Ask the server how it is; needs no key."""
        found: dict[str, Any] = self.transport.run(
            Call(method="GET", path="/health", read=answers.anything)
        )
        return found

    def close(self) -> None:
        """Let go of the connections."""
        self.transport.close()
