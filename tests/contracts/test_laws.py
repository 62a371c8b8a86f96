"""Each law in docs/laws.md names tests that are there."""

import re

import pytest

from tests.contracts.test_readme import ROOT

LAWS = re.findall(
    r"^\| (I\d+) (.+) \| (.+) \|$", (ROOT / "docs/laws.md").read_text(), re.M
)


def test_they_are_numbered_without_a_gap() -> None:
    assert [name for name, _, _ in LAWS] == [f"I{n}" for n in range(1, len(LAWS) + 1)]
    assert len(LAWS) > 10


@pytest.mark.parametrize(("law", "says", "tests"), LAWS, ids=[law[0] for law in LAWS])
def test_a_law_names_tests_that_are_there(law: str, says: str, tests: str) -> None:
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", tests)

    assert named, says
    for file, name in named:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.M), name
