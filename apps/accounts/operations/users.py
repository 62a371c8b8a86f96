"""Making people known. What they may do is said by memberships, not here."""

from datetime import datetime

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from apps.accounts.errors import NameTaken
from apps.accounts.models import User
from apps.accounts.names import valid_name, valid_username
from apps.accounts.operations.sessions import end_ways_in
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance


def create_user(
    *,
    act: Provenance,
    username: str,
    display_name: str = "",
    email: str | None = None,
    password: str | None = None,
) -> User:
    """Make a user; without a password they get in by sign-in links only.

    A user belongs to no project yet, so the record goes to the installation's chain.

    Raises: InvalidRequest for unfit values, NameTaken for a user name in use.
    """
    user = unsaved_user(
        username=username,
        now=act.now,
        display_name=display_name,
        email=email,
        password=password,
    )
    with transaction.atomic():
        save_user(user, act=act)
    return user


def unsaved_user(
    *,
    username: str,
    now: datetime,
    display_name: str = "",
    email: str | None = None,
    password: str | None = None,
) -> User:
    """Return a user to save: hashed here, so that no transaction waits for that.

    Raises: InvalidRequest for unfit values, Busy.
    """
    user = User(
        id=new_id("user", now=now),
        username=valid_username(username),
        display_name=display_name and valid_name(display_name, param="display_name"),
        email=_valid_email(email),
        created_at=now,
    )
    give_password(user, password)
    return user


def save_user(user: User, *, act: Provenance) -> None:
    """Save a new user and record it, within the caller's transaction.

    Raises: NameTaken.
    """
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as taken:
        raise NameTaken(
            f"There is a user {user.username} already.", param="username"
        ) from taken
    audit.record_act(
        stream_id=audit.INSTALLATION,
        project_id=audit.INSTALLATION,
        action=Action.USER_CREATED,
        resource_type="user",
        resource_id=user.id,
        act=act,
        details={"username": user.username},
    )


def change_password(
    *, act: Provenance, user: User, password: str, keep_session: str | None = None
) -> User:
    """Give a user another password; all other browsers and open links are ended.

    Whether whoever asks knows the old one is for the door to find out.

    Raises: InvalidRequest for a password that is easily guessed, Busy.
    """
    give_password(user, password)
    with transaction.atomic():
        user.save(update_fields=["password"])
        end_ways_in(user, now=act.now, keep_session=keep_session)
        _record_password(user, act=act)
    return user


def give_password(user: User, password: str | None) -> None:
    """Set a password on the row, unsaved.

    Raises: InvalidRequest for one that is easily guessed.
    """
    if password is not None:
        try:
            validate_password(password, user)
        except ValidationError as weak:
            raise InvalidRequest(" ".join(weak.messages), param="password") from weak
    user.set_password(password)


def _record_password(user: User, *, act: Provenance) -> None:
    audit.record_act(
        stream_id=audit.INSTALLATION,
        project_id=audit.INSTALLATION,
        action=Action.PASSWORD_CHANGED,
        resource_type="user",
        resource_id=user.id,
        act=act,
        details={"username": user.username},
    )


def _valid_email(email: str | None) -> str | None:
    if not email:
        return None
    try:
        validate_email(email)
    except ValidationError as unfit:
        raise InvalidRequest("This is no e-mail address.", param="email") from unfit
    return email
