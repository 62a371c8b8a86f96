"""What one project asks for costs another nothing but time: two workers, counted."""

from tests.benchmarks.shares import LOOPS, SHORT, Greedy, Modest, contend
from tests.live import Server

SECONDS = 4.0


def test_nobody_is_refused_because_another_project_loops(live: Server) -> None:
    greedy = Greedy(live, "greedy", SHORT)
    modest = Modest(live, "modest")

    answers = contend(greedy, modest, SECONDS)

    assert set(answers["small writes"].statuses) == {200}, str(answers)
    assert set(answers["large writes"].statuses) == {200}, str(answers)
    # They did loop, on what they were meant to: some were done, none failed. What they
    # had no answer to within half a minute (0) costs them alone.
    for kind in set(LOOPS):
        assert set(answers[kind].statuses) <= {200, 201, 503, 0}, str(answers)
    assert sum(answers[kind].statuses[200] for kind in ("verify", "search"))
