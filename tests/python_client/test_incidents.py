"""Incidents by both clients: opened, changed, noted on, narrowed, reported."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import errors


def test_an_incident_is_opened_worked_on_and_reported(
    sb: Any, agent_id: str, session: Any
) -> None:
    other = sb.sessions.create(agent_id=agent_id, initial_state={"n": 1})

    opened = sb.incidents.open(
        "The trip is lost", sessions=[session.id, other.id], check="state.n<=4"
    )
    changed = sb.incidents.change(opened.id, status="watching", check=None)
    noted = sb.incidents.note(opened.id, "Called the *airline*.")
    sb.incidents.remove(opened.id, other.id)
    added = sb.incidents.add(opened.id, [other.id])
    sb.incidents.remove(opened.id, other.id)

    assert added.sessions == 2
    (found,) = sb.incidents.list(number=opened.number).data
    assert found.id == opened.id
    assert (opened.sessions, opened.check) == (2, "state.n<=4")
    assert (changed.status, changed.check, noted.deed) == ("watching", None, "noted")
    read = sb.incidents.get(opened.id)
    assert (read.sessions, read.counts["removed"]) == (1, 1)
    deeds = [one.deed for one in sb.incidents.notes(opened.id).data]
    assert deeds == [
        "opened",
        "check",
        "status",
        "check",
        "noted",
        "removed",
        "added",
        "removed",
    ]
    members = sb.incidents.members(opened.id).data
    assert {one.session_id for one in members} == {session.id, other.id}
    listed = sb.incidents.list(status="watching").data
    assert opened.id in [one.id for one in listed]
    report = sb.incidents.report(opened.id)
    assert "Called the \\*airline\\*" in report.markdown
    assert "Nobody has taken it." in report.open


def test_what_is_refused_has_its_class(sb: Any, session: Any) -> None:
    with pytest.raises(errors.UnacceptableIncident):
        sb.incidents.open("x", release="nobody-wrote-this")
    with pytest.raises(errors.IncidentNotFound):
        sb.incidents.get(f"incd_{'0' * 26}")
    made = sb.incidents.open("x", search=f"session:{session.id}")
    with pytest.raises(errors.NotInIncident):
        sb.incidents.remove(made.id, f"sess_{'0' * 26}")
