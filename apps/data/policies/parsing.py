"""Reading `policies` of a config: every key, every type, or the write is refused.

A key that nobody knows is refused too: a misspelt policy must not switch protection off
in silence.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from apps.core.json.pointers import shortened
from apps.data.policies import patterns
from apps.data.policies.errors import InvalidPolicy
from apps.data.policies.policies import Policies, Retention
from apps.diffs.pointers import escape

NAME = "policies"
AT = f"/{NAME}"
# A century: what is kept longer is kept.
MOST_DAYS = 36_500
MOST_PREFIXES = 1_000
LONGEST_PREFIX = 512
MOST_NUMBER = 2**53

Reader = Callable[[Any, str], Any]


def parse(config: Mapping[str, Any]) -> Policies:
    """Return the policies of a config. Raises: InvalidPolicy."""
    _check_place(config)
    return parse_policies(config.get(NAME), at=AT)


def parse_policies(value: Any, *, at: str = "") -> Policies:
    """Return policies that stand by themselves, such as a project's floor.

    Raises: InvalidPolicy with a pointer below `at`.
    """
    if value is None:
        return Policies()
    if not isinstance(value, Mapping):
        raise InvalidPolicy(f"{NAME} is an object.", param=at or "/")
    read: dict[str, Any] = {}
    for key, child in value.items():
        where = f"{at}/{escape(key)}"
        if key not in READERS:
            raise InvalidPolicy(_unknown(key), param=shortened(where))
        # Null is the same as not said.
        if child is not None:
            read[key] = READERS[key](child, where)
    return _policies(read)


def _policies(read: dict[str, Any]) -> Policies:
    days, by_prefix = read.get("retention_days"), read.get("retention_by_prefix", {})
    retention = Retention(days=days, by_prefix=by_prefix)
    allowed = read.get("allowed_key_prefixes")
    return Policies(
        block_pii=read.get("block_pii", False),
        block_secrets=read.get("block_secrets", False),
        patterns=read.get("custom_blocked_patterns", ()),
        retentions=(retention,) if days or by_prefix else (),
        allowed_key_prefixes=(allowed,) if allowed else (),
        denied_key_prefixes=read.get("denied_key_prefixes", ()),
        max_value_size_bytes=read.get("max_value_size_bytes"),
        most_keys=read.get("max_keys_per_agent"),
        checkpoint_keep_last=read.get("checkpoint_keep_last"),
        checkpoint_keep_days=read.get("checkpoint_keep_days"),
    )


def _check_place(config: Mapping[str, Any]) -> None:
    """Refuse policies that stand where they would do nothing."""
    for key, child in config.items():
        at = shortened(f"/{escape(key)}")
        if key in READERS:
            raise InvalidPolicy(f"{key} belongs into {NAME}.", param=at)
        if key != NAME and _is_like_policies(key, child):
            raise InvalidPolicy(f"Policies belong into {NAME}.", param=at)


def _is_like_policies(key: str, child: Any) -> bool:
    near = get_close_matches(key.lower(), [NAME, "policy"], n=1, cutoff=0.8)
    return bool(near) and isinstance(child, Mapping) and bool(READERS.keys() & child)


def _unknown(key: str) -> str:
    near = get_close_matches(key.lower(), READERS, n=1)
    meant = f" Did you mean {near[0]}?" if near else f" There are {', '.join(READERS)}."
    return f"There is no policy {shortened(key)!r}.{meant}"


def _flag(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidPolicy("This is true or false.", param=at)
    return value


def _count(value: Any, at: str) -> int:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not 0 < value <= MOST_NUMBER:
        raise InvalidPolicy("This is a whole number above 0.", param=at)
    return int(value)


def _days(value: Any, at: str) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= MOST_DAYS:
        raise InvalidPolicy(
            f"This is a number of days above 0, at most {MOST_DAYS}.", param=at
        )
    return float(value)


def _prefix(value: Any, at: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_PREFIX:
        raise InvalidPolicy(
            f"A prefix is a text of 1 to {LONGEST_PREFIX} characters.", param=at
        )
    return value


def _denied(value: Any, at: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MOST_PREFIXES:
        raise InvalidPolicy(f"This is a list of up to {MOST_PREFIXES} texts.", param=at)
    return tuple(_prefix(one, f"{at}/{number}") for number, one in enumerate(value))


def _allowed(value: Any, at: str) -> tuple[str, ...]:
    prefixes = _denied(value, at)
    if not prefixes:
        raise InvalidPolicy(
            "This names at least one prefix; leave it out to allow every key.", param=at
        )
    return prefixes


def _days_by_prefix(value: Any, at: str) -> dict[str, float]:
    if not isinstance(value, Mapping) or len(value) > MOST_PREFIXES:
        raise InvalidPolicy(
            f"This is an object of up to {MOST_PREFIXES} prefixes with days.", param=at
        )
    read = {}
    for prefix, days in value.items():
        where = shortened(f"{at}/{escape(prefix)}")
        read[_prefix(prefix, where)] = _days(days, where)
    return read


READERS: dict[str, Reader] = {
    "block_pii": _flag,
    "block_secrets": _flag,
    "custom_blocked_patterns": patterns.read,
    "retention_days": _days,
    "retention_by_prefix": _days_by_prefix,
    "allowed_key_prefixes": _allowed,
    "denied_key_prefixes": _denied,
    "max_value_size_bytes": _count,
    "max_keys_per_agent": _count,
    "checkpoint_keep_last": _count,
    "checkpoint_keep_days": _days,
}
