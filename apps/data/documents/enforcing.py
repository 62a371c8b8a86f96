"""The config that stands, and the policies in it that writes are checked against."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any

from apps.core import json, sql
from apps.core.errors import InvalidRequest
from apps.data import policies
from apps.data.documents import known
from apps.data.documents.values import NewValue, kept_in
from apps.data.policies import Block, Exemption, Policies, Rule, Verdict
from apps.diffs import pointers
from apps.timeline import queries
from apps.timeline.errors import KeyNotFound
from apps.timeline.operations import CONFIG_KEY, Document
from apps.timeline.queries import EntryRow, PastEntry

# What a process keeps of parsed configs: each pattern may take a megabyte.
MOST_REMEMBERED = 256
NO_FLOOR = "{}"
_FLOOR = sql.PreparedQuery("""
SELECT p.floor FROM accounts_project p WHERE p.id = %(project)s
""")
# What records name where the agent's config alone would have let it pass.
FLOOR = "project floor"
BY_FLOOR = "The project's floor says so, not the agent's config."


@dataclass(frozen=True, slots=True)
class Rules:
    """What a config says to this product; the rest of it is the caller's own."""

    policies: Policies
    # Whether reads are recorded in the agent's stream.
    records_reads: bool = True

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Rules:
        """Raises: InvalidPolicy, InvalidRequest."""
        return cls(policies.parse(config), _records_reads(config))

    @property
    def weight(self) -> int:
        """Return what it takes to remember these, in patterns."""
        return 1 + len(self.policies.patterns)


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingConfig:
    """The config at the head: the version that set it (0: there is none), its rules."""

    number: int
    # With the project's floor, where that is stricter; and what the config says alone.
    rules: Rules
    own: Policies
    # What makes fingerprints of what is blocked.
    secret: bytes
    # To the config's body; empty where there is none.
    commitment: bytes
    floor: str

    def verdict(
        self, item: NewValue, *, exemptions: Sequence[Exemption] = ()
    ) -> Verdict:
        """Return what blocks a value, or which exemptions let it pass."""
        return self.rules.policies.verdict(
            item.key,
            item.value,
            item.metadata,
            size=item.size,
            secret=self.secret,
            exemptions=exemptions,
        )

    def named(self, item: NewValue, block: Block) -> Block:
        """Return the block with whose it is: the config's, or the floor's alone."""
        if self.own is self.rules.policies or self._blocks_alone(item, block.rule):
            return block
        message = f"{block.message} {BY_FLOOR}"
        return replace(block, message=message, is_by_floor=True)

    def _blocks_alone(self, item: NewValue, rule: Rule) -> bool:
        if rule is Rule.MOST_KEYS:
            return self.own.most_keys == self.rules.policies.most_keys
        alone = self.own.verdict(
            item.key, item.value, item.metadata, size=item.size, secret=self.secret
        )
        return alone.block is not None and alone.block.rule == rule

    def may_name(self, key: str) -> bool:
        """Say whether the key may be kept in a record: nothing in it is protected."""
        looking = replace(
            self.rules.policies,
            allowed_key_prefixes=(),
            denied_key_prefixes=(),
            max_value_size_bytes=None,
        )
        return looking.check(key, "", {}, size=0, secret=self.secret) is None

    def expires_at(self, key: str, now: datetime) -> datetime | None:
        return self.rules.policies.expires_at(key, now)


def standing_config(
    document: Document, *, now: datetime, floor: str | None = None
) -> StandingConfig:
    """Return the config that stands, parsed once for as long as it does.

    With the `floor` that is given, else with the one that the document's project had
    when it was read.
    """
    try:
        row = queries.entry(document.id, CONFIG_KEY, now=now)
    except KeyNotFound:
        number, rules, commitment = 0, _no_rules(), b""
    else:
        number, rules = row.number, _remembered.of(document.id, row)
        commitment = row.commitment or b""
    known.CONFIGS.learn(document.id, (number, commitment))
    floor = document.project.floor if floor is None else floor
    return _config(document, number, rules, commitment, floor)


def remembered_config(document: Document) -> StandingConfig | None:
    """Return what stood when this process looked last; None where it does not know.

    Whoever goes by it has it compared with what stands where that takes effect.
    """
    found = known.CONFIGS.get(document.id)
    floor = known.FLOORS.get(document.project.id)
    if found is None or floor is None:
        return None
    number, commitment = found
    rules = _remembered.get(commitment) if commitment else _no_rules()
    if rules is None:
        return None
    return _config(document, number, rules, commitment, floor)


def standing_floor(project_id: str) -> str:
    """Return a project's floor as it is now: a remembered caller's may be older."""
    floor = str(sql.run_prepared(_FLOOR, {"project": project_id})[0].floor)
    known.FLOORS.learn(project_id, floor)
    return floor


def floor_rules(floor: str) -> Rules:
    """Return the policies that hold for all agents of a project with this floor."""
    if floor == NO_FLOOR:
        return _no_rules()
    raw = floor.encode()
    return _remembered.known(
        raw, lambda: Rules(policies.parse_policies(json.parse_written(raw)))
    )


def _config(
    document: Document, number: int, rules: Rules, commitment: bytes, floor: str
) -> StandingConfig:
    """Return a config with the floor below which its policies do not go."""
    own = rules.policies
    least = floor_rules(floor).policies
    if least is not _no_rules().policies:
        rules = replace(rules, policies=own.with_floor(least))
    return StandingConfig(
        number=number,
        rules=rules,
        own=own,
        secret=bytes(document.project.index_key),
        commitment=commitment,
        floor=floor,
    )


def config_body(document_id: str, row: EntryRow | PastEntry) -> bytes:
    """Return the config that an entry shows, as JSON; none is an empty one."""
    if row.body_number is None:
        return b"{}"
    raw = queries.contents(document_id, [row])[row.body_number]
    return json.dumps(kept_in(raw)["config"])


def full_block(limit: int) -> Block:
    """Return what blocks a new key where the agent has as many as it may."""
    return Block(
        rule=Rule.MOST_KEYS,
        kind="max_keys_per_agent",
        place="key",
        masked="",
        message=f"The agent has as many keys as its policies allow: {limit:,}.",
    )


class _Remembered:
    """Rules of configs that stand, the newest used ones, so many patterns together.

    By the commitment to a config's body: its number does not suffice, a transaction
    that is rolled back gives it to another one. A project's floor is its own name.
    """

    def __init__(self) -> None:
        self._rules: OrderedDict[bytes, Rules] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def of(self, document_id: str, row: EntryRow) -> Rules:
        """Return the rules of the config that an entry shows."""
        return self.known(
            row.commitment or b"",
            lambda: Rules.of(kept_in(config_body(document_id, row))),
        )

    def get(self, key: bytes) -> Rules | None:
        """Return the rules of this name, if they are still remembered."""
        with self._lock:
            return self._rules.get(key)

    def known(self, key: bytes, read: Callable[[], Rules]) -> Rules:
        """Return the rules of this name, read once for as long as they are used."""
        with self._lock:
            if key in self._rules:
                self._rules.move_to_end(key)
                return self._rules[key]
        rules = read()
        with self._lock:
            if key not in self._rules:
                self._rules[key] = rules
                self._weight += rules.weight
            while self._weight > MOST_REMEMBERED and len(self._rules) > 1:
                _, oldest = self._rules.popitem(last=False)
                self._weight -= oldest.weight
        return rules


_remembered = _Remembered()


@cache
def _no_rules() -> Rules:
    return Rules.of({})


def require_known_audit(config: Mapping[str, Any]) -> None:
    """Refuse what `audit` does not take, where a config is set.

    Configs that stand from before are followed as they were.

    Raises: InvalidRequest.
    """
    for name in config.get("audit") or {}:
        if name != "reads":
            at = f"/audit/{pointers.escape(name)}"
            raise InvalidRequest("audit takes reads alone.", param=at)


def _records_reads(config: Mapping[str, Any]) -> bool:
    audit = config.get("audit")
    if audit is None:
        return True
    if not isinstance(audit, dict):
        raise InvalidRequest("audit takes an object.", param="/audit")
    reads = audit.get("reads")
    if reads is not None and type(reads) is not bool:
        raise InvalidRequest("reads takes true or false.", param="/audit/reads")
    return reads is not False
