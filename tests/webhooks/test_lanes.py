"""Several lanes are locked at once: by whoever notes attempts, and by the feed."""

import threading
from collections.abc import Sequence

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from apps.webhooks.delivery import queue as delivery_queue
from apps.webhooks.delivery.attempts import Waiting
from apps.webhooks.models import Lane
from tests import databases
from tests.feeding import feed_all
from tests.timeline.runs import begin
from tests.worker.processes import until

pytestmark = pytest.mark.django_db(transaction=True)

LOCK = "SELECT 1 FROM webhooks_lane WHERE stream_id = %s FOR UPDATE"
WAITING = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def test_whoever_waits_for_a_lane_holds_none_that_comes_after_it(
    api, subscribe
) -> None:
    """The feed opens lanes in this order: each would wait for the other."""
    subscribe()
    client = api()
    early, late = sorted(begin(client, {}).id for _ in range(2))
    feed_all()
    taken = {one.lane[1]: one for one in delivery_queue.take("mine", busy=[], room=10)}
    # The later one stands first, in the table as among those that are given back.
    Lane.objects.filter(stream_id=early).update(due_at=timezone.now())
    mine = databases.dsn_of(connection.settings_dict["NAME"])
    back = threading.Thread(target=give_back, args=([taken[late], taken[early]],))
    with (
        psycopg.connect(mine, autocommit=True) as looking,
        psycopg.connect(mine) as other,
    ):
        other.execute(LOCK, [early])
        back.start()
        until(lambda: looking.execute(WAITING).fetchone() != (0,))

        assert looking.execute(f"{LOCK} NOWAIT", [late]).rowcount == 1
    back.join()
    assert len(delivery_queue.take("another", busy=[], room=10)) == 2


def test_who_waits_the_longest_is_taken_first(api, subscribe) -> None:
    hooks = [subscribe()[0].id for _ in range(5)]
    client = api()
    for _ in range(4):
        begin(client, {})
    feed_all()

    first = delivery_queue.take("mine", busy=[], room=16)
    delivery_queue.give_back("mine", first)
    second = delivery_queue.take("mine", busy=[], room=16)

    # Four have room for one another; the fifth is not passed by for ever.
    passed_by = set(hooks) - {one.lane[0] for one in first}
    assert passed_by <= {one.lane[0] for one in second}


def give_back(waiting: Sequence[Waiting]) -> None:
    delivery_queue.give_back("mine", waiting)
    connection.close()
