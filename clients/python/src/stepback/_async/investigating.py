"""Surveys and experiments: by release, and forks of one version side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

from stepback import answers, calls
from stepback._async.resource import AsyncResource
from stepback.answers import page_of
from stepback.calls import given
from stepback.stories import Repeatable


class AsyncSurveys(AsyncResource):
    """In which share of the sessions a check broke, by release and by model."""

    async def ask(
        self, check: str, *, search: str | None = None, **once: Unpack[Repeatable]
    ) -> answers.Survey:
        """Have the worker look in the newest sessions that a search finds."""
        body, key = given(check=check, search=search), calls.key_in(once)
        return await self._send("POST", ("surveys",), body, answers.Survey.of, key)

    async def get(self, survey_id: str) -> answers.Survey:
        """Read what was found so far; `looked_at` is null while the worker looks."""
        return await self._ask(answers.Survey.of, ("surveys", survey_id))

    async def list(
        self, *, limit: int = 20, starting_after: str | None = None
    ) -> answers.Page[answers.ListedSurvey]:
        """List surveys, newest first."""
        return await self._ask(
            page_of(answers.ListedSurvey.of),
            ("surveys",),
            limit=limit,
            starting_after=starting_after,
        )


class AsyncExperiments(AsyncResource):
    """Two to six forks of one version, and the checks that decide."""

    async def make(
        self,
        name: str,
        sessions: Sequence[str],
        *,
        checks: Sequence[str] = (),
        **once: Unpack[Repeatable],
    ) -> answers.Experiment:
        """Keep forks of one version together, with the checks that decide."""
        body = given(name=name, sessions=list(sessions), checks=list(checks))
        read, key = answers.Experiment.of, calls.key_in(once)
        return await self._send("POST", ("experiments",), body, read, key)

    async def get(self, experiment_id: str) -> answers.Experiment:
        """Read an experiment with its forks as they are now."""
        segments = ("experiments", experiment_id)
        return await self._ask(answers.Experiment.of, segments)

    async def list(
        self,
        *,
        status: Literal["open", "closed"] | None = None,
        limit: int = 20,
        starting_after: str | None = None,
    ) -> answers.Page[answers.ListedExperiment]:
        """List experiments, newest first."""
        return await self._ask(
            page_of(answers.ListedExperiment.of),
            ("experiments",),
            status=status,
            limit=limit,
            starting_after=starting_after,
        )

    async def rename(
        self, experiment_id: str, name: str, **once: Unpack[Repeatable]
    ) -> answers.Experiment:
        """Give it another name, while it is open."""
        segments, key = ("experiments", experiment_id), calls.key_in(once)
        read = answers.Experiment.of
        return await self._send("PATCH", segments, {"name": name}, read, key)

    async def close(
        self, experiment_id: str, **once: Unpack[Repeatable]
    ) -> answers.Experiment:
        """Close it: it stays to be read."""
        segments = ("experiments", experiment_id, "close")
        read, key = answers.Experiment.of, calls.key_in(once)
        return await self._send("POST", segments, {}, read, key)
