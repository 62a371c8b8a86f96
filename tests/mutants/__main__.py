"""`python -m tests.mutants`: apply each mutant to a copy of the tree, run its tests.

Exit status: 0 all were killed; 1 one survived, does not apply any more or broke the
run, or the tree's own tests fail; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from time import monotonic

from tests.mutants import runs
from tests.mutants.mutant import Mutant
from tests.mutants.table import MUTANTS


def main(
    arguments: Sequence[str] | None = None,
    mutants: Sequence[Mutant] = MUTANTS,
    root: Path = runs.ROOT,
) -> int:
    given = _parsed(arguments, [mutant.name for mutant in mutants])
    chosen = [one for one in mutants if not given.only or one.name in given.only]
    if given.list:
        for mutant in chosen:
            _say(f"{mutant.name}: {', '.join(edit.file for edit in mutant.edits)}")
        return 0
    # It starts a PostgreSQL and names it in the environment, for all runs.
    import_module("tests.settings")

    with runs.copied(root) as tree:
        tests = list(dict.fromkeys(test for one in chosen for test in one.tests))
        clean = runs.unmutated(tree, tests)
        if clean.word != "survived":
            _say(f"The tree's own tests fail: {clean.told}")
            return 1
        verdicts = [_judged(tree, mutant) for mutant in chosen]
    killed = sum(verdict.is_good for verdict in verdicts)
    _say(f"{killed} of {len(verdicts)} mutants were killed.")
    return 0 if killed == len(verdicts) else 1


def _judged(tree: Path, mutant: Mutant) -> runs.Verdict:
    start = monotonic()
    verdict = runs.judged(tree, mutant)
    seconds = monotonic() - start
    _say(f"{verdict.word:14} {mutant.name}: {verdict.told} ({seconds:.0f} s)")
    return verdict


def _parsed(arguments: Sequence[str] | None, names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description="Take away one law of the store after the other: is it noticed?",
    )
    parser.add_argument("--only", action="append", choices=names, metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only name the mutants")
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
