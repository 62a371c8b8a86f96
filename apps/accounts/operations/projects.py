"""Making projects, and changing their settings."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction

from apps.accounts import covered, secrets
from apps.accounts.errors import FloorChanged, NameTaken, UnacceptableMask
from apps.accounts.masks import MOST, Mask, stored, written
from apps.accounts.models import Project
from apps.accounts.names import valid_name, valid_slug
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import json
from apps.core.errors import InvalidRequest
from apps.core.handling import Handling
from apps.core.ids import new_id
from apps.core.provenance import Provenance


@transaction.atomic
def create_project(*, act: Provenance, slug: str, name: str) -> Project:
    """Make a project with an index key of its own.

    Raises: InvalidRequest for unfit names, NameTaken for a slug in use.
    """
    project = Project(
        id=new_id("proj", now=act.now),
        slug=valid_slug(slug),
        name=valid_name(name),
        index_key=secrets.new_index_key(),
        created_at=act.now,
    )
    try:
        with transaction.atomic():
            project.save(force_insert=True)
    except IntegrityError as taken:
        raise NameTaken(f"There is a project {slug} already.", param="slug") from taken
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.PROJECT_CREATED,
        resource_type="project",
        resource_id=project.id,
        act=act,
        details={"slug": project.slug, "name": project.name}
        | covered.PROJECT.left(project, project.index_key).details(),
    )
    return project


@transaction.atomic
def set_handling(*, act: Provenance, project: Project, handling: Handling) -> Project:
    """Say what becomes of unknown input where a request does not; from its next one on.

    Setting what is set already is not recorded.
    """
    return _set(act, project, "handling", handling.value, told=handling.value)


@transaction.atomic
def set_floor(
    *, act: Provenance, project: Project, floor: str, seen: str | None = None
) -> Project:
    """Keep policies for all agents, as JSON that whoever enforces them has checked.

    Setting what is set already is not recorded. `seen` is the floor as it was shown
    (`floor_as_shown`): what others have changed since is not changed back.

    Raises: FloorChanged.
    """
    held = Project.objects.select_for_update(no_key=True).get(id=project.id)
    if held.floor != floor and seen not in (None, held.floor_as_shown):
        raise FloorChanged
    return _set(act, project, "floor", floor, told=json.parse_written(floor.encode()))


@transaction.atomic
def set_search_by_meaning(*, act: Provenance, project: Project, is_on: bool) -> Project:
    """Say whether the project's old states are embedded, to be found by meaning.

    Setting what is set already is not recorded.

    Raises: InvalidRequest where the project encrypts: vectors tell of states in clear.
    """
    if is_on and Project.objects.filter(id=project.id, data_key__isnull=False).exists():
        raise InvalidRequest(
            "This project is encrypted, and vectors would tell of its states in clear.",
            param="search_by_meaning",
        )
    return _set(act, project, "search_by_meaning", is_on, told=is_on)


@transaction.atomic
def require_rollback_reason(
    *, act: Provenance, project: Project, is_required: bool
) -> Project:
    """Say whether a rollback has to say why; from the project's next request on.

    Setting what is set already is not recorded.
    """
    return _set(act, project, "needs_rollback_reason", is_required, told=is_required)


@transaction.atomic
def set_masks(*, act: Provenance, project: Project, masks: Sequence[Mask]) -> Project:
    """Say what masks cover, from the next request of whoever is masked on.

    The record says how many there are: words of one's own may be somebody's name.
    Setting what is set already is not recorded.
    """
    return _set(act, project, "masks", written(masks), told=len(masks))


@transaction.atomic
def add_mask(*, act: Provenance, project: Project, mask: Mask) -> Project:
    """Add one mask to those of a project; to have it already is no error.

    Raises: UnacceptableMask where there are as many as a project has.
    """
    known = _locked_masks(project)
    if mask in known:
        return project
    if len(known) >= MOST:
        raise UnacceptableMask(f"A project has at most {MOST} masks.", param="masks")
    return set_masks(act=act, project=project, masks=(*known, mask))


@transaction.atomic
def remove_mask(*, act: Provenance, project: Project, mask: Mask) -> Project:
    """Take one mask away; that it is gone already is no error."""
    left = [one for one in _locked_masks(project) if one != mask]
    return set_masks(act=act, project=project, masks=left)


def _locked_masks(project: Project) -> tuple[Mask, ...]:
    """Return the masks that no other administrator changes meanwhile."""
    return stored(
        Project.objects.select_for_update(no_key=True).get(id=project.id).masks
    )


def _set(
    act: Provenance, project: Project, name: str, value: str | bool, *, told: Any
) -> Project:
    changed = Project.objects.select_for_update(no_key=True).get(id=project.id)
    if getattr(changed, name) == value:
        return changed
    setattr(changed, name, value)
    changed.save(update_fields=[name])
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.PROJECT_CHANGED,
        resource_type="project",
        resource_id=project.id,
        act=act,
        details={name: told}
        | covered.PROJECT.left(changed, changed.index_key).details(),
    )
    return changed
