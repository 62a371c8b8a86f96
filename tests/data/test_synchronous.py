"""A read's record does not wait for the disk; what comes after it does."""

import pytest
from django.db import connection

from tests.data.conftest import Store, made

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_a_read_sets_ends_with_its_record(store: Store) -> None:
    made(store.write("a"))
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = 'on'")

        read = made(store.at("a"))

        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone()[0] == "on"
        cursor.execute("RESET synchronous_commit")
    assert read["audit_id"].startswith("aud_")
