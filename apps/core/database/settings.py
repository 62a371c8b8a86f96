"""Turns a libpq URL into Django's database settings."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

# What every session begins with. The roles have it as well (`roles.administration`): a
# pooler that hands out connections by transaction drops what a connection asks for.
SESSION = {
    "statement_timeout": "30s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "15s",
    "timezone": "UTC",
}
# Who waits for a connection is refused after `timeout`. A pool whose database is away
# doubles its time between attempts, up to minutes, and once that is back goes on to
# refuse for as long as it was away. Given up after a second, the next who asks tries.
POOL = {"min_size": 1, "timeout": 2.0, "reconnect_timeout": 1.0}
# A machine that is lost without a word answers nothing, and the kernel would wait for
# it a quarter of an hour. The URL may say otherwise; Unix sockets know none of it.
NETWORK = {
    "connect_timeout": 10,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
}
DJANGO_NAMES = {
    "dbname": "NAME",
    "user": "USER",
    "password": "PASSWORD",
    "host": "HOST",
    "port": "PORT",
}


def database(
    dsn: str, *, pool_size: int, prepare: bool, variable: str = "DATABASE_URL"
) -> dict[str, Any]:
    """Return one entry of DATABASES, pooled; `apps.core.database` looks at connections.

    `prepare` lets statements that repeat be planned once per connection: reading a
    head takes 0.52 of the time, an append 0.82. A pooler between us and PostgreSQL
    that hands out connections by transaction may not know them. `variable` said the
    URL, for whoever has to change it.
    """
    try:
        parts = conninfo_to_dict(dsn)
    except ProgrammingError as error:
        raise ImproperlyConfigured(
            f"{variable} is not the URL of a PostgreSQL, as in "
            "postgresql://user:password@host:5432/name."
        ) from error
    settings: dict[str, Any] = {
        "ENGINE": "apps.core.database",
        "OPTIONS": {
            **NETWORK,
            "prepare_threshold": 5 if prepare else None,
            "pool": {**POOL, "max_size": pool_size},
            "options": " ".join(
                f"-c {name}={value}" for name, value in SESSION.items()
            ),
        },
    }
    for name, value in parts.items():
        if name in DJANGO_NAMES:
            settings[DJANGO_NAMES[name]] = str(value)
        else:
            settings["OPTIONS"][name] = value
    return settings
