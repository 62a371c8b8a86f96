"""Asks the database whether it answers, and never waits longer than told.

A thread asks, because no time-out of the driver covers a server that is frozen or a
pool that is empty; while one question is open, everybody waits for that one.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import perf_counter
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

T = TypeVar("T")

PATIENCE_SECONDS = 1.0
# What else is told of beside the database: apps above enter themselves here, by the
# name of the service. What they tell degrades nothing.
SERVICES: dict[str, Callable[[], dict[str, Any]]] = {}


def ask_database() -> float:
    """Return how many milliseconds one question took; any error is the answer no."""
    started = perf_counter()
    connection = connections[DEFAULT_DB_ALIAS]
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    finally:
        # This thread's connection goes back to the pool with the thread.
        connection.close()
    return (perf_counter() - started) * 1000


class Probe(Generic[T]):
    """One open question at a time, shared by all who ask meanwhile."""

    def __init__(
        self, ask: Callable[[], T], *, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._ask = ask
        self._patience = patience
        self._lock = threading.Lock()
        self._open: Future[T] | None = None

    def answer(self) -> T | None:
        """Return what was answered, None if nothing was in time."""
        question = self._question()
        try:
            if question.exception(timeout=self._patience) is None:
                return question.result()
        except TimeoutError:
            return None
        return None

    def _question(self) -> Future[T]:
        with self._lock:
            if self._open is None or self._open.done():
                self._open = Future()
                threading.Thread(
                    target=self._answer, args=(self._open,), daemon=True
                ).start()
            return self._open

    def _answer(self, question: Future[T]) -> None:
        try:
            question.set_result(self._ask())
        except BaseException as error:  # noqa: BLE001 - whoever asked is told
            question.set_exception(error)
