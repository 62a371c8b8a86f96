"""The web server as a process: granian's workers around the WSGI application.

`up` starts it as `python -m apps.console.serving`, because granian's own command line
takes its logging from a file only. It refuses nothing: `up` checked everything.
"""

import argparse
import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from django.conf import settings
from django.urls import get_resolver
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from apps.core import exposition
from apps.core.log import granian_logging
from apps.core.shared_counts import shared_counts

TARGET = "config.wsgi:application"
# Threads of one worker. Appends from 16 clients on two cores came out alike with 4, 8
# and 16 (110 to 300 a second, within the noise): 8 leaves some to answer while others
# wait for a lock, and two workers stay below the 24 connections of their pools.
BLOCKING_THREADS = 8
# What comes before a body may take so much in all; beyond it the server answers 431.
HEADER_BYTES = 64 * 1024
# The server looks at its limit between two reads, of which the last may be as large:
# told 64 KiB, it took 100 kB in one header.
BUFFER_BYTES = HEADER_BYTES // 2
# Shorter than the supervisor's grace, so that granian itself ends a stuck worker.
WORKER_GRACE_SECONDS = 8


def arguments(*, address: str, port: int) -> list[str]:
    """Return what to call this module with."""
    return [f"--address={address}", f"--port={port}"]


def serve(*, address: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT; a worker that dies is replaced."""
    load()
    Server(
        TARGET,
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        # Reading a setting also routes the log, before granian says anything.
        workers=settings.WORKERS,
        blocking_threads=BLOCKING_THREADS,
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(max_buffer_size=BUFFER_BYTES),
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


def load() -> None:
    """Load what the workers serve, if they are forked from here: once for all of them.

    Each would take 1.5 s of a processor for it, the one that replaces a dead one too.
    Nothing is connected and no thread is started before there is a request.
    """
    if multiprocessing.get_start_method() == "fork":
        import_module(TARGET.partition(":")[0])
        # The pages and the API, which would be loaded by the first request.
        _ = get_resolver().url_patterns


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


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="apps.console.serving")
    parser.add_argument("--address", required=True)
    parser.add_argument("--port", type=int, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    with counting_together(), shared_counts():
        serve(**vars(_asked()))
