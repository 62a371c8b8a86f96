"""What can go wrong with an effect of a session, and with rollbacks across it."""

from apps.core.errors import DomainError, NotFound


class EffectNotFound(NotFound):
    """This session has no such effect."""

    code = "effect_not_found"


class EffectDiffers(DomainError):
    """This key stands for another call: its tool, arguments or class are not these."""

    code = "effect_differs"


class EffectInProgress(DomainError):
    """This effect is begun, and not finished: do not run it."""

    code = "effect_in_progress"


class EffectUnknown(DomainError):
    """It is not known whether this effect happened: somebody has to settle it."""

    code = "effect_unknown"


class EffectNotUnknown(DomainError):
    """It is known what became of this effect: there is nothing to settle."""

    code = "effect_not_unknown"


class EffectAttempt(DomainError):
    """Another attempt of this effect is the newest one."""

    code = "effect_attempt"


class EffectFinished(DomainError):
    """This effect was finished otherwise."""

    code = "effect_finished"


class CacheInvalid(DomainError):
    """This is not how a result of the record is asked for."""

    code = "cache_invalid"


class EffectsCrossed(DomainError):
    """This rollback would go behind effects that happened, or may have."""

    code = "effects_crossed"


class EffectsUnconfirmed(DomainError):
    """Type the last four characters of the id: this crosses what cannot be undone."""

    code = "effects_unconfirmed"


class CompensationNotFound(NotFound):
    """Nothing is owed for such an effect of this session."""

    code = "compensation_not_found"


class CompensationClosed(DomainError):
    """What was owed for this effect is done or waived."""

    code = "compensation_closed"
