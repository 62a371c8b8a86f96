"""Watching a session or an agent, and handing over to the next shift.

A watch is a wish of one member about themselves: recorded, and seen by nobody else. A
hand-over note is for everybody in the project, and stays as it was written.
"""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from apps.accounts.models import Membership
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core.errors import InvalidRequest
from apps.core.ids import new_id
from apps.core.provenance import Provenance
from apps.watching.errors import NotWatched
from apps.watching.models import Handover, Subject, Watch

MOST_WATCHES = 200
LONGEST_HANDOVER = 4_000


@transaction.atomic
def watch(
    *,
    act: Provenance,
    membership: Membership,
    subject: Subject,
    subject_id: str,
    email: str,
) -> Watch:
    """Tell the member by mail of rollbacks, holds and flags; again: another address.

    The caller has looked up what is watched, in the member's project.

    Raises: InvalidRequest for what is no address, or where there are too many.
    """
    _require_address(email)
    own = Watch.objects.of_member(membership.project_id, membership.user_id)
    if own.exclude(subject_id=subject_id).count() >= MOST_WATCHES:
        raise InvalidRequest(f"You watch {MOST_WATCHES} sessions and agents already.")
    made, is_new = own.of_subject(subject_id).get_or_create(
        project_id=membership.project_id,
        user_id=membership.user_id,
        subject_id=subject_id,
        defaults={
            "id": new_id("mail", now=act.now),
            "subject": subject,
            "email": email,
            "created_at": act.now,
        },
    )
    if not is_new and made.email == email:
        return made
    if not is_new:
        made.email = email
        made.save(update_fields=["email"])
    _record(Action.WATCH_BEGUN, made, act=act)
    return made


@transaction.atomic
def unwatch(*, act: Provenance, membership: Membership, subject_id: str) -> None:
    """Tell the member no more; what waits to be sent is not.

    Raises: NotWatched.
    """
    own = Watch.objects.of_member(membership.project_id, membership.user_id)
    found = own.of_subject(subject_id).select_for_update().first()
    if found is None:
        raise NotWatched
    found_id = found.id
    found.delete()
    found.id = found_id
    _record(Action.WATCH_ENDED, found, act=act)


@transaction.atomic
def hand_over(*, act: Provenance, membership: Membership, text: str) -> Handover:
    """Tell the next shift something, on the project's first page.

    Raises: InvalidRequest.
    """
    if not text.strip() or len(text) > LONGEST_HANDOVER or "\0" in text:
        message = f"A note says something, in at most {LONGEST_HANDOVER:,} characters."
        raise InvalidRequest(message, param="text")
    made = Handover.objects.create(
        id=new_id("hand", now=act.now),
        project_id=membership.project_id,
        text=text,
        actor_kind=act.actor.kind,
        actor_id=act.actor.id,
        actor_label=act.actor.label,
        created_at=act.now,
    )
    audit.record_act(
        stream_id=made.project_id,
        project_id=made.project_id,
        action=Action.HANDOVER_WRITTEN,
        resource_type="handover",
        resource_id=made.id,
        act=act,
        # The record names it, not what it says.
        details={},
    )
    return made


def _require_address(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError as unfit:
        raise InvalidRequest("This is no e-mail address.", param="email") from unfit


def _record(action: Action, watch: Watch, *, act: Provenance) -> None:
    # Not the address: records are handed out.
    audit.record_act(
        stream_id=watch.project_id,
        project_id=watch.project_id,
        action=action,
        resource_type="watch",
        resource_id=watch.id,
        act=act,
        details={watch.subject: watch.subject_id},
    )
