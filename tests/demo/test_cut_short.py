"""A load of the demo that was cut short goes on where it stopped.

Apart from what else is told of the demo, because each of these begins without it.
"""

from datetime import UTC, datetime

import pytest

from apps.accounts.models import Project
from apps.core.actors import SYSTEM
from apps.demo import keeping, remembering, week
from apps.memory.models import Memory
from apps.timeline.models import Version

NOW = datetime(2026, 3, 8, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


def load(project: Project, *, stops_after: int = 10_000) -> None:
    asked = iter(range(stops_after))
    week.load(project, is_stopping=lambda: next(asked, None) is None)


@pytest.mark.parametrize("stops_after", [1, 40, 250])
def test_it_goes_on_where_a_load_was_cut_short(stops_after: int):
    project = week.begin(actor=SYSTEM, now=NOW)
    load(project, stops_after=stops_after)
    interrupted = Version.objects.count()

    load(project)

    kept = Version.objects.filter(session_id__startswith="doc_").count()
    resumed = Version.objects.count()
    assert interrupted < resumed
    assert resumed - kept == sum(s.number + 1 for s in week.stories(NOW))
    data = 1 + len(keeping.CONFIGS) + len(keeping.WRITES)
    # A version for each, and one with which each owner's memories begin.
    owners = Memory.objects.values_list("document_id").distinct().count()
    assert kept == data + len(remembering.ALL) + owners
