"""`python -m tests.faults [--short] [--seed N] [names…]`: every fault, one by one.

Exit status: 0 all promises held, 1 one was broken, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from random import SystemRandom
from types import ModuleType

import django

from apps.core.roles.names import VARIABLES

SEEDS = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    _ready()
    from tests.faults.plan import Plan, table
    from tests.faults.scenarios import ALL

    given = _parsed(arguments, ALL)
    # An end that was asked for takes down what was started, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    _say(f"seed {given.seed}: STEPBACK_SEED={given.seed} or --seed repeats it")
    results, broken = [], []
    for name in given.names or ALL:
        plan = Plan(seed=given.seed, is_short=given.short, say=_say)
        _say(f"{name}: {ALL[name].WHAT}")
        began = time.monotonic()
        try:
            results.append(ALL[name].run(plan))
        except Exception:  # noqa: BLE001 - told, and the others go on
            broken.append(name)
            _say(f"{name}: BROKEN (seed {given.seed})\n{traceback.format_exc()}")
        _say(f"{name}: {time.monotonic() - began:.0f} s")
    sys.stdout.write(f"\n{table(results)}\n\n")
    for result in results:
        sys.stdout.writelines(f"{result.name}: {note}\n" for note in result.notes)
    sys.stdout.writelines(f"{name}: BROKEN\n" for name in broken)
    return 1 if broken else 0


def _ready() -> None:
    """Configure Django for the checks, which decode what the server stored."""
    for variable in VARIABLES.values():
        os.environ.pop(variable, None)
    os.environ.setdefault("SECRET_KEY", "only-for-tests")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ.setdefault("STEPBACK_LOG_LEVEL", "WARNING")
    django.setup()


def _parsed(
    arguments: Sequence[str] | None, known: dict[str, ModuleType]
) -> argparse.Namespace:
    listed = "\n".join(f"  {name:12} {module.WHAT}" for name, module in known.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=f"Break a server of its own in every way:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="name", help="default: all")
    parser.add_argument("--short", action="store_true", help="each one small")
    parser.add_argument(
        "--seed",
        type=int,
        default=os.environ.get("STEPBACK_SEED") or SystemRandom().randrange(SEEDS),
    )
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - known.keys():
        parser.error(f"no such scenario: {', '.join(sorted(unknown))}\n{listed}")
    return given


def _say(text: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
