"""For pytest: replay a bundle that stands beside the test.

def test_the_seat_is_kept(stepback_bundle):
    replayed = stepback_bundle("lost-seat.bundle").replay(agent, "there:state.seat")

    assert replayed.passed
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from stepback.bundles import Bundle, Replayed
    from stepback.bundles.replaying import Agent


@dataclass(frozen=True)
class BesideTest:
    """A bundle, as a test replays it."""

    bundle: Bundle

    def replay(self, agent: Agent | str, *checks: str) -> Replayed:
        """Run an agent, or the one at `module:function`, without a network.

        Raises: NoAgent, CheckRefused.
        """
        from stepback.bundles import agent_at, replay

        found = agent_at(agent) if isinstance(agent, str) else agent
        return replay(self.bundle, found, checks)


class Reads(Protocol):
    """Reads a bundle by its path, from the folder of the test."""

    def __call__(self, path: str | Path, sha256: str | None = None) -> BesideTest: ...


@pytest.fixture
def stepback_bundle(request: pytest.FixtureRequest) -> Reads:
    """`stepback_bundle("run.bundle").replay(agent)` is what came of a replay."""
    # Not before it is asked for: the plugin is loaded for tests of anything.
    from stepback.bundles import read_bundle

    folder = request.path.parent

    def read(path: str | Path, sha256: str | None = None) -> BesideTest:
        return BesideTest(read_bundle(folder / path, sha256))

    return read
