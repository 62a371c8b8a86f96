"""What can go wrong with projects, people, keys and sign-in links."""

from enum import StrEnum
from typing import Self

from apps.core.errors import DomainError, InvalidRequest, NotFound


class Unusable(StrEnum):
    """Why a key lets nobody in.

    That a key was revoked, or has expired, is learnt by who has the whole secret alone:
    it is found by its digest, so whatever resembles it is unknown.
    """

    MISSING = "missing"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    EXPIRED = "expired"


SENTENCES = {
    Unusable.MISSING: "The API key is missing: send it as X-API-Key, or as "
    "Authorization: Bearer.",
    Unusable.UNKNOWN: "This API key is unknown: there is none with this secret.",
    Unusable.REVOKED: "This API key was revoked.",
    Unusable.EXPIRED: "This API key has expired.",
}


class AuthenticationFailed(DomainError):
    """Send a valid API key as X-API-Key: it is missing, unknown, revoked or expired."""

    code = "authentication_failed"

    @classmethod
    def because(cls, reason: Unusable) -> Self:
        """Say what is wrong with the key, in words and as `reason`."""
        return cls(SENTENCES[reason], reason=reason.value)


class UnacceptableMask(DomainError):
    """A mask cannot be like that."""

    code = "unacceptable_mask"


class Masked(InvalidRequest):
    """Who asks is masked, and the answer would depend on what they may not see."""

    code = "masked"


class NotForMasked(DomainError):
    """Who asks is not shown what masks cover, and this cannot be masked."""

    code = "not_for_masked"

    @classmethod
    def of(cls, what: str) -> Self:
        """Return the refusal that names what it is."""
        return cls(
            f"Masks cover some of what you may see here, and {what} cannot be masked."
            " Ask an administrator of the project."
        )


class NameTaken(DomainError):
    """This name is already in use."""

    code = "name_taken"


class AlreadyMember(DomainError):
    """This person is already a member of the project."""

    code = "already_member"


class LastAdmin(DomainError):
    """A project keeps at least one administrator."""

    code = "last_admin"


class KeyAlreadyRevoked(DomainError):
    """This API key was revoked before."""

    code = "key_already_revoked"


class LinkNotUsable(DomainError):
    """This link was used before, has expired or was never issued."""

    code = "link_not_usable"


class SecondFactorNeeded(DomainError):
    """This project asks for a second factor: enter your code first."""

    code = "second_factor_needed"


class SecondFactorRefused(DomainError):
    """This code is wrong, or was used before."""

    code = "second_factor_refused"


class SecondFactorSetUp(DomainError):
    """A second factor is set up already."""

    code = "second_factor_set_up"


class InvitationNotFound(NotFound):
    """There is no such open invitation."""


class SessionEnded(NotFound):
    """There is no such browser signed in."""


class SecondFactorNotFound(NotFound):
    """There is no second factor set up."""


class FloorChanged(DomainError):
    """Somebody has changed this project's policies since you looked: look again."""

    code = "version_conflict"


class ProjectNotFound(NotFound):
    """There is no such project."""


class UserNotFound(NotFound):
    """There is no such user."""


class KeyNotFound(NotFound):
    """There is no such API key."""


class ViewNotFound(NotFound):
    """There is no such saved view."""
