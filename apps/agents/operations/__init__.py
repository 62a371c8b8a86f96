"""The verbs of agents: register, create, update, map, suspend, activate, delete."""

from apps.agents.operations.lifecycle import LONGEST_REASON, activate, delete, suspend
from apps.agents.operations.mapping import map_states
from apps.agents.operations.registering import (
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_TAG,
    MOST_TAGS,
    create,
    register,
    update,
)

__all__ = [
    "LONGEST_DESCRIPTION",
    "LONGEST_NAME",
    "LONGEST_REASON",
    "LONGEST_TAG",
    "MOST_TAGS",
    "activate",
    "create",
    "delete",
    "map_states",
    "register",
    "suspend",
    "update",
]
