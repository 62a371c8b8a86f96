"""LangGraph's PostgresSaver as it is used in a process; runs in the baselines' venv.

Commands come as lines of JSON on the standard input, each is answered by a line:
`{"rate": [seconds, states, threads]}` puts the states in turn, and answers the puts a
second; `{"keep": file}` puts the steps of a file, one a line, and answers how many.
"""

import json
import sys
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from tests.benchmarks.baselines.putting import keep, rate

THREADS = 8


def answer(saver: PostgresSaver, asked: dict[str, Any]) -> float:
    if "rate" in asked:
        return rate(saver, *asked["rate"])
    with open(asked["keep"]) as lines:
        return keep(saver, map(json.loads, lines))


def main() -> None:
    kwargs: Any = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    with ConnectionPool(sys.argv[1], max_size=THREADS, kwargs=kwargs) as pool:
        saver = PostgresSaver(pool)  # type: ignore[arg-type]
        saver.setup()
        for line in sys.stdin:
            sys.stdout.write(f"{json.dumps(answer(saver, json.loads(line)))}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
