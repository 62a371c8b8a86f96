"""What is found is told as it is: met, or missed by how much."""

from pathlib import Path

import pytest

from tests.benchmarks.findings import (
    BEGIN,
    END,
    TIMES,
    Finding,
    Kept,
    figure,
    markdown,
    told,
    write_table,
)
from tests.benchmarks.pairs import Samples, alternate


def finding(**changes) -> Finding:
    return Finding(**{"what": "append", "measured": 0.5, "limit": 0.6} | changes)


def test_a_ratio_below_its_limit_is_missed_by_so_much() -> None:
    assert finding(at_least=True, measured=0.3).verdict == f"missed by 2.00 {TIMES}"


def test_a_size_above_its_limit_is_missed_by_so_much() -> None:
    one = finding(measured=30, limit=20, unit="KB")

    assert (one.verdict, one.measured_text) == (f"missed by 1.50 {TIMES}", "30 KB")


@pytest.mark.parametrize("at_least", [True, False])
def test_the_limit_itself_is_met(at_least: bool) -> None:
    assert finding(at_least=at_least, measured=0.6).verdict == "met"


def test_nothing_allowed_and_something_found_is_missed() -> None:
    assert finding(measured=1, limit=0, unit="posts").verdict == "missed"


def test_without_a_limit_a_figure_is_reported() -> None:
    assert finding(limit=None).verdict == "reported"


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(1 / 40, TIMES, "1/40"), (2.5, TIMES, f"2.50 {TIMES}"), (0.5, "s", "0.50 s")],
)
def test_figures_are_written_as_people_say_them(value, unit, said) -> None:
    assert figure(value, unit) == said


def test_the_table_has_a_line_for_each_finding_and_its_notes_below() -> None:
    table = markdown([finding(note="not durable"), finding(note="not durable")])

    lines = table.splitlines()
    assert len({line.count("|") for line in lines if line.startswith("|")}) == 1
    assert lines[2].startswith(f"| append (1) | 0.50 {TIMES} |")
    assert lines[-1] == "(1) not durable"


def test_a_finding_is_one_line_on_the_terminal() -> None:
    assert told(finding(ours="10/s", noise="0.98-1.02")) == (
        f"append: 0.50 {TIMES} (limit ≤ 0.60 {TIMES}: met), 10/s / -, noise 0.98-1.02"
    )


def test_the_page_is_written_between_its_markers_alone(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")

    write_table(page, "new")
    write_table(page, "newer")

    assert page.read_text() == f"before\n{BEGIN}\n\nnewer\n{END}\nafter\n"


def test_a_page_without_markers_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text("before\n")

    with pytest.raises(ValueError, match="lacks the line"):
        write_table(page, "new")

    assert page.read_text() == "before\n"


def test_a_row_measured_again_replaces_what_it_found_before(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    Kept(file).keep("append", [finding()], at="2026-01-01", commit="a")
    Kept(file).keep("head", [finding(what="head")], at="2026-01-02", commit="b")
    Kept(file).keep("append", [finding(measured=0.7)], at="2026-01-03", commit="c")

    found = Kept(file).findings(["append", "head", "never"])

    assert [(one.what, one.measured) for one in found] == [
        ("append", 0.7),
        ("head", 0.5),
    ]


def test_what_was_measured_quickly_stays_out_of_the_docs(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "results.json")
    kept.keep("append", [finding()], quick=True)
    kept.keep("head", [finding(what="head")], quick=False)

    assert list(kept.thorough().rows) == ["head"]


def test_lanes_take_turns_and_the_first_round_does_not_count() -> None:
    log: list[str] = []

    def lane(name: str, *values: float):
        found = iter(values)

        def measure() -> float:
            log.append(name)
            return next(found)

        return measure

    lanes = {"a": lane("a", 99, 2, 4, 9), "b": lane("b", 99, 1, 1, 3)}
    samples = alternate(lanes, rounds=3)

    assert "".join(log) == "abababab"
    assert samples.ratio("a", "b") == 3
    assert samples.median("a") == 4


def test_noise_is_how_far_a_lane_differs_from_itself() -> None:
    steady = Samples({"a": [5.0] * 8})
    wild = Samples({"a": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]})

    assert steady.noise("a") == (1, 1)
    assert wild.noise("a") == (0.5, 2)
