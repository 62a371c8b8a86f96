"""Where a URL of somebody's choosing leads, and whether that is outside the house.

Addresses are judged as numbers, whatever they are wrapped in; names are judged by the
addresses behind them, when something is sent (`requests.py`).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST_URL = 2_000
FIRST_FREE_PORT = 1024
HTTPS_PORT = 443
_HOST = re.compile(
    r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?",
    re.ASCII | re.IGNORECASE,
)
# What a browser or C library takes for an IPv4 address in one of its odd spellings.
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)", re.ASCII | re.IGNORECASE)
_VISIBLE = re.compile(r"[\x21-\x7e]+", re.ASCII)
# IPv6 addresses that lead to an IPv4 address standing in their last 32 bits.
_CARRIERS = [
    ipaddress.IPv6Network("::/96"),
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::ffff:0:0:0/96"),
    ipaddress.IPv6Network("64:ff9b::/96"),
]
# Translators of somebody's own network, and relays: who knows where they lead.
_INSIDE: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = [
    ipaddress.IPv6Network("64:ff9b:1::/48"),
    ipaddress.IPv4Network("192.0.0.0/24"),
    ipaddress.IPv4Network("192.88.99.0/24"),
    # Teredo goes by way of a server, 6to4 of a router, that the address names.
    ipaddress.IPv6Network("2001::/32"),
    ipaddress.IPv6Network("2002::/16"),
    # Answers every virtual machine of a cloud about itself, at a public number.
    ipaddress.IPv4Network("168.63.129.16/32"),
    # For documents alone, which older Pythons do not know.
    ipaddress.IPv6Network("3fff::/20"),
]
# The middle of an address of ISATAP, whose end is an IPv4 address.
_ISATAP = {0x0000_5EFE, 0x0200_5EFE}


class Refused(Exception):
    """The address is none that may be sent to; the text says why, to people."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: parsed, but not resolved yet."""

    host: str
    port: int
    is_tls: bool
    path: str

    @property
    def authority(self) -> str:
        """The host as the header Host names it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.is_tls else 80
        return host if self.port == usual else f"{host}:{self.port}"


def target_of(url: str, *, into_the_house: bool) -> Target:
    """Return where the URL leads, without asking anybody.

    `into_the_house`: private addresses are allowed, and plain http with them.

    Raises: Refused.
    """
    parts = _split(url)
    if parts.scheme != "https" and not (into_the_house and parts.scheme == "http"):
        raise Refused("The URL must begin with https://.")
    if parts.username is not None or parts.password is not None:
        raise Refused("The URL must not hold a user name or password.")
    if parts.fragment or "#" in url:
        raise Refused("The URL must not hold a fragment (#…).")
    is_tls = parts.scheme == "https"
    port = _port(parts) or (443 if is_tls else 80)
    if not into_the_house and port != HTTPS_PORT and port < FIRST_FREE_PORT:
        raise Refused("The port must be 443, or 1024 and above.")
    host = _host(parts)
    literal = _literal(host)
    if literal is not None and not into_the_house:
        require_outside(literal)
    path = parts.path or "/"
    return Target(host, port, is_tls, f"{path}?{parts.query}" if parts.query else path)


def is_outside(address: Address) -> bool:
    """Say whether the address is on the public internet, whatever it is wrapped in."""
    if any(address in network for network in _INSIDE):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        carried = _carried(address)
        if carried is not None:
            return is_outside(carried)
        if address.scope_id or address.is_site_local:
            return False
        if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP and not is_outside(
            _end(address)
        ):
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
    )


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(address in network for network in _CARRIERS):
        return _end(address)
    return None


def _end(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


def require_outside(address: Address) -> None:
    if not is_outside(address):
        raise Refused("The host's address is private, local or reserved.")


def _split(url: str) -> SplitResult:
    if len(url) > LONGEST_URL:
        raise Refused(f"A URL has at most {LONGEST_URL:,} characters.")
    if not _VISIBLE.fullmatch(url) or "\\" in url:
        raise Refused("A URL has visible ASCII characters only, and no backslash.")
    try:
        return urlsplit(url)
    except ValueError:
        raise Refused("This is no URL.") from None


def _port(parts: SplitResult) -> int | None:
    try:
        port = parts.port
    except ValueError:
        raise Refused("The port must be a number up to 65535.") from None
    if port == 0:
        raise Refused("The port must be a number up to 65535.")
    return port


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if ":" in host:
        # Nothing stands before or behind the brackets, which some parsers pass over.
        is_alone = parts.netloc.partition("]")[0].lower() == f"[{host}"
        rest = parts.netloc.partition("]")[2]
        if _literal(host) is None or "%" in host or not is_alone or rest[:1] not in ":":
            raise Refused("The host is no IPv6 address.")
        return host
    if not _HOST.fullmatch(host) or len(host) > 253:
        raise Refused("The URL must name a host, in ASCII letters.")
    last = host.rstrip(".").rpartition(".")[2]
    if _NUMERIC.fullmatch(last) and _literal(host) is None:
        raise Refused("An IPv4 address is written as four decimal numbers.")
    return host


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
