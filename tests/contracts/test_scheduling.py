"""What is to be begun first in a parallel run is there, and is told apart."""

import pytest

from tests.live import ROOT
from tests.scheduling import FIRST, unit


@pytest.mark.parametrize("place", FIRST)
def test_what_is_begun_first_is_there(place: str) -> None:
    assert (ROOT / place).exists()


def test_a_place_is_not_passed_over_for_one_around_it() -> None:
    for place in FIRST:
        assert unit(f"{place}::test_it") == place


def test_what_is_not_named_is_run_module_by_module() -> None:
    assert unit("tests/core/test_json.py::test_it") == "tests/core/test_json.py"
