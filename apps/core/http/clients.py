"""The address of the client behind trusted reverse proxies.

`X-Forwarded-For` is a list to which each proxy appends the address it was called from,
so only what trusted proxies appended can be believed: the list is read from right to
left, and the first address that is no trusted proxy's is the client's. Anything
further left is the client's own text.
"""

import ipaddress
import re
from collections.abc import Iterable

from django.conf import settings
from django.http import HttpRequest

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

UNKNOWN = "unknown"
# A longer list was not written by proxies.
LONGEST_LIST = 32
# A household or a host has a whole /64; counted by address, it would have 2**64 tries.
IPV6_PREFIX = 64
# As some proxies write it: with the port.
_WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]+)):[0-9]{1,5}")


def client_address(request: HttpRequest) -> str:
    """Return the client's address, as one spelling of it; UNKNOWN without one."""
    return address_of(
        request.META.get("REMOTE_ADDR", ""),
        request.META.get("HTTP_X_FORWARDED_FOR", ""),
        trusted=settings.TRUSTED_PROXIES,
    )


def client_network(request: HttpRequest) -> str:
    """Return what tries are counted by: an IPv4 address, or the /64 of an IPv6 one."""
    text = client_address(request)
    address = _parsed(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))
    return text


def address_of(peer: str, forwarded: str, *, trusted: Iterable[Network]) -> str:
    """Walk from the peer leftwards through the list, as long as proxies are trusted.

    An entry that is no address ends the walk: the proxy that passed it on is the last
    that is known.
    """
    address = _parsed(peer)
    if address is None:
        return UNKNOWN
    networks = list(trusted)
    entries = forwarded.split(",")[-LONGEST_LIST:] if forwarded else []
    while entries and any(address in network for network in networks):
        further = _parsed(entries.pop())
        if further is None:
            break
        address = further
    return str(address)


def _parsed(text: str) -> Address | None:
    plain = text.strip()
    found = _WITH_PORT.fullmatch(plain)
    if found:
        plain = found["six"] or found["four"] or ""
    try:
        address = ipaddress.ip_address(plain.strip("[]"))
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        # A dual-stack socket shows IPv4 clients so; a scope is our own machine's name.
        return address.ipv4_mapped or ipaddress.IPv6Address(int(address))
    return address
