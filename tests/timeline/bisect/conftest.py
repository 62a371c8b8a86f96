"""What the tests of bisect share."""

import pytest

from tests.timeline.runs import Begin, Run


@pytest.fixture
def trip(begin: Begin) -> Run:
    """0 has a destination, 2 loses it, 4 finds it, 5 loses it again."""
    run = begin({"destination": "NYC", "step": 0})
    run.patch({"step": 1})
    run.patch({"destination": None}, reasoning="The tool failed.", release="1.8.1")
    run.patch({"step": 3})
    run.patch({"destination": "LAX"})
    run.patch({"destination": None})
    run.patch({"step": 6})
    return run
