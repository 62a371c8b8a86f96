"""Where the console listens, and what people type to get there.

Refuses, before anything is started, what could not work: a busy port, a host that is
not this machine's, and to be reachable from outside without ALLOWED_HOSTS.
"""

import errno
import http.client
import ipaddress
import os
import socket
import time
from dataclasses import dataclass

from django.conf import settings

LARGEST_PORT = 65_535
READY_PATH = "/health/ready"


class EndpointRefused(Exception):
    """Nobody can listen there; the message says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """A numeric address of this machine and a port, and how it was asked for."""

    host: str
    address: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.address).is_loopback

    @property
    def url(self) -> str:
        """What to type into a browser, without a slash at the end."""
        if settings.BEHIND_TLS:
            # The proxy has the certificate and its own, usual port.
            return f"https://{self._name()}"
        return f"http://{self._name()}:{self.port}"

    def refuse_exposure(self) -> None:
        """Raises: EndpointRefused when others could come without ALLOWED_HOSTS."""
        if not self.is_loopback and not os.environ.get("ALLOWED_HOSTS", "").strip():
            raise EndpointRefused(
                f"--host {self.host} lets other machines in: set ALLOWED_HOSTS to "
                "the names that they will use, separated by commas."
            )

    def refuse_busy(self, *, patience: float) -> None:
        """Wait at most `patience` seconds for the port to be free.

        Raises: EndpointRefused.
        """
        deadline = time.monotonic() + patience
        while (reason := self._reason()) is not None:
            if time.monotonic() >= deadline:
                raise EndpointRefused(reason)
            time.sleep(0.1)

    def is_ready(self) -> bool:
        """Whether the application answers there, and its database does."""
        reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
        client = http.client.HTTPConnection(
            reachable.get(self.address, self.address), self.port, timeout=3
        )
        try:
            client.request("GET", READY_PATH, headers={"Host": self._name()})
            return client.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    def _reason(self) -> str | None:
        """Return why nobody can listen there now; None when one can."""
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as attempt:
            # Connections of an earlier server may linger; a listener still counts.
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                attempt.bind((self.address, self.port))
            except OSError as error:
                return self._sentence(error)
        return None

    def _sentence(self, error: OSError) -> str:
        if isinstance(error, PermissionError):
            return f"You may not use port {self.port}: try --port with 1024 or more."
        if error.errno == errno.EADDRINUSE:
            return (
                f"Port {self.port} of {self.address} is busy: stop what listens "
                "there, or choose another with --port."
            )
        return f"Cannot listen on {self.host}: {error.strerror}."

    def _name(self) -> str:
        """Return a name under which the application lets browsers in."""
        allowed = settings.ALLOWED_HOSTS
        address = f"[{self.address}]" if ":" in self.address else self.address
        if self.is_loopback and ("*" in allowed or address in allowed):
            return address
        named = (host.removeprefix(".") for host in allowed if host != "*")
        return next(named, "localhost")


def endpoint(host: str, port: int) -> Endpoint:
    """Find the address behind a name; IPv4 where it has both.

    Raises: EndpointRefused.
    """
    if not 0 < port <= LARGEST_PORT:
        raise EndpointRefused(f"A port is a number from 1 to {LARGEST_PORT}.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise EndpointRefused(f"--host {host} is no address of a machine.") from error
    found.sort(key=lambda one: one[0] != socket.AF_INET)
    return Endpoint(host=host, address=str(found[0][4][0]), port=port)
