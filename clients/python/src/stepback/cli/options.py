"""What the commands of schemas and budgets take."""

from __future__ import annotations

import argparse
from pathlib import Path

from stepback.cli import declaring

MEASURES = ("tokens", "cost", "calls", "turns", "minutes")


def add_declaring(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `schemas`, `migrate` and `budgets`."""
    schemas = verbs.add_parser("schemas", help="an agent's schemas, or one more")
    schemas.add_argument("agent")
    schemas.add_argument("version", nargs="?", help="declare it; lists if left out")
    schemas.add_argument("file", nargs="?", type=Path, help="its JSON Schema")
    schemas.add_argument(
        "--strict", action="store_true", help="from now on refuse undeclared states"
    )
    schemas.set_defaults(run=declaring.schemas)

    migrate = verbs.add_parser("migrate", help="a state as another schema has it")
    migrate.add_argument("session")
    migrate.add_argument("to", help="the version of the schema")
    migrate.add_argument("--from", dest="before", help="of a state that names none")
    migrate.add_argument("--dry-run", action="store_true", help="only show it")
    migrate.add_argument("--reason")
    migrate.set_defaults(run=declaring.migrate)

    budgets = verbs.add_parser("budgets", help="list budgets, or make one")
    budgets.add_argument("measure", nargs="?", choices=MEASURES, help="what counts")
    budgets.add_argument("most", nargs="?", metavar="LIMIT", help="as 100000 or 12.50")
    for name in ("session", "agent", "release", "currency"):
        budgets.add_argument(f"--{name}")
    budgets.add_argument("--period", choices=("total", "day", "month"))
    budgets.add_argument("--on-reach", choices=("warn", "pause", "ask"))
    budgets.add_argument("--ask-for", help="how much more, where it asks")
    budgets.add_argument("--warn", type=int, metavar="PERCENT")
    budgets.add_argument(
        "--limit", type=int, help="list so many at most, 20 if left out"
    )
    budgets.set_defaults(run=declaring.budgets)
