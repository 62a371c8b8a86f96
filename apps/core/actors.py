"""Who does something: a person, an API key or the system itself.

An actor is a value, copied into every record it causes, so that the record still
reads well when the user or the key is gone.
"""

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    """What kind of hand moved."""

    USER = "user"
    KEY = "key"
    SYSTEM = "system"


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """`label` is for people: a user name, a key's visible prefix, a command."""

    kind: ActorKind
    id: str
    label: str

    @property
    def is_agent(self) -> bool:
        """Agents come in by key; what holds them back does not hold back people."""
        return self.kind is ActorKind.KEY


SYSTEM = Actor(kind=ActorKind.SYSTEM, id="system", label="system")
