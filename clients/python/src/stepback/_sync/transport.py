# Written by make_sync.py from _async/transport.py: do not edit.
"""Sends calls, and sends them again where the outcome may differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import httpx

from stepback import calls
from stepback.calls import Call
from stepback.waiting import pause

Result = TypeVar("Result")


class Transport:
    """One server, one key, a pool of connections."""

    def __init__(
        self, client: httpx.Client, *, retries: int, headers: Mapping[str, str]
    ) -> None:
        if retries < 0:
            raise ValueError("retries is less than none.")
        self.http = client
        self._retries = retries
        self.http.headers.update(headers)

    @property
    def read_timeout(self) -> float | None:
        """For how many seconds it waits for an answer; None: for ever."""
        return self.http.timeout.read

    def run(self, call: Call[Result]) -> Result:
        """Return the result of a call.

        Raises: StepbackError: ConnectionFailed if no attempt got an answer.
        """
        key = calls.key_of(call)
        for attempt in range(1, self._retries + 2):
            is_last = attempt > self._retries
            response = None
            request = calls.request_of(self.http, call, key)
            try:
                response = self.http.send(request)
            except httpx.RequestError as error:
                if is_last:
                    raise calls.failed(call, error, key) from error
            if response is not None and (is_last or not calls.may_pass(response)):
                return calls.result_of(call, response, key)
            pause(calls.pause_before(attempt, response))
        raise AssertionError("The last attempt returns or raises.")

    def close(self) -> None:
        self.http.close()
