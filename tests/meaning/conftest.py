"""What the worker does with what is written, when a test wants it done."""

from django.utils import timezone

from apps.core.roles.names import Role
from apps.meaning.models import Vector
from apps.meaning.working import noticing, sweeping
from tests.acting import acting_as
from tests.data.conftest import store
from tests.timeline.conftest import begin, run

__all__ = ["begin", "run", "store"]


def notice_all() -> None:
    """Note what was written, as a sweep begins."""
    with acting_as(Role.WORKER):
        noticing.notice(now=timezone.now())


def embed_all() -> int:
    """Sweep once; return how many texts were embedded."""
    return sweeping.sweep(now=timezone.now())


def forget_vectors() -> None:
    """Leave what is written as it is where nobody has embedded it yet."""
    with acting_as(Role.WORKER):
        Vector.objects.all().delete()


def embedded() -> dict[str, int]:
    """Return the keys that have a vector, with the version that was embedded."""
    found = Vector.objects.filter(data__isnull=False)
    return dict(found.values_list("item", "number"))
