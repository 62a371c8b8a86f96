"""`python -m tests.benchmarks`: measure the product against its limits and others.

Figures are ratios from alternating pairs of one run. Nothing is asserted: what is
missed is printed. Rows are independent; what each found is kept in --json at once, so
a run that was cut short goes on with `--only` for the rows that are left.
"""

from __future__ import annotations

import argparse
import logging
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks import machine, traffic
from tests.benchmarks.findings import Kept, markdown, told, write_table
from tests.benchmarks.headlines import headlines
from tests.benchmarks.rows import CHEAP, ROWS
from tests.benchmarks.setting import Setting
from tests.live import ROOT

RESULTS = ROOT / "var" / "benchmarks" / "results.json"
QUICK_RESULTS = RESULTS.with_name("quick.json")
ALSO = """
also, in more detail, each with figures of its own:
  python -m tests.benchmarks.appends   an append, layer by layer
  python -m tests.benchmarks.bodies    the codec, by size of the state
  python -m tests.benchmarks.diffs     comparisons, by size and kind
  python -m tests.benchmarks.against COMMIT  the console's pages beside an older one
  python -m tests.replay FILE          recorded runs, posted and read back
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 measured, 1 a row could not be measured, 2 wrong usage."""
    given = _parsed(arguments)
    if given.list:
        for name, row in ROWS.items():
            sys.stdout.write(f"{name:10} {row.WHAT}\n")
        sys.stdout.write(ALSO)
        return 0
    kept = Kept(given.json)
    done = _all_measured(_wanted(given), kept, quick=given.quick)
    if given.markdown:
        sys.stdout.write(markdown(kept.findings(ROWS)))
    if given.write_docs:
        _write_docs(given.root, kept.thorough())
    return 0 if done else 1


def _write_docs(root: Path, kept: Kept) -> None:
    """Write the table into its page, then the README's selection of it."""
    page = root / "docs" / "benchmarks.md"
    write_table(page, f"{_heading(kept)}\n\n{markdown(kept.findings(ROWS))}")
    write_table(root / "README.md", headlines(page.read_text()))


def _all_measured(names: Sequence[str], kept: Kept, *, quick: bool) -> bool:
    """Measure the rows on one cluster, each on databases of its own."""
    if not names:
        return True
    with machine.durable_cluster() as superuser_dsn, ExitStack() as opened:
        setting = Setting(superuser_dsn, quick=quick, opened=opened)
        done = [_measured(name, kept, setting) for name in names]
    return all(done)


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description="Measure speed and memory; figures are kept in --json.",
    )
    add = parser.add_argument
    add("--only", nargs="+", metavar="ROW", choices=ROWS, help="these rows alone")
    add("--quick", action="store_true", help="show that rows work, figures aside")
    add("--list", action="store_true", help="the rows, and what each measures")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="where results are kept (var/benchmarks)",
    )
    add("--markdown", action="store_true", help="print the table of all that is kept")
    add("--write-docs", action="store_true", help="put that table into the docs")
    add("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    add("--none", action="store_true", help="measure nothing, only write what is kept")
    given = parser.parse_args(arguments)
    given.json = given.json or (QUICK_RESULTS if given.quick else RESULTS)
    if given.quick and given.write_docs:
        parser.error("--quick measures nothing that belongs into the docs")
    if not (given.list or given.none):
        try:
            traffic.require_wrk()
        except FileNotFoundError as missing:
            parser.error(str(missing))
    return given


def _wanted(given: argparse.Namespace) -> Sequence[str]:
    if given.none:
        return ()
    return given.only or (CHEAP if given.quick else tuple(ROWS))


def _measured(name: str, kept: Kept, setting: Setting) -> bool:
    """Measure one row; tell and keep what it found.

    A row that fails says why, and does not keep the others from being measured.
    """
    sys.stderr.write(f"{name}: {ROWS[name].WHAT}\n")
    begin = time.monotonic()
    try:
        found = ROWS[name].run(setting)
    except Exception:  # noqa: BLE001 - the other rows can still be measured
        traceback.print_exc()
        return False
    seconds = round(time.monotonic() - begin)
    facts = {"at": _now(), "commit": _commit(), "quick": setting.quick}
    kept.keep(name, found, seconds=seconds, **facts)
    for one in found:
        sys.stdout.write(f"  {told(one)}\n")
    sys.stdout.flush()
    return True


def _heading(kept: Kept) -> str:
    dates = sorted({str(row["at"])[:10] for row in kept.rows.values()})
    commits = sorted({str(row["commit"]) for row in kept.rows.values()})
    return (
        f"Measured by `python -m tests.benchmarks` on {machine.described()}; "
        f"{' and '.join(dates)}, commit {', '.join(commits)}."
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="minutes")


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def _end(number: int, frame: object) -> None:
    # As with Ctrl-C: what runs is ended on the way out.
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    # Clients would log every request.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    sys.exit(main())
