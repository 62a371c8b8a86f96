"""Which sessions are told: by labels of live versions, and by what turns report."""

from __future__ import annotations

from typing import Any

import pytest

from apps.exports.telling.spending import Spent, spent
from tests.conftest import Api
from tests.exports.reading import Sweep, left_out, made
from tests.exports.test_asking import lines
from tests.timeline import runs
from tests.timeline.runs import begin


@pytest.mark.django_db
def test_a_label_counts_on_a_live_version_alone(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    ids = []
    for back in (None, 1):
        run = begin(api(), {"n": 0})
        run.turn("One", "1", state_after={"n": 1})
        run.turn("Two", "2", state_after={"n": 2})
        run.post("versions/2/labels", {"label": "golden"})
        if back is not None:
            run.post("rollback", {"version": back})
        ids.append(run.id)

    told = lines(admin, made(admin, sweep, label="golden"))

    assert [one["metadata"]["session_id"] for one in told] == ids[:1]
    assert lines(admin, made(admin, sweep, label="silver")) == []


@pytest.mark.django_db
def test_the_cheap_are_told_and_what_reports_nothing_is_counted(
    api: runs.Clients, admin: Api, sweep: Sweep
) -> None:
    for metadata in (
        {"usage": {"input_tokens": 60, "output_tokens": 20}, "cost_usd": 0.5},
        {"tokens": 900, "cost": 4},
        {"latency_ms": 3},
    ):
        begin(api(), {"n": 0}).turn("Hello", "Hello", metadata=metadata)

    usage = {"input_tokens": 400, "cost": "9.5", "currency": "EUR"}
    begin(api(), {"n": 0}).turn("Hello", "Hello", usage=usage)

    cheap = made(admin, sweep, most_tokens=80)
    (told,) = lines(admin, cheap)
    assert (told["metadata"]["tokens"], told["metadata"]["cost"]) == (80, 0.5)
    assert left_out(cheap) == {"tokens_not_reported": 1}
    assert len(lines(admin, made(admin, sweep, most_cost=4.0))) == 2
    assert lines(admin, made(admin, sweep, most_cost=0)) == []
    assert len(lines(admin, made(admin, sweep))) == 4


@pytest.mark.parametrize(
    ("metadata", "tokens", "cost"),
    [
        ([], None, None),
        ([None, "text", {"usage": 5}], None, None),
        ([{"tokens": True}, {"tokens": -1}, {"tokens": 10**400}], None, None),
        ([{"total_tokens": 5}, {"tokens": 7}], 12, None),
        ([{"prompt_tokens": 5}], 5, None),
        # Said twice it counts once.
        ([{"tokens": 5, "usage": {"total_tokens": 5}}], 5, None),
        ([{"total_cost": 0.1}, {"usage": {"cost": 0.2}}], None, pytest.approx(0.3)),
    ],
)
def test_what_turns_report_is_added_up_and_else_not_known(
    metadata: list[Any], tokens: float | None, cost: float | None
) -> None:
    assert spent(metadata) == Spent(tokens=tokens, cost=cost)
