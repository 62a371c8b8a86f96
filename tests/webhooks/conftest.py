"""Webhooks to a receiver on this machine, delivered by the worker's sweep."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Project
from apps.webhooks import operations as webhooks
from apps.webhooks.delivery import delivering
from apps.webhooks.models import Lane, Subscription
from tests.acts import act_in
from tests.feeding import feed_all
from tests.webhooks.receiver import Receiver


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS_PRIVATE = True
    made = Receiver().up()
    yield made
    made.down()


@pytest.fixture
def subscribe(project: Project, receiver: Receiver):
    """`subscribe("version.created")` returns a webhook and its secret."""

    def make(
        *kinds: str, to: Receiver = receiver, **more: str
    ) -> tuple[Subscription, str]:
        return webhooks.create(
            act=act_in(project),
            url=to.url,
            kinds=kinds or ("version.created",),
            **more,
        )

    return make


@pytest.fixture
def sweep() -> Callable[[], None]:
    """`sweep()` delivers what is there, without waiting for pauses to be over."""

    def run() -> None:
        Lane.objects.update(due_at=timezone.now())
        Subscription.objects.update(resting_until=None)
        feed_all()
        delivering.deliver(now=timezone.now())

    return run
