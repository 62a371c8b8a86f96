"""Typed readers of the environment: the only place that looks at `os.environ`.

Each raises `ImproperlyConfigured` naming the variable, so a typo stops the start
instead of changing behaviour.
"""

import ipaddress
import os
import re
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name).lower()
    if value in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
        return default if not value else value in ("1", "true", "yes", "on")
    raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")


def number(name: str, default: int, *, within: range | None = None) -> int:
    value = text(name)
    if not value:
        return default
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.")
    if within is not None and int(value) not in within:
        ends = f"{within[0]} to {within[-1]}"
        raise ImproperlyConfigured(f"{name} must be {ends}, not {value!r}.")
    return int(value)


def items(name: str, default: list[str]) -> list[str]:
    found = [item.strip() for item in text(name).split(",") if item.strip()]
    return found or default


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Return addresses and networks, as in `127.0.0.1,10.0.0.0/8`."""
    try:
        return [ipaddress.ip_network(item) for item in items(name, [])]
    except ValueError as wrong:
        raise ImproperlyConfigured(
            f"{name} must be addresses or networks like 127.0.0.1,10.0.0.0/8: {wrong}."
        ) from wrong


def origin(name: str, default: str) -> str:
    """Return where something is reached: scheme, host, port, no slash at the end."""
    value = text(name, default).rstrip("/")
    if not re.fullmatch(r"https?://[^/?#@\s]+", value):
        raise ImproperlyConfigured(
            f"{name} must be like https://stepback.example.com, not {value!r}."
        )
    return value


def path(name: str) -> Path | None:
    value = text(name)
    return Path(value).expanduser().absolute() if value else None
