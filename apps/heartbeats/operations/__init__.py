"""The verbs of heartbeats."""

from apps.heartbeats.operations.expecting import (
    LONGEST,
    expect,
    expect_no_more,
    expect_no_more_of_agent,
    expect_of_agent,
)
from apps.heartbeats.operations.sweeping import sweep

__all__ = [
    "LONGEST",
    "expect",
    "expect_no_more",
    "expect_no_more_of_agent",
    "expect_of_agent",
    "sweep",
]
