"""The policies that stand, as sentences. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

from apps.data.documents.enforcing import Rules
from apps.data.policies import Policies
from apps.data.policies.policies import Retention
from apps.diffs.text import count, isolated, shorten

# So many names of a list are said; the config has them all.
NAMED = 8


def sentences(rules: Rules) -> list[str]:
    """Say what an agent's data is held to; nothing where everything is allowed."""
    policies = rules.policies
    return [
        *_of_texts(policies),
        *_of_keys(policies),
        *_of_amounts(policies),
        *_of_reads(rules),
    ]


def _of_texts(policies: Policies) -> Iterator[str]:
    if policies.block_pii:
        yield "What looks like personal data is blocked."
    if policies.block_secrets:
        yield "What looks like a secret, such as a key or a password, is blocked."
    if policies.patterns:
        names = _listed(one.name for one in policies.patterns)
        yield f"What matches a pattern is blocked: {names}."


def _of_keys(policies: Policies) -> Iterator[str]:
    for allowed in policies.allowed_key_prefixes:
        yield f"Keys may begin only with {_listed(allowed)}."
    if policies.denied_key_prefixes:
        yield f"No key may begin with {_listed(policies.denied_key_prefixes)}."


def _of_amounts(policies: Policies) -> Iterator[str]:
    if policies.max_value_size_bytes is not None:
        size = count(policies.max_value_size_bytes, "byte")
        yield f"A value may have at most {size}."
    if policies.most_keys is not None:
        yield f"The agent may have at most {count(policies.most_keys, 'key')}."
    for retention in policies.retentions:
        yield from _kept(retention)
    yield from _of_checkpoints(policies)


def _kept(retention: Retention) -> Iterator[str]:
    for prefix, days in list(retention.by_prefix.items())[:NAMED]:
        yield f"Keys that begin with {_quoted(prefix)} are kept {_days(days)}."
    more = len(retention.by_prefix) - NAMED
    if more > 0:
        yield f"The config says of {more:,} more prefixes how long keys are kept."
    if retention.days is not None:
        which = "Other keys are" if retention.by_prefix else "A key is"
        yield f"{which} kept {_days(retention.days)} after it was written."


def _of_checkpoints(policies: Policies) -> Iterator[str]:
    if policies.checkpoint_keep_last is not None:
        last = count(policies.checkpoint_keep_last, "checkpoint")
        yield f"The last {last} are kept."
    if policies.checkpoint_keep_days is not None:
        yield f"Checkpoints are kept {_days(policies.checkpoint_keep_days)}."


def _of_reads(rules: Rules) -> Iterator[str]:
    if not rules.records_reads:
        yield "Reads are not recorded: the config says so."


def _days(days: float) -> str:
    return count(int(days), "day") if days == int(days) else f"{days:g} days"


def _listed(names: Iterable[Any]) -> str:
    said = [_quoted(str(name)) for name in names]
    more = len(said) - NAMED
    return ", ".join(said[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _quoted(text: str) -> str:
    return f"“{isolated(shorten(text))}”"
