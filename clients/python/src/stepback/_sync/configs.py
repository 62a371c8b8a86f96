# Written by make_sync.py from _async/configs.py: do not edit.
"""An agent's config: what its data is held to, and whatever else you keep in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from stepback import answers, calls
from stepback._sync.resource import Resource
from stepback.answers import page_of
from stepback.calls import Call, given
from stepback.stories import Json, Repeatable


class Configs(Resource):
    """Configs of agents, in versions: v1, v2, …; v0 is none."""

    def get(self, agent_id: str) -> answers.AgentConfig:
        """Read the config that stands."""
        return self._ask(answers.AgentConfig.of, ("agents", agent_id, "config"))

    def update(
        self, agent_id: str, config: Mapping[str, Json], **once: Unpack[Repeatable]
    ) -> answers.AgentConfig:
        """Set the whole config as a new version; an equal one makes none.

        Raises: InvalidPolicy, whose `param` points at the fault.
        """
        return self._transport.run(
            Call(
                method="PUT",
                path=calls.path("agents", agent_id, "config"),
                read=answers.AgentConfig.of,
                body=config,
                idempotency_key=calls.key_in(once),
            )
        )

    def versions(
        self, agent_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> answers.Page[answers.AgentConfigVersion]:
        """List the versions, newest first."""
        return self._ask(
            page_of(answers.AgentConfigVersion.of),
            ("agents", agent_id, "config", "versions"),
            limit=limit,
            cursor=cursor,
        )

    def get_version(self, agent_id: str, version: str) -> answers.AgentConfig:
        """Read one version, such as v2."""
        return self._ask(
            answers.AgentConfig.of, ("agents", agent_id, "config", "versions", version)
        )

    def rollback(
        self,
        agent_id: str,
        target_version: str,
        reasoning: str | None = None,
        **once: Unpack[Repeatable],
    ) -> answers.AgentConfig:
        """Make a new version that is as an earlier one was; data stays as it is."""
        body = given(target_version=target_version, reasoning=reasoning)
        segments = ("agents", agent_id, "config", "rollback")
        read, key = answers.AgentConfig.of, calls.key_in(once)
        return self._send("POST", segments, body, read, key)
