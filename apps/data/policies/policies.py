"""What an agent's data is held to, and the check of one write."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain, islice, product
from typing import Any

from apps.data.policies import detectors, words
from apps.data.policies.blocks import (
    MOST_ALSO,
    Also,
    Block,
    Exemption,
    Rule,
    Verdict,
)
from apps.data.policies.detectors import HIDDEN, Seen
from apps.data.policies.patterns import Pattern
from apps.data.policies.places import Text, texts

CONTENT_RULES = (Rule.SECRETS, Rule.PERSONAL_DATA, Rule.PATTERNS)
# Seconds of a processor that a project's patterns may take together for one text. What
# could not be looked at in them is not let pass. A hundred patterns take a third of
# one on a megabyte; only repetitions that RE2 cannot keep states for take longer.
PATTERN_SECONDS = 2.0
# Of what one rule sees in one text of a blocked write: a megabyte may hold thousands.
MOST_LOOKED_AT = 100
# Numbers of which a floor keeps the smaller.
NUMBERS = (
    "max_value_size_bytes",
    "most_keys",
    "checkpoint_keep_last",
    "checkpoint_keep_days",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Retention:
    """How many days a key is kept: as its longest prefix says, else as all are."""

    days: float | None = None
    by_prefix: Mapping[str, float] = field(default_factory=dict)

    def days_of(self, key: str) -> float | None:
        prefixes = [one for one in self.by_prefix if key.startswith(one)]
        return self.by_prefix[max(prefixes, key=len)] if prefixes else self.days


@dataclass(frozen=True, kw_only=True, slots=True)
class Policies:
    """The policies of a config, read and compiled. Without any, everything passes.

    Of `retentions` the shortest counts, and a key begins with a prefix of each list of
    `allowed_key_prefixes`: a config has one of each at most, and its floor another.
    """

    block_pii: bool = False
    block_secrets: bool = False
    patterns: tuple[Pattern, ...] = ()
    retentions: tuple[Retention, ...] = ()
    allowed_key_prefixes: tuple[tuple[str, ...], ...] = ()
    denied_key_prefixes: tuple[str, ...] = ()
    max_value_size_bytes: int | None = None
    most_keys: int | None = None
    checkpoint_keep_last: int | None = None
    checkpoint_keep_days: float | None = None

    def check(
        self,
        key: str,
        value: str,
        metadata: Mapping[str, Any],
        *,
        size: int,
        secret: bytes,
        exemptions: Sequence[Exemption] = (),
    ) -> Block | None:
        """Return why this write is blocked; None if it is not."""
        return self.verdict(
            key, value, metadata, size=size, secret=secret, exemptions=exemptions
        ).block

    def verdict(
        self,
        key: str,
        value: str,
        metadata: Mapping[str, Any],
        *,
        size: int,
        secret: bytes,
        exemptions: Sequence[Exemption] = (),
    ) -> Verdict:
        """Return why this write is blocked, or which exemptions let it pass.

        `size` is the value's in bytes; `secret` makes fingerprints; `exemptions` are
        those that hold now.
        """
        block = self._key_or_size(key, size)
        if block is not None:
            return Verdict(block=block)
        used: list[Exemption] = []
        looked_at = iter(product(texts(key, value, metadata), CONTENT_RULES))
        for text, rule in looked_at:
            seen = self._seen(rule, text)
            found = next(seen, None)
            if found is None:
                continue
            mark = text.fingerprint(rule, secret)
            exempt = next((x for x in exemptions if x.covers(rule, key, mark)), None)
            if exempt is None:
                rest = chain([(text, rule, seen)], self._rest(looked_at))
                block = _block(text, rule, found, mark)
                return Verdict(block=replace(block, also=_also(block, rest)))
            used.append(exempt)
        return Verdict(block=None, exempted=tuple(dict.fromkeys(used)))

    def _rest(
        self, looked_at: Iterator[tuple[Text, Rule]]
    ) -> Iterator[tuple[Text, Rule, Iterator[Seen]]]:
        for text, rule in looked_at:
            yield text, rule, self._seen(rule, text)

    def expires_at(self, key: str, now: datetime) -> datetime | None:
        """Return when what is written now expires; None if it is kept."""
        days = _least(*(one.days_of(key) for one in self.retentions))
        return None if days is None else now + timedelta(days=days)

    def with_floor(self, floor: Policies) -> Policies:
        """Return these policies, with what the floor says where it is stricter."""
        own = set(self.patterns)
        return Policies(
            block_pii=self.block_pii or floor.block_pii,
            block_secrets=self.block_secrets or floor.block_secrets,
            patterns=(
                *self.patterns,
                *(one for one in floor.patterns if one not in own),
            ),
            retentions=self.retentions + floor.retentions,
            allowed_key_prefixes=self.allowed_key_prefixes + floor.allowed_key_prefixes,
            denied_key_prefixes=self.denied_key_prefixes + floor.denied_key_prefixes,
            **{
                name: _least(getattr(self, name), getattr(floor, name))
                for name in NUMBERS
            },
        )

    def _key_or_size(self, key: str, size: int) -> Block | None:
        if key.startswith(self.denied_key_prefixes):
            return _limit(Rule.DENIED_PREFIXES, "key", "denied_prefix")
        if not all(map(key.startswith, self.allowed_key_prefixes)):
            return _limit(Rule.ALLOWED_PREFIXES, "key", "prefix_not_allowed")
        most = self.max_value_size_bytes
        if most is not None and size > most:
            return _limit(Rule.VALUE_SIZE, "value", "too_large", size=size, most=most)
        return None

    def _seen(self, rule: Rule, text: Text) -> Iterator[Seen]:
        """Yield what this rule blocks in the text, one after another."""
        match rule:
            case Rule.SECRETS if self.block_secrets:
                return detectors.seen(detectors.secrets(), text.forms)
            case Rule.PERSONAL_DATA if self.block_pii:
                return detectors.seen(detectors.personal_data(), text.forms)
            case Rule.PATTERNS:
                return self._matched(text)
        return iter(())

    def _matched(self, text: Text) -> Iterator[Seen]:
        until = time.thread_time() + PATTERN_SECONDS
        for pattern, form in product(self.patterns, text.forms):
            if time.thread_time() >= until:
                yield Seen(words.TOO_COSTLY, HIDDEN)
                return
            if pattern.is_in(form):
                yield Seen(pattern.name, HIDDEN)


def _block(text: Text, rule: Rule, found: Seen, mark: bytes) -> Block:
    return Block(
        rule=rule,
        kind=found.kind,
        place=text.place,
        masked=found.shape,
        message=words.block_message(rule, text.place, found.kind),
        fingerprint=mark,
    )


def _also(
    block: Block, rest: Iterable[tuple[Text, Rule, Iterator[Seen]]]
) -> tuple[Also, ...]:
    """Return what else is in the write; of one shape in one place it is named once."""
    first = Also(
        rule=block.rule, kind=block.kind, place=block.place, masked=block.masked
    )
    met = {first: None}
    for text, rule, seen in rest:
        for one in islice(seen, MOST_LOOKED_AT):
            also = Also(rule=rule, kind=one.kind, place=text.place, masked=one.shape)
            met[also] = None
            if len(met) > MOST_ALSO:
                return tuple(met)[1:]
    return tuple(met)[1:]


def _limit(rule: Rule, place: str, kind: str, **facts: int) -> Block:
    return Block(
        rule=rule,
        kind=kind,
        place=place,
        masked="",
        message=words.limit_message(rule, **facts),
    )


def _least(*numbers: Any) -> Any:
    return min((one for one in numbers if one is not None), default=None)
