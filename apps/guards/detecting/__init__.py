"""What a guard looks for in a version or a turn: pure functions, values in and out.

The same functions decide while a write is built and while a guard is tried on what is
stored, so that both say the same of the same history.
"""

from apps.guards.detecting.detectors import Finding, Outcome, find
from apps.guards.detecting.moments import EARLIER, Moment, TurnSeen, turn_seen
from apps.guards.detecting.rules import (
    OF_EARLIER,
    OF_STATES,
    OF_TURNS,
    Rule,
    RuleRefused,
    line_of,
    read_line,
    read_rule,
)
from apps.guards.detecting.saying import reason_of, words_of

__all__ = [
    "EARLIER",
    "OF_EARLIER",
    "OF_STATES",
    "OF_TURNS",
    "Finding",
    "Moment",
    "Outcome",
    "Rule",
    "RuleRefused",
    "TurnSeen",
    "find",
    "line_of",
    "read_line",
    "read_rule",
    "reason_of",
    "turn_seen",
    "words_of",
]
