"""All orders of the steps of some writers, each run from the beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.races.interleavings.stage import Played


def every(play: Callable[[list[int]], Played]) -> Iterator[Played]:
    """Play every order once, depth first.

    Which steps there are is only known by playing: who lost a race has more of them,
    who waits for a lock cannot be picked. So an order is a list of picks, and the next
    one changes the last pick that had another choice.
    """
    picks: list[int] | None = []
    while picks is not None:
        played = play(picks)
        assert [pick for pick, _ in played.picks[: len(picks)]] == picks
        yield played
        picks = following(played.picks)


def following(made: list[tuple[int, int]]) -> list[int] | None:
    """Return the picks after these; None after the last."""
    while made and made[-1][0] + 1 >= made[-1][1]:
        made = made[:-1]
    if not made:
        return None
    return [pick for pick, _ in made[:-1]] + [made[-1][0] + 1]
