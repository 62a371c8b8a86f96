"""Questions about second factors: who has one, and what is left of it."""

from apps.accounts.models import (
    Authenticator,
    Membership,
    Project,
    RecoveryCode,
    User,
)


def has_second_factor(user_id: str) -> bool:
    mine = Authenticator.objects.filter(user_id=user_id, confirmed=True)
    return bool(mine.exists())


def device_of(user: User, *, confirmed: bool) -> Authenticator | None:
    """Return the user's device: the one that counts, or one waiting for a code."""
    found = Authenticator.objects.filter(user_id=user.id, confirmed=confirmed)
    device: Authenticator | None = found.order_by("id").last()
    return device


def members_with_second_factor(project: Project) -> set[str]:
    """Return the ids of the members who have one."""
    members = Membership.objects.in_project(project.id)
    found = Authenticator.objects.filter(
        confirmed=True, user_id__in=members.values("user_id")
    )
    return set(found.values_list("user_id", flat=True))


def codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(user_id=user.id, used_at=None).count()
