"""What looks wrong, beside what is known to have failed.

The recorded runs are named by STEPBACK_RUNS; `-s` shows what is printed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.models import Project
from apps.timeline import operations as timeline
from apps.timeline.models import Session
from tests.acts import act_in
from tests.replay import judging, runs, working
from tests.replay.judging import Judged, judge, report
from tests.replay.make import make_file, make_run

pytestmark = pytest.mark.django_db
RECORDED = os.environ.get("STEPBACK_RUNS")
# Of the good runs at most so many may look wrong: whoever is called for nothing stops
# looking.
FALSE_ALARMS = 0.1


@pytest.mark.skipif(not RECORDED, reason="STEPBACK_RUNS names no recorded runs")
def test_at_most_one_good_run_in_ten_looks_wrong(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = judge(runs.read(Path(RECORDED or "")), project)

    with capsys.disabled():
        print(f"\n{report(judged)}")  # noqa: T201 - it is what is asked for
    good = [one for one in judged if not one.is_failed]
    assert 0 < len(good) < len(judged)
    assert sum(one.looks_wrong for one in good) <= FALSE_ALARMS * len(good)


def test_a_run_that_loses_something_looks_wrong_by_that_rule(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetting(state: Any) -> Any:
        return {**working_ended(state), "last_tool": None}

    working_ended = working.ended
    path = make_file(tmp_path, make_run("whole"), make_run("lost") | {"reward": 0.0})
    whole, lost = runs.read(path)

    (first,) = judge([whole], project)
    monkeypatch.setattr(working, "ended", forgetting)
    (second,) = judge([lost], project)

    assert first == Judged("whole", False, False, frozenset())
    assert second == Judged("lost", True, True, frozenset({"nulled"}))


def test_what_is_known_good_is_not_called_wrong(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "ended", lambda state: {"step": state["step"]})
    (run,) = runs.read(make_file(tmp_path, make_run()))
    (before,) = judge([run], project)
    session = Session.objects.get()

    timeline.label(
        act=act_in(project),
        session_id=session.id,
        number=session.head_number,
        name="known-good",
    )

    assert before.looks_wrong
    assert not judging.read_list_rows([session.id])[session.id].looks_wrong


def test_the_report_says_precision_recall_and_what_each_rule_found() -> None:
    judged = [
        Judged("a", True, True, frozenset({"nulled"})),
        Judged("b", True, False, frozenset()),
        Judged("c", False, True, frozenset({"nulled", "shrank"})),
        Judged("d", False, False, frozenset()),
    ]

    lines = report(judged).splitlines()

    assert lines[0] == "4 runs, 2 failed; 2 look wrong"
    assert lines[1] == (
        "precision 50% (1 of 2), recall 50% (1 of 2), "
        "good runs that look wrong 50% (1 of 2)"
    )
    assert "  nulled (a value turned null): 1 failed, 1 good" in lines
    assert report(judged[3:]).splitlines()[1].startswith("precision none (of 0)")
