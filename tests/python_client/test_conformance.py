"""LangGraph's own conformance suite, whole, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from stepback.langgraph import StepbackSaver
from tests.live import Server


def test_the_saver_has_every_capability(live: Server, secret: str) -> None:
    @checkpointer_test(name="StepbackSaver")
    async def saver() -> AsyncIterator[StepbackSaver]:
        async with StepbackSaver(live.url, secret) as made:
            yield made

    report = asyncio.run(validate(saver))

    failures = {name: one.failures for name, one in report.results.items()}
    assert failures == {one.value: [] for one in Capability}
    assert report.passed_all()
    assert report.conformance_level() == "FULL"
    assert sum(one.tests_passed for one in report.results.values()) >= 81
