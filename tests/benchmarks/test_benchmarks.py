"""The command works: rows are measured on servers of its own, and kept. No figure is
held against anything."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import traffic
from tests.benchmarks.__main__ import main
from tests.benchmarks.findings import BEGIN, END, Finding, Kept, markdown
from tests.benchmarks.headlines import CHOSEN, headlines
from tests.benchmarks.rows import ROWS
from tests.live import ROOT

needs_wrk = pytest.mark.skipif(
    traffic.shutil.which("wrk") is None and os.environ.get("CI") != "true",
    reason=traffic.MISSING,
)


def test_all_rows_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0

    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()[: len(ROWS)]] == list(ROWS)


def test_without_wrk_it_says_how_to_get_it(monkeypatch, capsys) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(SystemExit) as ended:
        main(["--quick"])

    assert ended.value.code == 2
    assert "apt-get install wrk" in capsys.readouterr().err


def test_a_quick_run_does_not_write_the_docs(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--quick", "--write-docs"])

    assert "--quick measures nothing" in capsys.readouterr().err


@needs_wrk
def test_cheap_rows_are_measured_and_kept(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    command = [sys.executable, "-m", "tests.benchmarks", "--json", str(results)]

    done = subprocess.run(
        [*command, "--quick", "--only", "head", "changes"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr
    kept = json.loads(results.read_text())
    assert list(kept) == ["head", "changes"]
    assert all(row["findings"] and row["quick"] for row in kept.values())


def test_the_table_of_what_is_kept_is_written_without_measuring(tmp_path: Path) -> None:
    results, page = tmp_path / "results.json", tmp_path / "docs/benchmarks.md"
    page.parent.mkdir()
    for written in (page, tmp_path / "README.md"):
        written.write_text(f"{BEGIN}\n{END}\n")
    one = Finding(what="head read, 2 KB, 16 connections", measured=0.9, limit=0.7)
    Kept(results).keep("head", [one], at="2026-01-02T03:04", commit="abc", quick=False)

    main(["--none", "--write-docs", "--root", str(tmp_path), "--json", str(results)])

    assert "2026-01-02, commit abc." in page.read_text()
    assert page.read_text().count("| head read, 2 KB, 16 connections |") == 1
    assert "| head read, 2 KB, 16" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize("path", ["docs/benchmarks.md", "README.md"])
def test_a_page_has_the_place_for_its_table(path: str) -> None:
    text = (ROOT / path).read_text()

    assert 0 < text.index(BEGIN) < text.index(END)


def test_the_readme_shows_what_the_table_says() -> None:
    shown = (ROOT / "README.md").read_text().partition(BEGIN)[2].partition(END)[0]

    assert shown.strip() == headlines((ROOT / "docs/benchmarks.md").read_text()).strip()
    assert len(shown.strip().splitlines()) >= 2 + len(CHOSEN)


def test_every_missed_limit_is_among_the_readmes_figures() -> None:
    met = Finding(what="small", measured=1, limit=2)
    missed = Finding(what="other", measured=3, limit=2, note="slow")

    shown = headlines(markdown([met, missed]))

    assert "small" not in shown
    assert "| other | 3.00 \N{MULTIPLICATION SIGN} |" in shown
    assert "**missed by 1.50" in shown
