"""What comparing costs, beside DeepDiff: `python -m tests.benchmarks.diffs`.

Prints, asserts nothing: machines differ, ratios less so.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from deepdiff import DeepDiff

from apps.diffs.compare import compare
from apps.diffs.display import display
from apps.diffs.facets import facets
from apps.diffs.touched import touched

Scenario = tuple[str, Any, Any]


def message(number: int) -> dict[str, Any]:
    text = f"Turn {number}: the customer asks about order {number * 7}. " * 4
    return {"role": "user" if number % 2 else "agent", "text": text, "n": number}


def state(n_messages: int) -> Any:
    return {
        "messages": [message(number) for number in range(n_messages)],
        "plan": {"destination": "LAX", "price": 120.5, "paid": False},
    }


def deep(levels: int, width: int, leaf: Any) -> Any:
    for level in range(levels):
        leaf = [{"bulk": list(range(width)), "level": level}, leaf]
    return {"tree": leaf}


def scenarios(n_messages: int) -> list[Scenario]:
    def edited(change: Callable[[Any], object]) -> Any:
        after = state(n_messages)
        change(after)
        return after

    before = state(n_messages)
    changes: dict[str, Callable[[Any], object]] = {
        "equal": lambda s: None,
        "appended": lambda s: s["messages"].append(message(-1)),
        "at front": lambda s: s["messages"].insert(0, message(-1)),
        "one edited": lambda s: s["messages"][n_messages // 2].update(text="edited"),
        "window slides": lambda s: s["messages"].append(s["messages"].pop(0)),
        "all edited": lambda s: [each.update(n=-1) for each in s["messages"]],
    }
    return [(name, before, edited(change)) for name, change in changes.items()]


def milliseconds(act: Callable[[], object], at_most: float = 0.5) -> float:
    """Best of a few, since the machine is shared."""
    best, until = float("inf"), time.perf_counter() + at_most
    while True:
        start = time.perf_counter()
        act()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() > until:
            return best * 1000


def measure(name: str, before: Any, after: Any, with_deepdiff: bool) -> str:
    size = len(json.dumps(after)) / 1000
    found = compare(before, after)
    ours = milliseconds(lambda: compare(before, after))
    rows = milliseconds(lambda: touched(found))
    shown = milliseconds(lambda: display(before, after))
    found_facets = milliseconds(lambda: facets(after))
    theirs = milliseconds(lambda: DeepDiff(before, after), 0) if with_deepdiff else None
    ratio = f"{theirs:9.1f} {theirs / ours:7.0f}x" if theirs else f"{'-':>9} {'-':>8}"
    return (
        f"{name:16} {size:9.1f} {len(found):6} {ours:9.2f} {rows:9.2f} "
        f"{found_facets:8.2f} {shown:9.2f} {ratio}"
    )


def main() -> None:
    write = sys.stdout.write
    write(
        f"{'scenario':16} {'kB':>9} {'found':>6} {'compare':>9} {'touched':>9} "
        f"{'facets':>8} {'display':>9} {'DeepDiff':>9} {'ratio':>8}\n"
    )
    for n_messages in (4, 40, 400, 4000):
        for name, before, after in scenarios(n_messages):
            write(measure(name, before, after, n_messages <= 400) + "\n")
    write(measure("deep", deep(60, 2000, 1), deep(60, 2000, 2), False) + "\n")


if __name__ == "__main__":
    main()
