"""What can go wrong with an agent's data."""

from apps.core.errors import DomainError, NotFound


class InvalidKey(DomainError):
    """This cannot be a key."""

    code = "invalid_key"


class ConfigVersionNotFound(NotFound):
    """This agent's config has no such version."""

    code = "config_version_not_found"


class ExportNotFound(NotFound):
    """There is no such export, or its link is no longer valid."""

    code = "export_not_found"


class ExceptionNotFound(NotFound):
    """This agent has no such exception."""

    code = "exception_not_found"


class ExceptionExists(DomainError):
    """There is an exception for the same already: end it, then make another."""

    code = "exception_exists"


class TooManyExceptions(DomainError):
    """This agent has as many exceptions as it may: end some of them."""

    code = "too_many_exceptions"


class RestoreRunning(DomainError):
    """A checkpoint of this agent is being restored already: wait until that is over."""

    code = "restore_running"


class RestoreStopped(DomainError):
    """A restore by steps was refused half-way; the steps before that stand."""

    code = "restore_stopped"


class CheckpointNotFound(NotFound):
    """This agent has no such checkpoint, or it was deleted or a policy hides it."""

    code = "checkpoint_not_found"
