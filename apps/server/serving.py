"""Run the web server process: granian's workers around the front and Django.

`up` starts it as `python -m apps.server.serving`, because granian's own command line
takes its logging from a file only. It refuses nothing: `up` checked everything.
"""

import argparse
import multiprocessing
import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.urls import get_resolver
from granian.constants import HTTPModes, Interfaces, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from apps.core.admission.shared_counts import shared_counts
from apps.core.monitoring import exposition
from apps.core.monitoring.log import granian_logging
from apps.core.processes import memory, unasked
from apps.core.processes.shared_hints import shared_hints
from apps.core.processes.shared_values import shared_values
from apps.server.front import loop as loop  # granian's workers take it from there

TARGET = "config.asgi:application"
# Connections of one worker. A slow one costs 14 kB (measured with 2,000) and no thread;
# beyond that number nobody else gets in before one of them is closed.
CONNECTIONS = 4096
# What a worker opens beside connections: files, the database, the log.
OTHER_DESCRIPTORS = 256
# Time for the headers of a request, and for the pause before it on a kept connection;
# then the connection is closed. Clients keep connections for less.
HEADER_SECONDS = 30
# What comes before a body may take so much in all; beyond it the server answers 431.
HEADER_BYTES = 64 * 1024
# The server looks at its limit between two reads, of which the last may be as large:
# with 64 KiB it accepted a header of 100 kB.
BUFFER_BYTES = HEADER_BYTES // 2
# Shorter than the supervisor's grace, so that granian itself ends a stuck worker.
WORKER_GRACE_SECONDS = 8


def arguments(*, address: str, port: int) -> list[str]:
    """Return what to call this module with."""
    return [f"--address={address}", f"--port={port}"]


def serve(*, address: str, port: int, target: str = TARGET, workers: int) -> None:
    """Serve until SIGTERM or SIGINT; a worker that dies is replaced."""
    Server(
        target,
        address=address,
        port=port,
        interface=Interfaces.ASGINL,
        workers=workers,
        backpressure=_connections(),
        # Cheaper with one thread of its own: 219 µs a request in place of 233.
        runtime_mode=RuntimeModes.st,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            max_buffer_size=BUFFER_BYTES, header_read_timeout=HEADER_SECONDS * 1000
        ),
        websockets=False,
        log_dictconfig=granian_logging(),
        # Below that it tells of its own comings and goings, as `up` does.
        log_level=LogLevels.error,
        # Every request has its line already, without the caller's data.
        log_access=False,
        respawn_failed_workers=True,
        workers_kill_timeout=WORKER_GRACE_SECONDS,
        working_dir=Path.cwd(),
    ).serve()


def _connections() -> int:
    """Return how many connections a worker may have, and let it open as many files.

    granian takes a connection that it has no descriptor for again and again, without
    a pause.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return CONNECTIONS
    return max(1, min(CONNECTIONS, soft - OTHER_DESCRIPTORS))


def load() -> None:
    """Load what the workers serve, if they are forked from here: once for all of them.

    Each would take 1.5 s of a processor for it, the one that replaces a dead one too.
    Nothing is connected and no thread is started before there is a request.
    """
    if multiprocessing.get_start_method() == "fork":
        unasked.keep_out()
        memory.begin_loading()
        import_module(TARGET.partition(":")[0])
        # The pages and the API, which would be loaded by the first request.
        _ = get_resolver().url_patterns
        memory.end_loading()


@contextmanager
def counting_together() -> Iterator[None]:
    """Give the workers a folder for what they count, if Prometheus may ask for it."""
    if not exposition.is_on() or exposition.counts_requests():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="stepback-metrics-") as folder:
        os.environ[exposition.SHARED_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[exposition.SHARED_FOLDER]


def knowing_together() -> AbstractContextManager[None]:
    """Give the workers a table of what they know, if there are several to share it."""
    is_inherited = multiprocessing.get_start_method() == "fork"
    is_read = is_inherited and settings.WORKERS > 1
    return shared_values() if is_read else nullcontext()


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="apps.server.serving")
    parser.add_argument("--address", required=True)
    parser.add_argument("--port", type=int, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    # Reading a setting also routes the log, before granian says anything.
    with counting_together(), shared_counts(), shared_hints(), knowing_together():
        load()
        serve(**vars(_asked()), workers=settings.WORKERS)
