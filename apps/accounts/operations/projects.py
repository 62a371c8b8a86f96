"""Making projects, and changing their settings."""

from django.db import IntegrityError, transaction

from apps.accounts import covered, secrets
from apps.accounts.errors import NameTaken
from apps.accounts.models import Project
from apps.accounts.names import valid_name, valid_slug
from apps.audit import operations as audit
from apps.audit.actions import Action
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
    changed = Project.objects.select_for_update(no_key=True).get(id=project.id)
    if changed.handling == handling:
        return changed
    changed.handling = handling.value
    changed.save(update_fields=["handling"])
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.PROJECT_CHANGED,
        resource_type="project",
        resource_id=project.id,
        act=act,
        details={"handling": handling.value}
        | covered.PROJECT.left(changed, changed.index_key).details(),
    )
    return changed
