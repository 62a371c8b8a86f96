"""An export of an encrypting project waits while its keys cannot be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.core.roles.names import Role
from apps.exports import making
from apps.exports import operations as exports
from apps.exports.models import Export
from apps.exports.words import Kind
from tests.acting import acting_as
from tests.acts import act_in
from tests.encryption.conftest import forget
from tests.timeline import runs
from tests.timeline.runs import begin

pytestmark = pytest.mark.django_db


def sweep() -> tuple[str, str]:
    with acting_as(Role.WORKER):
        making.sweep(now=timezone.now())
    export = Export.objects.get()
    return export.state, export.waits_for


@pytest.mark.parametrize("kind", [Kind.TRAJECTORIES, Kind.SESSION])
def test_it_goes_on_once_the_keys_are_back(
    kind: Kind,
    encrypted: Any,
    keys: Path,
    api: runs.Clients,
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.OBJECTS = str(tmp_path / "objects")
    run = begin(api(), {"messages": [{"role": "user", "content": "Hello"}]})
    asked = {"session_id": run.id} if kind is Kind.SESSION else {}
    exports.ask(act=act_in(encrypted), kind=kind, asked=asked)
    away = keys.rename(keys.with_name("away"))
    forget()

    assert sweep() == ("making", "keys")

    away.rename(keys)
    forget()
    assert sweep() == ("ready", "")
