"""Guards of agents."""

from __future__ import annotations

from stepback.errors.missing import NotFound
from stepback.errors.refused import Refused
from stepback.errors.requests import BadRequest


class GuardNotFound(NotFound):
    """There is no such guard."""

    code = "guard_not_found"


class TrialNotFound(NotFound):
    """There is no such trial of this guard."""

    code = "trial_not_found"


class GuardExists(Refused):
    """The agent has a guard of this name."""

    code = "guard_exists"


class TooManyGuards(Refused):
    """An agent has so many guards at most."""

    code = "too_many_guards"


class GuardUntried(Refused):
    """A guard that does more than observe was tried first, as it is now."""

    code = "guard_untried"


class GuardRefused(BadRequest):
    """A guard refuses what would be written; `details["guards"]` names the places."""

    code = "guard_refused"


class UnacceptableGuard(BadRequest):
    """This is no guard that can be asked; `param` says what of it."""

    code = "unacceptable_guard"
