"""Serves the bare views on a port, by the product's own server and front."""

import sys

from apps.server.serving import serve
from tests.benchmarks import machine

TARGET = "tests.benchmarks.baselines.bare:application"

if __name__ == "__main__":
    serve(
        address="127.0.0.1",
        port=int(sys.argv[1]),
        target=TARGET,
        workers=machine.WORKERS,
    )
