"""The chart of the rollback rate: where the labels of its releases stand."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.console.pages.metrics.frame import CARD, LETTER_WIDTH, PAGE, Release
from apps.console.pages.metrics.rate_chart import rate_chart
from apps.metrics.facts import HOUR
from apps.metrics.figures import Figures

END = datetime(2026, 11, 24, 18, tzinfo=UTC)
STARTS = [END - (24 - at) * HOUR for at in range(24)]
POINTS = {at: Figures(sessions=40, rolled_back=1) for at in STARTS}


def drawn(*hours: float):
    """Draw releases of a name of 18 letters that were first seen so late in the day."""
    releases = [
        Release(
            agent="travel-agent",
            name=f"1.{at:02}.0",
            at=STARTS[0] + timedelta(hours=hour),
            when="",
        )
        for at, hour in enumerate(hours)
    ]
    return rate_chart(POINTS, STARTS, END, zone=UTC, releases=releases)


@pytest.mark.parametrize("hours", [(23, 23.5), (22.9, 23, 23.1, 23.2), (12, 18, 23)])
def test_no_line_of_a_release_runs_through_the_label_of_another(hours) -> None:
    lines = drawn(*hours).releases

    for label in lines:
        begins = label.x - len(label.text) * LETTER_WIDTH
        for line in lines:
            crosses = begins < line.x < label.x
            assert not (crosses and line.y < label.y), (label, line)


def test_labels_stand_above_the_plot_and_within_the_chart() -> None:
    chart = drawn(0.5, 1, 23, 24)

    assert chart.frame.height == PAGE.height + 4 * 16
    assert all(line.y < chart.frame.roof for line in chart.releases)
    assert [line.anchor for line in chart.releases] == ["end", "end", "start", "start"]


def test_without_releases_nothing_is_kept_free_for_them() -> None:
    assert drawn().frame == PAGE


@pytest.mark.parametrize("frame", [PAGE, CARD])
@pytest.mark.parametrize("hour", range(1, 24))
def test_the_label_of_midnight_stays_within_the_plot(hour, frame) -> None:
    end = END.replace(hour=hour)
    starts = [end - (24 - at) * HOUR for at in range(24)]

    today = rate_chart({}, starts, end, zone=UTC, frame=frame).today

    assert today is not None
    ahead = 1 if today.anchor == "start" else -1
    tip = today.x + ahead * (len(today.text) * LETTER_WIDTH + 4)
    assert frame.left < tip < frame.right
