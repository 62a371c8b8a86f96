"""Every act that is recorded: its name, and how it is told."""

from apps.audit.actions.action import (
    RECORDED,
    RESERVED,
    Action,
    actions_named,
    actions_shown_as,
)
from apps.audit.actions.sentences import SENTENCES

__all__ = [
    "RECORDED",
    "RESERVED",
    "SENTENCES",
    "Action",
    "actions_named",
    "actions_shown_as",
]
