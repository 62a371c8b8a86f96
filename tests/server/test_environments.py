"""What a process is told of the secrets that `up` was told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.views.debug import get_exception_reporter_filter

from apps.core.notes.keys import made_keys
from apps.core.roles.names import VARIABLES, Role
from apps.server.environments import SECRETS, environment

OWN = "postgresql://me:mine@db/name"
SAID = {
    **{name: f"postgresql://x:secret-of-{name}@db/name" for name in VARIABLES.values()},
    **{name: f"secret-of-{name}" for name in SECRETS},
    "PGPASSWORD": "secret-of-somebody",
    "PATH": "/bin",
}


@pytest.mark.parametrize("role", [Role.WEB, Role.WORKER, Role.RETENTION])
def test_a_process_is_told_its_own_login_and_its_own_secrets(role: Role) -> None:
    told = environment(role, url=OWN, inherited=SAID)

    own = {name for name, owners in SECRETS.items() if role in owners}
    assert told["DATABASE_URL"] == OWN
    assert told["PATH"] == "/bin"
    assert {name for name, text in told.items() if "secret-of" in text} == own


def test_the_key_of_the_data_folder_is_told_to_those_who_sign(
    tmp_path: Path, settings: Any
) -> None:
    settings.LOCATION = replace(settings.LOCATION, data_dir=tmp_path)
    settings.SIGNING_KEY = settings.VERIFIER_KEY = ""
    key = made_keys()

    told = {role: environment(role, url=OWN, inherited={}) for role in Role}

    holders = [role for role, one in told.items() if key.secret() in one.values()]
    assert set(holders) == {Role.WORKER, Role.RETENTION}
    assert {one["STEPBACK_VERIFIER_KEY"] for one in told.values()} == {
        str(key.verifier)
    }


def test_a_password_that_is_said_apart_reaches_who_needs_it() -> None:
    told = environment(Role.WEB, url="postgresql://me@db/name", inherited=SAID)

    assert told["PGPASSWORD"] == SAID["PGPASSWORD"]


def test_pages_for_developers_do_not_show_the_logins(settings: Any) -> None:
    settings.DATABASE_URL = OWN
    settings.DATABASE_URLS = {Role.WEB: OWN}

    shown = get_exception_reporter_filter(None).get_safe_settings()

    assert "mine" not in str(shown["DATABASE_URL"])
    assert "mine" not in str(shown["DATABASE_URLS"])


def test_a_store_of_files_is_everybodys_who_keeps_or_erases_them(
    settings: Any,
) -> None:
    said = SAID | {"AWS_SECRET_ACCESS_KEY": "of-the-store"}
    for address, roles in (
        ("", {Role.WORKER, Role.OWNER}),
        ("s3://files/here", set(Role)),
    ):
        settings.OBJECTS = address
        told = {
            role: "AWS_SECRET_ACCESS_KEY" in environment(role, url=OWN, inherited=said)
            for role in Role
        }
        assert {role for role in Role if told[role]} == roles
