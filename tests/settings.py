"""Settings of the test run: the product's, on a PostgreSQL of the run's own.

pytest-django imports this before anything connects. The first process starts the
server and names it in the environment; xdist workers and live server processes
inherit the name.
"""

import atexit
import os
from pathlib import Path

from tests.cluster import cluster_in, let_rows_be_deleted, make_folder

if "DATABASE_URL" not in os.environ:
    _folder = make_folder()
    _cluster = cluster_in(Path(_folder.name))
    _cluster.start()
    let_rows_be_deleted(_cluster)
    atexit.register(_cluster.stop)
    os.environ["DATABASE_URL"] = _cluster.location.dsn
    os.environ["STEPBACK_DATA_DIR"] = _folder.name
    # As on the embedded server of the product.
    os.environ["STEPBACK_PREPARE"] = "true"

from config.settings import *  # noqa: F403

SECRET_KEY = "only-for-tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Each test holds one connection; a pool would outlive the test database.
DATABASES["default"]["OPTIONS"].pop("pool")  # noqa: F405
