"""A session that has lost something of each kind, and how to take it."""

from __future__ import annotations

from typing import Any

from apps.core.roles.names import Role
from apps.timeline.operations import keeping
from apps.timeline.operations.keeping import Gone, Went
from tests.acting import acting_as
from tests.timeline import runs
from tests.timeline.keeping.taking import REMOVAL as REMOVAL
from tests.timeline.keeping.taking import as_retention

WORD = "zanzibar"


def with_gaps(begin: runs.Begin) -> runs.Run:
    """Return a session of versions 0 to 13, of which some have gone.

    v1 to v3 were pruned, v6 and v7 emptied, and all below v10 thinned. Each version
    sets `step`; `city` is set at v0, v2, v5 and v12.
    """
    run = begin({"step": 0, "city": "Rome", "kept": WORD, "text": "long " * 200})
    run.post("versions/0/labels", {"label": "first"})
    cities = {2: "Oslo", 5: "Bern", 12: "Lima"}
    for step in range(1, 14):
        city = {"city": cities[step]} if step in cities else {}
        state = {**run.state, "step": step, **city}
        run.turn(
            f"say {step}", f"heard {step}", state_after=state, reasoning=f"r{step}"
        )
    take(keeping.prune_versions, run, first=1, last=3)
    take(keeping.empty_versions, run, first=6, last=7)
    with acting_as(Role.RETENTION):
        assert keeping.thin_session(session_id=run.id, below=10).outcome is Went.DONE
    return run


def take(act: Any, run: runs.Run, **given: Any) -> Gone:
    """Prune or empty as the retention role; it must be done."""
    gone = as_retention(act, run, **given)
    assert gone.outcome is Went.DONE, gone
    return gone
