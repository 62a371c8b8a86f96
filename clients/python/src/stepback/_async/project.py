"""The project of the key, and the key itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Json, Repeatable


class AsyncProject(AsyncResource):
    """Who asks, and what is set for all agents; that needs an administrator's key."""

    async def me(self) -> answers.Me:
        """Return the key that asks, without its secret, and its project."""
        return await self._ask(answers.Me.of, ("auth", "me"))

    async def workspaces(self) -> answers.Page[answers.Workspace]:
        """Return the key's project in Anchor's words: the one that it sees."""
        return await self._ask(page_of(answers.Workspace.of), ("workspaces",))

    async def get(self) -> answers.Project:
        """Read the project and its settings."""
        return await self._ask(answers.Project.of, ("project",))

    async def update(
        self,
        *,
        handling: Literal["strict", "lenient"] | None = None,
        search_by_meaning: bool | None = None,
        needs_rollback_reason: bool | None = None,
        **once: Unpack[Repeatable],
    ) -> answers.Project:
        """Set what is said: what becomes of unknown input where a request does not say,
        whether old states are found by their meaning, and whether a rollback has to say
        why."""
        body = given(
            handling=handling,
            search_by_meaning=search_by_meaning,
            needs_rollback_reason=needs_rollback_reason,
            **once,
        )
        return await self._send("PATCH", ("project",), body, answers.Project.of)

    async def policies(self) -> answers.ProjectPolicies:
        """Read the floor below which no agent's config leads."""
        read = answers.ProjectPolicies.of
        return await self._ask(read, ("project", "policies"))

    async def set_policies(
        self, policies: Mapping[str, Json], **once: Unpack[Repeatable]
    ) -> answers.ProjectPolicies:
        """Set the whole floor; it holds from the next request on. `{}` for none.

        Raises: InvalidPolicy, whose `param` points at the fault.
        """
        body, key = {"policies": policies}, calls.key_in(once)
        segments, read = ("project", "policies"), answers.ProjectPolicies.of
        return await self._send("PUT", segments, body, read, key)

    async def masks(self) -> answers.Masks:
        """Read what masked keys are not shown."""
        return await self._ask(answers.Masks.of, ("masks",))

    async def set_masks(
        self, masks: Sequence[Mapping[str, Json]], **once: Unpack[Repeatable]
    ) -> answers.Masks:
        """Set all masks: each a `pointer` or a `pattern`, with a `style`. `[]`: none.

        Raises: UnacceptableMask, whose `param` points at the fault.
        """
        body, key = {"masks": masks}, calls.key_in(once)
        return await self._send("PUT", ("masks",), body, answers.Masks.of, key)
