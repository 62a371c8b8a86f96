"""Surveys and experiments by both clients."""

from __future__ import annotations

from typing import Any

import pytest

from stepback import errors


def test_a_survey_is_asked_for_and_read(sb: Any, session: Any) -> None:
    asked = sb.surveys.ask("state.n<=4", search=f"session:{session.id}")

    read = sb.surveys.get(asked.id)

    assert (read.sessions, read.is_all, read.check) == (1, True, "state.n<=4")
    assert asked.id in [one.id for one in sb.surveys.list().data]
    with pytest.raises(errors.SurveyNotFound):
        sb.surveys.get(f"surv_{'0' * 26}")
    with pytest.raises(errors.UnacceptableSurvey):
        sb.surveys.ask("state.n<=4", search="user:nobody-at-all")


def test_forks_are_compared_renamed_and_closed(sb: Any, session: Any) -> None:
    forks = [sb.sessions.fork(session.id, version=0).id for _ in range(2)]

    made = sb.experiments.make("Cheaper", forks, checks=["state.n<=4"])
    renamed = sb.experiments.rename(made.id, "Cheaper by far")
    closed = sb.experiments.close(made.id)

    assert [one["session_id"] for one in made.variants] == forks
    assert (renamed.name, closed.status) == ("Cheaper by far", "closed")
    assert sb.experiments.get(made.id).closed_at == closed.closed_at
    assert made.id in [one.id for one in sb.experiments.list(status="closed").data]
    with pytest.raises(errors.ExperimentClosed):
        sb.experiments.rename(made.id, "x")
    with pytest.raises(errors.ExperimentNotFound):
        sb.experiments.get(f"expt_{'0' * 26}")
    with pytest.raises(errors.UnacceptableExperiment):
        sb.experiments.make("x", forks[:1])
    with pytest.raises(errors.NotAFork):
        sb.experiments.make("x", [forks[0], session.id])
