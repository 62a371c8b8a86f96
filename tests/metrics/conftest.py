"""Before and after hours are rolled up: what tests of figures are run with."""

import pytest

from apps.metrics.models import Due, Reach, Sum
from tests.metrics.make import roll_up


@pytest.fixture(params=["live", "rolled up"])
def counted(request):
    """Run a test twice: with all hours counted from the facts, and none."""

    def settle(now="+2 00:00"):
        if request.param == "rolled up":
            assert roll_up(now) > 0
            assert not Due.objects.exists()
            assert Sum.objects.exists()
        else:
            assert not Reach.objects.exists()

    return settle
