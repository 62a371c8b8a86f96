"""Random acts on sessions, of every kind that leaves something to search for."""

import random
from typing import Any

from tests.timeline.runs import Run


def state(chance: random.Random) -> dict[str, Any]:
    values = [1, 1.0, "1", True, None, "x" * 250, [1, {"id": "a", "n": 2}], {"b": []}]
    return {
        f"k{chance.randrange(90)}": chance.choice(values)
        for _ in range(chance.choice([3, 5, 300]))
    }


def act(chance: random.Random, run: Run) -> list[Run]:
    """Do something to a session; return the session that it made, if it made one."""
    version = chance.randint(0, run.head)
    match chance.randrange(8):
        case 0:
            return [run.fork(version=version, state=state(chance))]
        case 1:
            return [run.fork(version=version)]
        case 2 if version < run.head:
            run.rollback(version)
        case 3:
            run.turn("Where to?", "To Rome", state_after=state(chance), trace_id="t")
        case 4:
            run.turn("Anything else?", "No", reasoning="Done")
        case 5:
            run.send("POST", f"versions/{version}/labels", {"label": "good"})
        case 6:
            items = [
                {
                    "state": state(chance),
                    "reasoning": "Step",
                    "external_id": f"{number}{'x' * chance.randint(0, 9)}",
                }
                for number in range(run.head + 1, run.head + 4)
            ]
            run.send("POST", "versions", {"versions": items})
        case _:
            run.patch(state(chance), trace_id=chance.choice(["t-1", None]))
    return []
