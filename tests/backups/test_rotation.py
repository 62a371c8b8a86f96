"""Which backups stay, by their names alone."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.backups.names import made_at, name_of
from apps.backups.rotation import DAYS, LONGEST, WEEKS, kept, newest, outdated

NOW = datetime(2026, 11, 26, 2, tzinfo=UTC)


def nightly(days: int, *, since: datetime = NOW) -> list[str]:
    """Return names of one a day, the newest first."""
    moments = [since - timedelta(days=n) for n in range(days)]
    return [name_of(one, is_encrypted=n % 2 == 0) for n, one in enumerate(moments)]


def test_the_newest_of_seven_days_and_of_four_weeks_stay() -> None:
    stay = [made_at(name) for name in sorted(kept(nightly(60)), reverse=True)]

    assert stay[:DAYS] == [NOW - timedelta(days=n) for n in range(DAYS)]
    weeks = {one.isocalendar()[:2] for one in stay if one}
    assert len(weeks) == WEEKS
    # Beyond the days, Sundays: the newest of their weeks.
    assert all(one and one.isoweekday() == 7 for one in stay[DAYS:])


def test_run_every_day_for_a_year_no_more_than_eleven_are_there() -> None:
    there: list[str] = []
    for night in range(365):
        there.append(name_of(NOW + timedelta(days=night), is_encrypted=False))
        for name in outdated(there):
            there.remove(name)
        assert len(there) <= DAYS + WEEKS
        oldest = min(at for name in there if (at := made_at(name)))
        assert NOW + timedelta(days=night) - oldest <= LONGEST
    assert len(there) == DAYS + WEEKS - 2


def test_of_a_day_the_newest_stays() -> None:
    morning, evening = (
        name_of(NOW + timedelta(hours=n), is_encrypted=False) for n in (0, 9)
    )

    assert outdated([morning, evening]) == [morning]


def test_who_makes_none_for_a_month_loses_none() -> None:
    before = nightly(7, since=NOW - timedelta(days=40))

    assert outdated([*before, name_of(NOW, is_encrypted=False)]) == []


@pytest.mark.parametrize(
    "name",
    [
        "stepback.backup",
        "stepback-20261326T020000Z.backup",
        "stepback-20261126T020000Z.backup.age.txt",
        ".stepback-20261126T020000Z.backup",
        "erasure-000000000001.note",
        "notes.txt",
    ],
)
def test_what_is_not_ours_is_never_deleted(name: str) -> None:
    assert made_at(name) is None
    assert outdated([name, *nightly(3)]) == []
    assert newest([name]) is None
