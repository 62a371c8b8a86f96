"""A phone call finds its session: by reservation, by user, by what was said.

For every call that the runs give rise to, the right session is among the first three of
the page, and its one link leads to the version of the deed. The recorded runs are named
by STEPBACK_RUNS; runs made by hand are asked about in any case.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from apps.accounts.models import Role
from tests.accounts.make import make_member
from tests.console.make import signed_in
from tests.replay import runs
from tests.replay.calls import Call, calls
from tests.replay.make import make_file, make_run
from tests.replay.runs import Run
from tests.replay.steps import Step, steps
from tests.replay.working import initial
from tests.timeline import runs as timeline

pytestmark = pytest.mark.django_db

RECORDED = os.environ.get("STEPBACK_RUNS")
FIRST = 3
WANTED = 0.95
ROW = re.compile(r'<tr role="row"(?! class="why")')
LINK = re.compile(
    r'href="[^"]*/sessions/(sess_\w{26})(?:/versions/(\d+))?" title="sess_'
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page answered a call with."""

    call: Call
    is_first: bool
    leads_there: bool


@pytest.fixture
def viewer(client: Any, project: Any) -> Any:
    return signed_in(client, make_member(project, "vera", Role.VIEWER))


@pytest.fixture
def begin(api: timeline.Clients) -> timeline.Begin:
    client = api()
    return lambda state, **fields: timeline.begin(client, state, **fields)


def test_a_call_about_runs_made_by_hand_finds_its_session(
    viewer: Any, project: Any, begin: timeline.Begin, tmp_path: Path
) -> None:
    made = [make_run(f"task-{number}-trial-0", bonus=number) for number in range(3)]
    asked = ask(viewer, project, begin, make_file(tmp_path, *made))

    assert {one.call.kind for one in asked} == {"reservation", "user", "quote"}
    assert [one for one in asked if not (one.is_first and one.leads_there)] == []


@pytest.mark.skipif(not RECORDED, reason="STEPBACK_RUNS names no recorded runs")
def test_a_call_about_recorded_runs_finds_its_session(
    viewer: Any, project: Any, begin: timeline.Begin, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ask(viewer, project, begin, Path(RECORDED or ""))

    missed = [one.call for one in asked if not one.is_first]
    astray = [one.call for one in asked if one.is_first and not one.leads_there]
    with capsys.disabled():
        sys.stdout.write(f"\n{report(asked)}\n")
        for call in (*missed, *astray):
            kind = "missed" if call in missed else "astray"
            sys.stdout.write(f"  {kind}: {call}\n")
    assert len(missed) <= (1 - WANTED) * len(asked)
    assert len(astray) <= (1 - WANTED) * len(asked)


def report(asked: Sequence[Asked]) -> str:
    """Say how many calls of each kind were answered."""
    said = []
    for kind in sorted({one.call.kind for one in asked}):
        some = [one for one in asked if one.call.kind == kind]
        first = sum(one.is_first for one in some)
        there = sum(one.leads_there for one in some)
        said.append(
            f"{kind}: {first} of {len(some)} in the first {FIRST}, "
            f"{there} lead to the deed"
        )
    share = sum(one.is_first for one in asked) / len(asked)
    return f"{len(asked)} calls, {share:.1%} found; {'; '.join(said)}"


def ask(viewer: Any, project: Any, begin: timeline.Begin, path: Path) -> list[Asked]:
    told = list(runs.read(path))
    sessions = {run.name: post(run, begin) for run in told}
    return [answered(viewer, project, call, sessions) for call in calls(told)]


def answered(viewer: Any, project: Any, call: Call, sessions: dict[str, str]) -> Asked:
    url = reverse("console:sessions", args=[project.slug])
    page = viewer.get(url, {"q": call.said}).content.decode()
    _, *rows = ROW.split(page.partition("<tbody")[2])
    found = [dict(LINK.findall(row)) for row in rows[:FIRST]]
    session = sessions[call.run]
    leads = [links[session] for links in found if session in links]
    return Asked(
        call=call,
        is_first=bool(leads),
        leads_there=bool(leads) and call.number in (None, int(leads[0] or -1)),
    )


def post(run: Run, begin: timeline.Begin) -> str:
    """Write a run as its agent does, without the messages: nothing searches those."""
    before = initial()
    made = begin(before, agent_id="airline-support")
    for step in steps(run):
        _post_step(made, step, before)
        before = step.state
    return made.id


def _post_step(made: timeline.Run, step: Step, before: Any) -> None:
    about = {"reasoning": step.reasoning, "objective_status": step.state["status"]}
    if step.said is not None:
        made.turn(step.heard, step.said, state_after=step.state, **about)
    elif step.calls:
        changed = {k: v for k, v in step.state.items() if v != before[k]}
        made.patch(changed, **about)
    else:
        made.put(step.state, **about)
    for call in step.calls:
        made.turn(
            {"tool": call.name, "arguments": call.arguments},
            {"result": call.result},
            reasoning=step.reasoning,
        )
