"""What a check answers: a block, and the exemptions that let something pass."""

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """The policy that blocks, as it is named on the wire."""

    PERSONAL_DATA = "policy:block_pii"
    SECRETS = "policy:block_secrets"
    PATTERNS = "policy:custom_blocked_patterns"
    ALLOWED_PREFIXES = "policy:allowed_key_prefixes"
    DENIED_PREFIXES = "policy:denied_key_prefixes"
    VALUE_SIZE = "policy:max_value_size_bytes"
    # Found below the lock alone, where the keys are counted.
    MOST_KEYS = "policy:max_keys_per_agent"


# Of what one write holds that is blocked, beside the first.
MOST_ALSO = 9
# Rules that look at text, and so may be wrong about it. The others never are: who wants
# another answer changes the config.
FALLIBLE = frozenset({Rule.PERSONAL_DATA, Rule.SECRETS, Rule.PATTERNS})


@dataclass(frozen=True, kw_only=True, slots=True)
class Also:
    """What else of a write would have been blocked, had the first thing passed."""

    rule: Rule
    kind: str
    place: str
    masked: str

    def told(self) -> dict[str, str]:
        """Return it as records and answers have it."""
        return {
            "rule": str(self.rule),
            "kind": self.kind,
            "place": self.place,
            "masked": self.masked,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Why a write is blocked. Nothing in it says what was found, only its shape.

    `fingerprint` stands for the text (the whole key, value or metadata) under this
    rule: an exemption that names it lets the same text pass. `is_by_floor` says that
    the project's floor blocks it, and the agent's config alone would not. `also` is
    what stands beside it in the same write, at most `MOST_ALSO`.
    """

    rule: Rule
    kind: str
    place: str
    masked: str
    message: str
    fingerprint: bytes | None = None
    is_by_floor: bool = False
    also: tuple[Also, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Exemption:
    """An exception from a rule, for one exact text or for keys that begin alike."""

    rule: Rule
    fingerprint: bytes | None = None
    prefix: str | None = None

    def __post_init__(self) -> None:
        if self.rule not in FALLIBLE:
            raise ValueError(f"{self.rule} has no exceptions.")
        if (self.fingerprint is None) == (self.prefix is None):
            raise ValueError("An exception names a text or a prefix.")
        if not (self.fingerprint or self.prefix):
            raise ValueError("An exception from everything is none.")

    def covers(self, rule: Rule, key: str, fingerprint: bytes) -> bool:
        if rule != self.rule:
            return False
        if self.prefix is not None:
            return key.startswith(self.prefix)
        return self.fingerprint == fingerprint


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What blocks a write, if something does, and which exemptions were needed."""

    block: Block | None
    exempted: tuple[Exemption, ...] = ()
