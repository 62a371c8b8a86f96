"""What an erasure does to the files of exports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.exports import making
from apps.exports.models import Export, Piece
from apps.exports.words import State
from tests.acting import acting_as
from tests.blobs.conftest import objects_in
from tests.conftest import Api
from tests.erasures.leaving import leave
from tests.timeline import runs

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Any) -> Path:
    settings.OBJECTS = str(tmp_path / "objects")
    return tmp_path / "objects"


def test_every_file_of_the_project_goes_and_is_counted(
    api: runs.Clients, admin: Api, erase: Callable[..., Any], store: Path
) -> None:
    leave(api())
    ready = admin.post("/v1/exports", {"kind": "trajectories"}).body["id"]
    with acting_as(Role.WORKER):
        making.sweep(now=timezone.now())
    waiting = admin.post("/v1/exports", {"kind": "trajectories"}).body["id"]
    assert Piece.objects.count() == 1

    erasure = erase(user_id="ann")
    with acting_as(Role.WORKER):
        making.sweep(now=timezone.now())

    assert not Piece.objects.exists()
    assert objects_in(store) == []
    counts = {one["what"]: one["rows"] for one in erasure["rows"]}
    assert (counts["exports"], counts["export_pieces"]) == (2, 1)
    for id in (ready, waiting):
        assert admin.get(f"/v1/exports/{id}").body["state"] == "erased"
        assert admin.get(f"/v1/exports/{id}/file").code == "export_not_found"


@pytest.mark.parametrize("state", [State.FAILED, State.EXPIRED])
def test_what_is_left_of_a_file_that_was_over_goes_as_well(
    api: runs.Clients,
    admin: Api,
    erase: Callable[..., Any],
    store: Path,
    state: State,
) -> None:
    leave(api())
    admin.post("/v1/exports", {"kind": "trajectories"})
    with acting_as(Role.WORKER):
        making.sweep(now=timezone.now())
        # As whoever says so and then finds the store away leaves it.
        Export.objects.update(state=state)
    assert objects_in(store) != []

    erase(user_id="ann")

    assert objects_in(store) == []
    assert not Piece.objects.exists()
