"""Settings of the test run: the product's, on a PostgreSQL of the run's own.

pytest-django imports this before anything connects. The first process starts the
server and names its roles' logins in the environment; xdist workers and live server
processes inherit them. Django logs in as the owner, who makes the test database; the
tests themselves act as the web's role, see `tests/acting.py`.
"""

import atexit
import os
from pathlib import Path

from apps.core.database.settings import database
from apps.core.roles.names import VARIABLES, Role
from tests.cluster import cluster_in, let_tests_act, make_folder

if "DATABASE_URL" not in os.environ:
    _folder = make_folder()
    _cluster = cluster_in(Path(_folder.name))
    _cluster.start()
    let_tests_act(_cluster)
    atexit.register(_cluster.stop)
    for _role, _variable in VARIABLES.items():
        os.environ[_variable] = _cluster.location.dsn_of(_role)
    os.environ["STEPBACK_DATA_DIR"] = _folder.name
    # As on the embedded server of the product.
    os.environ["STEPBACK_PREPARE"] = "true"

from config.settings import *  # noqa: F403

SECRET_KEY = "only-for-tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"] = database(  # noqa: F405
    os.environ[VARIABLES[Role.OWNER]],
    pool_size=POOL_SIZE,  # noqa: F405
    prepare=PREPARE,  # noqa: F405
)
# Each test holds one connection; a pool would outlive the test database.
DATABASES["default"]["OPTIONS"].pop("pool")  # noqa: F405
