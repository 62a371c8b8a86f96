"""Second factors: an authenticator that shows codes, and recovery codes beside it.

django-otp checks the codes: none counts twice, and wrong ones make the next wait. Every
verb that reads or changes a user's devices locks the user's row first, so that of two
at once one comes after the other.
"""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django_otp.util import random_hex

from apps.accounts import covered
from apps.accounts.access import as_user
from apps.accounts.errors import (
    SecondFactorNotFound,
    SecondFactorRefused,
    SecondFactorSetUp,
)
from apps.accounts.models import Authenticator, Project, RecoveryCode, User
from apps.accounts.operations.links import refuse_to_open_other_projects, require_member
from apps.accounts.second_factors import device_of, has_second_factor
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.admission.rate_limit import RateLimitExceeded
from apps.core.errors import InvalidRequest
from apps.core.ids import ALPHABET, new_id
from apps.core.provenance import Provenance

DIGITS = 6
CODES = 10
# Four groups of four: 80 random bits, so a plain digest is safe.
GROUPS = 4
GROUP = 4
_LENGTH = GROUPS * GROUP
_LOOKALIKES = str.maketrans("oil", "011")


@transaction.atomic
def begin_second_factor(*, act: Provenance, user: User) -> Authenticator:
    """Return a new device that counts once a code of it has been entered.

    Nothing is recorded: it opens and closes nothing yet.

    Raises: SecondFactorSetUp.
    """
    _refuse_a_second(_locked(user))
    Authenticator.objects.filter(user_id=user.id, confirmed=False).delete()
    made: Authenticator = Authenticator.objects.create(
        user_id=user.id, name="authenticator", key=random_hex(20), confirmed=False
    )
    return made


def confirm_second_factor(
    *, act: Provenance, user: User, code: str
) -> tuple[Authenticator, list[str]]:
    """Let the device that was begun count; return it and recovery codes, once.

    Raises: SecondFactorNotFound where none was begun, SecondFactorSetUp,
    SecondFactorRefused, RateLimitExceeded.
    """
    with transaction.atomic():
        _refuse_a_second(_locked(user))
        device = device_of(user, confirmed=False)
        if device is None:
            raise SecondFactorNotFound
        is_right = _shows(device, _plain(code))
        if is_right:
            device.confirmed = True
            device.save(update_fields=["confirmed"])
            codes = _new_codes(user, act.now)
            _record(Action.SECOND_FACTOR_SET_UP, user, act)
    # Only now: what was counted of a wrong code has to stay counted.
    if not is_right:
        raise SecondFactorRefused
    return device, codes


def check_second_factor(
    *, user: User, code: str, now: datetime, request_id: str
) -> Authenticator:
    """Return the user's device if this is its code now, or one of the recovery codes.

    Recovery codes are not slowed down: nobody guesses 80 bits, and who knows the
    password cannot keep the owner out by wrong codes.

    Raises: SecondFactorNotFound, SecondFactorRefused, RateLimitExceeded.
    """
    plain = _plain(code)
    with transaction.atomic():
        _locked(user)
        device = device_of(user, confirmed=True)
        if device is None:
            raise SecondFactorNotFound
        if len(plain) == _LENGTH:
            is_right = _use_code(user, plain, now, request_id)
        else:
            is_right = _shows(device, plain)
    if not is_right:
        raise SecondFactorRefused
    return device


@transaction.atomic
def make_recovery_codes(*, act: Provenance, user: User) -> list[str]:
    """Return new recovery codes; those from before no longer count.

    Raises: SecondFactorNotFound.
    """
    if device_of(_locked(user), confirmed=True) is None:
        raise SecondFactorNotFound
    codes = _new_codes(user, act.now)
    _record(Action.RECOVERY_CODES_CREATED, user, act)
    return codes


@transaction.atomic
def remove_second_factor(*, act: Provenance, user: User) -> None:
    """Take one's own second factor away; whether a code was entered is for the door.

    Raises: SecondFactorNotFound.
    """
    _remove(user)
    _record(Action.SECOND_FACTOR_REMOVED, user, act)


@transaction.atomic
def reset_second_factor(*, act: Provenance, project: Project, user: User) -> None:
    """Take a member's second factor away, who has lost it.

    Under the rule of links: by who administers all of the person's projects, or by a
    command.

    Raises: UserNotFound, PermissionDenied, SecondFactorNotFound.
    """
    require_member(project, user)
    refuse_to_open_other_projects(user, act.actor)
    _remove(user)
    action = Action.SECOND_FACTOR_RESET
    _record(action, user, act, chain=project.id)


@transaction.atomic
def require_second_factor(
    *, act: Provenance, project: Project, is_required: bool
) -> Project:
    """Say whether the project's members need a second factor to enter it.

    Who asks for it has one: the next page would keep them out.

    Raises: InvalidRequest without one, or where nothing changes.
    """
    project = Project.objects.select_for_update(no_key=True).get(id=project.id)
    if project.needs_second_factor == is_required:
        raise InvalidRequest("This is how it is already.", param="is_required")
    if is_required and not has_second_factor(act.actor.id):
        raise InvalidRequest(
            "Set up a second factor of your own first: on your account's page."
        )
    project.needs_second_factor = is_required
    project.save(update_fields=["needs_second_factor"])
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.SECOND_FACTOR_REQUIRED
        if is_required
        else Action.SECOND_FACTOR_NOT_REQUIRED,
        resource_type="project",
        resource_id=project.id,
        act=act,
        details={"slug": project.slug}
        | covered.PROJECT.left(project, project.index_key).details(),
    )
    return project


def _locked(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(id=user.id)


def _refuse_a_second(user: User) -> None:
    if has_second_factor(user.id):
        raise SecondFactorSetUp


def _shows(device: Authenticator, code: str) -> bool:
    """Let django-otp check a code; raises RateLimitExceeded while it must wait."""
    is_allowed, why = device.verify_is_allowed()
    if not is_allowed:
        until = (why or {}).get("locked_until")
        wait = until - datetime.now(until.tzinfo) if until else timedelta(seconds=1)
        seconds = max(1, round(wait.total_seconds() + 0.5))
        raise RateLimitExceeded(
            f"After wrong codes the next has to wait: try again in {seconds} s.",
            retry_after=seconds,
        )
    is_code = len(code) == DIGITS and code.isascii() and code.isdigit()
    return bool(device.verify_token(code if is_code else ""))


def _plain(code: str) -> str:
    """Return a code as it is compared: without blanks and hyphens, in small letters."""
    return "".join(code.split()).replace("-", "").lower()


def _new_codes(user: User, now: datetime) -> list[str]:
    RecoveryCode.objects.filter(user_id=user.id).delete()
    codes = [
        "".join(secrets.choice(ALPHABET) for _ in range(_LENGTH)) for _ in range(CODES)
    ]
    RecoveryCode.objects.bulk_create(
        RecoveryCode(
            id=new_id("code", now=now, sequence=number),
            user=user,
            digest=_digest(user, code),
            created_at=now,
        )
        for number, code in enumerate(codes)
    )
    return [
        "-".join(code[at : at + GROUP] for at in range(0, _LENGTH, GROUP))
        for code in codes
    ]


def _digest(user: User, code: str) -> bytes:
    # As people read it: o is 0, i and l are 1.
    return hashlib.sha256(f"{user.id}:{code.translate(_LOOKALIKES)}".encode()).digest()


def _use_code(user: User, plain: str, now: datetime, request_id: str) -> bool:
    found = RecoveryCode.objects.filter(user_id=user.id, digest=_digest(user, plain))
    # Compare-and-swap: once.
    if not found.filter(used_at=None).update(used_at=now):
        return False
    act = as_user(user, now=now, request_id=request_id)
    _record(Action.RECOVERY_CODE_USED, user, act)
    return True


def _remove(user: User) -> None:
    if device_of(_locked(user), confirmed=True) is None:
        raise SecondFactorNotFound
    Authenticator.objects.filter(user_id=user.id).delete()
    RecoveryCode.objects.filter(user_id=user.id).delete()


def _record(
    action: Action, user: User, act: Provenance, *, chain: str = audit.INSTALLATION
) -> None:
    audit.record_act(
        stream_id=chain,
        project_id=chain,
        action=action,
        resource_type="user",
        resource_id=user.id,
        act=act,
        details={"username": user.username},
    )
