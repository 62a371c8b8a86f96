"""The adapters of Anchor's client, and its guide on checkpoints, against a server."""

from __future__ import annotations

import pytest

from tests.anchor import guide
from tests.anchor.adapters import PROGRAMS, STUBS
from tests.anchor.releases import run
from tests.live import Server


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_adapter_is_served_whole(
    name: str, release: str, live: Server, secret: str
) -> None:
    program = STUBS + PROGRAMS[name]

    printed = run(release, program, KEY=secret, URL=live.url)

    assert printed == f"{name}\n"


@guide.needed
def test_the_guide_runs_as_it_is_written(
    release: str, live: Server, secret: str
) -> None:
    program = guide.program()

    printed = run(release, program, KEY=secret, URL=live.url)

    assert printed.splitlines()[-1] == "the guide ran"
