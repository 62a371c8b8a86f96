"""What is sent again after its time was over, and checkpoints kept for no time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.data.conftest import Store, made
from tests.data.test_expiry import later

pytestmark = pytest.mark.django_db
__all__ = ["later"]
MINUTE = 1 / 1440


def test_a_write_sent_again_after_its_end_is_stored_anew(
    store: Store, later: Any
) -> None:
    made(store.policies(retention_by_prefix={"lock/": MINUTE}, block_pii=True))
    first = made(store.write("lock/a", "me"))
    later(1.5 * MINUTE)

    again = made(store.write("lock/a", "me"))

    assert again["expires_at"] > first["expires_at"]
    assert made(store.read("lock/a"))["version"] == again["version"] == 2


def test_so_is_what_was_stored_of_a_batch_whose_rest_was_blocked(
    store: Store, later: Any
) -> None:
    made(store.policies(retention_by_prefix={"lock/": MINUTE}, block_pii=True))
    entries = [
        {"key": "lock/b", "value": "x"},
        {"key": "lock/c", "value": "ann@example.com"},
    ]
    first = made(store.batch(entries))
    assert made(store.batch(entries)) == first
    later(1.5 * MINUTE)

    again = made(store.batch(entries))

    assert [one["version"] for one in again["results"]] == [2, None]
    assert store.keys() == ["lock/b"]


def test_a_checkpoint_that_is_kept_for_no_time_is_made(store: Store) -> None:
    made(store.policies(checkpoint_keep_days=1e-12))

    assert store.checkpoint("pre-batch-import").status == 200


def test_a_checkpoint_that_is_kept_no_more_is_made_anew(
    store: Store, later: Any
) -> None:
    made(store.policies(checkpoint_keep_days=1))
    first = made(store.checkpoint("pre-batch-import"))
    assert made(store.checkpoint("pre-batch-import"))["id"] == first["id"]
    later(1.5)

    again = made(store.checkpoint("pre-batch-import"))

    assert again["id"] != first["id"]
    (found,) = made(store.client.get(store.checkpoints))["data"]
    assert found["id"] == again["id"]
    assert made(store.restore(again))["verified"] is True
