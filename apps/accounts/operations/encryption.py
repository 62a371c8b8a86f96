"""Having a project's data encrypted, and wrapping its keys anew."""

from django.db import transaction

from apps.accounts import covered, encryption
from apps.accounts.models import DataKey, Project
from apps.audit import operations as audit
from apps.audit.actions import Action
from apps.core import keyring
from apps.core.errors import InvalidRequest
from apps.core.provenance import Provenance


@transaction.atomic
def encrypt_project(*, act: Provenance, project: Project) -> bool:
    """Have all that is written to the project from now on sealed, under a new key.

    Return whether it was not so before.

    Raises: KeysUnavailable, InvalidRequest where something would stay in clear that
    can be switched off.
    """
    changed = Project.objects.select_for_update(no_key=True).get(id=project.id)
    if changed.data_key is not None:
        return False
    if changed.search_by_meaning:
        raise InvalidRequest(
            "This project is searched by meaning, and vectors tell of states in clear: "
            "switch that off first.",
            param="search_by_meaning",
        )
    outer = keyring.outer_keys()
    row = encryption.new_data_key(str(project.id), 1, outer)
    row.made_at = act.now
    row.save(force_insert=True)
    changed.data_key = row.number
    changed.save(update_fields=["data_key"])
    _record(act, changed, row)
    return True


def rotate_keys(*, act: Provenance) -> int:
    """Wrap every data key with the current key-encryption key; return how many it was.

    Each is a transaction: whoever is stopped has done whole keys, and the next run goes
    on. No body is touched.

    Raises: KeysUnavailable, naming the key-encryption key.
    """
    outer = keyring.outer_keys()
    done = 0
    older = DataKey.objects.exclude(outer_id=outer.current)
    for project_id, number in list(
        older.order_by("project_id", "number").values_list("project_id", "number")
    ):
        done += _rotate(act, project_id, number, outer)
    return done


@transaction.atomic
def _rotate(
    act: Provenance, project_id: str, number: int, outer: keyring.OuterKeys
) -> bool:
    # In the order in which `encrypt_project` locks.
    project = Project.objects.select_for_update(no_key=True).get(id=project_id)
    row = DataKey.objects.select_for_update(no_key=True).get(
        project_id=project_id, number=number
    )
    if row.outer_id == outer.current:
        return False
    encryption.rewrap(row, outer)
    row.save(update_fields=["wrapped", "outer_id"])
    _record(act, project, row)
    return True


def _record(act: Provenance, project: Project, row: DataKey) -> None:
    audit.record_act(
        stream_id=project.id,
        project_id=project.id,
        action=Action.PROJECT_CHANGED,
        resource_type="project",
        resource_id=project.id,
        act=act,
        details={"data_key": row.number, "outer_key": row.outer_id}
        | covered.PROJECT.left(project, project.index_key).details(),
    )
