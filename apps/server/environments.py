"""What each process of `up` is told: its own secrets, and nobody else's.

The web server and the worker have the login of their role alone, so what runs in one
of them cannot reconnect as more than that. An environment can be read by whatever runs
as the same user of the operating system, as can the files of the data folder: against
that, only another user helps.
"""

import os
from collections.abc import Mapping

from django.conf import settings
from psycopg.conninfo import conninfo_to_dict

from apps.core.notes import keys
from apps.core.notes.keys import SIGNING_VARIABLE, VERIFIER_VARIABLE
from apps.core.objects import is_s3
from apps.core.postgres.secret import kept_secret
from apps.core.roles.names import VARIABLES, Role

# Who signs: the worker notes, retention the journal of erasures.
SIGNERS = (Role.WORKER, Role.RETENTION)
# Secrets beside the logins, by the processes that need them. A new one is entered
# here, and all others go without.
OF_STORES = {"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
SECRETS: dict[str, tuple[Role, ...]] = {
    # Stores of witnesses and of backups: whoever serves requests deletes nothing there.
    "AWS_SECRET_ACCESS_KEY": (Role.WORKER, Role.OWNER),
    "AWS_SESSION_TOKEN": (Role.WORKER, Role.OWNER),
    "STEPBACK_METRICS_TOKEN": (Role.WEB,),
    "STEPBACK_FORMATION_KEY": (Role.WORKER,),
    SIGNING_VARIABLE: SIGNERS,
}


def environment(
    role: Role, *, url: str, inherited: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the environment of the process that logs in as `role` by `url`."""
    withheld = {*VARIABLES.values(), *_secrets_of_others(role)}
    if conninfo_to_dict(url).get("password"):
        # Said for whoever starts us: it may be another role's.
        withheld.add("PGPASSWORD")
    kept = {name: text for name, text in inherited.items() if name not in withheld}
    return (
        _keys(role)
        | kept
        | {
            "DATABASE_URL": url,
            # Its default goes by whether there is a DATABASE_URL.
            "STEPBACK_PREPARE": str(settings.PREPARE).lower(),
            "PYTHONPATH": _python_path(inherited),
        }
    )


def _keys(role: Role) -> dict[str, str]:
    """Return the keys of notes: all believe the same ones, some sign."""
    told = {VERIFIER_VARIABLE: " ".join(map(str, keys.verifier_keys()))}
    secret = kept_secret(keys.signing_file()) if role in SIGNERS else None
    if secret:
        told[SIGNING_VARIABLE] = secret
    return {name: text for name, text in told.items() if text}


def _secrets_of_others(role: Role) -> set[str]:
    withheld = {name for name, owners in SECRETS.items() if role not in owners}
    # Files come in by the web server, and leave with what retention erases.
    return withheld - OF_STORES if is_s3(settings.OBJECTS) else withheld


def _python_path(inherited: Mapping[str, str]) -> str:
    """Let the process find us from whatever folder `up` was called in."""
    before = inherited.get("PYTHONPATH")
    return os.pathsep.join(filter(None, [str(settings.BASE_DIR), before]))
