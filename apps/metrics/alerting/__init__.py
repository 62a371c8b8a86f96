"""Alert rules: what they are about, what they saw, and whom they tell."""

from apps.metrics.alerting.clock import CLOCK, minute_of, time_of
from apps.metrics.alerting.fields import DEFAULTS, apply, check_email, draft
from apps.metrics.alerting.looks import Looks
from apps.metrics.alerting.replaying import Replay, replay
from apps.metrics.alerting.spreading import FOLLOWED, stop_all
from apps.metrics.alerting.states import is_quiet, is_quiet_hour
from apps.metrics.alerting.sweeping import evaluate, sweep
from apps.metrics.alerting.telling import details, end, list_place, place

__all__ = [
    "CLOCK",
    "DEFAULTS",
    "FOLLOWED",
    "Looks",
    "Replay",
    "apply",
    "check_email",
    "details",
    "draft",
    "end",
    "evaluate",
    "is_quiet",
    "is_quiet_hour",
    "list_place",
    "minute_of",
    "place",
    "replay",
    "stop_all",
    "sweep",
    "time_of",
]
