"""Public ids: one length, and an order."""

from datetime import UTC, datetime, timedelta

from apps.core.ids import new_id

NOW = datetime(2026, 1, 31, 12, 30, 15, 123456, tzinfo=UTC)


def test_ids_of_one_prefix_have_one_length() -> None:
    made = [new_id("sess", now=NOW), new_id("sess", now=NOW, sequence=2**24 - 1)]

    assert {len(one) for one in made} == {31}


def test_ids_sort_by_the_moment_they_were_made() -> None:
    moments = [NOW + timedelta(microseconds=n) for n in range(2_000)]

    made = [new_id("sess", now=moment) for moment in moments]

    assert made == sorted(set(made))


def test_ids_of_one_moment_sort_by_their_sequence() -> None:
    sequence = [0, 1, 2, 3, 255, 256, 65_536, 2**24 - 1]

    made = [new_id("trace", now=NOW, sequence=n) for n in sequence]

    assert made == sorted(set(made))
    assert max(made) < new_id("trace", now=NOW + timedelta(microseconds=1), sequence=0)


def test_no_two_ids_are_the_same() -> None:
    made = [new_id("trace", now=NOW, sequence=5) for _ in range(1_000)]
    made += [new_id("sess", now=NOW) for _ in range(1_000)]

    assert len(set(made)) == 2_000
